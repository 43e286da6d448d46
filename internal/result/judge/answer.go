package judge

import (
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/note"
)

// A Row is the answers of one method with one model on one dataset, which can be right.
type Row struct {
	Name    string
	Dataset string // its label
	Answers []Answer
}

// An Answer is one answer with the verdicts of judges and the labels of people.
type Answer struct {
	note.Subject
	Category string
	SHA256   string // of the answer, in hex
	// Failed is set if there is no answer; it counts as 0 under all judges.
	Failed bool
	// Votes are those of each judge, each from 0 to 1; nil where it said nothing. A
	// judge that votes once has one.
	Votes map[string][]float64
	// Unparsed counts the votes of a judge that were no verdict and count as refusals.
	Unparsed map[string]int
	// Unasked are the judges that were not asked, because f1@span decided.
	Unasked []string
	// Truth is whether the answer is right, 1, 0.5 for partly or 0, as labels say; nil where
	// none do. Weight is how many answers the labelled one stands for, 0 for one.
	Truth  *float64
	Weight float64
}

// The ways to make one score of several votes.
const (
	Mean = "mean"
	// Majority is 1 where more than half of the votes are above one half, 0 where less
	// than half are, and undefined between.
	Majority = "majority"
)

// Score returns the score of a judge; ok is false where there is none.
func (a Answer) Score(judge, combine string) (x float64, ok bool) {
	votes := a.Votes[judge]
	switch {
	case len(votes) == 0:
		return 0, false
	case combine == Majority:
		accepted := len(lists.Filter(votes, func(v float64) bool { return v > 0.5 }))
		return number(2*accepted > len(votes)), 2*accepted != len(votes)
	}
	for _, v := range votes {
		x += v / float64(len(votes))
	}
	return x, true
}
