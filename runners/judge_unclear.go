package runners

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// decide sets where the verdict on an answer is to come from.
func (j *Judging) decide(a *answer, g golds, seed uint64) {
	item := g.item(a.key)
	if j.options.Audit == nil || j.judge.Rule || j.judge.Refusals() || j.judge.Counts(a.task) || item.Expect != nil || item.First != nil {
		return
	}
	a.origin = record.OfJudge
	item.Prediction = a.task.Answer
	span := best(metrics.SpanSpec, ruled(item, g.ruling(a.key), true))[0]
	verdict := metrics.Grounds{Span: &span.X}.Verdict()
	if !span.Defined || verdict == metrics.Unclear {
		return
	}
	a.taken, a.origin = new(verdict == metrics.Right), record.OfSpan
	if lot(a.key, seed) < calibrate.AuditShare(*a.taken, *j.options.Audit) {
		a.origin = record.OfAudit
	}
}

// lot draws a number from [0, 1) for a request. It depends on nothing else, so that shards,
// rows and repeated judgings draw alike.
func lot(k key, seed uint64) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "audit\x00%d\x00%s\x00%s", seed, k.sample, k.request))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// take writes the verdicts of a cell that nobody is asked for.
func (j *Judging) take(c *judgedCell) error {
	for _, a := range c.taken {
		if a.kept {
			continue
		}
		as := "wrong"
		if *a.taken {
			as = "right"
		}
		if err := c.log.Append(record.Judgement{
			Sample: a.sample, Request: a.request, Judge: j.header.ID, Reader: j.header.Reader, Prompts: j.header.Prompts,
			Answer: answerHash(a.task.Answer), Gold: a.told, Origin: a.origin, Taken: a.taken, Correct: a.taken,
			Why: "not asked: f1@span takes the answer as " + as, Cost: new(0.0), Time: record.Timing{Start: j.plan.env.Now()},
		}); err != nil {
			return err
		}
	}
	return nil
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
