package interchange

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// An object is a JSON object.
type object = map[string]any

// csvHead names the columns before those of the scores.
var csvHead = []string{
	"run", "cell", "dataset", "method", "model", "reader", "offline", "seed", "sample", "request", "category", "category_name",
	"question", "gold", "answer", "status", "error_kind", "error_message", "attempts",
	"gold_evidence", "evidence_sources", "evidence_blocks", "tokens_input", "tokens_output", "cost_usd", "latency_ms",
}

// writeCSV writes a table with a row for each request. What is not known is an
// empty field; ids of turns stand in one field, with blanks between them.
func writeCSV(e *Export, w io.Writer) error {
	out := spreadsheet.NewWriter(w)
	head := slices.Concat(csvHead, e.columnNames())
	err := out.Write(head)
	for row, rowErr := range e.rows() {
		if err = cmp.Or(err, rowErr); err != nil {
			return err
		}
		fields := row.fields()
		var sources []string
		for _, b := range row.Evidence {
			sources = lists.AddNew(sources, b.Sources...)
		}
		fields["answer"], fields["evidence_sources"], fields["evidence_blocks"] = row.Record.Answer, sources, len(row.Evidence)
		for name, x := range e.scores(row) {
			fields[name] = x
		}
		err = out.Write(lists.Map(head, func(name string) string { return csvField(fields[name]) }))
	}
	return out.Flush()
}

// csvField is a value of a row, empty where it is not known; numbers read back as the same.
func csvField(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case *float64:
		if v == nil {
			return ""
		}
		return fmt.Sprint(*v)
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(v)
}

// writeJSONL writes a JSON object for each request, on a line of its own. Besides
// what a row has, it has the scores by column. Its id, category, prediction and
// gold are what 'bench score --predictions' reads of one method.
func writeJSONL(e *Export, w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	for row, err := range e.rows() {
		if err != nil {
			return err
		}
		fields := row.fields()
		fields["scores"] = e.scores(row)
		if err := enc.Encode(fields); err != nil {
			return err
		}
	}
	return nil
}

// A row is a request of a cell, with what the judges of the run said of its answer.
type row struct {
	Cell
	scored.Request
}

// rows reads the requests of cells; none for those of all.
func (e *Export) rows(cells ...Cell) iter.Seq2[row, error] {
	if len(cells) == 0 {
		cells = e.Cells
	}
	return func(yield func(row, error) bool) {
		for _, c := range cells {
			var said []scored.Judged
			for _, judge := range c.Run.Header.AllJudges() {
				of, err := c.Run.Judged(c.Cell, &judge)
				if err != nil {
					yield(row{}, err)
					return
				}
				said = append(said, of)
			}
			for r, err := range c.Run.Requests(c.Cell) {
				for _, of := range said {
					if j := of.Of(r.Record); j != nil && r.Record.Status == record.OK {
						r.Judgements = append(r.Judgements, *j)
					}
				}
				if !yield(row{c, r}, err) || err != nil {
					return
				}
			}
		}
	}
}

// gold is the gold answer; nil where the right answer is an abstention.
func (r row) gold() any {
	if r.Gold.Abstain {
		return nil
	}
	return r.Gold.Answer
}

// about is what says which request a row is.
func (r row) about() object {
	return object{
		"sample": r.Record.Sample, "request": r.Record.Request, "status": r.Record.Status,
		"category": r.Gold.Category, "category_name": r.Dataset.CategoryName(r.Gold.Category),
	}
}

// question is what a line says of a question and of what its answer was made from.
func (r row) question() object {
	to := object{"sample": r.Record.Sample, "request": r.Record.Request, "category": r.Gold.Category, "question": r.Gold.Question, "gold": r.gold()}
	addList(to, "gold_evidence", r.Gold.Evidence)
	addList(to, "evidence", r.shown())
	return to
}

// fields are those that a layout of this program's lines reads, and more. What is not known
// is null or not there, never 0.
func (r row) fields() object {
	rec, to := r.Record, r.about()
	maps.Copy(to, r.question())
	maps.Copy(to, object{
		"id": rec.Sample + "/" + rec.Request, "run": filepath.Base(string(r.Run.Folder)), "cell": r.ID, "dataset": r.Cell.Cell.Dataset, "method": r.Method, "use": r.Use,
		"model": r.Cell.Cell.Model, "reader": r.Model.Reader, "offline": r.Model.Offline, "seed": r.Seed,
		"prediction": rec.Answer, "attempts": rec.Attempts, "tokens_input": nil, "tokens_output": nil, "cost_usd": rec.Cost, "latency_ms": nil,
	})
	if rec.Error != nil {
		to["error_kind"], to["error_message"] = rec.Error.Kind, rec.Error.Message
	}
	if r.timed() {
		to["latency_ms"] = rec.Time.Total
	}
	if !rec.Time.Start.IsZero() {
		to["start"] = rec.Time.Start.UTC()
	}
	for _, j := range r.Judgements {
		if first := r.Run.Header.Judge; first == nil || first.ID != j.Judge {
			continue
		}
		to["judge"] = j.Reader // what it said is not there where its reply could not be used
		if j.Correct != nil {
			to["judged_correct"] = *j.Correct
		}
		if j.Why != "" {
			to["judge_why"] = j.Why
		}
	}
	addList(to, "variants", r.Gold.Variants)
	addList(to, "labels", sorted(r.Gold.Labels, func(name, value string) object { return object{"name": name, "value": value} }))
	addList(to, "stages", sorted(rec.Time.Stages, func(name string, ms float64) object { return object{"name": name, "ms": ms} }))
	if r.Score != nil {
		addList(to, "why", r.Score.Why)
	}
	var sum llm.Usage
	var usage []object
	for _, phase := range slices.Sorted(maps.Keys(rec.Usage)) {
		sum = sum.Add(ofModels(rec.Usage[phase]))
		usage = append(usage, sorted(rec.Usage[phase], func(role string, u llm.Usage) object {
			return object{"phase": phase, "role": role, "calls": u.Calls, "input": u.Input, "cached": u.Cached, "output": u.Output, "reasoning": u.Reasoning}
		})...)
	}
	if r.Imported == nil || usage != nil { // that a cell of this program called none is known
		to["tokens_input"], to["tokens_output"] = sum.Input, sum.Output
	}
	addList(to, "usage", usage)
	return to
}

// addList adds a list that holds something.
func addList[T any](to object, name string, list []T) {
	if len(list) > 0 {
		to[name] = list
	}
}

// sorted makes a list of a map, by its keys.
func sorted[V, T any](m map[string]V, f func(string, V) T) []T {
	return lists.Map(slices.Sorted(maps.Keys(m)), func(key string) T { return f(key, m[key]) })
}

// ofModels sums up the usage of the language models.
func ofModels(roles map[string]llm.Usage) (sum llm.Usage) {
	for role, u := range roles {
		if role != meter.EmbedRole {
			sum = sum.Add(u)
		}
	}
	return sum
}

// shown are the blocks of evidence, in rank order. Gold are the sources that the gold
// answer rests on.
func (r row) shown() []object {
	return lists.Map(r.Evidence, func(b scored.Block) object {
		block := object{"block": b.Block.Block, "name": b.Name, "score": b.Score, "tokens": b.Tokens, "sources": b.Sources, "gold": b.Gold, "text": b.Text}
		if b.Estimated {
			block["estimated"] = true
		}
		return block
	})
}

// timed reports whether the time that a request took is known: of an imported answer it is
// only where its file says so.
func (r row) timed() bool { return r.Imported == nil || r.Record.Time.Total > 0 }
