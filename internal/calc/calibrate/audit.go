package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"recallbench/internal/calc/stats"
)

// An Audit is a judge's verdicts on answers drawn at random from those that a rule
// decides in its place.
type Audit struct {
	Asked int
	Right float64 // sum of the verdicts, each from 0 to 1
	// Expected is the rate that such answers had elsewhere, and Weight how many audited
	// answers that counts for.
	Expected, Weight float64
}

const (
	// doubt is how likely it is, before the audit, that this judge sees such answers in
	// another way than was expected, and doubtWeight and doubtRate are what is expected
	// of it then: little, and a rate of 0.1 or 0.9, on the side of the rule.
	doubt, doubtWeight, doubtRate = 0.2, 5, 0.1
)

// SpanAudit returns an audit without verdicts of answers that f1@span accepts, or
// rejects. The expected rate is the share of right ones among the answers on which it was
// developed. For the former it is similar from system to system; for the latter it is
// not, and counts for little.
func SpanAudit(taken bool) Audit {
	if taken {
		return Audit{Expected: 0.983, Weight: 100}
	}
	return Audit{Expected: 0.28, Weight: 4}
}

// AuditShare returns the share of such answers to audit, given that of accepted ones.
// Judges contradict f1@span about 20 times as often on rejected answers: at 0.05 all of
// these are judged.
func AuditShare(taken bool, share float64) float64 {
	if taken {
		return share
	}
	return min(1, 20*share)
}

// Rate returns the rate of right answers among those that the audit stands for, with its
// error: the mean and the standard deviation of the posterior from a prior of two parts,
//
//	(1 - doubt) Beta(w e, w (1 - e)) + doubt Beta(5 r, 5 (1 - r))
//
// where e is the expected rate, w its weight, and r 0.9 if e is above one half, else
// 0.1. So an audit without disagreement still leaves an error, and one that contradicts
// the expectation soon counts alone.
//
// The prior is a robust mixture as of Schmidli et al., "Robust meta-analytic-predictive
// priors in clinical trials with historical control information", 2014.
func (a Audit) Rate() (x, err float64) {
	r := doubtRate
	if a.Expected > 0.5 {
		r = 1 - doubtRate
	}
	wrong := float64(a.Asked) - a.Right
	parts := []struct{ weight, right, wrong float64 }{
		{1 - doubt, a.Weight * a.Expected, a.Weight * (1 - a.Expected)},
		{doubt, doubtWeight * r, doubtWeight * (1 - r)},
	}
	logs := make([]float64, len(parts))
	for i, p := range parts {
		logs[i] = math.Log(p.weight) + mathext.Lbeta(p.right+a.Right, p.wrong+wrong) - mathext.Lbeta(p.right, p.wrong)
	}
	var total, mean, square float64
	for i, p := range parts {
		weight := math.Exp(logs[i] - max(logs[0], logs[1]))
		right, n := p.right+a.Right, p.right+p.wrong+float64(a.Asked)
		total += weight
		mean += weight * right / n
		square += weight * right * (right + 1) / (n * (n + 1))
	}
	mean /= total
	return mean, math.Sqrt(max(0, square/total-mean*mean))
}

// AuditedInterval returns the 95 % interval of the mean over answers of which some have the
// rate of an audit in place of a verdict: err is the mean over all answers of the errors of
// these rates.
//
//	mean ± √((t SE)² + (z err)²)
//
// cut to [0, 1], where SE is [stats.StandardError], by conversation, t is the quantile of
// Student's t with one degree of freedom fewer than conversations, and z that of the normal
// distribution. It is unknown, and ok is false, with fewer than two conversations.
func AuditedInterval(clusters []stats.Cluster, err float64) (i stats.Interval, ok bool) {
	x, _ := stats.Mean(clusters)
	se, ok := stats.StandardError(clusters)
	if !ok {
		return i, false
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(stats.Count(clusters) - 1)}.Quantile((1 + stats.Level) / 2)
	return within(x, math.Hypot(t*se, normal*err)), true
}
