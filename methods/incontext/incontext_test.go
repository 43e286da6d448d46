package incontext

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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

// TestRecent checks for many numbers of tokens that the turns shown are the last, fit,
// and that one turn more would not; a last turn that is longer is shown alone.
func TestRecent(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	sample := methodtest.Sample()
	var ids []string
	for _, s := range sample.Sessions {
		for _, turn := range s.Turns {
			ids = append(ids, turn.ID)
		}
	}
	shown := func(n int) (sources []string, text string) {
		o := recentDefaults()
		o.Tokens = n
		memory := try.Get(methodtest.Method(t, RecentSpec, o, methodtest.Plain).Build(t.Context(), sample))(t)
		resp := try.Get(memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "Who has a boat?"}))(t)
		var texts []string
		for _, e := range resp.Evidence {
			sources, texts = append(sources, e.Sources...), append(texts, e.Text)
		}
		return sources, strings.Join(texts, "\n")
	}
	size := make(map[int]int) // of the last turns, by their number
	for n := 1; n < 400; n++ {
		sources, text := shown(n)
		try.Equal(t, "turns", ids[len(ids)-len(sources):], sources)
		k := len(sources)
		size[k] = tokens.Count(text)
		if k > 1 && size[k] > n {
			t.Errorf("%d tokens are shown, want at most %d", size[k], n)
		}
	}
	for n := 1; n < 400; n++ {
		sources, _ := shown(n)
		if more, ok := size[len(sources)+1]; ok && more+2 <= n {
			t.Errorf("of %d tokens %d turns are shown, and %d tokens would hold another", n, len(sources), more)
		}
	}
	if len(size) != len(ids) {
		t.Errorf("%d numbers of turns are shown, want 1 to %d", len(size), len(ids))
	}
	if err := (RecentOptions{}).Validate(); err == nil || err.Error() != "tokens is 0, want at least 1" {
		t.Errorf("no tokens: %v", err)
	}
}

// The prompt of a baseline is that of in-context.
func TestBaselinePrompt(t *testing.T) {
	sample := datasets.Sample{ID: "s", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "1", Speaker: "Ada", Text: "I have a boat.", Time: time.Date(2024, 1, 2, 3, 4, 0, 0, time.UTC)}}}}}
	var want methods.Response
	for _, spec := range []*methods.Spec{Spec, OracleSpec, RecentSpec, PlaceboSpec} {
		memory := try.Get(methodtest.Method(t, spec, spec.Options, methodtest.Plain).Build(t.Context(), sample))(t)
		got := try.Get(memory.Answer(t.Context(), datasets.Request{ID: "q", Text: "Who has a boat?"}))(t)
		if spec == Spec {
			want = got
		}
		try.Equal(t, spec.Name, want, got)
	}
}
