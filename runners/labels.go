package runners

import (
	"cmp"
	"iter"
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A judgedAnswer names an answer that a request had, and what it was held against. What
// judges and people said is of that answer, and is void when the request has another one.
type judgedAnswer struct {
	key
	sha256 string
	gold   string // as in [record.Judgement]; empty for people
}

// eachLine calls f with each line of a file.
func eachLine[T any](path string, f func(T)) error {
	for line, err := range record.Values[T](path) {
		if err != nil {
			return err
		}
		f(line)
	}
	return nil
}

// verdicts are what judges, by their ids, said of the answers of a cell; of several
// verdicts on an answer the last counts.
type verdicts map[verdict]record.Judgement

type verdict struct {
	judge string
	of    judgedAnswer
}

func readVerdicts(folder record.Folder, cell string) (verdicts, error) {
	said := make(verdicts)
	return said, eachLine(folder.Judgements(cell), func(j record.Judgement) {
		said[verdict{j.Judge, judgedAnswer{key{j.Sample, j.Request}, j.Answer, j.Gold}}] = j
	})
}

// lastRecords returns the records of a cell without their traces, in the order of the
// file; of a request that was asked again it is the last.
func lastRecords(folder record.Folder, cell string) ([]record.Record, error) {
	var records iter.Seq2[record.Record, error] = func(yield func(record.Record, error) bool) {
		for r, err := range record.Values[record.Record](folder.Records(cell)) {
			if r.Trace = nil; !yield(r, err) {
				return
			}
		}
	}
	return record.Last(records, func(r record.Record) key { return key{r.Sample, r.Request} })
}

// answers returns the records of a cell in the order of the dataset, and what judges said
// of their answers.
func (g golds) answers(folder record.Folder, cell string) ([]record.Record, verdicts, error) {
	records, err := lastRecords(folder, cell)
	if err != nil {
		return nil, nil, err
	}
	o := newOrder(g.order...)
	records = lists.Filter(records, func(r record.Record) bool { return o.has(key{r.Sample, r.Request}) })
	slices.SortFunc(records, func(a, b record.Record) int {
		return o.compareRequests(key{a.Sample, a.Request}, key{b.Sample, b.Request})
	})
	said, err := readVerdicts(folder, cell)
	return records, said, err
}

// judged names the answer of a record, held against what is right by a ruling.
func (g golds) judged(r record.Record, ruling errata.Ruling) judgedAnswer {
	a := judgedAnswer{key: key{r.Sample, r.Request}, sha256: note.Sum(r.Answer)}
	if text := told(g.gold[a.key], ruling); text != "" {
		a.gold = note.Sum(text)
	}
	return a
}

// addLabels fills in what judges said of an answer under a ruling and what that took, and
// the mean of what people said. A failed request that would have been judged is wrong.
func (s *scorer) addLabels(item *metrics.Item, a judgedAnswer) {
	if rated := s.ratings[judgedAnswer{key: a.key, sha256: a.sha256}]; len(rated) > 0 {
		item.Rating = new(stat.Mean(rated, nil))
	}
	item.Judgements = make(map[string]metrics.Judged)
	for _, judge := range s.header.Judges {
		if item.Failed {
			item.Judgements[judge.Name] = metrics.Judged{Score: new(0.0)}
		} else if j, ok := s.verdicts[verdict{judge.ID, a}]; ok {
			item.Judgements[judge.Name] = judgedOf(j)
		}
	}
	switch {
	case s.header.Judge == nil || !item.Judgeable():
	case item.Failed:
		item.Judged = new(false)
	default:
		j := s.verdicts[verdict{s.header.Judge.ID, a}]
		item.Judged = j.Correct
		item.Tokens.JudgeInput, item.Tokens.JudgeOutput = languageTokens(j.Usage)
	}
}

// judgedOf is what metrics see of a judgement.
func judgedOf(j record.Judgement) metrics.Judged {
	of := metrics.Judged{Score: j.Value(), Order: j.Order}
	for _, v := range j.Votes {
		if v.Nugget > 0 && v.Score != nil {
			of.Nuggets = append(of.Nuggets, *v.Score)
		}
	}
	return of
}

// audits are what judges say of the audited answers of a cell that f1@span takes as right
// and as wrong, by the judge's id.
type audits map[string]map[bool]calibrate.Audit

// readAudits sums up the audits of the answers that a cell has now.
func (s *scorer) readAudits(records []record.Record) {
	s.audits = make(audits)
	for _, judge := range s.header.AllJudges() {
		of := map[bool]calibrate.Audit{true: calibrate.SpanAudit(true), false: calibrate.SpanAudit(false)}
		for _, r := range records {
			j := s.verdicts[verdict{judge.ID, s.judged(r, s.ruling(key{r.Sample, r.Request}))}]
			if x := j.Value(); j.Origin == record.OfAudit && x != nil {
				audit := of[*j.Taken]
				audit.Asked++
				audit.Right += *x
				of[*j.Taken] = audit
			}
		}
		s.audits[judge.ID] = of
	}
}

// addAudited puts the rate that the audit found where a judge was not asked.
func (s *scorer) addAudited(row *record.Score, a judgedAnswer) {
	for _, judge := range s.header.AllJudges() {
		column := metrics.JudgeColumn
		if judge.Name != "" {
			column += ":" + judge.Name
		}
		j, ok := s.verdicts[verdict{judge.ID, a}]
		if !ok || j.Origin != record.OfSpan || row.Values[column] == nil {
			continue
		}
		x, err := s.audits[judge.ID][*j.Taken].Rate()
		row.Values[column], row.Unasked[column] = &x, err
	}
}

// Unnamed stands for the judge of the column judge.
const Unnamed = "judge"

// JudgedRows reads the answers of a run with what judges say of them, in the order of its
// cells and datasets. Questions whose answer the conversation does not tell are left out
// where the dataset does not explain why: they are in no mean of others.
func JudgedRows(folder record.Folder, h record.Header) ([]judge.Row, error) {
	sets, err := readAllGolds(folder, h)
	if err != nil {
		return nil, err
	}
	var rows []judge.Row
	for _, c := range h.Cells {
		g := sets[c.Dataset]
		records, said, err := g.answers(folder, c.ID)
		if err != nil {
			return nil, err
		}
		row := judge.Row{Name: c.Method, Dataset: c.Dataset}
		if len(h.Models) > 1 {
			row.Name += ", " + c.Model
		}
		if len(h.Datasets) > 1 {
			row.Name += ", " + c.Dataset
		}
		for _, r := range records {
			k := key{r.Sample, r.Request}
			if gold := g.gold[k]; gold.Abstain && gold.Explanation == "" {
				continue
			}
			of := g.judged(r, g.ruling(k))
			a := judge.Answer{
				Subject:  note.Subject{Cell: c.ID, Sample: r.Sample, Request: r.Request},
				Category: r.Category, SHA256: of.sha256, Failed: r.Status != record.OK,
				Votes: make(map[string][]float64), Unparsed: make(map[string]int),
			}
			for _, j := range h.AllJudges() {
				name := cmp.Or(j.Name, Unnamed)
				if line, ok := said[verdict{j.ID, of}]; line.Origin == record.OfSpan {
					a.Unasked = append(a.Unasked, name)
				} else if ok {
					a.Votes[name], a.Unparsed[name] = votesOf(line)
				}
			}
			row.Answers = append(row.Answers, a)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// votesOf returns the votes of a judgement about the whole answer: its score where it
// was judged nugget by nugget.
func votesOf(j record.Judgement) (votes []float64, unparsed int) {
	for _, v := range j.Votes {
		if v.Nugget == 0 && v.Score != nil {
			votes = append(votes, *v.Score)
			if v.Unparsed {
				unparsed++
			}
		}
	}
	if x := j.Value(); len(votes) == 0 && x != nil {
		votes = []float64{*x}
	}
	return votes, unparsed
}
