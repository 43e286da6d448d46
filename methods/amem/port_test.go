package amem

import (
	"context"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
)

// A reference is what the authors' code did, as scripts/ports/a-mem.py writes it.
type reference struct {
	State    string `json:"state"` // commit of the authors' code
	Sample   string `json:"sample"`
	Turns    int    `json:"turns"`
	Building []struct {
		Kind  string `json:"kind"`
		Reply string `json:"reply"`
	} `json:"building"`
	Embedded []string `json:"embedded"`
	Evolved  int      `json:"evolved"`
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
		Error    string   `json:"error"`
	} `json:"questions"`
}

// TestPort replays the replies that the authors' code got, and compares the texts
// that are embedded, the notes, and what is found for each question. The files are
// those that scripts/ports/a-mem.py wrote into the folder that BENCH_PORTS names.
func TestPort(t *testing.T) {
	dir := os.Getenv("BENCH_PORTS")
	if dir == "" {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/a-mem.py")
	}
	t.Setenv("BENCH_REQUIRE_DATA", "1")
	files, err := filepath.Glob(filepath.Join(dir, "a-mem-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no file a-mem-*.json of scripts/ports/a-mem.py: %v", dir, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := try.Get(os.ReadFile(name))(t)
			var r reference
			try.Do(t, json.Unmarshal(data, &r))
			r.compare(t)
		})
	}
}

func (r reference) compare(t *testing.T) {
	t.Helper()
	sample := conversation(t, r)
	replay := &replayed{}
	for _, c := range r.Building {
		replay.kinds, replay.replies = append(replay.kinds, c.Kind), append(replay.replies, c.Reply)
	}
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	space := &hashedWords{}
	made := try.Get(Spec.New(methods.Env{LLM: replay, Embed: space, Prompts: prompts, Now: time.Now, Log: slog.New(slog.DiscardHandler)}, Defaults()))(t)
	ctx, counted := meter.With(t.Context(), time.Now, meter.Limits{})
	built := try.Get(made.Build(ctx, sample))(t)
	m := built.(*memory)
	if replay.at != len(replay.replies) {
		t.Errorf("%d of %d replies were asked for", replay.at, len(replay.replies))
	}
	// The authors embed all again where the port keeps the vectors of what is as it was.
	equal(t, "embedded texts", distinct(r.Embedded), distinct(space.take()))
	if m.evolved != r.Evolved || len(m.notes) != len(r.Notes) {
		t.Fatalf("%d notes and %d evolutions, want %d and %d", len(m.notes), m.evolved, len(r.Notes), r.Evolved)
	}
	links := 0
	for i, want := range r.Notes {
		got := m.notes[i]
		links += len(got.links)
		ours := []any{folded(got.content), got.Keywords, got.Context, got.Tags, append([]int{}, got.links...)}
		theirs := []any{folded(want.Content), want.Keywords, want.Context, want.Tags, want.Links}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("note %d (-authors +port):\n%s", i, diff)
		}
	}
	shown, differ := r.compareQuestions(t, m, replay, space)
	t.Logf("%s at %s: %d calls, %d of them degraded; equal: %d embedded texts, %d notes with %d links, %d evolutions, lists of %d questions with %d notes; "+
		"listed: %d questions whose reply has an object in prose, %d with an empty reply, %d that meet a link to nowhere",
		r.Sample, r.State, len(r.Building)+len(r.Questions), counted.Seen().Degraded[describe.Role]+counted.Seen().Degraded[evolve.Role],
		len(distinct(r.Embedded)), len(r.Notes), links, r.Evolved, len(r.Questions)-differ.sum(), shown, differ.wrapped, differ.empty, differ.astray)
}

// listed counts questions for which the port differs on purpose, as docs/methods.md
// lists.
type listed struct{ wrapped, empty, astray int }

func (l listed) sum() int { return l.wrapped + l.empty + l.astray }

