// Package building has what methods share whose memories are built by a
// language model: the messages of a conversation, calls whose replies are kept and
// whose unusable replies do not end the building, and vectors.
package building

import (
	"context"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/transcript"
)

// A Message is a turn of the conversation.
type Message struct {
	ID      string // of the turn
	Session int    // the index of its session
	Line    transcript.Line
}

// Messages returns the turns of a sample, in order.
func Messages(s datasets.Sample, images transcript.Images) (messages []Message) {
	for i, session := range s.Sessions {
		for _, t := range session.Turns {
			messages = append(messages, Message{t.ID, i, images.Line(t)})
		}
	}
	return messages
}

// Lines returns the lines of messages.
func Lines(messages []Message) []transcript.Line {
	return lists.Map(messages, func(m Message) transcript.Line { return m.Line })
}

// Vectors embeds texts of a memory; there may be none.
func Vectors(ctx context.Context, space embed.Embedder, texts ...string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer meter.Stage(ctx, "embed")()
	return embed.Vectors(ctx, space, embed.Document, texts)
}

// Query embeds a question.
func Query(ctx context.Context, space embed.Embedder, question string) ([]float32, error) {
	defer meter.Stage(ctx, "embed")()
	v, err := embed.Vectors(ctx, space, embed.Query, []string{question})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Places returns the indexes of hits, never nil, for a trace.
func Places(hits []index.Hit) []int {
	return append([]int{}, lists.Map(hits, func(h index.Hit) int { return h.Index })...)
}

// Indexes embeds lists of texts, and indexes the vectors of each.
func Indexes(ctx context.Context, space embed.Embedder, texts ...[]string) ([]*index.Dense, error) {
	made := make([]*index.Dense, len(texts))
	for i, list := range texts {
		v, err := Vectors(ctx, space, list...)
		if err != nil {
			return nil, err
		}
		if made[i], err = index.NewDense(v); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// Limits on a model's texts, in bytes. Anything longer does not answer the
// prompt.
const (
	MaxTitle   = 500
	MaxContent = 20_000
	MaxFact    = 1_000
)

// Mark is a byte that no cleaned text contains, so that a method can mark a place
// in a prompt with it.
const Mark = "\x00"

// Clean folds white space, drops what is not text and cuts after most bytes.
func Clean(s string, most int) string {
	if len(s) > 4*most {
		s = s[:4*most]
	}
	s = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, ""), Mark, "")), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " ..."
	}
	return s
}

// Distinct cleans a list of texts, drops empty and repeated ones, and cuts the
// list.
func Distinct(texts []string, most, count int) []string {
	var kept []string
	for _, s := range texts {
		if s = Clean(s, most); s != "" && len(kept) < count {
			kept = lists.AddNew(kept, s)
		}
	}
	return kept
}

// Jaccard returns the size of the intersection of two sets over that of their union; 0
// if one is empty.
func Jaccard(a, b []string) float64 {
	both := len(lists.Filter(a, func(s string) bool { return slices.Contains(b, s) }))
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// ParseTime reads a time that a model wrote; the zero time for anything else.
func ParseTime(s string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05", time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil && t.Year() > 0 {
			return t.UTC()
		}
	}
	return time.Time{}
}
