package lightmem

import (
	"context"
	"fmt"
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
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/transcript"
	"recallbench/methods/methodtest"
)

// makeMethod returns the method over the stand-in, whose model wrap
// changes.
func makeMethod(tb testing.TB, o Options, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	return methodtest.Method(tb, Spec, o, wrap).(*method)
}

// talk is a conversation of three days, in which something is told twice.
func talk() datasets.Sample {
	s := datasets.Sample{ID: "talk", Speakers: []string{"Ines", "Tom"}}
	for day, turns := range [][]string{
		{
			"Hi Tom! I started a course in beekeeping last week.", "Really? I have kept goats for ten years, on a farm near Lund.",
			"My sister Marta gave me two hives for my birthday.", "I could lend you my smoker. I bought it in Malmö.",
		},
		{
			"Tom, how are the goats?", "One of them, Frida, had kids on Monday. I have kept goats for ten years, on a farm near Lund.",
			"I am going to Lisbon in June to see my aunt.", "I love Lisbon. I studied there in 2009.", "",
		},
		{"The bees made their first honey!", "Great. I will bring bread that I baked.", "I moved the hives to the roof of the library.", "Good idea."},
	} {
		at := time.Date(2024, 5, 3+9*day, 10, 0, 0, 0, time.UTC)
		session := datasets.Session{ID: strconv.Itoa(day + 1), Time: at}
		for i, text := range turns {
			session.Turns = append(session.Turns, datasets.Turn{ID: fmt.Sprintf("%d:%d", day+1, i+1), Speaker: s.Speakers[i%2], Text: text, Time: at})
		}
		s.Sessions = append(s.Sessions, session)
	}
	return s
}

// small returns the method with buffers that cut the talk into several batches.
func small(tb testing.TB, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	o := Defaults()
	o.Prune.Use = pruning.None
	m := makeMethod(tb, o, wrap)
	m.sizes = sizes{60, 40}
	return m
}

func buildMemory(ctx context.Context, t *testing.T, m *method) *memory {
	t.Helper()
	built := try.Get(m.Build(ctx, talk()))(t)
	return built.(*memory)
}

// whole checks that every message in which something is said reached a call, once
// and in order, and that facts are well formed.
func whole(t *testing.T, m *memory, shown [][]transcript.Line) {
	t.Helper()
	var lines []string
	for _, task := range shown {
		for _, l := range task {
			lines = append(lines, l.Speaker+": "+l.Text)
		}
	}
	var want []string
	for _, x := range m.messages {
		want = append(want, x.Line.Speaker+": "+x.short)
	}
	try.Equal(t, "messages shown", want, lines)
	for i, f := range m.facts {
		if f.text == "" || f.message < 0 || f.message >= len(m.messages) || len(f.vector) == 0 {
			t.Errorf("fact %d: %q of message %d, a vector of %d", i, f.text, f.message, len(f.vector))
		}
	}
}

// seen notes the calls for facts, repairs left out.
func seen(tasks *[][]transcript.Line, wrap func(llm.Generator) llm.Generator) func(llm.Generator) llm.Generator {
	return func(g llm.Generator) llm.Generator {
		g = wrap(g)
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role == extract.Role && len(r.Messages) == 2 {
				*tasks = append(*tasks, methodtest.Lines(r))
			}
			return g.Generate(ctx, r)
		})
	}
}

// forgetful drops a fact that a later one repeats.
func forgetful(g llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if r.Role == "revise" {
			said := r.Messages[1].Content
			_, fact, _ := strings.Cut(said, "remembered:\n")
			fact, _, _ = strings.Cut(fact, "\n")
			if strings.Count(said, fact) > 1 {
				return llm.Reply{Text: `{"action": "delete", "new_memory": ""}`, Finish: "stop"}, nil
			}
		}
		return g.Generate(ctx, r)
	})
}

func TestBuild(t *testing.T) {
	var tasks [][]transcript.Line
	m := buildMemory(t.Context(), t, small(t, seen(&tasks, forgetful)))
	whole(t, m, tasks)
	got := m.Structure()
	if got["messages"] != 12 || got["silent-turns"] != 1 || got["batches"] < 3 || got["segments"] < got["batches"] || got["facts"] < 8 {
		t.Errorf("structure %v, want 12 messages and a silent turn, in some batches", got)
	}
	// The goats are told of on both days: only the later fact stays.
	if got["deleted"] != 1 {
		t.Errorf("%v facts deleted, want 1", got["deleted"])
	}
	for _, f := range m.facts {
		if strings.Contains(f.text, "goats for ten years") && m.messages[f.message].ID != "2:2" {
			t.Errorf("the fact of %s stays", m.messages[f.message].ID)
		}
	}
}

