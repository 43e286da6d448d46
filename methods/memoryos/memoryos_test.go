package memoryos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/methodtest"
)

func options(p Profile) Options {
	o := Defaults()
	o.Profile = p
	return o
}

var profiles = []Profile{Paper, Eval, PyPI}

func TestMethod(t *testing.T) {
	for _, p := range profiles {
		t.Run(string(p), func(t *testing.T) { methodtest.Run(t, Spec, options(p)) })
	}
}

// turn is a turn of a session, said by Ann or Bob.
func turn(id, speaker, text string) datasets.Turn {
	return datasets.Turn{ID: id, Speaker: speaker, Text: text}
}

func message(session int, speaker, id string) building.Message {
	return building.Message{ID: id, Session: session, Line: llm.Line{Speaker: speaker, Text: "text " + id}}
}

// TestPairing makes pages of turns both ways: the authors' way a second reply
// replaces the first, a reply goes to the page before, in whatever session, and
// pages with one side are dropped later.
func TestPairing(t *testing.T) {
	messages := []building.Message{
		message(0, "Bob", "1"), message(0, "Bob", "2"), message(0, "Ann", "3"), message(0, "Ann", "4"), message(0, "Bob", "5"), message(0, "Bob", "6"),
		message(1, "Bob", "7"), message(1, "Ann", "8"),
	}
	for _, tt := range []struct {
		how   Pairing
		pages string
		lost  int
	}{
		{Lossless, "/1,2 3,4/5,6 /7 8/", 0},
		{Lossy, "/2 3/ 4/7 8/", 3},
	} {
		pages, lost := paired(tt.how, "Ann", messages)
		var got []string
		for i, p := range pages {
			if p.id != i+1 {
				t.Errorf("%s: page %d has id %d", tt.how, i+1, p.id)
			}
			got = append(got, ids(p.user)+"/"+ids(p.agent))
		}
		if text := strings.Join(got, " "); text != tt.pages || lost != tt.lost {
			t.Errorf("%s: pages %q with %d lost, want %q with %d", tt.how, text, lost, tt.pages, tt.lost)
		}
	}
}

func ids(messages []building.Message) string {
	var list []string
	for _, m := range messages {
		list = append(list, m.ID)
	}
	return strings.Join(list, ",")
}

func TestSimilarity(t *testing.T) {
	for _, tt := range []struct {
		how  Similarity
		a, b string
		want float64
	}{
		{Jaccard, "a b c", "b c d", 0.5},
		{Containment, "a b c d", "a b", 0.75},
		{NoKeywords, "a", "a", 0},
		{Jaccard, "", "a", 0},
		{Containment, "a", "", 0},
		{Jaccard, "Dog", "dog", 0},
	} {
		if got := similarity(tt.how, strings.Fields(tt.a), strings.Fields(tt.b)); got != tt.want {
			t.Errorf("%s of %q and %q is %v, want %v", tt.how, tt.a, tt.b, got, tt.want)
		}
	}
}

// makeMethod returns the method over the offline backend, whose model wrap changes.
func makeMethod(tb testing.TB, o Options, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	return methodtest.Method(tb, Spec, o, wrap).(*method)
}

// talk is a conversation of so many pages, ten a day.
func talk(pages int) datasets.Sample {
	s := datasets.Sample{ID: "talk", Speakers: []string{"Ann", "Bob"}}
	things := []string{"the goats on the farm", "a course in beekeeping", "the smoker for the hives", "a trip to Lisbon", "the old barn"}
	for i := range pages {
		if i%10 == 0 {
			s.Sessions = append(s.Sessions, datasets.Session{ID: strconv.Itoa(i), Time: time.Date(2024, 5, 3+i/10, 10, 0, 0, 0, time.UTC)})
		}
		session := &s.Sessions[len(s.Sessions)-1]
		thing := things[i*3%len(things)]
		for k, text := range []string{fmt.Sprintf("I bought number %d for %s in May.", i, thing), fmt.Sprintf("My sister Marta liked %s in %d.", thing, 1990+i)} {
			turn := turn(fmt.Sprintf("%d:%d", i, k), s.Speakers[k], text)
			turn.Time = session.Time.Add(time.Duration(2*len(session.Turns)) * time.Minute)
			session.Turns = append(session.Turns, turn)
		}
	}
	return s
}

