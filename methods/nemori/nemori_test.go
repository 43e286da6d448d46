package nemori

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	hybrid := Defaults()
	hybrid.Search.Ranking = Hybrid
	words := Defaults()
	words.Search.Ranking, words.Search.Originals, words.Reader.Slots = BM25, 0, false
	direct := Defaults()
	direct.Construction.Semantics, direct.Score, direct.Search.Episodes = episodes.Direct, Cosine, 0
	batches := Defaults()
	batches.Batch = episodes.Batch{Messages: 5, Preview: 40}
	for name, o := range map[string]Options{"defaults": Defaults(), "hybrid": hybrid, "bm25": words, "direct": direct, "batches": batches} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}

func TestResumes(t *testing.T) {
	batches := Defaults()
	batches.Batch.Messages = 5
	for name, o := range map[string]Options{"defaults": Defaults(), "batches": batches} {
		t.Run(name, func(t *testing.T) { methodtest.Resumes(t, Spec, o) })
	}
}

// TestDegraded looks for lost turns: episodes follow one another over all messages.
func TestDegraded(t *testing.T) {
	o := Defaults()
	o.Construction.MaxMessages = 5
	methodtest.Degrades(t, Spec, o, func(tb testing.TB, built methods.Memory) {
		tb.Helper()
		m, end := built.(*memory), 0
		for i, e := range m.episodes {
			if e.First != end || e.End <= end || e.Title == "" || e.Content == "" {
				tb.Errorf("episode %d has messages %d to %d after %d, title %q, content %q", i, e.First, e.End, end, e.Title, e.Content)
			}
			end = e.End
		}
		if end != len(m.messages) {
			tb.Errorf("episodes end at message %d of %d", end, len(m.messages))
		}
		if len(m.statements) == 0 {
			tb.Error("no statements")
		}
	}, "boundary", "episode", "statements")
}

