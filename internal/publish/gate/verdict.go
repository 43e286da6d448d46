package gate

import (
	"fmt"

	"recallbench/internal/calc/infer"
	"recallbench/internal/publish/report"
)

// slack is what rounding may add to a mean, or to the difference of two.
const slack = 1e-9

// judgeMean compares an untested mean with a limit, or with the baseline's mean.
func (x check) judgeMean(base, value float64) (_ Verdict, why string) {
	worse := x.worse(base, value)
	switch limit := x.bound.limit; x.bound.kind {
	case boundMin:
		if value < limit-slack {
			return Regression, fmt.Sprintf("%s is below the minimum, %s", x.number(value), x.number(limit))
		}
	case boundMax:
		if value > limit+slack {
			return Regression, fmt.Sprintf("%s is above the maximum, %s", x.number(value), x.number(limit))
		}
	case boundMargin:
		if worse > limit+slack {
			return Regression, fmt.Sprintf("worse by %s, beyond the margin; not tested", x.number(worse))
		}
		if worse < -limit-slack {
			return Improvement, fmt.Sprintf("better by %s; not tested", x.number(-worse))
		}
	case boundRatio:
		ratio := value / base
		switch {
		case base == 0 && value != 0:
			return Regression, "the baseline has 0"
		case base == 0:
		case ratio > limit+slack:
			return Regression, fmt.Sprintf("%.3f times the baseline, above %.3f", ratio, limit)
		case ratio*limit < 1-slack:
			return Improvement, fmt.Sprintf("%.3f times the baseline", ratio)
		}
	}
	return Stable, ""
}

// number prints a number of the check's column.
func (x check) number(value float64) string {
	return report.Decimal(value, x.column.Digits, nil).Text
}

// worse returns how much worse a value is than base.
func (x check) worse(base, value float64) float64 {
	if x.column.Lower {
		return value - base
	}
	return base - value
}

// judgeContrast compares a tested difference with a margin.
func (c *checker) judgeContrast(margin float64, r report.Contrast) (_ Verdict, why string) {
	switch {
	case !r.Paired:
		return Insufficient, r.Unpaired
	case r.Same():
		return Stable, "" // all the same, however few
	case r.N < c.rules.Pairs:
		return Insufficient, fmt.Sprintf("%d paired questions, fewer than %d", r.N, c.rules.Pairs)
	}
	x := check{column: report.ColumnMean{Column: r.Column}}
	worse := x.worse(r.Base*r.Column.Scale, r.New*r.Column.Scale)
	beyond := worse > margin+slack
	because := ""
	switch {
	case r.Reason() != "":
		because = ": " + r.Reason()
	case r.Reach() != "":
		because = "; " + r.Reach()
	}
	switch {
	case beyond && r.Shown:
		return Regression, fmt.Sprintf("significantly worse by %s, beyond the margin", x.number(worse))
	case beyond && r.Reason() != "" && r.Insufficient != infer.FewDiffer:
		return Insufficient, fmt.Sprintf("worse by %s, beyond the margin, but this cannot be tested: %s", x.number(worse), r.Reason())
	case beyond:
		return Soft, fmt.Sprintf("worse by %s, beyond the margin, but not significantly%s", x.number(worse), because)
	case worse > 0 && r.Shown:
		return Soft, fmt.Sprintf("significantly worse by %s, but within the margin", x.number(worse))
	case worse < 0 && r.Shown:
		return Improvement, "significantly better by " + x.number(-worse)
	}
	return Stable, ""
}
