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

// A mem0Item is an answer as mem0's evaluation/src/memzero/search.py writes it
// (mem0ai/mem0 before its evaluation moved to another repository), in the same
// order. Nemori and xMemory score files of the same form with the same evals.py.
//
// A memory's blocks all stand under the first speaker: whose they are is not known.
// The last four fields are additions, which those programs pass over.
type mem0Item struct {
	Question    string       `json:"question"`
	Answer      string       `json:"answer"` // the gold one
	Category    any          `json:"category"`
	Evidence    []string     `json:"evidence"`
	Response    string       `json:"response"`
	Adversarial string       `json:"adversarial_answer"`
	Memories1   []mem0Memory `json:"speaker_1_memories"`
	Memories2   []mem0Memory `json:"speaker_2_memories"`
	Num1        int          `json:"num_speaker_1_memories"`
	Num2        int          `json:"num_speaker_2_memories"`
	Time1       float64      `json:"speaker_1_memory_time"` // seconds
	Time2       float64      `json:"speaker_2_memory_time"`
	Graph1      *struct{}    `json:"speaker_1_graph_memories"`
	Graph2      *struct{}    `json:"speaker_2_graph_memories"`
	Time        float64      `json:"response_time"` // seconds

	Sample  string          `json:"sample_id"`
	Request string          `json:"request_id"`
	Status  record.Status   `json:"status"`
	Error   *record.Failure `json:"error,omitempty"`
}

// A mem0Memory is a memory that was found.
type mem0Memory struct {
	Memory    string  `json:"memory"`
	Timestamp string  `json:"timestamp"`
	Score     float64 `json:"score"`
}

// A mem0Score is a scored answer as mem0's evaluation/evals.py writes it.
type mem0Score struct {
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Response string   `json:"response"`
	Category string   `json:"category"`
	BLEU     *float64 `json:"bleu_score"`
	F1       *float64 `json:"f1_score"`
	Judge    *float64 `json:"llm_score"`
}

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

func mem0Answer(r scored.Request) any {
	item := mem0Item{
		Question: r.Gold.Question, Answer: r.Gold.Answer, Category: categoryID(r.Gold.Category), Evidence: slices.Clone(r.Gold.Evidence),
		Response: r.Record.Answer, Memories1: []mem0Memory{}, Memories2: []mem0Memory{},
		Time:   math.Round(r.Record.Time.Total*1000) / 1e6,
		Sample: r.Record.Sample, Request: r.Record.Request, Status: r.Record.Status, Error: r.Record.Error,
	}
	if item.Evidence == nil {
		item.Evidence = []string{}
	}
	for _, b := range r.Evidence {
		item.Memories1 = append(item.Memories1, mem0Memory{Memory: b.Text, Score: b.Score})
	}
	item.Num1 = len(item.Memories1)
	return item
}

// mem0Scored leaves out adversarial questions, as evals.py does. An answer that
// was not judged has a null.
func mem0Scored(r scored.Request) any {
	if r.Gold.Category == "5" || r.Score == nil {
		return nil
	}
	return mem0Score{
		Question: r.Gold.Question, Answer: r.Gold.Answer, Response: r.Record.Answer, Category: r.Gold.Category,
		BLEU: r.Score.Values["bleu1@nltk"], F1: r.Score.Values["f1@mem0"], Judge: r.Score.Values["judge"],
	}
}

// categoryID is the id of a category as JSON: LoCoMo's are numbers.
func categoryID(id string) any {
	if n, err := strconv.Atoi(id); err == nil && strconv.Itoa(n) == id {
		return n
	}
	return id
}
