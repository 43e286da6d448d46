package interchange

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
)

// A File is a file of answers.
type File struct {
	Name    string // as it was given
	Format  string
	SHA256  string // of the file, in hex
	Answers []Answer
	// Head is the header of the program's own format; nil in others.
	Head *PredictionsHead
	// Judges are those whose judgements came with the answers.
	Judges []record.Judge
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
	// Judgements are those of the judges of the file.
	Judgements []record.Judgement
	// Usage is what the language models used for the answer; nil where it is not
	// known.
	Usage *llm.Usage
	Cost  *float64 // in US dollars; nil where it is not known
	// Stages are the milliseconds of parts of the answer, by name.
	Stages map[string]float64
	// Record is all that the program's own format says of the request; nil in others.
	Record *record.Record
}

// judgement is what a judge said of an answer: a label from 0 to 1, nil where the reply
// could not be used, or the mean of its votes. A judge that is new is one of the file's.
func (f *File) judgement(name, model string, label *float64, votes []float64, why string) record.Judgement {
	id := cmp.Or(name, unnamedJudge)
	if name == unnamedJudge {
		name = ""
	}
	at := slices.IndexFunc(f.Judges, func(j record.Judge) bool { return j.Name == name })
	if at < 0 {
		f.Judges = append(f.Judges, record.Judge{ID: id, Name: name, Profile: "of the file", Model: record.Model{Label: "imported", Backend: "imported", Reader: cmp.Or(model, "not known")}})
		at = len(f.Judges) - 1
	}
	j := record.Judgement{Judge: f.Judges[at].ID, Reader: f.Judges[at].Reader, Prompts: f.Judges[at].Prompts, Why: why}
	sum := 0.0
	for _, x := range votes {
		j.Votes = append(j.Votes, record.Vote{Score: &x})
		sum += x / float64(len(votes))
	}
	if label == nil && len(votes) > 0 {
		label = &sum
	}
	if label != nil {
		j.SetScore(*label)
	}
	return j
}

// A Block is a text that an answer was made from.
type Block struct {
	Text  string
	Score float64
	// Name, Sources and Estimated are as the program's own format has them.
	Name      string
	Sources   []string
	Estimated bool
}

// fail makes the answer one that failed.
func (a *Answer) fail(kind, message string) {
	a.Status, a.Failure = record.Error, &record.Failure{Kind: kind, Message: message}
}

// failed reports whether the answer failed.
func (a *Answer) failed() bool { return a.Status != "" && a.Status != record.OK }

// addStage notes the time of a part, where it is known.
func (a *Answer) addStage(name string, ms float64) {
	if ms <= 0 {
		return
	}
	if a.Stages == nil {
		a.Stages = make(map[string]float64)
	}
	a.Stages[name] = math.Round(ms*1000) / 1000 // to the microsecond, as records have it
}

// Total is the milliseconds of all parts.
func (a *Answer) Total() float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(a.Stages)) { // sums of floats depend on their order
		sum += a.Stages[name]
	}
	return sum
}

// mostTokens bounds a number of tokens that a file may claim, so that sums of them
// hold.
const mostTokens = 1 << 40

// setUsage notes the tokens that the answer used.
func (a *Answer) setUsage(input, cached, output, reasoning float64) {
	n := func(x float64) int { return int(min(x, mostTokens)) }
	a.Usage = &llm.Usage{Calls: 1, Input: n(input), Cached: n(cached), Output: n(output), Reasoning: n(reasoning)}
}
