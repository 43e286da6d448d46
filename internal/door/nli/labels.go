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

// Probability returns the probability of entailment from the finite logits of a
// classifier's labels for one pair:
//
//	p = exp(z_entail) / Σ exp(z_i)
//
// where i runs over entailment and contradiction, or over all labels. It is in
// [0, 1].
//
// Entailment is the label that begins with "entail", and contradiction the one that begins
// with "contradict", in any case; a classifier with two labels may call the latter
// "not_entailment". If there are none or several, the error lists the labels.
func Probability(labels []string, logits []float64, over Over) (float64, error) {
	entail, err := findLabel(labels, "entail")
	if err != nil {
		return 0, err
	}
	contradict, err := findLabel(labels, "contradict")
	if other, missing := findLabel(labels, "not_entail"); err != nil && missing == nil {
		contradict, err = other, nil
	}
	if err != nil {
		return 0, err
	}
	if over != All {
		logits, entail = []float64{logits[entail], logits[contradict]}, 0
	}
	top := slices.Max(logits)
	sum := 0.0
	for _, z := range logits {
		sum += math.Exp(z - top)
	}
	return math.Exp(logits[entail]-top) / sum, nil
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
