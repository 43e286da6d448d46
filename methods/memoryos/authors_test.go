package memoryos

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/methods/methodtest"
)

// TestAuthorsPrompts renders the prompts of a clone, which the variable
// BENCH_CLONES has in its folder memoryos.
func TestAuthorsPrompts(t *testing.T) {
	dir := methodtest.Clone(t, "memoryos")
	link := linkData{Before: "<before>", First: sides{"<u1>", "<a1>", "<t1>"}, Second: sides{"<u2>", "<a2>", "<t2>"}}
	about := portraitData{Known: "<known>", Pages: []sides{link.First, link.Second}}
	for _, p := range profiles {
		o := options(p)
		o.Prompts.From = dir
		set := methodtest.Cloned(t, Spec, o)
		for name, tt := range map[string]struct {
			data any
			want []string
		}{
			continues: {link, []string{"User: <u1>\nAssistant: <a1>\n", "User: <u2>\nAssistant: <a2>\n"}},
			overview:  {link, []string{"Previous Meta-summary: <before>", "User: <u2>\nAssistant: <a2>"}},
			themes:    {themesData{Page: link.First}, []string{`{"theme": "`, "User: <u1>"}},
			keywords:  {keywordsData{"<text>"}, []string{"<text>"}},
			portrait:  {about, []string{"User: <u1>", "Assistant: <a2>", "<t2>"}},
			facts:     {about, []string{"User: <u1>", ": <a2>", "<t1>", assistantMark}},
			merge:     {mergeData{"<known>", "<new>"}, []string{"<known>", "<new>"}},
		} {
			if _, found := authors(p).Prompts[name]; !found {
				continue
			}
			messages, err := set.Render(name, tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if len(messages) != 2 || messages[0].Content == "" || messages[0].Role != llm.System {
				t.Errorf("%s, %s: messages %q", p, name, messages)
				continue
			}
			for _, want := range tt.want {
				if !strings.Contains(messages[1].Content, want) {
					t.Errorf("%s, %s: %q is not in:\n%s", p, name, want, messages[1].Content)
				}
			}
			if strings.Contains(messages[1].Content, "\r") {
				t.Errorf("%s, %s: a line ends in a carriage return", p, name)
			}
		}
	}
}

// TestAuthored reads replies in the form that the authors' prompts ask for.
func TestAuthored(t *testing.T) {
	replies := map[string]string{
		roleContinues: " True\n", roleOverview: "An overview.",
		roleThemes:   "```json\n[{\"theme\": \"a\", \"keywords\": [\"k\"], \"content\": \"all of it\"}]\n```",
		roleKeywords: "k, l ,, m",
	}
	said := map[Profile]map[string]string{
		Eval: {roleProfile: profileMark + "\nCalm.\n" + dataMark + "\n- Has a dog\n- None", roleFacts: assistantMark + "\n- I like tea\n- I swim"},
		PyPI: {roleProfile: "A profile that is long enough to be kept.", roleFacts: privateMark + "\n- Has a dog\n" + assistantMark + "\n- I like tea\n- I swim"},
	}
	said[Paper] = said[PyPI]
	build := func(p Profile, replies map[string]string) (*memory, map[string]int) {
		m := makeMethod(t, options(p), func(llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
				if text, ok := replies[r.Role]; ok && (r.Role != roleKeywords || p == Eval) {
					return llm.Reply{Text: text}, nil
				}
				return llm.Reply{Text: `{"keywords": "k"}`}, nil
			})
		})
		m.STM, m.Options.Prompts.From = 1, "a clone"
		ctx, meter := meter.With(t.Context(), time.Now, meter.Limits{})
		return buildMemory(ctx, t, m, talk(9)), meter.Degraded()
	}
	for _, p := range profiles {
		all := maps.Clone(replies)
		maps.Copy(all, said[p])
		m, degraded := build(p, all)
		agent := []string{"- I like tea", "- I swim"}
		if p == Eval {
			agent = []string{strings.Join(agent, " ")}
		}
		if len(degraded) != 0 || m.links == 0 || len(m.mid.segments) != 1 || m.long.analyses == 0 || !strings.Contains(said[p][roleProfile], m.long.profile) && p != Eval {
			t.Errorf("%s: degraded %v, structure %v, profile %q", p, degraded, m.Structure(), m.long.profile)
		}
		if diff := cmp.Diff([][]string{{"- Has a dog"}, agent}, [][]string{slices.Compact(m.long.user), m.long.agent[:len(agent)]}); diff != "" {
			t.Errorf("%s: facts (-want +got):\n%s", p, diff)
		}
		if p == Eval && (m.long.profile != "Calm." || !slices.Equal(m.mid.segments[0].keywords, []string{"k", "l", "m"})) {
			t.Errorf("profile %q, keywords %q", m.long.profile, m.mid.segments[0].keywords)
		}
		for _, broken := range []string{"", "Sure!", "[", "这", `[{"theme": 3}]`} {
			bad := map[string]string{}
			for role := range all {
				bad[role] = broken
			}
			m, degraded := build(p, bad)
			if p != Eval {
				whole(t, m)
			}
			if degraded[roleThemes] == 0 || degraded[roleContinues] == 0 && m.last != nil {
				t.Errorf("%s, %q: degraded %v", p, broken, degraded)
			}
		}
	}
}
