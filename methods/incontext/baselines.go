package incontext

import (
	"fmt"

	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

// OracleSpec describes the ceiling: the reader gets the gold evidence of the question.
// What it gets wrong is not for want of memory.
var OracleSpec = &methods.Spec{
	Name:    "oracle",
	Doc:     "answer from the gold evidence of the question and nothing else: a ceiling",
	Source:  "longmemeval_oracle of LongMemEval, by turns",
	Options: reader.Alone{Reader: reader.Defaults()},
	Sees:    methods.OnlyEvidence,
	Prompts: reader.Prompts(),
	New: func(env methods.Env, options any) (methods.Method, error) {
		return newBaseline(env, options.(reader.Alone).Reader, 0)
	},
}

// RecentSpec describes the baseline that remembers what was said last.
var RecentSpec = &methods.Spec{
	Name:    "recent",
	Doc:     "answer from the last turns of the history, by tokens",
	Source:  "truncated history, a baseline of long-context benchmarks",
	Options: recentDefaults(),
	Prompts: reader.Prompts(),
	New:     newRecent,
}

// PlaceboSpec describes the control: the reader gets as much as a memory would show
// it, of another conversation.
var PlaceboSpec = &methods.Spec{
	Name:    "placebo",
	Doc:     "answer from the last turns of another conversation, by tokens: a control",
	Source:  "control of this project",
	Options: recentDefaults(),
	Sees:    methods.Elsewhere,
	Prompts: reader.Prompts(),
	New:     newRecent,
}

// RecentOptions are the options of baselines that show the end of a history.
type RecentOptions struct {
	// Tokens is the largest number of tokens of the turns shown. A last turn that
	// is longer is shown all the same.
	Tokens int `yaml:"tokens"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// recentDefaults show about as much as 20 turns of LoCoMo are.
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
