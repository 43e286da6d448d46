package interchange

import (
	"recallbench/internal/llm"
	"recallbench/internal/record"
)

// A File is a file of answers.
type File struct {
	Name    string // as it was given
	Format  string
	SHA256  string // of the file, in hex
	Answers []Answer
	// Ignored says in lines what of the file was passed over though it holds
	// answers, such as further epochs.
	Ignored []string
}

// An Answer is an answer that was made elsewhere, with what its file says of it.
// All but Text may be empty.
type Answer struct {
	Line  int    // where it begins, from 1
	Where string // its path in the file, such as `"3"[14]`; empty for a line of its own

	// Sample and Request are ids of the dataset.
	Sample, Request string
	// Conversation is the id of the sample or its place, from 0, among those of
	// the dataset.
	Conversation string
	Question     string
	Category     string
	Gold         string
	Evidence     []string // the ids of the turns that the gold answer rests on

	Text string
	// Status is that of the record; empty where the file says nothing, which is
	// as good as ok.
	Status  record.Status
	Failure *record.Failure
	Blocks  []Block // what the answer was made from, in rank order
	// Usage is what the language models used for the answer; nil where it is not
	// known.
	Usage *llm.Usage
	// Stages are the milliseconds of parts of the answer, by name.
	Stages map[string]float64
}

// A Block is a text that an answer was made from.
type Block struct {
	Text  string
	Score float64
}

// fail makes the answer one that failed.
func (a *Answer) fail(kind, message string) {
	a.Status, a.Failure = record.Error, &record.Failure{Kind: kind, Message: message}
}
