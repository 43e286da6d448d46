package htmlreport

import (
	"cmp"
	"math"
	"slices"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// searched is how many characters of a text the index has, which is what a search
// finds.
const searched = 1000

// add indexes a request of cell c, which is number n.
func (x *index) add(q scored.Request, c record.Cell, n int, said judged) {
	s := &x.Requests
	s.Question = append(s.Question, x.question(q, c))
	s.Cell = append(s.Cell, n)
	status, kind := 0, ""
	if q.Record.Status != record.OK {
		status, kind = 1, string(q.Record.Status)
	}
	if q.Record.Error != nil {
		kind = q.Record.Error.Kind
	}
	s.Status = append(s.Status, status)
	if kind == "" {
		s.Kind = append(s.Kind, -1)
	} else {
		s.Kind = append(s.Kind, number(&x.Kinds, x.kinds, kind))
	}
	s.Reach = append(s.Reach, q.Reach)
	s.Verdict = append(s.Verdict, slices.Index(verdicts, q.Verdict))
	s.Time = append(s.Time, q.Record.Time.Total)
	cost := math.NaN()
	if q.Record.Cost != nil {
		cost = *q.Record.Cost
	}
	s.Cost = append(s.Cost, cost)
	tokens, calls := 0, 0
	for _, usage := range q.Record.Usage {
		for _, u := range usage {
			tokens += u.Input + u.Output
			calls += u.Calls
		}
	}
	s.Tokens, s.Calls = append(s.Tokens, tokens), append(s.Calls, calls)
	has := 0
	for bit, there := range map[int]bool{
		hasEdits: len(q.Record.Edits) > 0, hasDegraded: len(q.Record.Degraded) > 0, hasCalls: len(q.Record.Calls) > 0,
		hasJudgement: said.of(q) != nil,
	} {
		if there {
			has |= bit
		}
	}
	s.Has = append(s.Has, has)
	s.Answer = append(s.Answer, cut(q.Record.Answer, searched))
	for i, c := range x.Columns {
		value := math.NaN()
		if q.Score != nil && q.Score.Values[c.Name] != nil {
			value = *q.Score.Values[c.Name]
		}
		s.Scores[i] = append(s.Scores[i], value)
	}
}

// question returns the number of the question of a request. Questions are the same
// whose hashes are, or where one has none, whose texts and gold answers are.
func (x *index) question(q scored.Request, c record.Cell) int {
	s := &x.Questions
	hash := q.Record.Hash[:min(8, len(q.Record.Hash))]
	full := [2]string{q.Gold.Question, q.Gold.Answer}
	key := question{x.datasets[c.Dataset], q.Gold.Sample, q.Gold.Request}
	for _, at := range x.questions[key] {
		known := hash != "" && s.hash[at] != ""
		if known && hash == s.hash[at] || !known && s.full[at] == full {
			s.hash[at] = cmp.Or(s.hash[at], hash)
			return at
		}
	}
	at := len(s.Sample)
	x.questions[key] = append(x.questions[key], at)
	s.Dataset = append(s.Dataset, key.dataset)
	s.Sample = append(s.Sample, number(&x.Samples, x.samples, q.Gold.Sample))
	s.Request = append(s.Request, q.Gold.Request)
	s.Category = append(s.Category, x.category(c.Dataset, q.Gold.Category))
	s.Labels = append(s.Labels, q.Gold.Labels)
	s.Question = append(s.Question, cut(q.Gold.Question, searched))
	s.Gold = append(s.Gold, cut(q.Gold.Answer, searched))
	s.hash = append(s.hash, hash)
	s.full = append(s.full, full)
	return at
}

// category is the name of a category, or its id where it has none.
func (x *index) category(dataset, id string) string {
	return cmp.Or(x.categories[[2]string{dataset, id}], id)
}

// addIngests adds what building the memories of cell number n took, of the samples
// that were asked.
func (x *index) addIngests(r *scored.Run, c record.Cell, n int, perSample map[int]int) error {
	for line, err := range record.Lines[record.Ingest](r.Folder.Ingests(c.ID)) {
		if err != nil {
			return err
		}
		sample, ok := x.samples[line.Value.Sample]
		if !ok || len(line.Value.Usage) == 0 {
			continue
		}
		if x.Cells[n].Ingests == nil {
			x.Cells[n].Ingests = make(map[int]*ingest)
		}
		x.Cells[n].Ingests[sample] = &ingest{line.Value.Usage, perSample[sample]}
	}
	return nil
}

// number returns the place of a text in a list, which it is added to where it is
// not there.
func number(list *[]string, places map[string]int, s string) int {
	at, ok := places[s]
	if !ok {
		at = len(*list)
		places[s] = at
		*list = append(*list, s)
	}
	return at
}

// cut returns the first characters of a text.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}