func buildMemory(ctx context.Context, tb testing.TB, m *method, s datasets.Sample) *memory {
	tb.Helper()
	built, err := m.Build(ctx, s)
	if err != nil {
		tb.Fatal(err)
	}
	return built.(*memory)
}

// whole checks that each page is in short-term or in mid-term memory, and stands
// for turns that no other page stands for.
func whole(t *testing.T, m *memory) {
	t.Helper()
	held := make(map[int]bool)
	for _, p := range m.short {
		held[p.id] = true
	}
	for i, s := range m.mid.segments {
		if s.summary == "" || len(s.pages) == 0 {
			t.Errorf("segment %d has %d pages, summary %q", i, len(s.pages), s.summary)
		}
		for _, p := range s.pages {
			held[p.id] = true
		}
	}
	turns := make(map[string]bool)
	for _, p := range m.pages {
		if !held[p.id] {
			t.Errorf("page %d is lost", p.id)
		}
		for _, message := range p.messages() {
			if turns[message.ID] {
				t.Errorf("turn %s is in two pages", message.ID)
			}
			turns[message.ID] = true
		}
	}
	if len(turns) != m.messages || m.lost != 0 {
		t.Errorf("pages hold %d of %d turns, %d are counted as lost", len(turns), m.messages, m.lost)
	}
}

// TestHeat counts the pages of one theme after which it is analysed: 7 in the
// authors' evaluation, 4 in their package and by the paper.
func TestHeat(t *testing.T) {
	for p, want := range map[Profile]int{Paper: 4, Eval: 7, PyPI: 4} {
		o := options(p)
		o.Merge = -1
		m := makeMethod(t, o, methodtest.Plain)
		b := &builder{method: m, mid: newMidTerm(m)}
		// Merged at once, without a segment that only counts the page.
		s := &segment{}
		b.mid.segments = []*segment{s}
		at := time.Date(2024, 5, 3, 10, 0, 0, 0, time.UTC)
		n := 0
		for s.heat < m.Heat.Threshold {
			n++
			at = at.Add(time.Hour)
			s.fresh, s.changed = n, at
			b.mid.warm(s, at)
		}
		if n != want {
			t.Errorf("%s: analysed after %d pages, want %d", p, n, want)
		}
	}
}

// TestAnalysed builds until segments are hot: pages of a segment are analysed once,
// and its heat starts again.
func TestAnalysed(t *testing.T) {
	for p, start := range map[Profile]float64{Paper: 1, Eval: 0, PyPI: 1} {
		o := options(p)
		o.Merge, o.STM = -1, 1 // one segment
		m := buildMemory(t.Context(), t, makeMethod(t, o, methodtest.Says(roleThemes, `{"themes": [{"theme": "a", "keywords": ["a"], "content": "all of it"}]}`)), talk(40))
		if len(m.mid.segments) != 1 || m.long.analyses < 5 || m.long.profile == "" || len(m.long.user) == 0 || len(m.long.agent) == 0 {
			t.Errorf("%s: %d segments, %d analyses, profile %q, %d and %d facts", p, len(m.mid.segments), m.long.analyses, m.long.profile, len(m.long.user), len(m.long.agent))
		}
		s := m.mid.segments[0]
		fresh := 0
		for _, page := range s.pages {
			if !page.analysed {
				fresh++
			}
		}
		if fresh != s.fresh {
			t.Errorf("%s: %d pages are not analysed, counted %d", p, fresh, s.fresh)
		}
		s.fresh, s.changed = 4, m.now
		if p == Eval {
			s.fresh = 7
		}
		m.mid.warm(s, m.now)
		if err := m.analyse(t.Context()); err != nil || fresh > 0 && s.heat != start {
			t.Errorf("%s: heat after an analysis is %v (error %v), want %v", p, s.heat, err, start)
		}
	}
}

