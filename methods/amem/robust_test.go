package amem

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/methods/methodtest"
)

// steps replies to the steps of evolutions, and notes which were asked for.
func steps(asked *[]llm.EvolveStep, replies map[llm.EvolveStep]string) func(llm.Generator) llm.Generator {
	return func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			t, ok := r.Task.(llm.EvolveTask)
			if !ok {
				return g.Generate(ctx, r)
			}
			*asked = append(*asked, t.Step)
			return llm.Reply{Text: replies[t.Step], Finish: "stop"}, nil
		})
	}
}

// TestSteps checks that a step is asked for where the first one decided so, and that
// one without a usable reply, or with an empty one, changes nothing. The first note,
// which has no neighbours, takes no step.
func TestSteps(t *testing.T) {
	o := Defaults()
	o.Construction.Layer = Robust
	links := `{"suggested_connections": [0], "tags_to_update": ["clay"]}`
	around := `{"new_context_neighborhood": ["seen anew"], "new_tags_neighborhood": [["old"]]}`
	for _, c := range []struct {
		actions, links, around string
		asked                  []llm.EvolveStep
		evolved, rewritten     int
	}{
		{`{"actions": []}`, links, around, []llm.EvolveStep{llm.ActionsStep}, 0, 0},
		{`{"actions": ["strengthen"]}`, links, around, []llm.EvolveStep{llm.ActionsStep, llm.LinksStep}, 1, 0},
		{`{"actions": ["update_neighbor", "strengthen"]}`, links, around, []llm.EvolveStep{llm.ActionsStep, llm.LinksStep, llm.NeighboursStep}, 1, 1},
		{`{"actions": ["update_neighbor"]}`, links, `{"new_context_neighborhood": ["seen anew"], "new_tags_neighborhood": []}`, []llm.EvolveStep{llm.ActionsStep, llm.NeighboursStep}, 1, 1},
		{`{"actions": ["strengthen"]}`, `{"suggested_connections": [0], "tags_to_update": []}`, around, []llm.EvolveStep{llm.ActionsStep, llm.LinksStep}, 1, 0},
		{`{"actions": ["update_neighbor"]}`, links, "none", []llm.EvolveStep{llm.ActionsStep, llm.NeighboursStep, llm.NeighboursStep}, 0, 0},
		{`STRENGTHEN`, links, around, []llm.EvolveStep{llm.ActionsStep, llm.ActionsStep}, 0, 0},
	} {
		var asked []llm.EvolveStep
		m := makeMethod(t, o, steps(&asked, map[llm.EvolveStep]string{llm.ActionsStep: c.actions, llm.LinksStep: c.links, llm.NeighboursStep: c.around}))
		s := methodtest.Sample()
		s.Sessions = s.Sessions[:1]
		s.Sessions[0].Turns = s.Sessions[0].Turns[:2]
		built, err := m.Build(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		mem := built.(*memory)
		if !slices.Equal(asked, c.asked) {
			t.Errorf("%s: asked for %q, want %q", c.actions, asked, c.asked)
		}
		if mem.evolved != c.evolved || mem.rewritten != c.rewritten {
			t.Errorf("%s: %d evolved, %d rewritten, want %d, %d", c.actions, mem.evolved, mem.rewritten, c.evolved, c.rewritten)
		}
		second := mem.notes[1]
		if slices.Contains(c.asked, llm.LinksStep) && (!slices.Equal(second.links, []int{0}) || slices.Equal(second.Tags, []string{"clay"}) != (c.links == links)) {
			t.Errorf("%s: the second note is %+v", c.actions, second)
		}
		if len(second.Tags) == 0 || len(mem.notes[0].Tags) == 0 {
			t.Errorf("%s: a note lost its tags: %+v", c.actions, mem.notes)
		}
		if c.rewritten > 0 && mem.notes[0].Context != "seen anew" {
			t.Errorf("%s: the first note is %+v", c.actions, mem.notes[0])
		}
	}
}

// TestFromWords describes notes whose analysis is of no use.
func TestFromWords(t *testing.T) {
	o := Defaults()
	o.Construction.Layer = Robust
	m := makeMethod(t, o, methodtest.Says(describe, "keywords: none"))
	ctx, used := meter.With(t.Context(), time.Now, meter.Limits{})
	built, err := m.Build(ctx, methodtest.Sample())
	if err != nil {
		t.Fatal(err)
	}
	notes := built.(*memory).notes
	if used.Degraded()[describe] != len(notes) {
		t.Errorf("%d of %d notes count as degraded", used.Degraded()[describe], len(notes))
	}
	if n := notes[0]; len(n.Keywords) == 0 || !strings.HasPrefix(n.line.Text, n.Context) {
		t.Errorf("the first note is %+v", n)
	}
	want := llm.Note{Keywords: []string{"kept", "goats", "ten", "years", "farm"}, Context: "I've kept the goats for ten years!", Tags: []string{"kept", "goats", "ten"}}
	if diff := cmp.Diff(want, fromWords("I've kept the goats for ten years! On a farm near the goats.")); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(llm.Note{Keywords: []string{}, Context: noContext, Tags: []string{}}, fromWords(" \x00")); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
}
