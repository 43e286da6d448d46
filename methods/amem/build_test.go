package amem

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/index"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// makeMethod returns the method over the stand-in, whose model wrap changes.
func makeMethod(tb testing.TB, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	return methodtest.Method(tb, Spec, Spec.Options, wrap).(*method)
}

func buildMemory(ctx context.Context, t *testing.T, m *method) *memory {
	t.Helper()
	built := try.Get(m.Build(ctx, methodtest.Sample()))(t)
	return built.(*memory)
}

// neighbourShown is a note as the prompt shows it: number, context and tags.
var neighbourShown = regexp.MustCompile(`\n\[(\d+)\] .*\ncontext: (.*)\nkeywords: .*\ntags: (.*)\n`)

// eager links and rewrites with every note.
func eager(g llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if r.Role != evolve.Role {
			return g.Generate(ctx, r)
		}
		shown := neighbourShown.FindAllStringSubmatch(r.Messages[1].Content, -1)
		e := evolution{Evolves: true, Actions: []string{"strengthen", "update_neighbor"}, Tags: []string{"new"}}
		for _, n := range shown {
			index, err := strconv.Atoi(n[1])
			if err != nil {
				return llm.Reply{}, err
			}
			e.Links = append(e.Links, index)
			e.Contexts = append(e.Contexts, fmt.Sprintf("%s after %d", n[2], len(shown)))
			e.NeighbourTags = append(e.NeighbourTags, append(strings.Split(n[3], ", "), "pottery"))
		}
		data, err := json.Marshal(e)
		return llm.Reply{Text: strings.ReplaceAll(string(data), "null", "[]"), Finish: "stop"}, err
	})
}

// TestReembed finds a note by a word that a later note gave it only after all are
// embedded again.
func TestReembed(t *testing.T) {
	for every, want := range map[int]bool{100: false, 1: true} {
		made := makeMethod(t, eager)
		made.every = every
		m := buildMemory(t.Context(), t, made)
		b := &builder{memory: memory{method: m.method, space: m.space, notes: slices.Clone(m.notes)}}
		for i := range b.notes {
			b.notes[i].found = ""
			text := (*note).document
			if every == 1 {
				text = (*note).later
			}
			try.Do(t, b.embedNotes(t.Context(), text, i))
		}
		if same := cmp.Equal(b.index, m.index, cmp.Exporter(func(reflect.Type) bool { return true })); same != want {
			t.Errorf("every %d: vectors are those of the notes as they are now: %v", every, same)
		}
	}
}

// TestLinkCaps counts linked notes where ten notes found have twelve links each: 20
// with one count for all (specs of the authors' code at d81fb22).
func TestLinkCaps(t *testing.T) {
	m := buildMemory(t.Context(), t, makeMethod(t, methodtest.Plain))
	for i := range m.notes {
		m.notes[i].links = []int{0, 1, 2, -1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 100}
	}
	found, astray, err := m.find(t.Context(), "pottery")
	try.Do(t, err)
	var each []int // linked notes of each note found
	for _, f := range found {
		if f.by < 0 {
			each = append(each, 0)
		} else {
			each[len(each)-1]++
		}
	}
	try.Equal(t, "linked notes of each note found", []int{11, 1, 1, 1, 1, 1, 1, 1, 1, 1}, each)
	if astray == 0 {
		t.Error("the link to note -1 was not counted")
	}
	if n := m.Structure()["links-astray"]; n != float64(3*len(m.notes)) {
		t.Errorf("%v links to nowhere in the structure, want 3 a note", n)
	}
}

// TestRepeats shows a note as often as it is found or linked, and names each turn once.
func TestRepeats(t *testing.T) {
	m := buildMemory(t.Context(), t, makeMethod(t, methodtest.Plain))
	for i := range m.notes {
		m.notes[i].links = []int{0, 0, 1}
	}
	found, _, err := m.find(t.Context(), "teapot")
	try.Do(t, err)
	blocks := m.shown(found)
	turns, shown, ids := make(map[string]int), make(map[int]int), make(map[string]bool)
	for i, b := range blocks {
		ids[b.ID] = true
		shown[found[i].at]++
		for _, s := range b.Sources {
			turns[s]++
		}
	}
	if len(ids) != len(blocks) || len(turns) != len(shown) || len(blocks) <= len(shown) {
		t.Errorf("%d ids of %d blocks, %d turns of %d notes", len(ids), len(blocks), len(turns), len(shown))
	}
	for turn, n := range turns {
		if n != 1 {
			t.Errorf("%d blocks name turn %s", n, turn)
		}
	}
}

func TestRewrite(t *testing.T) {
	b := &builder{memory: memory{method: new(method), notes: []note{{Note: Note{Context: "zero"}}, {Note: Note{Context: "one"}}, {Note: Note{Context: "two"}}}}}
	b.rewrite(evolution{Contexts: []string{"new"}, NeighbourTags: [][]string{{"a"}, {}}}, []index.Hit{{Index: 2}, {Index: 0}, {Index: 1}})
	want := []Note{{Context: "zero", Tags: []string{}}, {Context: "one"}, {Context: "new", Tags: []string{"a"}}}
	try.Equal(t, "notes", want, lists.Map(b.notes, func(n note) Note { return n.Note }))
}
