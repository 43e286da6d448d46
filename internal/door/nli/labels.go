package nli

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Over says over which of a classifier's labels the softmax is taken.
type Over string

// The sets of labels.
const (
	// Contradiction leaves the neutral label out, as zero-shot classifiers and
	// Semantic XPath do.
	Contradiction Over = "contradiction"
	// All takes every label.
	All Over = "all"
)

// Values lists the choices.
func (Over) Values() []string { return []string{string(Contradiction), string(All)} }

// Labels are the positions of a classifier's labels among its logits.
type Labels struct {
	Entail, Contradict int
}

// FindLabels finds entailment and contradiction among labels: the one that begins with
// "entail", and the one that begins with "contradict", in any case; a classifier with
// two labels may call the latter "not_entailment". If there are none or several, the
// error lists the labels.
func FindLabels(labels []string) (Labels, error) {
	e, err := findLabel(labels, "entail")
	if err != nil {
		return Labels{}, err
	}
	c, err := findLabel(labels, "contradict")
	if err != nil {
		if other, found := findLabel(labels, "not_entail"); found == nil {
			c, err = other, nil
		}
	}
	return Labels{e, c}, err
}

// findLabel returns the place of the label that begins with a prefix.
func findLabel(labels []string, prefix string) (int, error) {
	var found []int
	for i, label := range labels {
		if strings.HasPrefix(strings.ToLower(label), prefix) {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%d labels begin with %q, want one; the model has %.40q", len(found), prefix, labels[:min(len(labels), 12)])
	}
	return found[0], nil
}

// Probability returns the probability of entailment from a classifier's logits
// for one pair:
//
//	p = exp(z_entail) / Σ exp(z_i)
//
// where i runs over entailment and contradiction, or over all labels. It is in
// [0, 1]; a logit that is not finite is an error.
func (l Labels) Probability(logits []float64, over Over) (float64, error) {
	if n := max(l.Entail, l.Contradict); n >= len(logits) {
		return 0, fmt.Errorf("%d logits, want at least %d", len(logits), n+1)
	}
	if over == Contradiction || over == "" {
		logits = []float64{logits[l.Entail], logits[l.Contradict]}
		l.Entail = 0
	}
	top := slices.Max(logits)
	sum := 0.0
	for _, z := range logits {
		if math.IsNaN(z) || math.IsInf(z, 0) {
			return 0, fmt.Errorf("a logit is %v", z)
		}
		sum += math.Exp(z - top)
	}
	return math.Exp(logits[l.Entail]-top) / sum, nil
}
