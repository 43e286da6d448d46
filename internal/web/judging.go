package web

import (
	"fmt"
	"strconv"

	"recallbench/internal/asked"
	"recallbench/internal/lists"
	"recallbench/metrics"
)

// judging says which answers are right.
type judging struct {
	Column    string  `json:"column"`
	Threshold float64 `json:"threshold"` // in the unit of the scores
	shown     string  // the threshold in the unit of tables
}

func newJudging(c metrics.Column, threshold float64) judging {
	return judging{c.Name, threshold, strconv.FormatFloat(threshold*c.Scale, 'g', 6, 64)}
}

// String says it in a sentence.
func (j judging) String() string {
	return fmt.Sprintf("An answer counts as right if its %s is at least %s. A wrong one is sorted by how much of its gold evidence reached the reader.", j.Column, j.shown)
}

// An outcome is one of [asked.Outcomes] in words.
type outcome struct {
	Name  asked.Outcome `json:"name"`
	Title string        `json:"title"`
	About string        `json:"about"`
}

// outcomes lists the outcomes of requests in the order of reports.
func outcomes() []outcome {
	words := map[asked.Outcome][2]string{
		asked.Right:           {"right", "The answer is right."},
		asked.NotRetrieved:    {"not retrieved", "The answer is wrong, and none of the turns that the gold answer rests on reached the reader."},
		asked.PartlyRetrieved: {"partly retrieved", "The answer is wrong, and some of these turns reached the reader."},
		asked.NotUsed:         {"retrieved, not used", "The answer is wrong, although all of these turns reached the reader."},
		asked.UnknownEvidence: {"unknown evidence", "The answer is wrong, and the dataset does not say which turns it rests on, or an imported file which of them reached the reader."},
		asked.Failed:          {"error", "The request ended in an error."},
		asked.Unscored:        {"unscored", "The answer has no score in the column that tells right from wrong."},
	}
	return lists.Map(asked.Outcomes(), func(o asked.Outcome) outcome { return outcome{o, words[o][0], words[o][1]} })
}
