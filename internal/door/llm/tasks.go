package llm

// A ScoreTask asks how far each text meets a condition. The reply is a
// [Scores] as JSON.
type ScoreTask struct {
	Condition string
	Texts     []string
}

// Kind implements [Task].
func (ScoreTask) Kind() string { return "score" }

// Scores is the reply to a [ScoreTask].
type Scores struct {
	Scores []float64 `json:"scores"` // one for each text in order, in [0, 1]
}

// A JudgeTask asks whether an answer is right. The reply is a [Judgement] as
// JSON. No backend has rules for it: what rules can tell, a metric does.
type JudgeTask struct {
	Question string
	Gold     string // a right answer; empty where only facts are known
	// Must are the facts that the answer has to tell, each in wordings that
	// will do, and Not is what it must not say.
	Must   [][]string
	Not    []string
	Answer string // to judge
}

// Kind implements [Task].
func (JudgeTask) Kind() string { return "judge" }

// A Judgement is the reply to a [JudgeTask]. Why comes first, so that a model
// gives its reason before it decides.
type Judgement struct {
	Why     string `json:"why"`
	Correct bool   `json:"correct"`
}
