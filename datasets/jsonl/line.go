package jsonl

import (
	"time"

	"recallbench/datasets"
	"recallbench/internal/engine/typed"
	"recallbench/internal/files/jsontree"
)

// A turnLine is a turn as a line has it.
type turnLine struct {
	Type    string        `json:"type"`
	Sample  jsontree.Text `json:"sample" want:"filled"`
	Session jsontree.Text `json:"session" want:"filled"`
	Time    string        `json:"time,omitempty"`
	ID      jsontree.Text `json:"id"`
	Speaker jsontree.Text `json:"speaker" want:"filled"`
	Text    *string       `json:"text"` // required unless there is an image
	Image   *imageLine    `json:"image,omitempty"`
	// Forgets are ids of earlier turns.
	Forgets []jsontree.Text `json:"forgets,omitempty"`
}

type imageLine struct {
	Caption string `json:"caption,omitempty"`
	URL     string `json:"url,omitempty"`
	Query   string `json:"query,omitempty"`
}

// A questionLine is a question as a line has it.
type questionLine struct {
	Type     string                   `json:"type"`
	Sample   jsontree.Text            `json:"sample" want:"filled"`
	ID       jsontree.Text            `json:"id"`
	Time     string                   `json:"time,omitempty"`
	Question string                   `json:"question" want:"filled"`
	Answer   *jsontree.Text           `json:"answer,omitempty"` // needed unless Abstain is set
	Answers  []jsontree.Text          `json:"answers,omitempty"`
	Abstain  bool                     `json:"abstain,omitempty"`
	Category *jsontree.Text           `json:"category,omitempty"`
	Evidence []jsontree.Text          `json:"evidence,omitempty"`
	Labels   map[string]jsontree.Text `json:"labels,omitempty"`
	Entities []entityLine             `json:"entities,omitempty"`
	Values   *typed.Expected          `json:"values,omitempty"`
}

// An entityLine is what a question or its answer is about: its id, the same in all
// questions of the conversation; the ways to write it, the canonical one first; and where
// it is mentioned, by name or otherwise, in bytes of a turn or, without one, of the
// question.
type entityLine struct {
	ID       jsontree.Text   `json:"id" want:"filled"`
	Names    []jsontree.Text `json:"names" want:"required"`
	Mentions []struct {
		Turn  jsontree.Text `json:"turn,omitempty"`
		Start int           `json:"start" want:"required"`
		End   int           `json:"end" want:"required"`
	} `json:"mentions"`
}

// layouts are the formats of a time. A date means its first minute.
var layouts = []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339}

// clock reads the time of a line, as a wall clock showed it.
func clock(c *jsontree.Cursor, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		}
	}
	c.Faultf("time is %q, want one like \"2024-03-04\", \"2024-03-04 09:30\" or \"2024-03-04T09:30:00Z\"", text)
	return time.Time{}
}

// written is a time as a line has it.
func written(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// textsOf returns the texts of a sample's turns by their ids.
func textsOf(s *datasets.Sample) map[string]string {
	texts := make(map[string]string)
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			texts[t.ID] = t.Text
		}
	}
	return texts
}
