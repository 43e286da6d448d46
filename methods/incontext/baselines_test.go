package incontext

import (
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

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
