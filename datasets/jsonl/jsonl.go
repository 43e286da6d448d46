// Package jsonl loads a user's own questions about a user's own conversations.
//
// The data is one or several files with one JSON object per line, which is a
// turn of a conversation or a question about one:
//
//	{"type": "turn", "sample": "support", "session": "1", "time": "2024-03-04 09:30", "id": "a1", "speaker": "Ann", "text": "My router died on Sunday."}
//	{"type": "question", "sample": "support", "question": "When did Ann's router die?", "answer": "3 March 2024", "category": "temporal", "evidence": ["a1"]}
//
// docs/data.md says what each field means, and which may be left out. The turns of a
// conversation are in order of time and those of a session are consecutive; questions may
// be anywhere. Empty lines are skipped. Unknown fields, and evidence that names no turn,
// are faults. A time's offset from UTC is ignored, because "yesterday" goes by the
// speaker's clock.
//
// [Write] writes a set in this format.
package jsonl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/typed"
	"recallbench/internal/files/category"
	"recallbench/internal/files/jsontree"
)

// MaxLine is the length in bytes above which a line is refused, 1 MiB.
const MaxLine = 1 << 20

// Options name the data.
type Options struct {
	// Files are the files to read, relative to the run file's folder; their
	// contents are combined.
	Files []string `yaml:"files"`
	// Categories says what the names of categories stand for, for metrics with
	// rules for LoCoMo's: locomo, mem0, or a YAML file with lines such as
	// multi-hop: 1. By default they stand for themselves.
	Categories string `yaml:"categories,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	switch {
	case len(o.Files) == 0:
		return errors.New("files is empty, want the files with the turns and the questions")
	case slices.Contains(o.Files, ""):
		return errors.New("files has an empty name")
	}
	return datasets.CheckList("files", o.Files, nil)
}

// Spec describes data in this format.
var Spec = &datasets.Spec{
	Name:    "jsonl",
	Doc:     "your own questions about your own conversations, from JSONL files",
	Source:  "files that the options name; the format is in docs/data.md",
	License: "the user's own",
	Options: Options{},
	Metrics: []string{"f1@span", "f1@mem0", "words", "accuracy@mcq", "evidence-recall", "tokens"},
	Own:     own,
	Open:    datasets.Opener("jsonl", open),
}

func own(options any) []string {
	o, _ := options.(Options)
	if o.categoriesFile() {
		return append(slices.Clone(o.Files), o.Categories)
	}
	return o.Files
}

// categoriesFile reports whether the categories are those of a file.
func (o Options) categoriesFile() bool {
	return o.Categories != "" && !slices.Contains(category.Names(), strings.ToLower(o.Categories))
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	paths := lists.Map(o.Files, env.Resolve)
	if o.Categories == "" {
		return load(ctx, nil, paths...)
	}
	name := o.Categories
	if o.categoriesFile() {
		name = env.Resolve(name)
	}
	v, err := category.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("jsonl: categories: %w", err)
	}
	set, err := load(ctx, v, paths...)
	if err == nil {
		set.Settings = map[string]string{"categories": v.String()}
	}
	return set, err
}

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
	Values   *typed.Expected          `json:"values,omitempty"`
	Entities []datasets.Entity        `json:"entities,omitempty"`
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