// TestRecency lets a segment cool: to 1/e of its recency after tau.
func TestRecency(t *testing.T) {
	m := newMidTerm(makeMethod(t, options(Paper), methodtest.Plain))
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &segment{changed: at}
	for seconds, want := range map[int]float64{0: 1, 10_000_000: 0.36787944117144233, -5: 1} {
		if got := m.recency(s, at.Add(time.Duration(seconds)*time.Second)); got != want {
			t.Errorf("recency after %d s is %v, want %v", seconds, got, want)
		}
	}
}

// TestEviction fills mid-term memory: the profile paper evicts the segment with the
// lowest heat, the others the oldest.
func TestEviction(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for p, want := range map[Profile]string{Paper: "a c d", Eval: "b c d", PyPI: "b c d"} {
		o := options(p)
		o.Segments = 3
		m := newMidTerm(makeMethod(t, o, methodtest.Plain))
		for i, name := range []string{"a", "b", "c", "d"} {
			s := &segment{summary: name, fresh: 1 + (i+2)%3, changed: at}
			m.hold(s, &page{id: i + 1})
			m.segments = append(m.segments, s)
			m.evict(at)
		}
		var got []string
		for _, s := range m.segments {
			got = append(got, s.summary)
		}
		if strings.Join(got, " ") != want || len(m.holding) != 3 {
			t.Errorf("%s: segments %v with pages %v, want %s", p, got, m.holding, want)
		}
	}
}

// TestSpread follows the overview of a chain of four pages. The authors' evaluation
// gives it to the page before the last alone.
func TestSpread(t *testing.T) {
	for p, want := range map[Profile]string{Paper: "4 4 4 4", PyPI: "4 4 4 4", Eval: "3 4 3 4"} {
		m := newMidTerm(makeMethod(t, options(p), methodtest.Plain))
		s := new(segment)
		m.segments = []*segment{s}
		for id := 1; id <= 4; id++ {
			q := &page{id: id, prev: id - 1, overview: strconv.Itoa(id)}
			if last := m.find(id - 1); last != nil {
				last.next = id
				m.spread(id-1, q.overview)
			}
			m.hold(s, q)
		}
		var got []string
		for _, q := range s.pages {
			got = append(got, q.overview)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: overviews %v, want %s", p, got, want)
		}
	}
}

// TestDegraded gives each stage replies that cannot be used. No turn is lost, and
// the memory says what it lacks.
func TestDegraded(t *testing.T) {
	long := strings.Repeat("word ", 100_000)
	replies := map[string]string{
		"prose": "Sure, here is what you asked for!", "broken": `{"themes": [{"th`, "empty": "", "null": "null",
		"another shape": `{"themes": "none", "new_episode": 3, "profile": []}`, "long": long, "another language": "这是另一集。",
		"nothing": `{"themes": []}`, "array": `[]`,
	}
	for _, role := range []string{roleContinues, roleOverview, roleThemes, roleProfile, roleFacts} {
		for name, reply := range replies {
			for _, p := range []Profile{Paper, PyPI} {
				t.Run(role+"/"+name+"/"+string(p), func(t *testing.T) {
					ctx, meter := meter.With(t.Context(), time.Now, meter.Limits{})
					o := options(p)
					o.STM, o.Merge = 1, -1
					m := buildMemory(ctx, t, makeMethod(t, o, methodtest.Says(role, reply)), talk(12))
					whole(t, m)
					if taken := role == roleOverview && reply != ""; taken != (meter.Degraded()[role] == 0) {
						t.Errorf("degraded: %v", meter.Degraded())
					}
				})
			}
		}
	}
}

// TestLost counts the turns that the authors' evaluation loses where the model
// names no theme.
func TestLost(t *testing.T) {
	m := buildMemory(t.Context(), t, makeMethod(t, options(Eval), methodtest.Says(roleThemes, "none")), talk(12))
	if got := m.Structure(); got["lost"] != 24 || got["segments"] != 0 {
		t.Errorf("structure %v, want 24 turns lost", got)
	}
}

