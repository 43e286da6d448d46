package calibrate

import (
	"errors"
	"fmt"
	"math"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/stats"
)

// A Label is the decision of people and of the judge on one answer, each from 0 for
// wrong to 1 for right. Weight is the number of answers that it represents, one over
// the probability that it was drawn.
type Label struct{ Human, Judge, Weight float64 }

// A Conversation holds the answers about one conversation.
type Conversation struct {
	Labelled []Label
	// Judge has the judge's decisions on the answers that people did not label.
	Judge []float64
}

// A Rate is a share with its 95 % interval.
type Rate struct {
	X        float64
	N        int // answers that it rests on
	Interval stats.Interval
}

// Errors is how often a judge is right.
type Errors struct {
	// Sensitivity is the share of right answers that the judge accepts, Specificity
	// that of wrong ones that it rejects. Nil if there is no such answer.
	Sensitivity, Specificity *Rate
}

// ErrorsOf returns the errors of a judge on labelled answers. An answer is right by
// people, and accepted by the judge, above one half.
func ErrorsOf(conversations []Conversation) Errors {
	right, wrong := make([]stats.Cluster, len(conversations)), make([]stats.Cluster, len(conversations))
	for i, c := range conversations {
		for _, l := range c.Labelled {
			accepted := l.Judge > 0.5
			if l.Human > 0.5 {
				right[i].AddWeighted(indicator(accepted), l.Weight)
			} else {
				wrong[i].AddWeighted(indicator(!accepted), l.Weight)
			}
		}
	}
	return Errors{rate(right), rate(wrong)}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func rate(clusters []stats.Cluster) *Rate {
	x, n := stats.Mean(clusters)
	i, ok := stats.RateInterval(clusters, stats.Level)
	if !ok {
		return nil
	}
	return &Rate{x, n, i}
}

// An Estimate is a corrected rate.
type Estimate struct {
	X, Error float64
	Interval stats.Interval
	// Clipped is set if the correction led out of [0, 1], and X is the nearest end.
	Clipped bool
}

// The least that [RoganGladen] corrects by.
const (
	LeastYouden = 0.1 // sensitivity + specificity - 1, above which it corrects
	LeastLabels = 10  // labels of either kind
)

// RoganGladen returns the rate of right answers behind the rate p that a judge
// accepts:
//
//	θ = (p + sp - 1) / J,  J = se + sp - 1
//	Var θ = (Var p + θ² se(1-se)/n₁ + (1-θ)² sp(1-sp)/n₀) / J²
//
// where se and sp are its sensitivity and specificity, on n₁ answers labelled right and
// n₀ labelled wrong, and variance is that of p. The interval is normal, cut to [0, 1]. If
// the judge is too inaccurate or the labels too few, the error gives the reason. The rate
// holds only for answers on which the judge errs as on the labelled ones.
//
// Source: Rogan and Gladen, "Estimating prevalence from the results of a screening
// test", 1978; the variance is that of the delta method.
func RoganGladen(p, variance float64, e Errors) (Estimate, error) {
	if e.Sensitivity == nil || e.Specificity == nil {
		return Estimate{}, errors.New("all labels are alike; want some right and some wrong ones")
	}
	se, sp := *e.Sensitivity, *e.Specificity
	if se.N < LeastLabels || sp.N < LeastLabels {
		return Estimate{}, fmt.Errorf("%d answers are labelled right and %d wrong; want %d of each", se.N, sp.N, LeastLabels)
	}
	j := se.X + sp.X - 1
	if j <= LeastYouden+1e-12 { // rounding aside
		return Estimate{}, fmt.Errorf("sensitivity plus specificity minus 1 is %.3f; want more than %.1f", j, LeastYouden)
	}
	raw := (p + sp.X - 1) / j
	x := min(max(raw, 0), 1)
	variance += x*x*se.X*(1-se.X)/float64(se.N) + (1-x)*(1-x)*sp.X*(1-sp.X)/float64(sp.N)
	err := math.Sqrt(variance) / j
	return Estimate{x, err, within(x, normal*err), x != raw}, nil
}

// normal is the quantile of the normal distribution for a 95 % interval.
const normal = 1.959963984540054

// within is the interval of a rate, cut to [0, 1].
func within(x, half float64) stats.Interval {
	return stats.Interval{Lo: max(x-half, 0), Hi: min(x+half, 1)}
}

// Corrected is [RoganGladen] of the rate over all answers of conversations, whose
// variance is by conversation (CR2, see [infer.MeanError]).
func Corrected(conversations []Conversation, e Errors) (Estimate, error) {
	clusters := make([]stats.Cluster, len(conversations))
	for i, c := range conversations {
		for _, l := range c.Labelled {
			clusters[i].Add(l.Judge)
		}
		for _, f := range c.Judge {
			clusters[i].Add(f)
		}
	}
	p, se, ok := infer.MeanError(clusters)
	if !ok {
		return Estimate{}, errors.New("all answers are about one conversation; want two or more")
	}
	return RoganGladen(p, se*se, e)
}
