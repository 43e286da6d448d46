package xmemory

import (
	"context"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// makeMethod returns the method over the stand-in, whose model wrap changes.
func makeMethod(tb testing.TB, o Options, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	return methodtest.Method(tb, Spec, o, wrap).(*method)
}

func buildMemory(ctx context.Context, t *testing.T, m *method) *memory {
	t.Helper()
	built := try.Get(m.Build(ctx, methodtest.Sample()))(t)
	return built.(*memory)
}

// whole checks that a memory lost nothing: episodes follow one another over all
// messages, each semantic is of an episode and in one theme.
func whole(t *testing.T, m *memory) {
	t.Helper()
	end := 0
	for i, e := range m.episodes {
		if e.First != end || e.End <= e.First || e.Title == "" || e.Content == "" {
			t.Errorf("episode %d has messages %d to %d after %d, title %q, content %q", i, e.First, e.End, end, e.Title, e.Content)
		}
		end = e.End
	}
	if end != len(m.messages) {
		t.Errorf("episodes end at message %d of %d", end, len(m.messages))
	}
	in := make(map[int]int)
	for i, theme := range m.hierarchy.Themes {
		if m.summaries[i] == "" {
			t.Errorf("theme %d has no summary", i)
		}
		for _, s := range theme.Members {
			in[s]++
		}
	}
	for i, s := range m.semantics {
		if s.Text == "" || s.Episode < 0 || s.Episode >= len(m.episodes) || in[i] != 1 {
			t.Errorf("semantic %d: %q of episode %d is in %d themes", i, s.Text, s.Episode, in[i])
		}
	}
	if len(m.semantics) == 0 {
		t.Error("no semantics")
	}
}

func TestBuild(t *testing.T) {
	for _, profile := range []Profile{Released, Paper} {
		o := Defaults()
		o.Profile = profile
		m := buildMemory(t.Context(), t, makeMethod(t, o, methodtest.Plain))
		whole(t, m)
		got := m.Structure()
		if got["messages"] != 12 || got["episodes"] < 2 || got["themes"] < 1 {
			t.Errorf("%s: structure %v, want 12 messages in some episodes and themes", profile, got)
		}
	}
}

// TestDegraded gives each stage replies that cannot be used. The memory is
// whole all the same, and says what it lacks. Package suite has more of them.
func TestDegraded(t *testing.T) {
	replies := map[string]string{
		"prose": "Sure, here is what you asked for!", "empty": "", "another shape": `{"new_episode": "maybe", "statements": "none", "title": 3}`,
		"a long list": `{"statements": ["` + strings.Repeat("word ", 30_000) + `"]}`,
	}
	for _, role := range []string{"boundary", "episode", "statements", summary.Role} {
		for name, reply := range replies {
			t.Run(role+"/"+name, func(t *testing.T) {
				ctx, meter := meter.With(t.Context(), time.Now, meter.Limits{})
				m := buildMemory(ctx, t, makeMethod(t, Defaults(), methodtest.Says(role, reply)))
				whole(t, m)
				taken := role == summary.Role && reply != "" || role == "statements" && name == "a long list"
				if n := meter.Seen().Degraded[role]; taken != (n == 0) {
					t.Errorf("%d stages degraded: %v", n, meter.Seen().Degraded)
				}
			})
		}
	}
}

// TestShares builds with other themes from what was kept: only summaries are
// asked for.
func TestShares(t *testing.T) {
	s := new(methodtest.Shelf)
	buildMemory(checkpoint.With(t.Context(), s), t, makeMethod(t, Defaults(), methodtest.Plain))
	o := Defaults()
	o.Themes.Split, o.Themes.Merge = false, false
	o.Themes.AttachAt, o.Themes.AttachFloor = 0.99, 0.99
	m := buildMemory(checkpoint.With(t.Context(), s), t, makeMethod(t, o, func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role != summary.Role {
				t.Errorf("a call for %s", r.Role)
			}
			return g.Generate(ctx, r)
		})
	}))
	whole(t, m)
}
