// Package reader asks a model to answer a question from what a memory holds. The methods
// that retrieve share it, so that they differ in what they retrieve and not in how they
// ask.
package reader

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/text/suggest"
	"recallbench/methods"
)

//go:embed prompts
var files embed.FS

// Prompts returns a template for each style, rendered with a [Data].
func Prompts() prompt.Texts {
	return prompt.Embedded(files)
}

// Options are the reader's part of a method's options.
type Options struct {
	// MaxTokens is the largest number of tokens of an answer.
	MaxTokens int `yaml:"max_tokens"`
	// Style says what an answer looks like: phrase, a few words like LoCoMo's
	// gold answers, or sentence, like PerLTQA's.
	Style Style `yaml:"style"`
	// Slots shows semantic and episodic memories separately, as the prompt in
	// appendix C of the xMemory paper does for all its methods. A slot for which a
	// method has nothing stays empty. Without it there is one context.
	Slots bool `yaml:"slots"`
}

// Alone are the options of a method that has only the reader's.
type Alone struct {
	// Reader has the reader's options.
	Reader Options `yaml:"reader"`
}

// Style says what an answer looks like.
type Style string

// The styles.
const (
	Phrase   Style = "phrase"
	Sentence Style = "sentence"
)

// Values lists the styles.
func (Style) Values() []string { return []string{string(Phrase), string(Sentence)} }

// template is the name of the options' template.
func (o Options) template() string {
	name := "answer"
	if o.Style == Sentence {
		name = "sentence"
	}
	if o.Slots {
		name += "-slots"
	}
	return name
}

// Defaults are those of the xMemory paper for LoCoMo: greedy, 64 tokens.
func Defaults() Options { return Options{MaxTokens: 64, Style: Phrase} }

// InSlots are Defaults with semantic and episodic memories shown separately.
func InSlots() Options { return Options{MaxTokens: 64, Style: Phrase, Slots: true} }

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	if !slices.Contains(o.Style.Values(), string(o.Style)) {
		return errors.New(suggest.Unknown("style", string(o.Style), o.Style.Values()))
	}
	return nil
}

// A Context is the text from which the reader answers.
type Context struct {
	Semantic string // facts, profiles, summaries
	Episodic string // messages, chunks, accounts
}

// Blocks is the context of a method that does not distinguish facts from messages.
func Blocks(blocks []methods.Evidence, separator string) Context {
	texts := lists.Map(blocks, func(b methods.Evidence) string { return b.Text })
	return Context{Episodic: strings.Join(texts, separator)}
}

// text joins both kinds.
func (c Context) text() string {
	if c.Semantic == "" || c.Episodic == "" {
		return c.Semantic + c.Episodic
	}
	return c.Semantic + "\n\n" + c.Episodic
}

// Data is what a template is rendered with.
type Data struct {
	Question string
	Context  string // all of it as text

	Semantic, Episodic string // its kinds separately
}

// A Reader calls one model with one prompt.
type Reader struct {
	model   llm.Generator
	prompts *prompt.Set
	options Options
}

// New returns the reader of a method: the model and the prompts of env. It fails if
// the model entry has no language model or the prompt does not render, so a user's
// own prompt fails before a run instead of with every question.
func New(env methods.Env, o Options) (Reader, error) {
	if env.LLM == nil {
		return Reader{}, errors.New("the model entry has no language model, which the reader needs")
	}
	r := Reader{env.LLM, env.Prompts, o}
	_, err := r.Messages("question", Context{"semantic", "episodic"})
	return r, err
}

// Messages renders the prompt of a question over a context.
func (r Reader) Messages(question string, c Context) ([]llm.Message, error) {
	return r.prompts.Render(r.options.template(), Data{question, c.text(), c.Semantic, c.Episodic})
}

// Question returns the text that the reader is asked: that of a question, with its
// options if it is a multiple choice. Searches use the text alone.
func Question(r datasets.Request) string {
	if len(r.Options) == 0 {
		return r.Text
	}
	var b strings.Builder
	b.WriteString(r.Text + "\n\nOptions:\n")
	for _, o := range r.Options {
		fmt.Fprintf(&b, "(%s) %s\n", o.Key, o.Text)
	}
	b.WriteString("Answer with the key of the right option in parentheses, and nothing else.")
	return b.String()
}

// Answer asks the model a question over a context, which has the evidence. With an error,
// the response has only the trace of the steps before it.
func (r Reader) Answer(ctx context.Context, asked datasets.Request, c Context, evidence []methods.Evidence, trace ...methods.Step) (methods.Response, error) {
	failed := methods.Response{Trace: trace}
	messages, err := r.Messages(Question(asked), c)
	if err != nil {
		return failed, err
	}
	reply, err := r.model.Generate(ctx, llm.Request{
		Role:     "reader",
		Messages: messages,
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: r.options.MaxTokens},
	})
	if err != nil {
		return failed, fmt.Errorf("reader: %w", err)
	}
	return methods.Response{Text: strings.TrimSpace(reply.Text), Evidence: evidence, Trace: trace}, nil
}

// Shown collects what the reader gets, block by block: a line of text each, and
// the evidence.
type Shown struct {
	Semantic, Episodic []string
	Evidence           []methods.Evidence
}

// Add appends a block with its lines to the others of its kind, which is
// Semantic or Episodic.
func (s *Shown) Add(kind *[]string, e methods.Evidence) {
	*kind = append(*kind, e.Text)
	s.Evidence = append(s.Evidence, e)
}

// Context returns the texts.
func (s *Shown) Context() Context {
	return Context{Semantic: strings.Join(s.Semantic, "\n"), Episodic: strings.Join(s.Episodic, "\n")}
}
