package infer

import (
	"math"

	"recallbench/internal/calc/stats"
)

// Components split the variance of values by source: the conversation, the question
// in it, and the repetition of a question, by a seed or a vote. All are in the
// square of the unit of the values.
type Components struct {
	Conversation, Question, Repetition float64
	// Between and Within are the mean squares of question means, and Size is n₀, the
	// size of conversations that counts where they are of several.
	Between, Within, Size float64
	// Negative reports estimates below 0, which are set to 0.
	Negative struct{ Conversation, Question bool }
	// Repeated reports whether questions are repeated; otherwise their variance
	// includes that of the repetition.
	Repeated bool
	Design   Design // of the pilot
}

// A Design is the number of conversations, of questions about each, and of
// repetitions of each question.
type Design struct{ Conversations, Questions, Repetitions float64 }

// NewComponents estimates components by the sums of the repetitions of each question,
// by conversation, from the mean squares of an analysis of variance (Searle, Casella and
// McCulloch, 1992):
//
//	σ²_c = (MS_B - MS_W)/n₀,  σ²_q = MS_W - σ²_r/r,  n₀ = (N - Σn²/N)/(G-1)
//
// with r the harmonic mean of the repetitions. It needs two conversations and one
// question more, else ok is false.
func NewComponents(conversations [][]stats.Cluster) (c Components, ok bool) {
	var all, means stats.Cluster
	var within, spread, freedom, inverse, squares, groups float64
	for _, questions := range conversations {
		var of stats.Cluster
		for _, q := range questions {
			if q.N == 0 {
				continue
			}
			of.Add(q.Sum / q.Weight)
			all.Merge(q)
			spread += q.Squares - q.Sum*q.Sum/q.Weight
			freedom += float64(q.N - 1)
			inverse += 1 / float64(q.N)
		}
		if of.N == 0 {
			continue
		}
		groups++
		squares += of.Weight * of.Weight
		within += of.Squares - of.Sum*of.Sum/of.Weight
		c.Between += of.Sum * of.Sum / of.Weight
		means.Merge(of)
	}
	n := means.Weight
	if groups < 2 || n <= groups {
		return Components{}, false
	}
	c.Between = (c.Between - means.Sum*means.Sum/n) / (groups - 1)
	c.Within = within / (n - groups)
	c.Size = (n - squares/n) / (groups - 1)
	if c.Repeated = freedom > 0; c.Repeated {
		c.Repetition = max(0, spread/freedom)
	}
	c.Conversation = (c.Between - c.Within) / c.Size
	c.Question = c.Within - c.Repetition*inverse/n
	c.Negative.Conversation, c.Negative.Question = c.Conversation < 0, c.Question < 0
	c.Conversation, c.Question = max(0, c.Conversation), max(0, c.Question)
	c.Design = Design{groups, n / groups, n / inverse}
	return c, finite(c.Conversation) && finite(c.Question)
}

// Parts returns each component's part of the variance of the mean of a design.
func (c Components) Parts(d Design) (conversation, question, repetition float64) {
	return c.Conversation / d.Conversations, c.Question / (d.Conversations * d.Questions), c.Repetition / (d.Conversations * d.Questions * d.Repetitions)
}

// Error returns the standard error of the mean of a design.
func (c Components) Error(d Design) float64 {
	conversation, question, repetition := c.Parts(d)
	return math.Sqrt(conversation + question + repetition)
}

// PowerOf returns the chance that a two-sided t-test at the level 0.05 finds a
// difference in a design, for components of differences.
func (c Components) PowerOf(d Design, difference float64) float64 {
	freedom := d.Conversations - 1
	if se := c.Error(d); se > 0 {
		return noncentralTails(quantile((1+stats.Level)/2, freedom), freedom, math.Abs(difference)/se)
	}
	return 1
}

// MostConversations limits the designs that Needed tries.
const MostConversations = 1 << 16

// Needed returns the conversations of a design that finds a difference with the
// chance power; 0 if MostConversations are too few.
func (c Components) Needed(d Design, difference, power float64) int {
	reaches := func(n int) bool {
		d.Conversations = float64(n)
		return c.PowerOf(d, difference) >= power
	}
	lo, hi := 1, 2
	for !reaches(hi) {
		if lo, hi = hi, 2*hi; hi > MostConversations {
			return 0
		}
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; reaches(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
