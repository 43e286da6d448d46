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
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Write writes the conversations and gold of a set so that a set opened from them has the same: each
// conversation's turns, then its questions. Speakers come back in the order in which they
// first speak; the name, caveat and settings of the set are not written. What the format
// cannot express is an error: a tree, a dialogue of tasks, rubrics and options, a turn
// without a time in a session that has one, and a session that begins at another time
// than its first turn.
func Write(ctx context.Context, w io.Writer, set *datasets.Set) error {
	out := writer{w: w}
	for s, err := range set.All(ctx) {
		if err != nil {
			return err
		}
		if s.Tree != nil || s.Dialogue {
			return fmt.Errorf("conversation %q: has a tree or is a dialogue, which JSONL cannot represent", s.ID)
		}
		for _, session := range s.Sessions {
			if err := out.session(s.ID, session); err != nil {
				return fmt.Errorf("conversation %q: session %q: %w", s.ID, session.ID, err)
			}
		}
		for _, r := range s.Requests {
			g, ok := set.Gold(s.ID, r.ID)
			if !ok {
				return fmt.Errorf("conversation %q: question %q has no gold answer", s.ID, r.ID)
			}
			if len(g.Rubric) > 0 || len(r.Options) > 0 || g.Name != "" {
				return fmt.Errorf("conversation %q: question %q: has a rubric, options or a release name, which JSONL cannot represent", s.ID, r.ID)
			}
			if err := out.line(asked(s.ID, r, g)); err != nil {
				return fmt.Errorf("conversation %q: question %q: %w", s.ID, r.ID, err)
			}
		}
	}
	return nil
}

// asked is a question in its written form.
func asked(sample string, r datasets.Request, g datasets.Gold) questionLine {
	q := questionLine{
		Type: "question", Sample: jsontree.Text(sample), ID: jsontree.Text(r.ID), Time: written(r.Time), Question: r.Text,
		Answers: texts(g.Variants), Abstain: g.Abstain, Evidence: texts(g.Evidence), Labels: make(map[string]jsontree.Text),
		Entities: g.Entities, Values: g.Values,
	}
	if g.Answer != "" {
		q.Answer = new(jsontree.Text(g.Answer))
	}
	if g.Category != "" {
		q.Category = new(jsontree.Text(g.Category))
	}
	for name, value := range g.Labels {
		q.Labels[name] = jsontree.Text(value)
	}
	return q
}

func texts(all []string) []jsontree.Text {
	return lists.Map(all, func(s string) jsontree.Text { return jsontree.Text(s) })
}

// Fingerprint sets the hash and the version of a set that was built: those of the
// file that [Write] makes of it.
func Fingerprint(ctx context.Context, set *datasets.Set) error {
	sum := sha256.New()
	if err := Write(ctx, sum, set); err != nil {
		return err
	}
	set.Sign(hex.EncodeToString(sum.Sum(nil)))
	return nil
}

// A writer writes lines.
type writer struct {
	w   io.Writer
	buf bytes.Buffer
}

func (w *writer) session(sample string, s datasets.Session) error {
	for i, t := range s.Turns {
		if t.Time.IsZero() != s.Time.IsZero() || i == 0 && !t.Time.Equal(s.Time) {
			return fmt.Errorf("turn %q is at %v in a session of %v; want both or neither to have a time, and the first turn the session's", t.ID, t.Time, s.Time)
		}
		l := turnLine{
			Type: "turn", Sample: jsontree.Text(sample), Session: jsontree.Text(s.ID), Time: written(t.Time),
			ID: jsontree.Text(t.ID), Speaker: jsontree.Text(t.Speaker), Text: &t.Text, Forgets: texts(t.Forgets),
		}
		if t.Image != nil {
			l.Image = &imageLine{Caption: t.Image.Caption, URL: t.Image.URL, Query: t.Image.Query}
		}
		if err := w.line(l); err != nil {
			return fmt.Errorf("turn %q: %w", t.ID, err)
		}
	}
	return nil
}

// line writes a value as a line.
func (w *writer) line(v any) error {
	w.buf.Reset()
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	if w.buf.Len() > MaxLine {
		return fmt.Errorf("the line is longer than %d MiB, the limit for reading", MaxLine>>20)
	}
	_, err := w.w.Write(w.buf.Bytes())
	return err
}
