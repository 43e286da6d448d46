package calibrate

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"recallbench/internal/calc/stats"
)

// A Powered is a rate from labels of people and predictions of a judge.
type Powered struct {
	Estimate
	Lambda float64 // weight of the judge, from 0 to 1
	// Conversations counts those with an answer. Below [stats.FewClusters] the
	// interval is approximate.
	Conversations int
}

// PredictionPowered returns the rate of right answers from n labelled answers, with
// people's labels y and the judge's f, and N that only the judge saw:
//
//	θ = λ mean(f over N) + mean(y - λf over n)
//	λ = cov(y, f over n) / ((1 + n/N) var(f over all)), cut to [0, 1]
//
// The error is by conversation, √(G/(G-1) Σψ²), where conversation c has
//
//	ψ = λ Σ(f - mean)/N + Σ((y - λf) - mean)/n
//
// and the interval is θ ± t(0.975, G-1) times it. Labels count by their weights. Where
// these differ, the answers without a label do not represent all, and N is all answers.
// The formula alone sets λ: it is not chosen by the width that comes of it. It is not
// known, and ok is false, with fewer than two conversations, or without labels.
//
// Source: Angelopoulos, Duchi and Zrnic, "PPI++: Efficient Prediction-Powered
// Inference", 2023.
func PredictionPowered(conversations []Conversation) (p Powered, ok bool) {
	return powered(conversations, math.NaN())
}

// HumanOnly is [PredictionPowered] with people's labels only.
func HumanOnly(conversations []Conversation) (p Powered, ok bool) {
	return powered(conversations, 0)
}

// powered takes λ, or chooses it where that is not a number.
func powered(conversations []Conversation, lambda float64) (p Powered, ok bool) {
	var labelled, human, judge, others float64 // sums of weights and of values
	whole := unequal(conversations)
	var n, rest, g int
	for _, c := range conversations {
		if len(c.Labelled)+len(c.Judge) > 0 {
			g++
		}
		n, rest = n+len(c.Labelled), rest+len(c.Judge)
		for _, l := range c.Labelled {
			labelled += l.Weight
			human += l.Weight * l.Human
			judge += l.Weight * l.Judge
			if whole {
				others += l.Judge
				rest++
			}
		}
		for _, f := range c.Judge {
			others += f
		}
	}
	if n == 0 || g < 2 || !(labelled > 0) {
		return Powered{}, false
	}
	human, judge = human/labelled, judge/labelled
	if rest > 0 {
		others /= float64(rest)
	}
	if math.IsNaN(lambda) {
		lambda = bestLambda(conversations, labelled, human, judge, n, rest)
	}
	p = Powered{Lambda: lambda, Conversations: g}
	mean := human - lambda*judge
	var squares float64
	for _, c := range conversations {
		var psi float64
		for _, f := range c.Judge {
			psi += lambda * (f - others) / float64(rest)
		}
		for _, l := range c.Labelled {
			psi += l.Weight * (l.Human - lambda*l.Judge - mean) / labelled
			if whole {
				psi += lambda * (l.Judge - others) / float64(rest)
			}
		}
		squares += psi * psi
	}
	raw := lambda*others + mean
	p.X = min(max(raw, 0), 1)
	p.Clipped = p.X != raw
	p.Error = math.Sqrt(squares * float64(g) / float64(g-1))
	t := distuv.StudentsT{Sigma: 1, Nu: float64(g - 1)}.Quantile((1 + stats.Level) / 2)
	p.Interval = within(p.X, t*p.Error)
	return p, true
}

// unequal reports whether labels were drawn with chances that differ.
func unequal(conversations []Conversation) bool {
	first := 0.0
	for _, c := range conversations {
		for _, l := range c.Labelled {
			first = cmp.Or(first, l.Weight)
			if l.Weight != first {
				return true
			}
		}
	}
	return false
}

// bestLambda is that of [PredictionPowered]; 0 if the judge saw no other answer or
// says the same of all.
func bestLambda(conversations []Conversation, labelled, human, judge float64, n, rest int) float64 {
	if rest == 0 || n < 2 {
		return 0
	}
	var covariance float64
	var all stats.Cluster
	for _, c := range conversations {
		for _, l := range c.Labelled {
			covariance += l.Weight * (l.Human - human) * (l.Judge - judge)
			all.Add(l.Judge)
		}
		for _, f := range c.Judge {
			all.Add(f)
		}
	}
	covariance *= float64(n) / float64(n-1) / labelled
	size := float64(all.N)
	variance := (all.Squares - all.Sum*all.Sum/size) / (size - 1)
	if !(variance > 0) {
		return 0
	}
	return min(max(covariance/((1+float64(n)/float64(rest))*variance), 0), 1)
}
