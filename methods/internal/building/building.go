// Package building has what methods share whose memories are built by a
// language model: the messages of a conversation, calls whose unusable replies
// do not end the building, kept parts, and vectors.
package building

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // the schemas
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/reader"
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
	return lists.Map(messages, func(m Message) transcript.Line { return m.Line })
}

// Fit makes the embedding space of some messages.
func Fit(ctx context.Context, model embed.Model, messages []Message) (embed.Embedder, error) {
	texts := lists.Map(messages, func(m Message) string { return m.Line.Text })
	space, err := model.Fit(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("fit the embedder to %d messages: %w", len(texts), err)
	}
	return space, nil
}

// Vectors embeds texts of a memory; there may be none.
func Vectors(ctx context.Context, space embed.Embedder, texts ...string) ([][]float32, error) {
	return vectors(ctx, space, embed.Document, texts)
}

// Query embeds a question.
func Query(ctx context.Context, space embed.Embedder, question string) ([]float32, error) {
	v, err := vectors(ctx, space, embed.Query, []string{question})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func vectors(ctx context.Context, space embed.Embedder, kind embed.Kind, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer meter.Stage(ctx, "embed")()
	return embed.Vectors(ctx, space, kind, texts)
}

// Index embeds texts and indexes their vectors.
func Index(ctx context.Context, space embed.Embedder, texts []string) (*index.Dense, error) {
	v, err := Vectors(ctx, space, texts...)
	if err != nil {
		return nil, err
	}
	return index.NewDense(v)
}

// A Call describes what a method asks a model for.
type Call struct {
	Role        string
	Template    string // empty is the role
	Temperature float64
	MaxTokens   int    // of a reply; 0 is the method's
	Schema      string // of the reply; empty for text
	// Empty is data of the type that the template is rendered with, with just enough
	// set to show all of the template.
	Empty any
}

func (c Call) template() string { return cmp.Or(c.Template, c.Role) }

// Boundary says whether a message or a page begins something new. Why comes first, so
// that a model gives its reason before it decides.
type Boundary struct {
	Why        string `json:"why"`
	NewEpisode bool   `json:"new_episode"`
	// Confidence is from 0 to 1. Nothing depends on it.
	Confidence float64 `json:"confidence"`
}

// Statements are lasting facts, each a self-contained sentence.
type Statements struct {
	Statements []string `json:"statements"`
}

// Keywords are search words, separated by commas.
type Keywords struct {
	Keywords string `json:"keywords"`
}

// Schemas of replies.
var (
	//go:embed boundary.json
	BoundarySchema string
	//go:embed keywords.json
	KeywordsSchema string
)

// A Model is called with the templates of a method.
type Model struct {
	LLM       llm.Generator
	Prompts   *prompt.Set
	MaxTokens int // of a reply
}

// A Method is the common part of methods: the models that they need, and the
// reader of their memories.
type Method struct {
	Model
	Embed  embed.Model
	Reader reader.Reader
}

// New returns the common part of the named method; its replies have at most maxTokens
// tokens. It renders the template of each call, so that a user's own template fails
// before a run.
func New(name string, env methods.Env, o reader.Options, maxTokens int, calls ...Call) (Method, error) {
	if env.LLM == nil || env.Embed == nil {
		return Method{}, fmt.Errorf("the model entry lacks a language model or an embedder; %s needs both", name)
	}
	r, err := reader.New(env, o)
	faults := []error{err}
	for _, c := range calls {
		_, err := env.Prompts.Render(c.template(), c.Empty)
		faults = append(faults, err)
	}
	return Method{Model{env.LLM, env.Prompts, maxTokens}, env.Embed, r}, errors.Join(faults...)
}

func (m Model) request(c Call, data any) (llm.Request, error) {
	messages, err := m.Prompts.Render(c.template(), data)
	r := llm.Request{
		Role: c.Role, Messages: messages,
		Params: llm.Params{Temperature: &c.Temperature, MaxTokens: cmp.Or(c.MaxTokens, m.MaxTokens)},
	}
	if c.Schema != "" {
		r.Format = &llm.Format{Name: c.Role, Schema: json.RawMessage(c.Schema)}
	}
	return r, err
}

// JSON asks for a reply that fits the call's schema. If even the repaired reply
// does not fit, that is not an error: ok is false, and the degradation is
// counted under the call's role.
func JSON[T any](ctx context.Context, m Model, c Call, data any) (value T, ok bool, err error) {
	value, _, ok, err = JSONOrText[T](ctx, m, c, data)
	return value, ok, err
}

// JSONOrText is JSON for a call whose reply is useful in another form too: it
// returns the text of the last reply.
func JSONOrText[T any](ctx context.Context, m Model, c Call, data any) (value T, text string, ok bool, err error) {
	r, err := m.request(c, data)
	if err != nil {
		return value, "", false, err
	}
	defer meter.Stage(ctx, r.Role)()
	value, reply, err := llm.JSON[T](ctx, m.LLM, r)
	if err == nil {
		return value, reply.Text, true, nil
	}
	return value, reply.Text, false, Degrade(ctx, r.Role, err)
}

// Text asks for text of at most so many bytes, see [Clean]. An empty reply is
// not ok, and is counted as in [JSON].
func (m Model) Text(ctx context.Context, c Call, data any, most int) (text string, ok bool, err error) {
	r, err := m.request(c, data)
	if err != nil {
		return "", false, err
	}
	defer meter.Stage(ctx, r.Role)()
	reply, err := m.LLM.Generate(ctx, r)
	if err != nil {
		return "", false, Degrade(ctx, r.Role, err)
	}
	if text = Clean(reply.Text, most); text == "" {
		meter.Degrade(ctx, r.Role)
	}
	return text, text != "", nil
}

// Degrade counts that a stage continues without the model's reply if the
// failure is the reply's own: it does not fit even after a repair, or it is
// empty. Any other failure, such as a server that cannot be reached, is
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

// Kept says that what is kept of a building depends on options and on calls.
func Kept(options any, calls ...Call) *methods.Kept {
	k := &methods.Kept{Options: options}
	for _, c := range calls {
		k.Prompts = append(k.Prompts, c.template())
		k.Roles = lists.AddNew(k.Roles, c.Role)
	}
	return k
}

// Parts calls take with each part that an earlier building kept, in order; use
// reports that the part is used.
func Parts[T any](keeper checkpoint.Keeper, take func(part T, use func()) error) error {
	for i, kept := range keeper.Parts() {
		var part T
		if err := json.Unmarshal(kept.Data, &part); err != nil {
			return fmt.Errorf("part %d of the kept memory: %w", i+1, err)
		}
		if err := take(part, kept.Use); err != nil {
			return err
		}
	}
	return nil
}

// Hash returns the SHA-256 of texts, in hex, by which a part is found again.
func Hash(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:])
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
