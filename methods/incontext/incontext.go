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
		return m.buildTree(s)
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

func (m *memory) promptTokens(question string, blocks []methods.Evidence) (n int, err error) {
	messages, err := m.reader.Messages(question, shown(blocks))
	for _, msg := range messages {
		n += m.tokens.Count(msg.Content)
	}
	return n, err
}

func (*memory) Close() error { return nil }
