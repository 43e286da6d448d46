package xmemory

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/testkit/try"
	"recallbench/methods/internal/building"
	"recallbench/methods/methodtest"
)

// unsure makes probes as uncertain as nats says of their prompt.
func unsure(nats func(prompt string) float64) func(llm.Generator) llm.Generator {
	return func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role != probe.Role {
				return g.Generate(ctx, r)
			}
			h := nats(r.Messages[len(r.Messages)-1].Content)
			return llm.Reply{Text: "a b", Logprobs: []llm.Logprob{{Token: "a", Logprob: -h - 0.5}, {Token: "b", Logprob: -h + 0.5}}}, nil
		})
	}
}

// three ends an episode after every four messages, which leaves three to try.
func three(g llm.Generator) llm.Generator {
	n := 0
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if r.Role != "boundary" {
			return g.Generate(ctx, r)
		}
		n++
		return llm.Reply{Text: fmt.Sprintf(`{"why": "", "new_episode": %t, "confidence": 1}`, n%4 == 0)}, nil
	})
}

// trials returns what the search tried, in words.
func trials(t *testing.T, o Options, nats func(prompt string) float64) string {
	t.Helper()
	m := buildMemory(t.Context(), t, makeMethod(t, o, func(g llm.Generator) llm.Generator {
		return three(unsure(nats)(g))
	}))
	resp := try.Get(m.Answer(t.Context(), datasets.Request{Text: "Where are the bees?"}))(t)
	var b strings.Builder
	for _, e := range resp.Evidence {
		if strings.HasPrefix(e.ID, "episode") {
			b.WriteString(strings.TrimPrefix(e.ID, "episode "))
			b.WriteString("; ")
		}
	}
	return b.String()
}

// TestStageII follows the rules of both profiles with probes whose uncertainty
// depends on how many episodes they show.
func TestStageII(t *testing.T) {
	shown := func(prompt string) (episodes, messages int) {
		_, after, _ := strings.Cut(prompt, "# Episodes\n")
		after, _, _ = strings.Cut(after, "\nQuestion:")
		for line := range strings.Lines(after) {
			switch {
			case strings.HasPrefix(line, "  "):
				messages++
			case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "(none)"):
				episodes++
			}
		}
		return episodes, messages
	}
	for _, tt := range []struct {
		name    string
		profile Profile
		nats    func(episodes, messages int) float64
		want    int // episodes
		expand  bool
	}{
		{"each a little worse is included", Released, func(e, _ int) float64 { return 2 + 0.3*float64(e) }, 3, false},
		{"much worse ends the search", Released, func(e, _ int) float64 { return 2 + 0.5*float64(e) }, 1, false},
		{"better than a quarter nat is expanded", Released, func(e, _ int) float64 { return 2 - 0.3*float64(e) }, 3, true},
		{"worse is left out", Paper, func(e, _ int) float64 { return 2 + 0.1*float64(e) }, 1, false},
		{"each makes surer", Paper, func(e, m int) float64 { return 2 - 0.1*float64(e) + 0.01*float64(m) }, 3, false},
		{"messages make surer still", Paper, func(e, m int) float64 { return 2 - 0.1*float64(e) - 0.1*float64(m) }, 3, true},
		{"only the first does", Paper, func(e, _ int) float64 { return 2 - 0.1*float64(min(e, 1)) }, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Defaults()
			o.Profile = tt.profile
			got := trials(t, o, func(p string) float64 { return tt.nats(shown(p)) })
			if n := strings.Count(got, ";"); n != tt.want || strings.Contains(got, "messages") != tt.expand {
				t.Errorf("included %q, want %d episodes, with messages: %t", got, tt.want, tt.expand)
			}
		})
	}
}

// TestProbes checks what a probe sends: the beginning that all probes of a
// question share, greedy, with log-probabilities, without a template.
func TestProbes(t *testing.T) {
	var requests []llm.Request
	m := buildMemory(t.Context(), t, makeMethod(t, Defaults(), func(g llm.Generator) llm.Generator {
		g = three(g)
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role == probe.Role {
				requests = append(requests, r)
			}
			return g.Generate(ctx, r)
		})
	}))
	try.Get(m.Answer(t.Context(), datasets.Request{Text: "Where are the bees?"}))(t)
	if len(requests) < 2 {
		t.Fatalf("%d probes, want at least 2", len(requests))
	}
	content := func(r llm.Request) string {
		var b strings.Builder
		for _, m := range r.Messages {
			b.WriteString(m.Content)
		}
		return b.String()
	}
	first := content(requests[0])
	for i, r := range requests {
		p := r.Params
		if !r.Plain || !p.Logprobs || p.MaxTokens != 20 || p.Temperature == nil || *p.Temperature != 0 {
			t.Errorf("probe %d is sent with %+v, plain %t", i, p, r.Plain)
		}
		c := content(r)
		if r.Prefix <= 0 || r.Prefix >= len(c) || c[:r.Prefix] != first[:requests[0].Prefix] || strings.Contains(c, building.Mark) {
			t.Errorf("probe %d: the beginning of %d bytes of %q is not shared", i, r.Prefix, c)
		}
	}
}

// TestProbeWithoutTokens takes a reply without log-probabilities for unsure, and
// says so.
func TestProbeWithoutTokens(t *testing.T) {
	m := buildMemory(t.Context(), t, makeMethod(t, Defaults(), func(g llm.Generator) llm.Generator { return three(methodtest.Says(probe.Role, "text")(g)) }))
	ctx, meter := meter.With(t.Context(), time.Now, meter.Limits{})
	resp, err := m.Answer(ctx, datasets.Request{Text: "Where are the bees?"})
	if err != nil || len(resp.Evidence) == 0 {
		t.Fatalf("evidence %v, error %v", resp.Evidence, err)
	}
	if n := meter.Seen().Degraded[probe.Role]; n == 0 {
		t.Error("the degradation is not noted")
	}
}

// TestAblations shows what of the memory reaches the reader with each stage on
// and off.
func TestAblations(t *testing.T) {
	for _, tt := range []struct {
		name        string
		stage1      bool
		stage2      bool
		allExpanded bool
	}{
		{"memory only", false, false, true}, {"+RepSel", true, false, true}, {"+UncSion", false, true, false}, {"full", true, true, false},
	} {
		o := Defaults()
		o.Search.Representatives, o.Search.Uncertainty = tt.stage1, tt.stage2
		m := buildMemory(t.Context(), t, makeMethod(t, o, func(g llm.Generator) llm.Generator { return three(unsure(func(string) float64 { return 1 })(g)) }))
		resp := try.Get(m.Answer(t.Context(), datasets.Request{Text: "What did Tom sell?"}))(t)
		var names []string
		for _, s := range resp.Trace {
			names = append(names, s.Name)
		}
		if diff := cmp.Diff([]string{"facts", "episodes"}, names); diff != "" {
			t.Errorf("%s: steps (-want +got):\n%s", tt.name, diff)
		}
		episodes, expanded := 0, 0
		for _, e := range resp.Evidence {
			if strings.HasPrefix(e.ID, "episode") {
				episodes++
				if strings.HasSuffix(e.ID, "messages") {
					expanded++
				}
				if len(e.Sources) == 0 {
					t.Errorf("%s: %s has no sources", tt.name, e.ID)
				}
			}
		}
		if episodes == 0 || tt.allExpanded != (expanded == episodes) {
			t.Errorf("%s: %d episodes, %d with messages", tt.name, episodes, expanded)
		}
	}
}

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
