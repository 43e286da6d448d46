package incontext

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// TestCut checks, for many limits, that the prompt and the longest answer fit,
// that one turn more would not, and that what is left out is the oldest and is
// in the trace.
func TestCut(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	var size int
	env := methods.Env{Tokens: tokens, Prompts: prompts, LLM: llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		size = r.Params.MaxTokens
		for _, m := range r.Messages {
			size += tokens.Count(m.Content)
		}
		return llm.Reply{Text: "x"}, nil
	})}
	sample := methodtest.Sample()
	all := 0
	for _, s := range sample.Sessions {
		all += len(s.Turns)
	}
	ask := func(limit int) (kept int, resp methods.Response, err error) {
		o := Spec.Options.(Options)
		o.ContextLimit = limit
		m := try.Get(newMethod(env, o))(t)
		memory := try.Get(m.Build(t.Context(), sample))(t)
		resp, err = memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "Who has a boat?"})
		for _, e := range resp.Evidence {
			kept += len(e.Sources)
		}
		return kept, resp, err
	}
	if _, _, err := ask(100); err == nil || !strings.Contains(err.Error(), "context_limit is 100 tokens, but the question") {
		t.Errorf("a limit below the bare prompt: %v", err)
	}
	whole, _, err := ask(0)
	if err != nil || whole != all {
		t.Fatalf("without a limit %d of %d turns are kept, %v", whole, all, err)
	}
	full := size
	last := 0
	for limit := full - 300; limit <= full+1; limit++ {
		kept, resp, err := ask(limit)
		try.Do(t, err)
		if size > limit {
			t.Errorf("limit %d: prompt and answer take %d", limit, size)
		}
		if kept < last {
			t.Errorf("limit %d keeps %d turns, a smaller one %d", limit, kept, last)
		}
		last = kept
		if kept == all {
			if len(resp.Trace) != 0 {
				t.Errorf("limit %d cuts nothing, but the trace has %v", limit, resp.Trace)
			}
			continue
		}
		want := fmt.Sprintf("left out the oldest %d of %d turns to stay within %d tokens", all-kept, all, limit)
		if len(resp.Trace) == 0 || resp.Trace[0].Note != want {
			t.Errorf("limit %d: trace %v, want %q", limit, resp.Trace, want)
		}
	}
	if kept, _, _ := ask(full); kept != all {
		t.Errorf("the limit that fits exactly keeps %d of %d turns", kept, all)
	}
	if kept, _, _ := ask(full - 1); kept != all-1 {
		t.Errorf("a limit of one token less keeps %d of %d turns, want one turn fewer", kept, all)
	}
}
