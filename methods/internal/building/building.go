// Package building has what methods share whose memories are built by a
// language model: the messages of a conversation, calls whose replies are kept and
// whose unusable replies do not end the building, and vectors.
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
	"slices"
	"strings"
	"time"

	concpool "github.com/sourcegraph/conc/pool"

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

	kept *replies // of a building; nil for none
}

// Options are those of methods that have none but for their building and their reader.
type Options struct {
	// Construction says how messages become the memory.
	Construction Replies `yaml:"construction"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Replies hold the options of a building. Memories with the same values share what is
// kept of their building, whatever else differs.
type Replies struct {
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Validate reports values out of range.
func (o Replies) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	return nil
}

// A Method is the common part of methods: the models that they need, and the
// reader of their memories.
type Method struct {
	Model
	Embed  embed.Model
	Reader reader.Reader
}

// New returns the common part of the named method. It renders the template of each
// call, so that a user's own template fails before a run.
func New(name string, env methods.Env, r reader.Options, o Replies, calls ...Call) (Method, error) {
	if env.LLM == nil || env.Embed == nil {
		return Method{}, fmt.Errorf("the model entry lacks a language model or an embedder; %s needs both", name)
	}
	m := Method{Model: Model{LLM: env.LLM, Prompts: env.Prompts, MaxTokens: o.MaxTokens}, Embed: env.Embed}
	var err error
	m.Reader, err = reader.New(env, r)
	for _, c := range calls {
		_, failed := env.Prompts.Render(c.template(), c.Empty)
		err = errors.Join(err, failed)
	}
	return m, err
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
// does not fit, or T has a method Usable that rejects it, that is not an error: ok is
// false, and the degradation is counted under the call's role.
func JSON[T any](ctx context.Context, m Model, c Call, data any) (value T, ok bool, err error) {
	value, _, ok, err = JSONOrText[T](ctx, m, c, data)
	return value, ok, err
}

// JSONOrText is JSON for a call whose reply is useful in another form too: it
// returns the text of the last reply.
func JSONOrText[T any](ctx context.Context, m Model, c Call, data any) (value T, text string, ok bool, err error) {
	defer meter.Stage(ctx, c.Role)()
	parts, err := m.ask(ctx, c, []any{data}, func(ctx context.Context, r llm.Request) (p part, err error) {
		found, reply, err := llm.JSON[T](ctx, m.LLM, r)
		p.Text = reply.Text
		if err != nil {
			return p, Degrade(ctx, r.Role, err)
		}
		if v, ok := any(found).(interface{ Usable() bool }); ok && !v.Usable() {
			meter.Degrade(ctx, r.Role)
			return p, nil
		}
		p.OK = true
		p.Value, err = json.Marshal(found)
		return p, err
	})
	if err != nil {
		return value, "", false, err
	}
	if parts[0].OK {
		err = json.Unmarshal(parts[0].Value, &value)
	}
	return value, parts[0].Text, parts[0].OK, err
}

// Text asks for text of at most so many bytes, see [Clean]. An empty reply is
// counted as in [JSON].
func (m Model) Text(ctx context.Context, c Call, data any, most int) (string, error) {
	texts, err := m.Texts(ctx, c, []any{data}, most)
	if err != nil {
		return "", err
	}
	return texts[0], nil
}

// Texts is Text for several calls that do not depend on each other. They run at the
// same time, and are kept in order, whichever reply comes first.
func (m Model) Texts(ctx context.Context, c Call, data []any, most int) ([]string, error) {
	parts, err := m.ask(ctx, c, data, func(ctx context.Context, r llm.Request) (part, error) {
		defer meter.Stage(ctx, r.Role)()
		reply, err := m.LLM.Generate(ctx, r)
		if err != nil {
			return part{}, Degrade(ctx, r.Role, err)
		}
		p := part{Text: Clean(reply.Text, most)}
		if p.Text == "" {
			meter.Degrade(ctx, r.Role)
		}
		return p, nil
	})
	return lists.Map(parts, func(p part) string { return p.Text }), err
}

// abreast is how many calls run at the same time.
const abreast = 16

// ask makes a call for each of data, unless its reply is kept, and keeps the replies in
// this order.
func (m Model) ask(ctx context.Context, c Call, data []any, one func(context.Context, llm.Request) (part, error)) (parts []part, err error) {
	type call struct {
		llm.Request
		part
		fresh bool
	}
	for some := range slices.Chunk(data, abreast) {
		var calls []call
		for _, d := range some {
			r, err := m.request(c, d)
			if err != nil {
				return nil, err
			}
			p, fresh := m.kept.take(r)
			calls = append(calls, call{r, p, fresh})
		}
		p := concpool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
		for i := range calls {
			if calls[i].fresh {
				p.Go(func(ctx context.Context) (err error) {
					calls[i].part, err = one(ctx, calls[i].Request)
					return err
				})
			}
		}
		if err := p.Wait(); err != nil {
			return nil, err
		}
		for _, made := range calls {
			if made.fresh {
				if err := m.kept.add(made.Request, made.part); err != nil {
					return nil, err
				}
			}
			parts = append(parts, made.part)
		}
	}
	return parts, nil
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

// KeptOf is Kept for a construction and the calls of it.
func KeptOf(construction Replies, calls ...Call) *methods.Kept {
	return Kept(struct {
		Construction Replies `yaml:"construction"`
	}{construction}, calls...)
}

// A part is a kept reply.
type part struct {
	Prompt string          `json:"prompt_sha256"` // by which it is found again
	OK     bool            `json:"ok,omitempty"`  // Value is the reply
	Value  json.RawMessage `json:"value,omitempty"`
	Text   string          `json:"text,omitempty"`

	use func()
}

// replies are those of a building. Its steps are repeated from the start when it is
// resumed: calls with a kept reply are not made.
type replies struct {
	keeper checkpoint.Keeper
	kept   map[string][]part // that are left of an earlier building, by prompt
}

// Begin begins to build a memory of messages: it returns the model for that, which
// repeats the replies that an earlier building kept and keeps its own, and the
// embedding space of the messages.
func (m Method) Begin(ctx context.Context, messages []Message) (Model, embed.Embedder, error) {
	m.kept = &replies{checkpoint.From(ctx), make(map[string][]part)}
	for i, kept := range m.kept.keeper.Parts() {
		p := part{use: kept.Use}
		if err := json.Unmarshal(kept.Data, &p); err != nil {
			return m.Model, nil, fmt.Errorf("part %d of the kept memory: %w", i+1, err)
		}
		m.kept.kept[p.Prompt] = append(m.kept.kept[p.Prompt], p)
	}
	texts := lists.Map(messages, func(m Message) string { return m.Line.Text })
	space, err := m.Embed.Fit(ctx, texts)
	if err != nil {
		err = fmt.Errorf("fit the embedder to %d messages: %w", len(texts), err)
	}
	return m.Model, space, err
}

// take returns the next kept reply to a request; it is fresh if there is none.
func (k *replies) take(r llm.Request) (p part, fresh bool) {
	if k == nil {
		return p, true
	}
	of := hash(r)
	if len(k.kept[of]) == 0 {
		return p, true
	}
	p, k.kept[of] = k.kept[of][0], k.kept[of][1:]
	p.use()
	return p, false
}

// add keeps the reply to a request.
func (k *replies) add(r llm.Request, p part) error {
	if k == nil {
		return nil
	}
	p.Prompt = hash(r)
	return k.keeper.Add(p)
}

// hash returns the SHA-256 of a request's role and messages, in hex.
func hash(r llm.Request) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00", r.Role)
	for _, m := range r.Messages {
		fmt.Fprintf(sum, "%s\x00%s\x00", m.Role, m.Content)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
