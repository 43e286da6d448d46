package runners

import (
	"crypto/sha256"
	"encoding/hex"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/calibrate"
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
func answerHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

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

// A JudgedRow is a cell with what the judges of the run said of its answers.
type JudgedRow struct {
	record.Cell
	Answers []JudgedAnswer
}

// A JudgedAnswer is an answer with what judges said of it.
type JudgedAnswer struct {
	Sample, Request, Category string
	Hash                      string // SHA-256 of the answer, in hex
	Failed                    bool   // the request ended in an error
	// Abstain is set where the conversation does not tell the answer and the dataset does
	// not explain why: such questions are in no mean of others.
	Abstain bool
	// By has the judgements by the name of the judge; that of the column judge has an
	// empty name. A judge that said nothing, or was not asked, is missing.
	By map[string]record.Judgement
	// Unasked are the judges that were not asked, because f1@span decided.
	Unasked []string
}

// JudgedRows reads the answers of a run with their judgements, in the order of its cells
// and datasets.
func JudgedRows(folder record.Folder, h record.Header) ([]JudgedRow, error) {
	sets, err := readAllGolds(folder, h)
	if err != nil {
		return nil, err
	}
	var rows []JudgedRow
	for _, c := range h.Cells {
		said, err := readVerdicts(folder, c.ID)
		if err != nil {
			return nil, err
		}
		records, err := lastRecords(folder, c.ID)
		if err != nil {
			return nil, err
		}
		row := JudgedRow{Cell: c}
		g := sets[c.Dataset]
		for _, k := range g.order {
			r, ok := records[k]
			if !ok {
				continue
			}
			gold := g.gold[k]
			a := JudgedAnswer{
				Sample: k.sample, Request: k.request, Category: r.Category, Hash: answerHash(r.Answer),
				Failed: r.Status != record.OK, Abstain: gold.Abstain && gold.Explanation == "", By: make(map[string]record.Judgement),
			}
			for _, j := range h.AllJudges() {
				line, ok := said.of(j.ID, judgedAnswer{k, a.Hash, g.toldHash(k, g.ruling(k))})
				if line.Origin == record.OfSpan {
					a.Unasked = append(a.Unasked, j.Name)
				} else if ok {
					a.By[j.Name] = line
				}
			}
			row.Answers = append(row.Answers, a)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
