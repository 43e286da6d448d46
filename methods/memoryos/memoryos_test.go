package memoryos

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
	"recallbench/methods/methodtest"
)

// turn is a turn of a session, said by Ann or Bob.
func turn(id, speaker, text string) datasets.Turn {
	return datasets.Turn{ID: id, Speaker: speaker, Text: text}
}

func message(session int, speaker, id string) building.Message {
	return building.Message{ID: id, Session: session, Line: transcript.Line{Speaker: speaker, Text: "text " + id}}
}

// TestPairing makes pages of turns.
func TestPairing(t *testing.T) {
	var got []string
	for i, p := range paired("Ann", []building.Message{
		message(0, "Bob", "1"), message(0, "Bob", "2"), message(0, "Ann", "3"), message(0, "Ann", "4"), message(0, "Bob", "5"), message(0, "Bob", "6"),
		message(1, "Bob", "7"), message(1, "Ann", "8"),
	}) {
		if p.id != i+1 {
			t.Errorf("page %d has id %d", i+1, p.id)
		}
		got = append(got, ids(p.user)+"/"+ids(p.agent))
	}
	if text := strings.Join(got, " "); text != "/1,2 3,4/5,6 /7 8/" {
		t.Errorf("pages %q", text)
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
		a, b string
		want float64
	}{{"a b c", "b c d", 0.5}, {"", "a", 0}, {"a", "", 0}, {"Dog", "dog", 0}} {
		if got := building.Jaccard(strings.Fields(tt.a), strings.Fields(tt.b)); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// makeMethod returns the method over the stand-in, whose model wrap changes.
func makeMethod(tb testing.TB, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	return methodtest.Method(tb, Spec, Defaults(), wrap).(*method)
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
	built := try.Get(m.Build(ctx, s))(tb)
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
	if len(turns) != m.messages {
		t.Errorf("pages hold %d of %d turns", len(turns), m.messages)
	}
}

// TestHeat counts the pages of one theme after which it is analysed.
func TestHeat(t *testing.T) {
	s := new(segment)
	at := time.Date(2024, 5, 3, 10, 0, 0, 0, time.UTC)
	for s.heat(at) < hot {
		at = at.Add(time.Hour)
		s.fresh, s.changed = s.fresh+1, at
	}
	if s.fresh != 4 {
		t.Errorf("analysed after %d pages, want 4", s.fresh)
	}
}

// TestAnalysed builds until segments are hot: pages of a segment are analysed once,
// and its heat starts again.
func TestAnalysed(t *testing.T) {
	made := makeMethod(t, methodtest.Says(themes.Role, `{"themes": [{"theme": "a", "keywords": ["a"], "content": "all of it"}]}`))
	made.joins, made.short = -1, 1 // one segment
	m := buildMemory(t.Context(), t, made, talk(40))
	if len(m.mid.segments) != 1 || m.long.analyses < 5 || m.long.profile == "" || len(m.long.user) == 0 || len(m.long.agent) == 0 {
		t.Errorf("%d segments, %d analyses, profile %q, %d and %d facts", len(m.mid.segments), m.long.analyses, m.long.profile, len(m.long.user), len(m.long.agent))
	}
	s := m.mid.segments[0]
	fresh := 0
	for _, page := range s.pages {
		if !page.analysed {
			fresh++
		}
	}
	if fresh != s.fresh {
		t.Errorf("%d pages are not analysed, counted %d", fresh, s.fresh)
	}
	s.fresh, s.changed = 4, m.now
	if err := m.analyse(t.Context()); err != nil || fresh > 0 && s.heat(m.now) != 1 {
		t.Errorf("heat after an analysis is %v (error %v), want 1", s.heat(m.now), err)
	}
}

// TestRecency lets a segment cool: to 1/e of its recency after 10,000,000 seconds.
func TestRecency(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &segment{changed: at}
	for seconds, want := range map[int]float64{0: 1, 10_000_000: 0.36787944117144233, -5: 1} {
		if got := s.heat(at.Add(time.Duration(seconds) * time.Second)); got != want {
			t.Errorf("recency after %d s is %v, want %v", seconds, got, want)
		}
	}
}

// TestEviction fills mid-term memory: the segment with the lowest heat goes.
func TestEviction(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	m := &midTerm{capacity: 3}
	var pages []*page
	for i, name := range []string{"a", "b", "c", "d"} {
		s := &segment{summary: name, fresh: 1 + (i+2)%3, changed: at}
		p := &page{id: i + 1}
		pages = append(pages, p)
		s.hold(p)
		m.segments = append(m.segments, s)
		m.evict(at)
	}
	var got []string
	for _, s := range m.segments {
		got = append(got, s.summary)
	}
	if strings.Join(got, " ") != "a c d" || pages[0].held != 1 || pages[1].held != 0 {
		t.Errorf("segments %v, want a c d; pages of a and b are held %d and %d times", got, pages[0].held, pages[1].held)
	}
}

// TestSpread follows the overview of a chain of four pages.
func TestSpread(t *testing.T) {
	s := new(segment)
	var last *page
	for id := 1; id <= 4; id++ {
		q := &page{id: id, prev: last, overview: strconv.Itoa(id)}
		last.spread(q.overview)
		s.hold(q)
		last = q
	}
	for _, q := range s.pages {
		if q.overview != "4" {
			t.Errorf("page %d has the overview %s, want that of the last", q.id, q.overview)
		}
	}
}

// TestDegraded gives each stage replies that cannot be used. No turn is lost, and
// the memory says what it lacks. Package suite has more of them.
func TestDegraded(t *testing.T) {
	replies := map[string]string{
		"prose": "Sure, here is what you asked for!", "empty": "",
		"another shape": `{"themes": "none", "new_episode": 3, "profile": []}`, "nothing": `{"themes": []}`,
	}
	for _, role := range []string{continues.Role, overview.Role, themes.Role, portrait.Role, facts.Role} {
		for name, reply := range replies {
			t.Run(role+"/"+name, func(t *testing.T) {
				ctx, meter := meter.With(t.Context(), time.Now, meter.Limits{})
				made := makeMethod(t, methodtest.Says(role, reply))
				made.short, made.joins = 1, -1
				m := buildMemory(ctx, t, made, talk(12))
				whole(t, m)
				if taken := role == overview.Role && reply != ""; taken != (meter.Seen().Degraded[role] == 0) {
					t.Errorf("degraded: %v", meter.Seen().Degraded)
				}
			})
		}
	}
}

// TestSearch chooses segments and pages by vectors that say where they are.
func TestSearch(t *testing.T) {
	s := datasets.Sample{ID: "s", Speakers: []string{"Ann", "Bob"}, Sessions: []datasets.Session{{ID: "1"}}}
	for i := range 12 {
		s.Sessions[0].Turns = append(s.Sessions[0].Turns, turn(fmt.Sprintf("u%d", i), "Ann", fmt.Sprintf("at %d", 30*i)), turn(fmt.Sprintf("a%d", i), "Bob", ""))
	}
	answer := func(question string) []methods.Evidence {
		m := makeMethod(t, func(g llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
				switch r.Role {
				case themes.Role: // two themes: where it is, and one for all
					data, err := json.Marshal(themesReply{Themes: []Theme{{Theme: "t", Keywords: []string{}, Content: methodtest.Lines(r)[0].Text}, {Theme: "t", Keywords: []string{"all"}, Content: "at 5"}}})
					return llm.Reply{Text: string(data)}, err
				case keywords.Role:
					return llm.Reply{Text: `{"keywords": "all, of, it"}`}, nil
				}
				return g.Generate(ctx, r)
			})
		})
		m.Embed, m.short = circle{}, 1
		memory := buildMemory(t.Context(), t, m, s)
		resp := try.Get(memory.Answer(t.Context(), datasets.Request{Text: question}))(t)
		return slices.DeleteFunc(resp.Evidence, func(e methods.Evidence) bool { return !strings.HasPrefix(e.ID, "page") })
	}
	got := answer("at 62")
	if len(got) == 0 || got[0].ID != "page 3" || !slices.Equal(got[0].Sources, []string{"u2", "a2"}) || got[len(got)-1].ID != "page 12" {
		t.Errorf("found %v, want page 3 first, and page 12 of short-term memory last", got)
	}
	seen := make(map[string]bool)
	for _, e := range got {
		if seen[e.ID] {
			t.Errorf("block %s comes twice", e.ID)
		}
		seen[e.ID] = true
	}
}

// circle is an embedder that puts "at N" at N degrees of a circle.
type circle struct{}

func (c circle) Fit(context.Context, []string) (embed.Embedder, error) { return c, nil }
func (circle) Dim() int                                                { return 2 }
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

func point(degrees int) []float32 {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}
}
