package interchange

import (
	"io"
	"math"
	"slices"
	"strconv"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// mem0Files are, for each cell, NAME.json with its answers and, where they have
// been scored as evals.py does, NAME.metrics.json with the scores.
func mem0Files(e *Export) ([]file, error) {
	scored := e.has("f1@mem0") && e.has("bleu1@nltk")
	var files []file
	names := e.names()
	for i, c := range e.Cells {
		files = append(files, file{names[i] + ".json", func(w io.Writer) error { return writeMem0(c, w, mem0Answer) }})
		if scored {
			files = append(files, file{names[i] + ".metrics.json", func(w io.Writer) error { return writeMem0(c, w, mem0Scored) }})
		}
	}
	return files, nil
}

func (e *Export) has(column string) bool {
	return slices.ContainsFunc(e.Columns, func(c metrics.Column) bool { return c.Name == column })
}

// writeMem0 writes an object with the items of each conversation, by its place
// among the conversations of the run.
func writeMem0(c Cell, w io.Writer, item func(scored.Request) any) error {
	places, err := c.samples()
	if err != nil {
		return err
	}
	conversations := make([][]any, len(places))
	for r, err := range c.Run.Requests(c.Cell) {
		if err != nil {
			return err
		}
		at := slices.Index(places, r.Record.Sample)
		if v := item(r); v != nil {
			conversations[at] = append(conversations[at], v)
		}
	}
	// encoding/json sorts the keys of a map as text, 10 before 2.
	out := list{w: w, open: "{", close: "\n}\n"}
	for i, items := range conversations {
		if len(items) > 0 {
			out.add(strconv.Quote(strconv.Itoa(i))+": ", items)
		}
	}
	return out.end()
}

// samples lists the samples of the cell's dataset, in its order.
func (c Cell) samples() ([]string, error) {
	var samples []string
	for line, err := range record.Lines[record.Gold](c.Run.Folder.Gold(c.Cell.Dataset)) {
		if err != nil {
			return nil, err
		}
		if id := line.Value.Sample; len(samples) == 0 || samples[len(samples)-1] != id {
			samples = append(samples, id)
		}
	}
	return samples, nil
}

// mem0Answer is an answer as mem0's evaluation/src/memzero/search.py writes it
// (mem0ai/mem0 before its evaluation moved to another repository). Nemori and xMemory
// score files of the same form with the same evals.py.
//
// A memory's blocks all stand under the first speaker: whose they are is not known.
// Ids, status and error are additions, which those programs pass over. Times are in
// seconds.
func mem0Answer(r scored.Request) any {
	memories := []object{}
	for _, b := range r.Evidence {
		memories = append(memories, object{"memory": b.Text, "timestamp": "", "score": b.Score})
	}
	item := object{
		"question": r.Gold.Question, "answer": r.Gold.Answer, "category": categoryID(r.Gold.Category), "evidence": append([]string{}, r.Gold.Evidence...),
		"response": r.Record.Answer, "adversarial_answer": "",
		"speaker_1_memories": memories, "num_speaker_1_memories": len(memories), "speaker_1_memory_time": 0, "speaker_1_graph_memories": nil,
		"speaker_2_memories": []object{}, "num_speaker_2_memories": 0, "speaker_2_memory_time": 0, "speaker_2_graph_memories": nil,
		"response_time": math.Round(r.Record.Time.Total*1000) / 1e6,
		"sample_id":     r.Record.Sample, "request_id": r.Record.Request, "status": r.Record.Status,
	}
	if r.Record.Error != nil {
		item["error"] = r.Record.Error
	}
	return item
}

// mem0Scored is a scored answer as mem0's evaluation/evals.py writes it, which leaves
// out adversarial questions. An answer that was not judged has a null.
func mem0Scored(r scored.Request) any {
	if r.Gold.Category == "5" || r.Score == nil {
		return nil
	}
	return object{
		"question": r.Gold.Question, "answer": r.Gold.Answer, "response": r.Record.Answer, "category": r.Gold.Category,
		"bleu_score": r.Score.Values["bleu1@nltk"], "f1_score": r.Score.Values["f1@mem0"], "llm_score": r.Score.Values["judge"],
	}
}

// categoryID is the id of a category as JSON: LoCoMo's are numbers.
func categoryID(id string) any {
	if n, err := strconv.Atoi(id); err == nil && strconv.Itoa(n) == id {
		return n
	}
	return id
}