// made returns the method over a model and an embedder.
func made(tb testing.TB, o Options, g llm.GeneratorFunc, e embed.Model) *method {
	tb.Helper()
	prompts, err := prompt.Load(Spec.Name, Spec.Prompts, nil)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := Spec.New(methods.Env{LLM: g, Embed: e, Prompts: prompts}, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m.(*method)
}

// long returns a conversation of so many turns.
func long(turns int) datasets.Sample {
	s := datasets.Sample{ID: "long", Sessions: []datasets.Session{{ID: "1"}}}
	for i := range turns {
		at := time.Date(2024, 1, 1, 0, i, 0, 0, time.UTC)
		s.Sessions[0].Turns = append(s.Sessions[0].Turns, datasets.Turn{ID: strconv.Itoa(i), Speaker: "A", Text: "turn " + strconv.Itoa(i), Time: at})
	}
	return s
}

// TestHistory looks at what the model sees of an episode that goes on: up to ten
// messages all of them, and then all but the last. Nothing ends it.
func TestHistory(t *testing.T) {
	var shown []int
	m := made(t, Defaults(), func(_ context.Context, r llm.Request) (llm.Reply, error) {
		switch task := r.Task.(type) {
		case llm.BoundaryTask:
			shown = append(shown, len(task.History))
			return llm.Reply{Text: `{"why": "", "new_episode": false, "confidence": 0}`}, nil
		case llm.EpisodeTask:
			return llm.Reply{Text: `{"title": "a", "content": "b", "time": ""}`}, nil
		}
		return llm.Reply{Text: `{"statements": []}`}, nil
	}, topics(1))
	built, err := m.Build(t.Context(), long(30))
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for n := 1; n < 30; n++ {
		if n > 10 {
			want = append(want, n-1)
		} else {
			want = append(want, n)
		}
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("messages of the history (-want +got):\n%s", diff)
	}
	if got := built.(*memory).Structure(); got["episodes"] != 1 || got["episode-max"] != 30 {
		t.Errorf("structure %v, want one episode of 30 messages", got)
	}
}

// TestBatches cuts batches of ten messages where the model says so.
func TestBatches(t *testing.T) {
	o := Defaults()
	o.Batch = episodes.Batch{Messages: 10, Preview: 4}
	for _, c := range []struct {
		reply string
		want  []int // first messages of the episodes of 25 messages
	}{
		{`{"episodes": [{"first": 1, "topic": "a"}, {"first": 4, "topic": "b"}]}`, []int{0, 3, 10, 13, 20, 23}},
		{`{"episodes": [{"first": 7, "topic": "b"}, {"first": 3, "topic": "a"}, {"first": 3, "topic": ""}]}`, []int{0, 6, 10, 16, 20}},
		{`{"episodes": [{"first": 0, "topic": ""}, {"first": 99, "topic": ""}]}`, []int{0, 10, 20}},
		{`{"episodes": []}`, []int{0, 10, 20}},
		{`nothing of use`, []int{0, 10, 20}},
	} {
		m := made(t, o, func(_ context.Context, r llm.Request) (llm.Reply, error) {
			switch task := r.Task.(type) {
			case llm.SegmentsTask:
				if text := []rune(task.Lines[0].Text); len(text) > 4 {
					t.Errorf("the model is shown %q", string(text))
				}
				return llm.Reply{Text: c.reply}, nil
			case llm.EpisodeTask:
				return llm.Reply{Text: `{"title": "a", "content": "b", "time": ""}`}, nil
			}
			return llm.Reply{Text: `{"statements": []}`}, nil
		}, topics(1))
		built, err := m.Build(t.Context(), long(25))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		end := 0
		for _, e := range built.(*memory).episodes {
			if e.First != end {
				t.Errorf("%s: an episode begins at message %d, behind %d", c.reply, e.First, end)
			}
			got, end = append(got, e.First), e.End
		}
		if diff := cmp.Diff(c.want, got); diff != "" || end != 25 {
			t.Errorf("%s: episodes end at %d; first messages (-want +got):\n%s", c.reply, end, diff)
		}
	}
}

// nobody is a model that is not to be asked.
func nobody(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{}, errors.New("asked, though all was kept")
}

// TestMerge merges the episodes of batches of ten messages as the model says: the
// earlier one is found no more, and its messages stand before those of the later.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		merge        int
		same, merged string
		want         map[string]float64
		sources      int // turns of the last episode
	}{
		{0, `{"why": "", "number": 1}`, "", map[string]float64{"episodes": 6, "episode-max": 6}, 1},
		{1, `{"why": "", "number": 1}`, `{"title": "m", "content": "n", "time": ""}`, map[string]float64{"episodes": 4, "episode-max": 10}, 1},
		{10, `{"why": "", "number": 1}`, `{"title": "", "content": "n", "time": ""}`, map[string]float64{"episodes": 1, "episode-max": 25}, 25},
		{10, `{"why": "", "number": 0}`, "", map[string]float64{"episodes": 6, "episode-max": 6}, 1},
		{10, `{"why": "", "number": 6}`, "", map[string]float64{"episodes": 6, "episode-max": 6}, 1},
		{10, `no number`, "", map[string]float64{"episodes": 6, "episode-max": 6}, 1},
		{10, `{"why": "", "number": 1}`, `no account`, map[string]float64{"episodes": 6, "episode-max": 6}, 1},
	} {
		o := Defaults()
		o.Batch = episodes.Batch{Messages: 10, Merge: c.merge}
		m := made(t, o, func(_ context.Context, r llm.Request) (llm.Reply, error) {
			switch r.Task.(type) {
			case llm.SegmentsTask:
				return llm.Reply{Text: `{"episodes": [{"first": 1, "topic": "a"}, {"first": 5, "topic": "b"}]}`}, nil
			case llm.EpisodeTask:
				return llm.Reply{Text: `{"title": "a", "content": "b", "time": ""}`}, nil
			case llm.StatementsTask:
				return llm.Reply{Text: `{"statements": ["a fact"]}`}, nil
			}
			if r.Role == "boundary" {
				return llm.Reply{Text: c.same}, nil
			}
			return llm.Reply{Text: c.merged}, nil
		}, topics(1))
		shelf := new(methodtest.Shelf)
		built, err := m.Build(checkpoint.With(t.Context(), shelf), long(25))
		if err != nil {
			t.Fatal(err)
		}
		mem := built.(*memory)
		again, err := made(t, o, nobody, topics(1)).Build(checkpoint.With(t.Context(), shelf), long(25))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mem.episodes, again.(*memory).episodes); diff != "" {
			t.Errorf("%+v: taken up from what was kept (-built +taken up):\n%s", c, diff)
		}
		got := mem.Structure()
		delete(got, "messages")
		delete(got, "statements")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: structure (-want +got):\n%s", c, diff)
		}
		turns := 0
		for _, i := range mem.live {
			turns += len(mem.episodes[i].Said(mem.messages))
		}
		last := mem.episodes[len(mem.episodes)-1].Said(mem.messages)
		if turns != 25 || len(last) != c.sources || last[len(last)-1].ID != mem.messages[24].ID {
			t.Errorf("%+v: episodes have %d messages, the last one %d", c, turns, len(last))
		}
	}
}