// compareQuestions returns how many notes were shown in all.
func (r reference) compareQuestions(t *testing.T, m *memory, replay *replayed, space *hashedWords) (shown int, differ listed) {
	t.Helper()
	for _, q := range r.Questions {
		replay.kinds, replay.replies, replay.at = append(replay.kinds, keywords.Role), append(replay.replies, q.Reply), len(replay.replies)
		query := try.Get(m.keywords(t.Context(), q.Question))(t)
		found, nowhere, err := m.find(t.Context(), query)
		try.Do(t, err)
		embedded := space.take()
		switch {
		case strings.TrimSpace(q.Reply) == "":
			differ.empty++
			equal(t, "embedded texts of "+q.Question, []string{q.Question}, embedded)
			continue
		case strings.Contains(q.Reply, `"keywords"`) && !json.Valid([]byte(q.Reply)) && query != folded(q.Reply):
			differ.wrapped++
			continue
		}
		equal(t, "embedded texts of "+q.Question, q.Embedded, embedded)
		if nowhere > 0 || q.Error != "" {
			if nowhere == 0 {
				t.Errorf("%s: the authors' code ended with %s, the port met no link to nowhere", q.Question, q.Error)
			}
			differ.astray++
			continue
		}
		got := []int{}
		for _, f := range found {
			got = append(got, f.at)
		}
		shown += len(got)
		if diff := cmp.Diff(q.Found, got); diff != "" {
			t.Errorf("%s (-authors +port):\n%s", q.Question, diff)
		}
	}
	return shown, differ
}

// distinct returns the texts of a list, each where it comes first.
func distinct(list []string) (out []string) {
	seen := make(map[string]bool)
	for _, s := range list {
		if s = folded(s); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// folded returns a text with its white space folded, because the dataset's loader
// trims some of it.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// equal compares lists of texts but for white space.
func equal(t *testing.T, what string, want, got []string) {
	t.Helper()
	fold := cmp.Transformer("fold", folded)
	if diff := cmp.Diff(want, got, cmp.FilterValues(func(a, b string) bool { return a != b }, fold)); diff != "" {
		t.Errorf("%s (-authors +port):\n%.3000s", what, diff)
	}
}

// conversation loads the sample of a reference.
func conversation(t *testing.T, r reference) datasets.Sample {
	t.Helper()
	set, err := locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, locomo.Options{
		Categories: []int{1}, Category5: locomo.Drop, Conversations: []string{r.Sample},
	})
	try.Do(t, err)
	if len(set.Entries) != 1 {
		t.Fatalf("%d samples %s", len(set.Entries), r.Sample)
	}
	s := try.All(t, set.All(t.Context()))[0]
	left := r.Turns
	for i := range s.Sessions {
		s.Sessions[i].Turns = s.Sessions[i].Turns[:min(left, len(s.Sessions[i].Turns))]
		left -= len(s.Sessions[i].Turns)
	}
	return s
}

// replayed gives replies in their order, and the same once more to a request for a
// repair.
type replayed struct {
	kinds, replies []string
	at             int
}

func (p *replayed) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	if !llm.AsksAgain(r.Messages[len(r.Messages)-1].Content) {
		p.at++
	}
	if p.at > len(p.replies) || p.kinds[p.at-1] != r.Role {
		return llm.Reply{}, fmt.Errorf("call %d is for %s, which the authors' code did not ask then", p.at, r.Role)
	}
	return llm.Reply{Text: p.replies[p.at-1], Finish: "stop"}, nil
}

// hashedWords embeds as scripts/ports/a-mem.py does, and remembers what.
type hashedWords struct{ texts []string }

func (h *hashedWords) Fit(context.Context, []string) (embed.Embedder, error) { return h, nil }
func (h *hashedWords) Info() embed.Info                                      { return embed.Info{Dim: sha512.Size} }

func (h *hashedWords) take() []string {
	texts := h.texts
	h.texts = nil
	return texts
}

var word = regexp.MustCompile(`[a-z0-9]+`)

func (h *hashedWords) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	h.texts = append(h.texts, r.Texts...)
	var reply embed.Reply
	for _, text := range r.Texts {
		words := word.FindAllString(strings.ToLower(text), -1)
		if len(words) == 0 {
			words = []string{""}
		}
		v := make([]float32, sha512.Size)
		for _, w := range words {
			for i, b := range sha512.Sum512([]byte(w)) {
				v[i] += float32(b) - 128
			}
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}
