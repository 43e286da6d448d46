package llm

import "time"

// A BoundaryTask asks whether a message begins something new: whether the
// episode that the messages before it form is over. The reply is a [Boundary]
// as JSON.
type BoundaryTask struct {
	History []Line // of the open episode, the oldest first; at least one
	Next    Line
}

// Kind implements [Task].
func (BoundaryTask) Kind() string { return "boundary" }

// A Boundary is the reply to a [BoundaryTask].
type Boundary struct {
	Why        string `json:"why"`
	NewEpisode bool   `json:"new_episode"` // the message begins one
	// Confidence is from 0 to 1. Nothing depends on it.
	Confidence float64 `json:"confidence"`
}

// A SegmentsTask asks which episodes a stretch of messages holds. The reply is
// [Segments] as JSON.
type SegmentsTask struct{ Lines []Line }

// Kind implements [Task].
func (SegmentsTask) Kind() string { return "segments" }

// Segments is the reply to a [SegmentsTask].
type Segments struct {
	Episodes []Segment `json:"episodes"`
}

// A Segment is an episode by its first message, from 1, and what it is about.
type Segment struct {
	First int    `json:"first"`
	Topic string `json:"topic"`
}

// An EpisodeTask asks for the messages of an episode to be retold. The reply is
// an [Episode] as JSON.
type EpisodeTask struct {
	Lines []Line // at least one
	Why   string // it ended, as in a [Boundary]; empty at the end of the stream
}

// Kind implements [Task].
func (EpisodeTask) Kind() string { return "episode" }

// An Episode is the reply to an [EpisodeTask].
type Episode struct {
	Title   string `json:"title"`
	Content string `json:"content"` // in the third person, with who, what, when and where
	// Time is when it took place, as in 2006-01-02T15:04:05; empty when the
	// messages do not say.
	Time string `json:"time"`
}

// A PredictTask asks what an episode probably told, from its title and from
// what is known. The reply is plain text.
type PredictTask struct {
	Title string
	Known []string // statements, the closest first; at least one
}

// Kind implements [Task].
func (PredictTask) Kind() string { return "predict" }

// A StatementsTask asks for the lasting facts of an episode, each a sentence
// that stands by itself. With a prediction it asks only for those that the
// messages tell and the prediction does not, or has wrong. The reply is
// [Statements] as JSON.
type StatementsTask struct {
	Title, Content string    // of the episode; both empty with Lines
	Time           time.Time // of the episode; the zero time when unknown
	Lines          []Line    // its messages; nil where the episode is what is read
	Prediction     string    // empty for none
}

// Kind implements [Task].
func (StatementsTask) Kind() string { return "statements" }

// Statements is the reply to a [StatementsTask].
type Statements struct {
	Statements []string `json:"statements"`
}

// A SummaryTask asks for what some facts have in common, in a few sentences.
// The reply is plain text.
type SummaryTask struct {
	Facts []string // at least one
}

// Kind implements [Task].
func (SummaryTask) Kind() string { return "summary" }

// A ProbeTask asks for the beginning of the answer to a question, only to see
// how sure the model is of it: the reply's [Reply.Logprobs] count and its text
// does not. A backend without a language model gives numbers that stand in for
// log-probabilities, and says in the reply's notes what they are.
type ProbeTask struct {
	Question string
	Passages []Passage // may be empty
}

// Kind implements [Task].
func (ProbeTask) Kind() string { return "probe" }

// A FactsTask asks for every fact that messages tell, each a sentence that
// stands by itself, with the message that it is from. The reply is [Facts] as
// JSON.
type FactsTask struct {
	Lines []Line // at least one
	First int    // the number of the first line
}

// Kind implements [Task].
func (FactsTask) Kind() string { return "facts" }

// Facts is the reply to a [FactsTask].
type Facts struct {
	Data []Fact `json:"data"`
}

// A Fact is a sentence with the number of the line that it is from.
type Fact struct {
	Source int    `json:"source_id"`
	Text   string `json:"fact"`
}

// A ReviseTask asks what becomes of a remembered fact in the light of later
// ones: it is brought up to date, dropped, or stays. The reply is a [Revision]
// as JSON.
type ReviseTask struct {
	Fact  Line
	Later []Line // at least one; none was said before the fact
}

// Kind implements [Task].
func (ReviseTask) Kind() string { return "revise" }

// A Revision is the reply to a [ReviseTask].
type Revision struct {
	Action string `json:"action"`     // update, delete or ignore
	Text   string `json:"new_memory"` // of the fact, for update
}