// TestScore compares the cosines at which scores reach a threshold.
func TestScore(t *testing.T) {
	for _, tt := range []struct {
		score      Score
		at, cosine float64
	}{{ChromaL2, 0.7, 0.85}, {ChromaL2, 1, 1}, {ChromaL2, -1, 0}, {Cosine, 0.7, 0.7}} {
		if got := tt.score.cosine(tt.at); math.Abs(got-tt.cosine) > 1e-12 {
			t.Errorf("%s %v is cosine %v, want %v", tt.score, tt.at, got, tt.cosine)
		}
	}
}

// TestHybrid fuses twice as many of each ranking as are asked for: with 60 added
// to ranks from 1, what both have at rank 2 beats what one has at rank 1.
func TestHybrid(t *testing.T) {
	f, err := Hybrid.newFinder([]string{"kettle kettle", "garden", "kettle in a garden with a fence"}, [][]float32{{0, 1}, {1, 0.1}, {1, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.find("kettle", []float32{1, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]index.Hit{{Index: 2, Score: 2. / 62}}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestOptions(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	bad := Defaults()
	bad.Search = Search{Originals: -1}
	err := bad.Validate()
	if err == nil {
		t.Fatal("bad options are accepted")
	}
	for _, want := range []string{"search.episodes and search.statements are 0", "search.originals is -1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

// topics is an embedder that gives a text the direction of its first number, by as
// many dimensions.
type topics int

func (n topics) Fit(context.Context, []string) (embed.Embedder, error) { return n, nil }
func (n topics) Info() embed.Info                                      { return embed.Info{Dim: 384} }

func (n topics) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, 384)
		var topic, at int
		_, _ = fmt.Sscan(text, &topic, &at) // a text without numbers is of the first topic
		for i := range v {
			v[i] = float32(math.Sin(float64((topic%int(n)+1)*(i+1)))) + float32(math.Sin(float64((at+1)*(i+2))))/4
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// BenchmarkBuild builds memories of 1,000 to 20,000 turns with a model that takes no
// time, and reports the exponent of the growth of time. Each episode has eight
// messages and gives four statements.
func BenchmarkBuild(b *testing.B) {
	grown := func(turns int) float64 {
		n := 0
		kinds := topics(max(1, turns/20))
		m := made(b, Defaults(), func(_ context.Context, r llm.Request) (llm.Reply, error) {
			switch task := r.Task.(type) {
			case llm.BoundaryTask:
				return llm.Reply{Text: fmt.Sprintf(`{"why": "", "new_episode": %t, "confidence": 1}`, len(task.History) >= 8)}, nil
			case llm.EpisodeTask:
				return llm.Reply{Text: fmt.Sprintf(`{"title": "%d %d", "content": "0", "time": ""}`, n%int(kinds), n)}, nil
			case llm.StatementsTask:
				var facts []string
				for range 4 {
					n++
					facts = append(facts, fmt.Sprintf(`"%d %d"`, n%int(kinds), n))
				}
				return llm.Reply{Text: `{"statements": [` + strings.Join(facts, ", ") + `]}`}, nil
			}
			return llm.Reply{Text: "some text"}, nil
		}, kinds)
		start := time.Now()
		if _, err := m.Build(b.Context(), long(turns)); err != nil {
			b.Fatal(err)
		}
		return time.Since(start).Seconds()
	}
	var exponent float64
	for b.Loop() {
		exponent = math.Log(grown(20_000)/grown(1000)) / math.Log(20)
	}
	b.ReportMetric(exponent, "exponent")
}
