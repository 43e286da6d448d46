package jsonl

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
)

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
