package amem

import (
	"context"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
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

// A reference is what the authors' code did with a conversation and scripted replies,
// as scripts/ports/a-mem.py writes it.
type reference struct {
	Sample   string                         `json:"sample"`
	Turns    int                            `json:"turns"`
	Building []struct{ Kind, Reply string } `json:"building"`
	Embedded []string                       `json:"embedded"`
	Evolved  int                            `json:"evolved"`
	Notes    []struct {
		Content  string   `json:"content"`
		Keywords []string `json:"keywords"`
		Context  string   `json:"context"`
		Tags     []string `json:"tags"`
		Links    []int    `json:"links"`
	} `json:"notes"`
	Questions []struct {
		Question string   `json:"question"`
		Reply    string   `json:"reply"`
		Embedded []string `json:"embedded"`
		Found    []int    `json:"found"`
	} `json:"questions"`
}

// TestPort gives the method the replies that the authors' code got, and compares the
// texts that are embedded, the notes, and what is found for each question. The files are
// those of the script in the folder that BENCH_PORTS names.
func TestPort(t *testing.T) {
	dir := os.Getenv("BENCH_PORTS")
	if dir == "" {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/a-mem.py")
	}
	files := try.Get(filepath.Glob(filepath.Join(dir, "a-mem-*.json")))(t)
	for _, name := range files {
		var r reference
		try.Do(t, json.Unmarshal(try.Get(os.ReadFile(name))(t), &r))
		t.Run(filepath.Base(name), r.compare)
	}
	if len(files) == 0 {
		t.Errorf("%s has no file a-mem-*.json", dir)
	}
}

func (r reference) compare(t *testing.T) {
	replay, space := new(replayed), new(hashedWords)
	for _, c := range r.Building {
		replay.expect(c.Kind, c.Reply)
	}
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	made := try.Get(Spec.New(methods.Env{LLM: replay, Embed: space, Prompts: prompts, Now: time.Now}, Spec.Options))(t)
	m := try.Get(made.Build(t.Context(), r.conversation(t)))(t).(*memory)
	if len(replay.left) > 0 {
		t.Errorf("%d replies were not asked for", len(replay.left))
	}
	// The authors embed all again where the port keeps the vectors of what is as it was.
	try.Equal(t, "embedded texts", distinct(r.Embedded), distinct(space.take()))
	try.Equal(t, "evolutions", r.Evolved, m.evolved)
	var want, got []any
	for _, n := range r.Notes {
		want = append(want, []any{folded(n.Content), n.Keywords, n.Context, n.Tags, n.Links})
	}
	for _, n := range m.notes {
		got = append(got, []any{folded(n.content), n.Keywords, n.Context, n.Tags, append([]int{}, n.links...)})
	}
	try.Equal(t, "notes", want, got)
	for _, q := range r.Questions {
		replay.expect(keywords.Role, q.Reply)
		query := try.Get(m.keywords(t.Context(), q.Question))(t)
		found, _, err := m.find(t.Context(), query)
		try.Do(t, err)
		try.Equal(t, "embedded texts of "+q.Question, distinct(q.Embedded), distinct(space.take()))
		try.Equal(t, q.Question, q.Found, lists.Map(found, func(f finding) int { return f.at }))
	}
}

// distinct returns the texts of a list, each where it comes first.
func distinct(list []string) []string { return lists.AddNew([]string{}, lists.Map(list, folded)...) }

// folded returns a text with its white space folded, because the dataset's loader
// trims some of it.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// conversation loads the sample of a reference.
func (r reference) conversation(t *testing.T) datasets.Sample {
	t.Helper()
	t.Setenv("BENCH_REQUIRE_DATA", "1")
	o := locomo.Options{Categories: []int{1}, Category5: locomo.Drop, Conversations: []string{r.Sample}}
	set := try.Get(locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, o))(t)
	s := try.All(t, set.All(t.Context()))[0]
	left := r.Turns
	for i := range s.Sessions {
		s.Sessions[i].Turns = s.Sessions[i].Turns[:min(left, len(s.Sessions[i].Turns))]
		left -= len(s.Sessions[i].Turns)
	}
	return s
}

// replayed gives replies in their order.
type replayed struct{ left [][2]string }

func (p *replayed) expect(kind, reply string) { p.left = append(p.left, [2]string{kind, reply}) }

func (p *replayed) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	if len(p.left) == 0 || p.left[0][0] != r.Role {
		return llm.Reply{}, fmt.Errorf("a call for %s, which the authors' code did not make then", r.Role)
	}
	text := p.left[0][1]
	p.left = p.left[1:]
	return llm.Reply{Text: text, Finish: "stop"}, nil
}

// hashedWords embeds as the script does, and remembers what.
type hashedWords struct{ texts []string }

func (h *hashedWords) Fit(context.Context, []string) (embed.Embedder, error) { return h, nil }
func (h *hashedWords) Dim() int                                              { return sha512.Size }

func (h *hashedWords) take() []string {
	defer func() { h.texts = nil }()
	return slices.Clone(h.texts)
}

var word = regexp.MustCompile(`[a-z0-9]+`)

func (h *hashedWords) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	h.texts = append(h.texts, r.Texts...)
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, sha512.Size)
		for _, w := range word.FindAllString(strings.ToLower(text), -1) {
			for i, b := range sha512.Sum512([]byte(w)) {
				v[i] += float32(b) - 128
			}
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}
