package interchange

import (
	"io"
	"math"
	"strconv"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// mem0Files are for each cell its answers, as mem0's evaluation/src/memzero/search.py writes
// them (mem0ai/mem0 before its evaluation moved to another repository): an object with the
// items of each conversation, by its place among those of the run. Nemori and xMemory score
// files of the same form with the same evals.py.
func mem0Files(e *Export) (files []file) {
	for _, c := range e.Cells {
		files = append(files, file{record.FileName(c.Cell.Dataset+"_"+e.label(c)) + ".json", func(w io.Writer) error {
			places, conversations := make(map[string]string), make(map[string][]object)
			for gold, err := range record.Values[record.Gold](c.Run.Folder.Gold(c.Cell.Dataset)) {
				if err != nil {
					return err
				}
				if places[gold.Sample] == "" {
					places[gold.Sample] = strconv.Itoa(len(places))
				}
			}
			for r, err := range e.rows(c) {
				if err != nil {
					return err
				}
				at := places[r.Record.Sample]
				conversations[at] = append(conversations[at], mem0Answer(r))
			}
			return jsonout.Lines(w, conversations)
		}})
	}
	return files
}

// mem0Answer is an answer. A memory's blocks all stand under the first speaker: whose they
// are is not known. Ids, status and error are additions, which those programs pass over.
// Times are in seconds.
func mem0Answer(r row) object {
	memories := []object{}
	for _, b := range r.Evidence {
		memories = append(memories, object{"memory": b.Text, "timestamp": "", "score": b.Score})
	}
	item := object{
		"question": r.Gold.Question, "answer": r.Gold.Answer, "category": r.Gold.Category, "evidence": append([]string{}, r.Gold.Evidence...),
		"response": r.Record.Answer, "adversarial_answer": "",
		"speaker_1_memories": memories, "num_speaker_1_memories": len(memories), "speaker_1_memory_time": 0, "speaker_1_graph_memories": nil,
		"speaker_2_memories": []object{}, "num_speaker_2_memories": 0, "speaker_2_memory_time": 0, "speaker_2_graph_memories": nil,
		"response_time": math.Round(r.Record.Time.Total*1000) / 1e6,
		"sample_id":     r.Record.Sample, "request_id": r.Record.Request, "status": r.Record.Status,
	}
	if n, err := strconv.Atoi(r.Gold.Category); err == nil { // LoCoMo's are numbers
		item["category"] = n
	}
	if r.Record.Error != nil {
		item["error"] = r.Record.Error
	}
	return item
}