// TestClock sets the memory's clock by the conversation: a second for each message
// of one time in a batch.
func TestClock(t *testing.T) {
	var tasks [][]transcript.Line
	m := small(t, seen(&tasks, methodtest.Plain))
	m.sizes = sizes{4000, 4000}
	built := buildMemory(t.Context(), t, m)
	if len(tasks) != 1 {
		t.Fatalf("%d batches, want 1", len(tasks))
	}
	for i, want := range []string{"3 10:00:00", "3 10:00:01", "3 10:00:02", "3 10:00:03", "12 10:00:00"} {
		for _, f := range built.facts {
			if got := f.time.Format("2 15:04:05"); f.message == i && got != want {
				t.Errorf("fact of message %d: %s, want %s", i, got, want)
			}
		}
	}
}

// TestLastCut shows also what the last message cuts off.
func TestLastCut(t *testing.T) {
	var tasks [][]transcript.Line
	m := small(t, seen(&tasks, methodtest.Plain))
	m.buffer = 30
	whole(t, buildMemory(t.Context(), t, m), tasks)
}

// TestDegraded gives each stage replies that cannot be used. No message is lost,
// and what the memory lacks is counted. Package suite has more of them.
func TestDegraded(t *testing.T) {
	replies := map[string]string{
		"prose": "Sure, here is what you asked for!", "empty": "",
		"no numbers": `{"data": [{"source_id": "one", "fact": "A fact."}], "action": "merge"}`, "huge number": `{"data": [{"source_id": 1e30, "fact": "A fact."}]}`,
		"no text": `{"action": "update", "new_memory": " "}`,
	}
	for _, role := range []string{extract.Role, revise.Role} {
		for name, reply := range replies {
			t.Run(role+"/"+name, func(t *testing.T) {
				ctx, meter := meter.With(t.Context(), time.Now, meter.Limits{})
				var tasks [][]transcript.Line
				m := buildMemory(ctx, t, small(t, seen(&tasks, methodtest.Says(role, reply))))
				whole(t, m, tasks)
				if meter.Seen().Degraded[role] == 0 {
					t.Errorf("no stage degraded: %v", meter.Seen().Degraded)
				}
				if role == extract.Role && (m.unread != 12 || len(m.facts) < 11) {
					t.Errorf("%d messages stand for themselves in %d facts, want 12", m.unread, len(m.facts))
				}
			})
		}
	}
}

// TestMisplaced takes facts from lines that were not shown to be from the nearest
// that was.
func TestMisplaced(t *testing.T) {
	reply := `{"data": [{"source_id": -7, "fact": "first"}, {"source_id": 9999, "fact": " last\n one "}, {"source_id": 0, "fact": ""}]}`
	m := buildMemory(t.Context(), t, small(t, methodtest.Says(extract.Role, reply)))
	if m.misplaced != len(m.facts)+m.deleted || len(m.facts) == 0 {
		t.Errorf("%d of %d facts misplaced, want all", m.misplaced, len(m.facts))
	}
	if f := m.facts[len(m.facts)-1]; m.messages[f.message].ID != "3:4" || f.text != "last one" {
		t.Errorf("the last fact is %q of %s", f.text, m.messages[f.message].ID)
	}
}

// TestVectorOnUpdate finds a fact that was updated by its former text.
func TestVectorOnUpdate(t *testing.T) {
	m := buildMemory(t.Context(), t, small(t, methodtest.Says(revise.Role, `{"action": "update", "new_memory": "Zebras."}`)))
	i := slices.IndexFunc(m.facts, func(f fact) bool { return f.text == "Zebras." })
	if i < 0 {
		t.Fatal("no fact was brought up to date")
	}
	v := try.Get(embed.Vectors(t.Context(), m.space, embed.Document, []string{"Zebras."}))(t)
	if slices.Equal(v[0], m.facts[i].vector) {
		t.Error("it has the vector of the new text")
	}
}

// TestAnswer shows facts by speaker, the nearest first, with the turn that each is
// from.
func TestAnswer(t *testing.T) {
	var asked llm.Request
	m := buildMemory(t.Context(), t, small(t, func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role == "reader" {
				asked = r
			}
			return g.Generate(ctx, r)
		})
	}))
	resp := try.Get(m.Answer(t.Context(), datasets.Request{ID: "q", Text: "Where did Tom buy his smoker?"}))(t)
	if len(resp.Evidence) != len(m.facts) || !slices.Equal(resp.Evidence[0].Sources, []string{"1:4"}) || !strings.Contains(resp.Evidence[0].Text, "[3 May 2024 10:00]") {
		t.Errorf("evidence %+v, want all facts, that of turn 1:4 first", resp.Evidence)
	}
	for i, e := range resp.Evidence[1:] {
		if e.Score > resp.Evidence[i].Score {
			t.Errorf("block %d scores %v behind %v", i+1, e.Score, resp.Evidence[i].Score)
		}
	}
	shown := asked.Messages[len(asked.Messages)-1].Content
	if !strings.Contains(shown, "From what Tom said:\n- [3 May 2024 10:00] ") {
		t.Errorf("the prompt does not show facts by speaker:\n%s", shown)
	}
	if len(resp.Trace) == 0 || !strings.Contains(resp.Trace[0].Note, "without attention") {
		t.Errorf("the trace %v does not say what is replaced", resp.Trace)
	}
}

