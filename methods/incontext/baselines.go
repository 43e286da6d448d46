package incontext

import (
	"fmt"

	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

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
