package scored

import (
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

// Outcomes lists the outcomes in the order of reports.
func Outcomes() []Outcome {
	return []Outcome{Right, NotRetrieved, PartlyRetrieved, NotUsed, UnknownEvidence, Failed, Unscored}
}

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

// Even is the threshold of [Judging] for a column that is a ratio: an answer that
// is right by half or more counts as right.
const Even = 0.5

// Judging returns the column that tells right answers from wrong ones where nobody
// names another, for [Request.Outcome] with the threshold [Even]: the first column
// with two values of a metric of answers or of judgements, else the first column of
// a metric of answers. It looks only at columns for which [Judges] holds, and
// reports false where there is none.
func Judging(specs []*metrics.Spec) (metrics.Column, bool) {
	var first metrics.Column
	found := false
	for _, spec := range specs {
		if spec.Of != metrics.Answer && spec.Of != metrics.Judgement {
			continue
		}
		for _, c := range spec.Columns {
			switch {
			case !Judges(c):
			case c.Binary:
				return c, true
			case !found && spec.Of == metrics.Answer:
				first, found = c, true
			}
		}
	}
	return first, found
}

// Judges reports whether a column can tell right answers from wrong ones: each
// request has a value of its own, and higher is better.
func Judges(c metrics.Column) bool { return !c.Lower && !c.Neutral && !c.Sample && !c.Total }
