package asked

import "recallbench/metrics"

// Even is the threshold of [Judging] for a column that is a ratio: an answer that
// is right by half or more counts as right.
const Even = 0.5

// Judging returns the column that tells right answers from wrong ones where nobody
// names another, for [Request.Outcome] with the threshold [Even]: of the metrics of
// answers the first column with two values, else the first column where more is
// better. It reports false where there is none.
func Judging(specs []*metrics.Spec) (metrics.Column, bool) {
	var first metrics.Column
	found := false
	for _, spec := range specs {
		if spec.Of != metrics.Answer {
			continue
		}
		for _, c := range spec.Columns {
			switch {
			case c.Lower || c.Neutral || c.Sample:
			case c.Binary:
				return c, true
			case !found:
				first, found = c, true
			}
		}
	}
	return first, found
}
