package gate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/publish/report"
	"recallbench/metrics"
)

// slack is what rounding may add to a mean, or to the difference of two.
const slack = 1e-9

// judgeMean compares an untested mean with a limit, or with the baseline's mean.
func judgeMean(b bound, base, x float64, c metrics.Column) (_ Verdict, why string) {
	worse := worse(base, x, c)
	switch b.kind {
	case boundMin:
		if x < b.limit-slack {
			return Regression, fmt.Sprintf("%s is below the minimum, %s", number(x, c), number(b.limit, c))
		}
	case boundMax:
		if x > b.limit+slack {
			return Regression, fmt.Sprintf("%s is above the maximum, %s", number(x, c), number(b.limit, c))
		}
	case boundMargin:
		if worse > b.limit+slack {
			return Regression, fmt.Sprintf("worse by %s, beyond the margin; not tested", number(worse, c))
		}
		if worse < -b.limit-slack {
			return Improvement, fmt.Sprintf("better by %s; not tested", number(-worse, c))
		}
	case boundRatio:
		ratio := x / base
		switch {
		case base == 0 && x != 0:
			return Regression, "the baseline has 0"
		case base == 0:
		case ratio > b.limit+slack:
			return Regression, fmt.Sprintf("%s times the baseline, above %s", decimal(ratio, 3), decimal(b.limit, 3))
		case ratio*b.limit < 1-slack:
			return Improvement, decimal(ratio, 3) + " times the baseline"
		}
	}
	return Stable, ""
}

// judgeContrast compares a tested difference with a margin.
func (g *checker) judgeContrast(margin float64, c report.Contrast) (_ Verdict, why string) {
	switch {
	case !c.Paired:
		return Insufficient, c.Unpaired
	case c.Same():
		return Stable, "" // all the same, however few
	case c.N < g.rules.Pairs:
		return Insufficient, fmt.Sprintf("%d paired questions, fewer than %d", c.N, g.rules.Pairs)
	}
	worse := worse(c.Base*c.Column.Scale, c.New*c.Column.Scale, c.Column)
	beyond := worse > margin+slack
	because := ""
	switch {
	case c.Reason() != "":
		because = ": " + c.Reason()
	case c.Reach() != "":
		because = "; " + c.Reach()
	}
	switch {
	case beyond && c.Shown:
		return Regression, fmt.Sprintf("significantly worse by %s, beyond the margin", number(worse, c.Column))
	case beyond && c.Reason() != "" && c.Insufficient != infer.FewDiffer:
		return Insufficient, fmt.Sprintf("worse by %s, beyond the margin, but this cannot be tested: %s%s", number(worse, c.Column), c.Reason(), remedy(c))
	case beyond:
		return Soft, fmt.Sprintf("worse by %s, beyond the margin, but not significantly%s", number(worse, c.Column), because)
	case worse > 0 && c.Shown:
		return Soft, fmt.Sprintf("significantly worse by %s, but within the margin", number(worse, c.Column))
	case worse < 0 && c.Shown:
		return Improvement, "significantly better by " + number(-worse, c.Column)
	}
	return Stable, ""
}

// remedy names the flags and keys of rules that allow tests with few conversations.
func remedy(c report.Contrast) string {
	if c.Unit == report.ByRequest {
		return ""
	}
	text := "; --unit request, or unit: request in the rules, tests questions as if they were independent"
	if c.Insufficient == infer.TwoUnits {
		text += ", and --accept-two tests two conversations"
	}
	return text
}

// worse returns how much worse x is than base.
func worse(base, x float64, c metrics.Column) float64 {
	if c.Lower {
		return x - base
	}
	return base - x
}

func number(x float64, c metrics.Column) string { return decimal(x, c.Digits) }

// decimal prints a number with fixed decimals or, if these would all be 0, with two
// significant digits.
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

func signed(x float64, digits int) string {
	s := decimal(x, digits)
	if x >= slack {
		s = "+" + s
	}
	return s
}
