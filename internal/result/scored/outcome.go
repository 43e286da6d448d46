package scored

import (
	"strings"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// An Outcome says how far a request came, in the words of [metrics.NewFailures].
type Outcome string

// The outcomes of requests.
const (
	Right           Outcome = "right"
	Failed          Outcome = "failed"           // the request ended in an error
	UnknownEvidence Outcome = "unknown-evidence" // wrong; the dataset names no turns that the answer rests on, or an imported file not those of its blocks
	NotRetrieved    Outcome = "not-retrieved"    // wrong; none of these turns is a source of a block
	PartlyRetrieved Outcome = "partly-retrieved" // wrong; some of them are
	NotUsed         Outcome = "not-used"         // wrong; all of them are
	Unscored        Outcome = "unscored"         // the column has no value for the request
)

// Outcome says how far the request came, where an answer is right if its value in
// a column, in the unit of the scores, is at least a threshold.
func (r Request) Outcome(column string, threshold float64) Outcome {
	var value *float64
	if r.Score != nil {
		value = r.Score.Values[column]
	}
	blocks := make([]metrics.Block, len(r.Evidence))
	for i, b := range r.Evidence {
		blocks[i] = metrics.Block{Sources: b.Sources}
	}
	return OutcomeOf(r.Record.Status, value, threshold, ReachOf(r.Cell, r.Gold.Evidence, blocks))
}

// OutcomeOf says how far a request of a status came, by its value in a column and a
// threshold in the same unit. It looks at how much of its evidence was reached; a nil
// value is none. The script of pages has the same rule.
func OutcomeOf(status record.Status, value *float64, threshold float64, reached Reach) Outcome {
	switch {
	case status != record.OK:
		return Failed
	case value == nil:
		return Unscored
	case *value >= threshold:
		return Right
	}
	return []Outcome{UnknownEvidence, NotRetrieved, PartlyRetrieved, NotUsed}[reached]
}

// Least returns the value from which on an answer is right by a column, in the unit of
// the scores: half for a verdict, and all for what measures likeness, as an answer that
// is wrong may share most of its words with one that is right. The column is a ratio.
func Least(spec *metrics.Spec, c metrics.Column) float64 {
	if c.Binary || spec.Of == metrics.Judgement {
		return 0.5
	}
	return 1
}

// Judging returns the rule that tells right answers from wrong ones where nobody names a
// column: the verdict of a judge where there is one, else the first column with two
// values of a metric of answers, else the first of these metrics, by [Least]. It looks
// only at columns for which [Judges] holds, and reports false where there is none.
func Judging(specs []*metrics.Spec) (c metrics.Column, rule Rule, found bool) {
	best := 0
	for _, spec := range specs {
		for _, column := range spec.Columns {
			if r := rank(spec, column); r > best && Judges(column) {
				best, c, rule = r, column, Rule{column.Name, Least(spec, column)}
			}
		}
	}
	return c, rule, best > 0
}

// rank is greater for columns that tell better what is right; 0 for none that does. The
// words of an answer decide for the judge contains.
func rank(spec *metrics.Spec, c metrics.Column) int {
	kind, judge, _ := strings.Cut(c.Name, ":")
	switch {
	case spec.Name == metrics.PassJudgeSpec.Name:
		return 5
	case spec.Of == metrics.Judgement && c.Binary:
		return 4
	case spec.Of == metrics.Judgement && kind == metrics.JudgeColumn && judge != "contains":
		return 3
	case spec.Of == metrics.Answer && c.Binary:
		return 2
	case spec.Of == metrics.Answer:
		return 1
	}
	return 0
}

// Judges reports whether a column can tell right answers from wrong ones: each
// request has a value of its own, and higher is better.
func Judges(c metrics.Column) bool { return !c.Lower && !c.Neutral && !c.Sample && !c.Total }
