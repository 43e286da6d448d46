package gate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"recallbench/internal/report"
	"recallbench/metrics"
)

// A judgement is a verdict with its reason.
type judgement struct {
	verdict Verdict
	why     string
}

// slack is what rounding may add to a mean, or to the difference of two.
const slack = 1e-9

// judgeLimit holds a mean against a smallest or largest one.
func judgeLimit(b bound, x float64, c metrics.Column) judgement {
	switch {
	case b.kind == boundMin && x < b.limit-slack:
		return judgement{Regression, fmt.Sprintf("%s is below the smallest, %s", number(x, c), number(b.limit, c))}
	case b.kind == boundMax && x > b.limit+slack:
		return judgement{Regression, fmt.Sprintf("%s is above the largest, %s", number(x, c), number(b.limit, c))}
	}
	return judgement{verdict: Stable}
}

// judgeRatio holds a mean against that of the baseline, by their ratio.
func judgeRatio(limit, base, x float64) judgement {
	if base == 0 {
		if x == 0 {
			return judgement{verdict: Stable}
		}
		return judgement{Regression, "the baseline has 0"}
	}
	switch ratio := x / base; {
	case ratio > limit+slack:
		return judgement{Regression, fmt.Sprintf("%s times the baseline, above %s", decimal(ratio, 3), decimal(limit, 3))}
	case ratio*limit < 1-slack:
		return judgement{Improvement, decimal(ratio, 3) + " times the baseline"}
	}
	return judgement{verdict: Stable}
}

// judgeDifference holds a mean that is not tested against that of the baseline.
func judgeDifference(margin, base, x float64, c metrics.Column) judgement {
	switch worse := worse(base, x, c); {
	case worse > margin+slack:
		return judgement{Regression, fmt.Sprintf("worse by %s, beyond the margin; not tested", number(worse, c))}
	case worse < -margin-slack:
		return judgement{Improvement, fmt.Sprintf("better by %s; not tested", number(-worse, c))}
	}
	return judgement{verdict: Stable}
}

// judgeContrast holds a tested difference against a margin. Adjusted is its
// p-value among all that the gate tests; nil where there is no test.
func (g *checker) judgeContrast(margin float64, c report.Contrast, adjusted *float64) judgement {
	insufficient := func(format string, args ...any) judgement {
		return judgement{Insufficient, fmt.Sprintf(format, args...)}
	}
	switch {
	case !c.Paired:
		return insufficient("%s", c.Unpaired)
	case c.N > 0 && c.Higher+c.Lower == 0:
		return judgement{verdict: Stable} // all the same, however few
	case c.N < g.rules.Pairs:
		return insufficient("%d paired requests, fewer than %d", c.N, g.rules.Pairs)
	}
	worse := worse(c.Base*c.Column.Scale, c.New*c.Column.Scale, c.Column)
	beyond := worse > margin+slack
	shown := adjusted != nil && *adjusted <= g.rules.Alpha
	switch {
	case beyond && adjusted == nil:
		return insufficient("worse by %s, beyond the margin, and there is no test: %s", number(worse, c.Column), c.Missing)
	case beyond && shown:
		return judgement{Regression, fmt.Sprintf("worse by %s, beyond the margin, and shown", number(worse, c.Column))}
	case beyond && c.LeastP()*float64(g.family) > g.rules.Alpha:
		units, advice := plural(c.Samples, "sample"), "; set unit to request"
		if c.Unit == report.ByRequest {
			units, advice = plural(c.N, "request"), ""
		}
		if c.LeastP() <= g.rules.Alpha {
			advice = fmt.Sprintf(" with p-values adjusted for %s; bound fewer columns or rows, or set unit or correct", plural(g.family, "test"))
		}
		return insufficient("worse by %s, beyond the margin, but no difference in %s can be shown at this level%s", number(worse, c.Column), units, advice)
	case beyond:
		return judgement{Soft, fmt.Sprintf("worse by %s, beyond the margin, but not shown", number(worse, c.Column))}
	case worse > 0 && shown:
		return judgement{Soft, fmt.Sprintf("worse by %s, and shown, but within the margin", number(worse, c.Column))}
	case worse < 0 && shown:
		return judgement{Improvement, fmt.Sprintf("better by %s, and shown", number(-worse, c.Column))}
	}
	return judgement{verdict: Stable}
}

// plural counts things of a kind.
func plural(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// worse returns by how much x is worse than base.
func worse(base, x float64, c metrics.Column) float64 {
	if c.Lower {
		return x - base
	}
	return base - x
}

// number prints a number of a column.
func number(x float64, c metrics.Column) string { return decimal(x, c.Digits) }

// decimal prints a number with a fixed number of decimals, or where these would
// hide that it is not 0, with two digits that are not.
func decimal(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") != "" {
		return s
	}
	if math.Abs(x) < slack {
		return strings.TrimPrefix(s, "-")
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}
