package runners

import (
	"cmp"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/calibrate"
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

// readLabels reads what a file says of answers, in its order and in the groups that name
// puts them in; a label without a group is left out.
func readLabels[L any](path string, name func(L) (group string, of judgedAnswer)) (map[string]map[judgedAnswer][]L, error) {
	said := make(map[string]map[judgedAnswer][]L)
	for line, err := range record.Lines[L](path) {
		if err != nil {
			return nil, err
		}
		group, of := name(line.Value)
		if group == "" {
			continue
		}
		if said[group] == nil {
			said[group] = make(map[judgedAnswer][]L)
		}
		said[group][of] = append(said[group][of], line.Value)
	}
	return said, nil
}

// verdicts are what judges said of the answers of a cell, by the id of the judge.
type verdicts map[string]map[judgedAnswer][]record.Judgement

func readVerdicts(folder record.Folder, cell string) (verdicts, error) {
	return readLabels(folder.Judgements(cell), func(j record.Judgement) (string, judgedAnswer) {
		return j.Judge, judgedAnswer{key{j.Sample, j.Request}, j.Answer, j.Gold}
	})
}

// of returns what a judge said of an answer; of several verdicts the last counts.
func (v verdicts) of(judge string, a judgedAnswer) (j record.Judgement, ok bool) {
	all := v[judge][a]
	if len(all) == 0 {
		return j, false
	}
	return all[len(all)-1], true
}

// lastRecords returns the record of each request of a cell: of one that was asked again
// the last.
func lastRecords(folder record.Folder, cell string) (map[key]record.Record, error) {
	records := make(map[key]record.Record)
	for r, err := range record.Values[record.Record](folder.Records(cell)) {
		if err != nil {
			return nil, err
		}
		records[key{r.Sample, r.Request}] = r
	}
	return records, nil
}

// answerHash is the SHA-256 of an answer, in hex.
func answerHash(text string) string { return note.Sum(text) }

// addJudgement fills in what the judges said of an answer under a ruling and what that
// took. A failed request that would have been judged is wrong.
func (s *scorer) addJudgement(item *metrics.Item, k key, r errata.Ruling) {
	a := judgedAnswer{k, answerHash(item.Prediction), s.toldHash(k, r)}
	item.Judgements = make(map[string]metrics.Judged)
	for _, judge := range s.header.Judges {
		if item.Failed {
			item.Judgements[judge.Name] = metrics.Judged{Score: new(0.0)}
		} else if j, ok := s.verdicts.of(judge.ID, a); ok {
			item.Judgements[judge.Name] = judgedOf(j)
		}
	}
	if s.header.Judge == nil || !item.Judgeable() {
		return
	}
	if item.Failed {
		item.Judged = new(false)
		return
	}
	j, _ := s.verdicts.of(s.header.Judge.ID, a)
	item.Judged = j.Correct
	item.Tokens.JudgeInput, item.Tokens.JudgeOutput = languageTokens(j.Usage)
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
func (s *scorer) readAudits(current map[key]string) {
	s.audits = make(audits)
	for id := range s.verdicts {
		right, wrong := calibrate.SpanAudit(true), calibrate.SpanAudit(false)
		for _, k := range s.order {
			j, _ := s.verdicts.of(id, judgedAnswer{k, current[k], s.toldHash(k, s.ruling(k))})
			x := j.Value()
			if j.Origin != record.OfAudit || x == nil {
				continue
			}
			of := &wrong
			if *j.Taken {
				of = &right
			}
			of.Asked++
			of.Right += *x
		}
		s.audits[id] = map[bool]calibrate.Audit{true: right, false: wrong}
	}
}

// addAudited puts the rate that the audit found where a judge was not asked.
func (s *scorer) addAudited(row *record.Score, a judgedAnswer) {
	for _, judge := range s.header.AllJudges() {
		column := metrics.JudgeColumn
		if judge.Name != "" {
			column += ":" + judge.Name
		}
		j, ok := s.verdicts.of(judge.ID, a)
		if !ok || j.Origin != record.OfSpan || row.Values[column] == nil {
			continue
		}
		x, err := s.audits[judge.ID][*j.Taken].Rate()
		row.Values[column] = &x
		if row.Unasked == nil {
			row.Unasked = make(map[string]float64)
		}
		row.Unasked[column] = err
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
		said, err := readVerdicts(folder, c.ID)
		if err != nil {
			return nil, err
		}
		records, err := lastRecords(folder, c.ID)
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
		g := sets[c.Dataset]
		for _, k := range g.order {
			r, ok := records[k]
			if gold := g.gold[k]; !ok || gold.Abstain && gold.Explanation == "" {
				continue
			}
			a := judge.Answer{
				Subject:  note.Subject{Cell: c.ID, Sample: k.sample, Request: k.request},
				Category: r.Category, SHA256: answerHash(r.Answer), Failed: r.Status != record.OK,
				Votes: make(map[string][]float64), Unparsed: make(map[string]int),
			}
			for _, j := range h.AllJudges() {
				name := cmp.Or(j.Name, Unnamed)
				line, ok := said.of(j.ID, judgedAnswer{k, a.SHA256, g.toldHash(k, g.ruling(k))})
				if line.Origin == record.OfSpan {
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
