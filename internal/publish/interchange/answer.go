package interchange

import (
	"cmp"
	"math"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
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

// An Answer is an answer that was made elsewhere. Its request has what the file says: ids of
// the dataset, question, gold answer, category and evidence in Gold, and the rest in Record,
// Evidence and Judgements. All but the status and the answer may be empty.
type Answer struct {
	scored.Request
	Line  int    // where it begins, from 1
	Where string // its path in the file, such as `"3"[14]`; empty for a line of its own
	// Conversation is the id of the sample or its place, from 0, among those of
	// the dataset.
	Conversation string

	// Key pairs the answer with that of another file. Cluster is what was drawn, such
	// as a conversation; empty where the file does not tell.
	Key, Cluster string
	// Side is one of several that a file has, such as a provider or a cutoff.
	Side string
	// Epoch counts the repetitions of an item, from 1; 0 stands for 1.
	Epoch  int
	Prompt string // a hash of what was asked; empty where it is not known
	Scores []Score
	// Invalid is set if the file itself excludes the answer.
	Invalid bool
}

// A Score is an answer's score in one column of a file.
type Score struct {
	Column string
	Value  *float64 // nil where it is undefined
	// Votes are what Value is the mean of, where there are several.
	Votes []float64
	// Better says that higher is better, by the rules of the format.
	Better bool
}

// fail makes the answer one that failed.
func (a *Answer) fail(status record.Status, kind, message string) {
	a.Record.Status, a.Record.Error = status, &record.Failure{Kind: kind, Message: message}
}

// failed reports whether the answer failed.
func (a *Answer) failed() bool { return a.Record.Status != record.OK }

// addStage notes the milliseconds of a part, where they are known.
func (a *Answer) addStage(name string, ms float64) {
	if ms <= 0 {
		return
	}
	if a.Record.Time.Stages == nil {
		a.Record.Time.Stages = make(map[string]float64)
	}
	a.Record.Time.Stages[name] = math.Round(ms*1000) / 1000 // to the microsecond, as records have it
}

// usage is what the language models used for the answer; ok is false where it is not known.
func (a *Answer) usage() (u llm.Usage, ok bool) {
	return ofModels(a.Record.Usage["query"]), a.Record.Usage != nil
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
