package interchange

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// row is a request as tables of data have it. What is not known is null or not there,
// never 0. Scores stand in columns of their own beside it.
//
// The fields are those that package predictions reads, and more.
func (c Cell) row(r scored.Request) object {
	rec := r.Record
	to := object{
		"id": rec.Sample + "/" + rec.Request, "run": runName(c.Run), "cell": c.ID, "dataset": c.Cell.Dataset, "method": c.Method, "use": c.Use,
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
	if ms, ok := latency(c, rec); ok {
		to["latency_ms"] = ms
	}
	if !rec.Time.Start.IsZero() {
		to["start"] = rec.Time.Start.UTC()
	}
	addList(to, "variants", r.Gold.Variants)
	addList(to, "gold_evidence", r.Gold.Evidence)
	addList(to, "evidence", shownOf(r))
	addList(to, "labels", lists.Map(slices.Sorted(maps.Keys(r.Gold.Labels)), func(name string) object {
		return object{"name": name, "value": r.Gold.Labels[name]}
	}))
	addList(to, "stages", lists.Map(slices.Sorted(maps.Keys(rec.Time.Stages)), func(name string) object {
		return object{"name": name, "ms": rec.Time.Stages[name]}
	}))
	if r.Score != nil {
		addList(to, "why", r.Score.Why)
	}
	c.addUsage(to, rec)
	return to
}

// addList adds a list that holds something.
func addList[T any](to object, name string, list []T) {
	if len(list) > 0 {
		to[name] = list
	}
}

// shownOf are the blocks of evidence, in rank order. Gold are the sources that the gold
// answer rests on.
func shownOf(r scored.Request) []object {
	return lists.Map(r.Evidence, func(b scored.Block) object {
		return object{"block": b.Block.Block, "name": b.Name, "score": b.Score, "tokens": b.Tokens, "sources": b.Sources, "gold": b.Gold, "text": b.Text}
	})
}

// latency is how many milliseconds a request took, if that is known: of an
// imported answer it is only where its file says so.
func latency(c Cell, r record.Record) (ms float64, known bool) {
	return r.Time.Total, c.Imported == nil || r.Time.Total > 0
}

// addUsage fills in what calls used, by phase and role, and what the language models
// did. That a cell of this program called none is known, so its zeros are zeros.
func (c Cell) addUsage(to object, rec record.Record) {
	if c.Imported != nil && len(rec.Usage) == 0 {
		return
	}
	var sum llm.Usage
	var all []object
	for _, phase := range slices.Sorted(maps.Keys(rec.Usage)) {
		for _, role := range slices.Sorted(maps.Keys(rec.Usage[phase])) {
			u := rec.Usage[phase][role]
			all = append(all, object{
				"phase": phase, "role": role, "calls": u.Calls, "input": u.Input, "cached": u.Cached, "output": u.Output, "reasoning": u.Reasoning,
			})
			if role != meter.EmbedRole {
				sum = sum.Add(u)
			}
		}
	}
	addList(to, "usage", all)
	to["tokens_input"], to["tokens_output"] = sum.Input, sum.Output
}

// scores returns the scores of a request, one for each column of the export, nil
// where there is none.
func (e *Export) scores(r scored.Request) []*float64 {
	values := make([]*float64, len(e.Columns))
	if r.Score != nil {
		for i, c := range e.Columns {
			values[i] = r.Score.Values[c.Name]
		}
	}
	return values
}

// number prints a number so that it reads back as the same; nil as nothing.
func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// A judged names an answer that a model judged.
type judged struct{ sample, request, sha256 string }

// judgements reads what the judges of the run said of the cell's answers, by the judge's
// id; of one that was judged twice the last counts. Empty where the run was not judged.
func (c Cell) judgements() (map[judged]map[string]record.Judgement, error) {
	said := make(map[judged]map[string]record.Judgement)
	if len(c.Run.Header.AllJudges()) == 0 {
		return said, nil
	}
	for line, err := range record.Lines[record.Judgement](c.Run.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		j := line.Value
		of := judged{j.Sample, j.Request, j.Answer}
		if said[of] == nil {
			said[of] = make(map[string]record.Judgement)
		}
		said[of][j.Judge] = j
	}
	return said, nil
}

// rows reads the requests of the cell as rows, each with the request.
func (c Cell) rows() iter.Seq2[filled, error] {
	return func(yield func(filled, error) bool) {
		said, err := c.judgements()
		if err != nil {
			yield(filled{}, err)
			return
		}
		for r, err := range c.Run.Requests(c.Cell) {
			if err != nil {
				yield(filled{}, err)
				return
			}
			f := filled{c.row(r), r, nil}
			if r.Record.Status == record.OK {
				f.said = said[judged{r.Record.Sample, r.Record.Request, note.Sum(r.Record.Answer)}]
			}
			if j, ok := f.said[c.judgeID()]; ok {
				f.row["judge"] = j.Reader // what it said is not there where its reply could not be used
				if j.Correct != nil {
					f.row["judged_correct"] = *j.Correct
				}
				if j.Why != "" {
					f.row["judge_why"] = j.Why
				}
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// A filled is a row with its request.
type filled struct {
	row     object
	request scored.Request
	said    map[string]record.Judgement // by the judge's id
}

// judgeID is that of the judge of the column judge; empty for none.
func (c Cell) judgeID() string {
	if j := c.Run.Header.Judge; j != nil {
		return j.ID
	}
	return ""
}