// TestUnreadable builds from messages without a legible sign, with a model that is
// of no use.
func TestUnreadable(t *testing.T) {
	m := small(t, methodtest.Says(extract.Role, ""))
	s := datasets.Sample{ID: "odd", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "1", Text: "\x00"}, {ID: "2", Text: "\xff"}}}}}
	built := try.Get(m.Build(t.Context(), s))(t)
	if got := built.(*memory).Structure(); got["facts"] != 0 || got["unread"] != 2 {
		t.Errorf("structure %v, want no facts of 2 messages", got)
	}
}

// TestUnlike raises the threshold from 0.2 by 0.05 until a cosine is below it, up
// to 0.5.
func TestUnlike(t *testing.T) {
	for _, tt := range []struct {
		cosines []float64
		want    []int
	}{
		{[]float64{0.19, 0.5, 0.1, 0.2}, []int{1, 3}},
		{[]float64{0.3, 0.22, 0.24, 0.26}, []int{2, 3}},
		{[]float64{0.3, 0.26}, []int{2}},
		{[]float64{0.49, 0.6}, []int{1}},
		{[]float64{0.5, 0.6}, nil},
		{nil, nil},
	} {
		if got := unlike(tt.cosines); !slices.Equal(got, tt.want) {
			t.Errorf("cosines %v: boundaries %v, want %v", tt.cosines, got, tt.want)
		}
	}
}

// lettered gives a text the vector of its first letter: equal letters are alike,
// others not at all.
type lettered struct{}

func (lettered) Dim() int                                                { return 0 }
func (l lettered) Fit(context.Context, []string) (embed.Embedder, error) { return l, nil }
func (lettered) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, 26)
		v[text[0]-'a'] = 1
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// flow returns the batches that messages come to, as their texts, segments apart
// by a stroke. Each message is so many tokens as its text is long, and two more in
// the buffer.
func flow(t *testing.T, room sizes, texts ...string) (batches []string) {
	t.Helper()
	m := makeMethod(t, Defaults(), methodtest.Plain)
	m.sizes = room
	b := &builder{memory: memory{method: m, space: lettered{}}}
	for _, text := range texts {
		b.messages = append(b.messages, message{short: text, tokens: len(text) + special})
	}
	m.tokens = letters{}
	for i := range texts {
		segments := try.Get(b.sense(t.Context(), i))(t)
		last := i == len(texts)-1
		if last {
			rest := try.Get(b.cut(t.Context(), true))(t)
			segments = append(segments, rest...)
		}
		for _, batch := range b.gather(segments, last) {
			var topics []string
			for _, s := range batch {
				topics = append(topics, strings.Join(texts[s.first:s.end], ""))
			}
			batches = append(batches, strings.Join(topics, "|"))
		}
	}
	return batches
}

// letters counts bytes.
type letters struct{}

func (letters) Name() string          { return "letters" }
func (letters) Count(text string) int { return len(text) }

// TestFlow takes messages through both buffers. Joining the messages of a segment
// costs a space each, as the authors count.
func TestFlow(t *testing.T) {
	for _, tt := range []struct {
		name          string
		buffer, short int
		texts, want   []string
	}{
		{"the buffer holds all", 100, 100, []string{"aa", "a", "b", "c"}, []string{"aaa|b|c"}},
		{"what is behind the last boundary stays", 9, 100, []string{"a", "b", "b", "b"}, []string{"a|bbb"}},
		{"no boundary: the whole buffer", 6, 100, []string{"a", "a", "a"}, []string{"aa|a"}},
		{"cut until there is room", 9, 100, []string{"a", "b", "cccccc"}, []string{"a|b|cccccc"}},
		{"larger than the buffer", 5, 100, []string{"a", "bbbbbbbb", "b"}, []string{"a|bbbbbbbb|b"}},
		{"the short-term memory is full", 100, 3, []string{"a", "a", "b", "c", "d"}, []string{"aa", "b|c|d"}},
		{"one more and it is not", 100, 4, []string{"a", "a", "b", "c", "d"}, []string{"aa|b", "c|d"}},
	} {
		if got := flow(t, sizes{tt.buffer, tt.short}, tt.texts...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