func TestServerGone(t *testing.T) {
	gone := errors.New("gone")
	m := makeMethod(t, Defaults(), func(llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, gone })
	})
	if _, err := m.Build(t.Context(), talk(12)); !errors.Is(err, gone) {
		t.Errorf("error %v, want the model's", err)
	}
}

// state is all that a memory holds, as JSON.
func state(t *testing.T, m *memory) string {
	t.Helper()
	var out []any
	for _, s := range m.mid.segments {
		for _, p := range s.pages {
			out = append(out, p.id, p.overview, p.keywords, p.prev, p.next, p.analysed)
		}
		out = append(out, s.summary, s.keywords, s.vector, s.heat, s.fresh, s.changed)
	}
	out = append(out, m.long.profile, m.long.user, m.long.agent, m.Structure())
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestGoesOn kills a building at each part and goes on with what was kept. The
// memory is that of a building in one go, and what was kept is not asked for again.
func TestGoesOn(t *testing.T) {
	for _, p := range profiles {
		t.Run(string(p), func(t *testing.T) {
			var mu sync.Mutex
			calls := 0
			m := makeMethod(t, options(p), func(g llm.Generator) llm.Generator {
				return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
					mu.Lock()
					calls++
					mu.Unlock()
					return g.Generate(ctx, r)
				})
			})
			all := new(methodtest.Shelf)
			want := state(t, buildMemory(checkpoint.With(t.Context(), all), t, m, talk(24)))
			once := calls
			if len(all.Data) < 10 {
				t.Fatalf("%d parts are kept, want at least 10", len(all.Data))
			}
			for at := 1; at <= len(all.Data); at++ {
				calls = 0
				kept := &methodtest.Shelf{FailAt: at}
				if _, err := m.Build(checkpoint.With(t.Context(), kept), talk(24)); !errors.Is(err, methodtest.ErrKilled) {
					t.Fatalf("error %v, want that of part %d", err, at)
				}
				before, n := calls, len(kept.Data)
				kept.FailAt = 0
				got := state(t, buildMemory(checkpoint.With(t.Context(), kept), t, m, talk(24)))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("killed at part %d (-at once +resumed):\n%s", at, diff)
				}
				// The page that was being read when it was killed is paid for again.
				var again part
				if err := json.Unmarshal(all.Data[at-1], &again); err != nil {
					t.Fatal(err)
				}
				if calls-once > len(again.Replies) || kept.Used != n {
					t.Errorf("killed at part %d after %d calls: %d calls in all, %d at once; %d of %d parts used", at, before, calls, once, kept.Used, n)
				}
				if !slices.EqualFunc(kept.Data, all.Data, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
					t.Errorf("killed at part %d: other parts are kept", at)
				}
			}
		})
	}
}

// TestBadParts goes on with parts that do not fit: what does not is asked for, and
// kept in its place. A part that is no part is refused.
func TestBadParts(t *testing.T) {
	m := makeMethod(t, options(Eval), methodtest.Plain)
	all := new(methodtest.Shelf)
	want := state(t, buildMemory(checkpoint.With(t.Context(), all), t, m, talk(5)))
	for _, data := range []string{
		`{"page": 1, "replies": []}`, `{"page": 1, "replies": [{"template": "themes", "value": []}]}`, `{"page": 1, "replies": [{"template": "overview", "value": 1}]}`,
		strings.TrimSuffix(string(all.Data[0]), `]}`) + `, {"template": "merge", "value": ""}]}`, `{"page": 99}`, `{}`,
	} {
		kept := &methodtest.Shelf{Data: slices.Concat([]json.RawMessage{json.RawMessage(data)}, all.Data[1:])}
		if got := state(t, buildMemory(checkpoint.With(t.Context(), kept), t, m, talk(5))); got != want {
			t.Errorf("%s: another memory: %s", data, cmp.Diff(want, got))
		}
		added := len(kept.Data)
		if got := state(t, buildMemory(checkpoint.With(t.Context(), kept), t, m, talk(5))); got != want || len(kept.Data) != added {
			t.Errorf("%s: the second building adds %d parts", data, len(kept.Data)-added)
		}
	}
	bad := &methodtest.Shelf{Data: []json.RawMessage{json.RawMessage(`{`)}}
	if _, err := m.Build(checkpoint.With(t.Context(), bad), talk(3)); err == nil || !strings.Contains(err.Error(), "part 1 of the kept memory") {
		t.Errorf("error %v", err)
	}
}

