// Package incontext implements the baseline that shows the model everything
// with every question: the whole conversation, or a structured memory in all
// its versions, which an edit rewrites.
package incontext

import (
	"context"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "in-context",
	Doc:     "answer from the whole conversation; the context limit cuts off its oldest part",
	Source:  "baseline of the Semantic XPath paper, section 5",
	Options: Options{Reader: reader.Defaults()},
	Ingests: methods.Anything,
	Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()),
	New:     newMethod,
}

// Options are the method's options.
type Options struct {
	// ContextLimit is the largest number of tokens of prompt and answer
	// together. If the conversation does not fit, its oldest turns or versions
	// are left out and the trace says how many. 0 means no limit.
	ContextLimit int `yaml:"context_limit"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.ContextLimit < 0 {
		return fmt.Errorf("context_limit is %d, want at least 1, or 0 for no limit", o.ContextLimit)
	}
	return nil
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	r, err := reader.New(env, o.Reader)
	if err != nil {
		return nil, err
	}
	_, err = env.Prompts.Render("memory", memoryData{Earlier: []exchange{{}}})
	return method{Options: o, tokens: env.Tokens, reader: r, model: env.LLM, prompts: env.Prompts}, err
}

type method struct {
	Options
	newest int // tokens shown from the end of the conversation; 0 for all of it
	tokens token.Counter
	reader reader.Reader

	// For tasks about a tree.
	model   llm.Generator
	prompts *prompt.Set
}

// Build writes the conversation once; all questions share its parts.
func (m method) Build(_ context.Context, s datasets.Sample) (methods.Memory, error) {
	if s.Tree != nil {
		w := &whole{method: m, state: handler.NewState(s), dialogue: s.Dialogue}
		return w, w.refresh()
	}
	mem := &memory{method: m}
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			line := transcript.CaptionsAndQuery.Line(turn)
			text := transcript.Text(line) + "\n"
			mem.turns = append(mem.turns, entry{session: session.ID, id: turn.ID, line: line, text: text})
			if m.ContextLimit > 0 || m.newest > 0 {
				mem.turns[len(mem.turns)-1].tokens = m.tokens.Count(text)
			}
		}
	}
	mem.whole = mem.view(mem.firstShown())
	return mem, nil
}

// size is the number of tokens of a prompt.
func (m method) size(messages []llm.Message) int {
	return meter.Input(llm.Request{Messages: messages}, m.tokens)
}

// An entry is one turn of the conversation.
type entry struct {
	session, id string
	line        transcript.Line
	text        string // with the line feed
	tokens      int    // of text; 0 if nothing is cut
}

type memory struct {
	method
	turns []entry
	whole []methods.Evidence // a block for each session
}

// view returns the conversation without its first turns, a block for each session.
func (m *memory) view(first int) (blocks []methods.Evidence) {
	for i := first; i < len(m.turns); {
		var text strings.Builder
		e := methods.Evidence{ID: "session " + m.turns[i].session}
		for session := m.turns[i].session; i < len(m.turns) && m.turns[i].session == session; i++ {
			e.Sources = append(e.Sources, m.turns[i].id)
			text.WriteString(m.turns[i].text)
		}
		e.Text = text.String()
		blocks = append(blocks, e)
	}
	return blocks
}

// shown is what the reader gets of blocks.
func shown(blocks []methods.Evidence) reader.Context { return reader.Blocks(blocks, "\n") }

func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	v, trace := m.whole, []methods.Step(nil)
	if m.ContextLimit > 0 {
		end := meter.Stage(ctx, "cut")
		first, err := m.cut(reader.Question(r))
		end()
		if err != nil {
			return methods.Response{}, err
		}
		if first > 0 {
			v = m.view(first)
			trace = append(trace, methods.Step{
				Name: "cut",
				Note: fmt.Sprintf("left out the oldest %d of %d turns to stay within %d tokens", first, len(m.turns), m.ContextLimit),
				Data: map[string]any{"turns_left_out": first, "turns": len(m.turns), "context_limit": m.ContextLimit},
			})
		}
	}
	return m.reader.Answer(ctx, r, shown(v), v, trace...)
}

// cut returns how many turns to leave out so that the prompt of the question
// and the longest answer fit the limit.
func (m *memory) cut(question string) (first int, err error) {
	bare, err := m.promptTokens(question, nil)
	if err != nil {
		return 0, err
	}
	answer := m.Reader.MaxTokens
	if bare+answer > m.ContextLimit {
		return 0, fmt.Errorf("context_limit is %d tokens, but the question, its instructions and an answer of %d tokens need %d",
			m.ContextLimit, answer, bare+answer)
	}
	// The sum over turns is close; white space between parts may merge into fewer or
	// different tokens, so the prompt is counted.
	first = m.last(m.ContextLimit - answer - bare)
	for ; first < len(m.turns); first++ {
		n, err := m.promptTokens(question, m.view(first))
		if err != nil || n+answer <= m.ContextLimit {
			return first, err
		}
	}
	return first, nil
}

// last returns the first of the last turns that have at most some number of tokens
// together.
func (m *memory) last(tokens int) (first int) {
	for first = len(m.turns); first > 0 && tokens >= m.turns[first-1].tokens; first-- {
		tokens -= m.turns[first-1].tokens
	}
	return first
}

func (m *memory) promptTokens(question string, blocks []methods.Evidence) (int, error) {
	messages, err := m.reader.Messages(question, shown(blocks))
	return m.size(messages), err
}

// OracleSpec describes an upper bound: the reader gets the gold evidence of the
// question, so its wrong answers are not the memory's fault.
var OracleSpec = &methods.Spec{
	Name:    "oracle",
	Doc:     "answer from the question's gold evidence only: an upper bound",
	Source:  "longmemeval_oracle of LongMemEval, by turns",
	Options: reader.Alone{Reader: reader.Defaults()},
	Sees:    methods.OnlyEvidence,
	Prompts: reader.Prompts(),
	New: func(env methods.Env, options any) (methods.Method, error) {
		return newBaseline(env, options.(reader.Alone).Reader, 0)
	},
}

// RecentSpec describes the baseline that remembers only the most recent turns.
var RecentSpec = &methods.Spec{
	Name:    "recent",
	Doc:     "answer from the last turns of the conversation, up to a number of tokens",
	Source:  "truncated history, a baseline of long-context benchmarks",
	Options: recentDefaults(),
	Prompts: reader.Prompts(),
	New:     newRecent,
}

// PlaceboSpec describes a control: the reader gets as much text as a memory would
// show it, but from another conversation.
var PlaceboSpec = &methods.Spec{
	Name:    "placebo",
	Doc:     "answer from the last turns of another conversation, up to a number of tokens: a control",
	Source:  "control of this project",
	Options: recentDefaults(),
	Sees:    methods.Elsewhere,
	Prompts: reader.Prompts(),
	New:     newRecent,
}

// RecentOptions are the options of baselines that show the end of a conversation.
type RecentOptions struct {
	// Tokens is the largest number of tokens of the turns shown. The last turn is
	// always shown, even if it is longer.
	Tokens int `yaml:"tokens"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// recentDefaults show about as much text as 20 turns of LoCoMo have.
func recentDefaults() RecentOptions { return RecentOptions{Tokens: 1024, Reader: reader.Defaults()} }

// Validate reports values out of range.
func (o RecentOptions) Validate() error {
	if o.Tokens < 1 {
		return fmt.Errorf("tokens is %d, want at least 1", o.Tokens)
	}
	return nil
}

func newRecent(env methods.Env, options any) (methods.Method, error) {
	o := options.(RecentOptions)
	return newBaseline(env, o.Reader, o.Tokens)
}

// newBaseline makes a method that shows the newest tokens of a conversation; 0 shows
// all of it.
func newBaseline(env methods.Env, asked reader.Options, newest int) (methods.Method, error) {
	r, err := reader.New(env, asked)
	if err != nil {
		return nil, err
	}
	return method{Options: Options{Reader: asked}, newest: newest, tokens: env.Tokens, reader: r}, nil
}

// firstShown returns the first turn of those at the end that the method shows.
func (m *memory) firstShown() int {
	if m.newest == 0 || len(m.turns) == 0 {
		return 0
	}
	newest := len(m.turns) - 1
	first := min(m.last(m.newest), newest)
	// White space between sessions may add tokens to the sum.
	for first < newest && m.tokens.Count(shown(m.view(first)).Episodic) > m.newest {
		first++
	}
	return first
}
