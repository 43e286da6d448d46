// Package building has what the methods share whose memories a language model
// builds of a conversation: its messages, calls whose reply may be unusable
// without ending the building, and vectors.
package building

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/methods/internal/transcript"
)

// A Message is a turn of the conversation.
type Message struct {
	ID      string // of the turn
	Session int    // the index of its session
	Line    transcript.Line
}

// Messages returns the turns of a sample, in order.
func Messages(s datasets.Sample, images transcript.Images) []Message {
	var messages []Message
	for i, session := range s.Sessions {
		for _, t := range session.Turns {
			messages = append(messages, Message{t.ID, i, images.Line(t)})
		}
	}
	return messages
}

// Lines returns the lines of messages.
func Lines(messages []Message) []transcript.Line {
	lines := make([]transcript.Line, len(messages))
	for i, m := range messages {
		lines[i] = m.Line
	}
	return lines
}

// Fit makes the embedding space of some messages.
func Fit(ctx context.Context, model embed.Model, messages []Message) (embed.Embedder, error) {
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = m.Line.Text
	}
	space, err := model.Fit(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("fit the embedder to %d messages: %w", len(texts), err)
	}
	return space, nil
}

// Vectors embeds texts, which may be none.
func Vectors(ctx context.Context, space embed.Embedder, kind embed.Kind, texts ...string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer meter.Stage(ctx, "embed")()
	return embed.Vectors(ctx, space, kind, texts)
}

// A Model is asked with the templates of a method.
type Model struct {
	LLM     llm.Generator
	Prompts *prompt.Set
}

// Check renders each of the named templates, so that a user's own fails before a
// run. The data is of the type that the template is rendered with.
func (m Model) Check(templates map[string]any) error {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		if _, err := m.Prompts.Render(name, templates[name]); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// A Call is one question to a model.
type Call struct {
	Role     string
	Template string // rendered with Data
	Data     any
	Params   llm.Params
	Schema   string // of the reply, for [JSON]
}

// Params are those of a call with a temperature and a largest reply, in tokens.
func Params(temperature float64, maxTokens int) llm.Params {
	return llm.Params{Temperature: &temperature, MaxTokens: maxTokens}
}

func (m Model) request(c Call) (llm.Request, error) {
	messages, err := m.Prompts.Render(c.Template, c.Data)
	return llm.Request{Role: c.Role, Messages: messages, Params: c.Params}, err
}

// JSON asks for a reply that fits the call's schema. One that does not, even
// after it was asked for again, is no error: ok is then false, and the
// degradation counted under the call's role.
func JSON[T any](ctx context.Context, m Model, c Call) (value T, ok bool, err error) {
	value, _, ok, err = JSONOrText[T](ctx, m, c)
	return value, ok, err
}

// JSONOrText is JSON for a call whose reply is of use in another form too: it
// returns the text of the last reply.
func JSONOrText[T any](ctx context.Context, m Model, c Call) (value T, text string, ok bool, err error) {
	r, err := m.request(c)
	if err != nil {
		return value, "", false, err
	}
	defer meter.Stage(ctx, r.Role)()
	r.Format = &llm.Format{Name: r.Role, Schema: json.RawMessage(c.Schema)}
	value, reply, err := llm.JSON[T](ctx, m.LLM, r)
	if err == nil {
		return value, reply.Text, true, nil
	}
	return value, reply.Text, false, Degrade(ctx, r.Role, err)
}

// Text asks for text of at most so many bytes, see [Clean]. An empty one is not
// ok, and counted as [JSON] does.
func (m Model) Text(ctx context.Context, c Call, most int) (text string, ok bool, err error) {
	text, _, err = m.Raw(ctx, c)
	if err != nil {
		return "", false, err
	}
	text = Clean(text, most)
	return text, text != "", nil
}

// Raw asks for text, and returns it as the model wrote it. One that says nothing
// is not ok, and counted as [JSON] does.
func (m Model) Raw(ctx context.Context, c Call) (text string, ok bool, err error) {
	r, err := m.request(c)
	if err != nil {
		return "", false, err
	}
	defer meter.Stage(ctx, r.Role)()
	reply, err := m.LLM.Generate(ctx, r)
	if err != nil {
		return "", false, Degrade(ctx, r.Role, err)
	}
	if Clean(reply.Text, MaxTitle) == "" {
		meter.Degrade(ctx, r.Role)
		return "", false, nil
	}
	return reply.Text, true, nil
}

// Degrade counts that a stage goes on without the model's reply, where the
// failure is the reply's own: it does not fit even when asked for again, or
// there is none. Any other failure, such as a server that is not there, is
// returned.
func Degrade(ctx context.Context, stage string, err error) error {
	switch fault.KindOf(err) {
	case fault.Schema, fault.Refused, fault.Empty:
		meter.Degrade(ctx, stage)
		return nil
	default:
		return fmt.Errorf("%s: %w", stage, err)
	}
}

// What is kept of a model's texts, in bytes. What goes beyond is no answer to
// what was asked.
const (
	MaxTitle   = 500
	MaxContent = 20_000
	MaxFact    = 1_000
)

// Mark is a byte that no cleaned text holds, so that a method can mark a place in
// a prompt with it.
const Mark = "\x00"

// Clean folds white space, drops what is no text and cuts what is longer than
// most bytes.
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

// Distinct cleans a list of texts, leaves out empty and repeated ones, and cuts
// the list.
func Distinct(texts []string, most, count int) []string {
	var kept []string
	seen := make(map[string]bool)
	for _, s := range texts {
		if s = Clean(s, most); s == "" || seen[s] {
			continue
		}
		seen[s] = true
		if kept = append(kept, s); len(kept) == count {
			break
		}
	}
	return kept
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
