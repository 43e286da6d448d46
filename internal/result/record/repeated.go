package record

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"recallbench/internal/files/durable"
)

// A Repeated compares the recorded replies to a sample of calls with those that the models
// gave when the calls were repeated.
type Repeated struct {
	Day     string `json:"day"` // of UTC
	Replies int    `json:"replies"`
	Equal   int    `json:"equal"` // of Replies, byte for byte
	// Answers are those of Replies that answered a question.
	Answers      int `json:"answers"`
	EqualAnswers int `json:"equal_answers"`
	// Metric is the column whose mean over the sampled answers moved most, by Moved in the
	// units of tables; it is empty if no sampled reply was an answer.
	Metric string  `json:"metric,omitempty"`
	Moved  float64 `json:"moved,omitempty"`
}

// String is a phrase for the head of a table.
func (r Repeated) String() string {
	s := fmt.Sprintf("repeated %s: %d of %d replies equal", r.Day, r.Equal, r.Replies)
	if r.Metric != "" {
		s += fmt.Sprintf(", %d of %d answers, %s moved by %.1f", r.EqualAnswers, r.Answers, r.Metric, r.Moved)
	}
	return s
}

// repeatedFile is beside the recordings.
const repeatedFile = "repeated.json"

// Write keeps r in a folder of recordings.
func (r Repeated) Write(dir string) error {
	return durable.WriteFile(filepath.Join(dir, repeatedFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}

// ReadRepeated returns what is known of the recordings in a folder; nil for nothing.
func ReadRepeated(dir string) *Repeated {
	r := new(Repeated)
	if ReadJSON(filepath.Join(dir, repeatedFile), r) != nil {
		return nil
	}
	return r
}
