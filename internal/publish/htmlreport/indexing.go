package htmlreport

import (
	"cmp"
	"math"
	"slices"

	"recallbench/datasets/errata"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// How many characters of a question and of its gold answer the index has.
const (
	longestQuestion = 200
	longestGold     = 120
)

// A row is what the index has of a request.
type row struct {
	question, status, kind, verdict int
	reach                           scored.Reach
	scores                          []float64 // of the columns that the index has values of
}

// row is what the index has of a request of a cell.
func (x *index) row(q scored.Request, c record.Cell) row {
	r := row{question: x.question(q, c), kind: -1, reach: q.Reach, verdict: slices.Index(verdicts, q.Verdict)}
	kind := ""
	if q.Record.Status != record.OK {
		r.status, kind = 1, string(q.Record.Status)
	}
	if q.Record.Error != nil {
		kind = q.Record.Error.Kind
	}
	if kind != "" {
		r.kind = x.number(&x.Kinds, kind)
	}
	for _, c := range x.Columns {
		if !x.holds(c) {
			continue
		}
		value := math.NaN()
		if q.Score != nil && q.Score.Values[c.Name] != nil {
			value = *q.Score.Values[c.Name]
		}
		r.scores = append(r.scores, value)
	}
	return r
}

// holds reports whether the index has the values of a column.
func (x *index) holds(c column) bool { return c.Right != nil || c.Name == x.Judging.Column }

// add adds a request of cell number n.
func (x *index) add(r row, n int) {
	s := &x.Requests
	s.Question, s.Cell, s.Status, s.Kind = append(s.Question, r.question), append(s.Cell, n), append(s.Status, r.status), append(s.Kind, r.kind)
	s.Reach, s.Verdict = append(s.Reach, r.reach), append(s.Verdict, r.verdict)
	for i, c := range x.Columns {
		if x.holds(c) {
			s.Scores[i] = append(s.Scores[i], r.scores[0])
			r.scores = r.scores[1:]
		}
	}
}

// question returns the number of the question of a request. Questions are the same
// whose hashes are, or where one has none, whose texts and gold answers are.
func (x *index) question(q scored.Request, c record.Cell) int {
	s := &x.Questions
	hash := q.Record.Hash[:min(8, len(q.Record.Hash))]
	key := question{x.paired[c.Dataset], q.Gold.Sample, q.Gold.Request}
	full := [2]string{q.Gold.Question, q.Gold.Answer}
	for _, at := range x.questions[key] {
		known := hash != "" && s.hash[at] != ""
		if known && hash == s.hash[at] || !known && s.full[at] == full {
			s.hash[at] = cmp.Or(s.hash[at], hash)
			return at
		}
	}
	at := len(s.Sample)
	x.questions[key] = append(x.questions[key], at)
	s.Dataset = append(s.Dataset, x.number(&x.Datasets, key.dataset))
	s.Sample = append(s.Sample, x.number(&x.Samples, q.Gold.Sample))
	s.Request = append(s.Request, q.Gold.Request)
	s.Category = append(s.Category, x.number(&x.Categories, x.category(c.Dataset, q.Gold.Category)))
	s.Question = append(s.Question, cut(q.Gold.Question, longestQuestion))
	s.Gold = append(s.Gold, cut(q.Gold.Answer, longestGold))
	s.hash = append(s.hash, hash)
	s.full = append(s.full, full)
	return at
}

// dispute marks the questions whose gold answer the errata of a run dispute.
func (x *index) dispute(r *scored.Run) error {
	if !slices.ContainsFunc(r.Header.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 }) || r.Header.Baseline != nil {
		return nil
	}
	datasets := make(map[string]string) // by cell
	for _, c := range r.Header.Cells {
		datasets[c.ID] = x.paired[c.Dataset]
	}
	for s, err := range record.ScoresUnder(r.Folder, r.Header, errata.Excluded) {
		if err != nil {
			return err
		}
		for _, at := range x.questions[question{datasets[s.Cell], s.Sample, s.Request}] {
			if s.Out && !slices.Contains(x.Questions.Disputed, at) {
				x.Questions.Disputed = append(x.Questions.Disputed, at)
			}
		}
	}
	return nil
}

// category is the name of a category, or its id where it has none.
func (x *index) category(dataset, id string) string {
	return cmp.Or(x.names[[2]string{dataset, id}], id)
}

// readIngests returns what building the memories of a cell took, by sample, of those that
// were asked.
func readIngests(r *scored.Run, c record.Cell, perSample map[string]int) (map[string]*ingest, error) {
	all := make(map[string]*ingest)
	for line, err := range record.Values[record.Ingest](r.Folder.Ingests(c.ID)) {
		if err != nil {
			return nil, err
		}
		if asked := perSample[line.Sample]; asked > 0 && len(line.Usage) > 0 {
			all[line.Sample] = &ingest{line.Usage, asked}
		}
	}
	return all, nil
}

// number returns the place of a text in a list of the index, which it is added to where
// it is not there.
func (x *index) number(list *[]string, s string) int {
	places := x.numbers[list]
	if places == nil {
		places = make(map[string]int)
		x.numbers[list] = places
	}
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
