package asked

import "recallbench/metrics"

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
