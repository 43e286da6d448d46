package interchange

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/result/note"
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
	head := slices.Clone(csvHead)
	for _, c := range e.Columns {
		head = append(head, c.Name)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for row, err := range e.rows() {
		if err != nil {
			return err
		}
		var sources []string
		for _, b := range row.Evidence {
			sources = lists.AddNew(sources, b.Sources...)
		}
		row.fields["answer"], row.fields["evidence_sources"], row.fields["evidence_blocks"] = row.fields["prediction"], sources, len(row.Evidence)
		for name, x := range e.scores(row.Request) {
			row.fields[name] = x
		}
		if err := out.Write(lists.Map(head, func(name string) string { return csvField(row.fields[name]) })); err != nil {
			return err
		}
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
		return csvField(*v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
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
		row.fields["scores"] = e.scores(row.Request)
		if err := enc.Encode(row.fields); err != nil {
			return err
		}
	}
	return nil
}

// A row is a request as tables of data have it, with what judges said of the answer by the
// judge's id. What is not known is null or not there, never 0.
type row struct {
	scored.Request
	fields object
	said   map[string]record.Judgement
}

// rows reads the requests of all cells.
func (e *Export) rows() iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for _, c := range e.Cells {
			said, err := c.judgements()
			if err != nil {
				yield(row{}, err)
				return
			}
			for r, err := range c.Run.Requests(c.Cell) {
				if err != nil {
					yield(row{}, err)
					return
				}
				all := said[[3]string{r.Record.Sample, r.Record.Request, note.Sum(r.Record.Answer)}]
				if r.Record.Status != record.OK {
					all = nil
				}
				if !yield(row{r, c.fields(r, all), all}, nil) {
					return
				}
			}
		}
	}
}

// judgements reads what the judges of the run said of the cell's answers, by sample, request
// and the answer's hash, and the judge's id; of one that was judged twice the last counts.
// Empty where the run was not judged.
func (c Cell) judgements() (map[[3]string]map[string]record.Judgement, error) {
	said := make(map[[3]string]map[string]record.Judgement)
	if len(c.Run.Header.AllJudges()) == 0 {
		return said, nil
	}
	for line, err := range record.Lines[record.Judgement](c.Run.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		j := line.Value
		of := [3]string{j.Sample, j.Request, j.Answer}
		if said[of] == nil {
			said[of] = make(map[string]record.Judgement)
		}
		said[of][j.Judge] = j
	}
	return said, nil
}

// fields are those that a layout of this program's lines reads, and more.
func (c Cell) fields(r scored.Request, said map[string]record.Judgement) object {
	rec, header := r.Record, c.Run.Header
	to := object{
		"id": rec.Sample + "/" + rec.Request, "run": filepath.Base(string(c.Run.Folder)), "cell": c.ID, "dataset": c.Cell.Dataset, "method": c.Method, "use": c.Use,
		"model": c.Cell.Model, "reader": c.Model.Reader, "offline": c.Model.Offline, "seed": c.Seed,
		"sample": rec.Sample, "request": rec.Request, "category": r.Gold.Category, "category_name": c.Dataset.CategoryName(r.Gold.Category),
		"question": r.Gold.Question, "gold": r.Gold.Answer, "prediction": rec.Answer, "status": string(rec.Status), "attempts": rec.Attempts,
		"tokens_input": nil, "tokens_output": nil, "cost_usd": nil, "latency_ms": nil,
	}
	if r.Gold.Abstain {
		to["gold"] = nil
	}
	if rec.Error != nil {
		to["error_kind"], to["error_message"] = rec.Error.Kind, rec.Error.Message
	}
	if rec.Cost != nil {
		to["cost_usd"] = *rec.Cost
	}
	if c.timed(rec) {
		to["latency_ms"] = rec.Time.Total
	}
	if !rec.Time.Start.IsZero() {
		to["start"] = rec.Time.Start.UTC()
	}
	if header.Judge != nil {
		if j, ok := said[header.Judge.ID]; ok {
			to["judge"] = j.Reader // what it said is not there where its reply could not be used
			if j.Correct != nil {
				to["judged_correct"] = *j.Correct
			}
			if j.Why != "" {
				to["judge_why"] = j.Why
			}
		}
	}
	addList(to, "variants", r.Gold.Variants)
	addList(to, "gold_evidence", r.Gold.Evidence)
	addList(to, "evidence", shownOf(r))
	addList(to, "labels", sorted(r.Gold.Labels, func(name, value string) object { return object{"name": name, "value": value} }))
	addList(to, "stages", sorted(rec.Time.Stages, func(name string, ms float64) object { return object{"name": name, "ms": ms} }))
	if r.Score != nil {
		addList(to, "why", r.Score.Why)
	}
	if c.Imported == nil || len(rec.Usage) > 0 { // that a cell of this program called none is known
		var sum llm.Usage
		for _, roles := range rec.Usage {
			sum = sum.Add(ofModels(roles))
		}
		to["tokens_input"], to["tokens_output"] = sum.Input, sum.Output
	}
	addList(to, "usage", slices.Concat(sorted(rec.Usage, func(phase string, roles map[string]llm.Usage) []object {
		return sorted(roles, func(role string, u llm.Usage) object {
			return object{"phase": phase, "role": role, "calls": u.Calls, "input": u.Input, "cached": u.Cached, "output": u.Output, "reasoning": u.Reasoning}
		})
	})...))
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

// shownOf are the blocks of evidence, in rank order. Gold are the sources that the gold
// answer rests on.
func shownOf(r scored.Request) []object {
	return lists.Map(r.Evidence, func(b scored.Block) object {
		return object{"block": b.Block.Block, "name": b.Name, "score": b.Score, "tokens": b.Tokens, "sources": b.Sources, "gold": b.Gold, "text": b.Text}
	})
}

// timed reports whether the time that a request took is known: of an imported answer it is
// only where its file says so.
func (c Cell) timed(r record.Record) bool { return c.Imported == nil || r.Time.Total > 0 }