// TestSearch chooses segments and pages by vectors that say where they are.
func TestSearch(t *testing.T) {
	s := datasets.Sample{ID: "s", Speakers: []string{"Ann", "Bob"}, Sessions: []datasets.Session{{ID: "1"}}}
	for i := range 12 {
		s.Sessions[0].Turns = append(s.Sessions[0].Turns, turn(fmt.Sprintf("u%d", i), "Ann", fmt.Sprintf("at %d", 30*i)), turn(fmt.Sprintf("a%d", i), "Bob", ""))
	}
	answer := func(o Options, question string) []methods.Evidence {
		m := makeMethod(t, o, func(g llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
				switch task := r.Task.(type) {
				case llm.ThemesTask: // two themes: where it is, and one for all
					data, err := json.Marshal(llm.Themes{Themes: []llm.Theme{{Theme: "t", Keywords: []string{}, Content: task.Lines[0].Text}, {Theme: "t", Keywords: []string{"all"}, Content: "at 5"}}})
					return llm.Reply{Text: string(data)}, err
				case llm.KeywordsTask:
					return llm.Reply{Text: `{"keywords": "all, of, it"}`}, nil
				}
				return g.Generate(ctx, r)
			})
		})
		m.embed = circle{}
		memory := buildMemory(t.Context(), t, m, s)
		resp, err := memory.Answer(t.Context(), datasets.Request{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(resp.Evidence, func(e methods.Evidence) bool { return !strings.HasPrefix(e.ID, "page") })
	}
	o := options(Paper)
	o.STM, o.Search.Segments, o.Search.Pages = 1, 2, 3
	got := answer(o, "at 62")
	want := []string{"page 3", "page 2", "page 4", "page 12"} // the last is in short-term memory
	if len(got) != 4 || got[0].ID != want[0] || !slices.Equal(got[0].Sources, []string{"u2", "a2"}) || got[3].ID != want[3] {
		t.Errorf("found %v, want pages %v", got, want)
	}
	o = options(PyPI)
	o.STM, o.Pairing = 1, Lossless
	seen := make(map[string]bool)
	for _, e := range answer(o, "at 62") {
		if seen[e.ID] {
			t.Errorf("block %s comes twice", e.ID)
		}
		seen[e.ID] = true
	}
	if !seen["page 3"] || !seen["page 3 again 1"] {
		t.Errorf("blocks %v, want page 3 from both segments", seen)
	}
}

// circle is an embedder that puts "at N" at N degrees of a circle.
type circle struct{}

func (c circle) Fit(context.Context, []string) (embed.Embedder, error) { return c, nil }
func (circle) Info() embed.Info                                        { return embed.Info{Dim: 2} }
func (circle) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		degrees := 0
		if _, after, ok := strings.Cut(text, "at "); ok {
			_, _ = fmt.Sscan(after, &degrees)
		}
		reply.Vectors = append(reply.Vectors, point(degrees))
	}
	return reply, nil
}

func TestOptions(t *testing.T) {
	for _, p := range profiles {
		o := options(p)
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
		if err := o.resolved().Validate(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	o := options(Eval)
	o.STM, o.Pairing, o.Merge = 7, Lossless, 0.3
	if got := o.resolved(); got.STM != 7 || got.Pairing != Lossless || got.Merge != 0.3 || got.Keywords != Containment || got.Search.Assistant != -1 {
		t.Errorf("resolved to %+v", got)
	}
	err := Options{Profile: "mine", STM: -1, Merge: -3, Search: Search{User: -2}}.Validate()
	if err == nil {
		t.Fatal("bad options are accepted")
	}
	for _, want := range []string{`unknown profile "mine"`, `unknown pairing ""`, "stm is -1", "merge is -3", "search.user is -2", "max_tokens is 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func point(degrees int) []float32 {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}
}
