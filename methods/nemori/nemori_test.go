package nemori

import (
	"context"
	"crypto/sha3"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

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
	"recallbench/methods/internal/episodes"
	"recallbench/methods/methodtest"
)

// made returns the method over a model and an embedder.
func made(tb testing.TB, g llm.GeneratorFunc, e embed.Model) *method {
	tb.Helper()
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(tb)
	m := try.Get(Spec.New(methods.Env{LLM: g, Embed: e, Prompts: prompts}, Spec.Options))(tb)
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
	m := made(t, func(_ context.Context, r llm.Request) (llm.Reply, error) {
		switch r.Role {
		case "boundary":
			shown = append(shown, len(methodtest.Lines(r))-1)
			return llm.Reply{Text: `{"why": "", "new_episode": false, "confidence": 0}`}, nil
		case "episode":
			return llm.Reply{Text: `{"title": "a", "content": "b", "time": ""}`}, nil
		}
		return llm.Reply{Text: `{"statements": []}`}, nil
	}, topics(1))
	built := try.Get(m.Build(t.Context(), long(30)))(t)
	var want []int
	for n := 1; n < 30; n++ {
		if n > 10 {
			want = append(want, n-1)
		} else {
			want = append(want, n)
		}
	}
	try.Equal(t, "messages of the history", want, shown)
	if got := built.(*memory).Structure(); got["episodes"] != 1 || got["episode-max"] != 30 {
		t.Errorf("structure %v, want one episode of 30 messages", got)
	}
}

// topics is an embedder that gives a text the direction of its first number, by as
// many dimensions.
type topics int

func (n topics) Fit(context.Context, []string) (embed.Embedder, error) { return n, nil }
func (n topics) Dim() int                                              { return 384 }

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

// A reference is what the authors' code did with a conversation and scripted replies,
// as scripts/ports/nemori.py writes it.
type reference struct {
	Sample   string `json:"sample"`
	Calls    []call `json:"calls"`
	Texts    map[string]string
	Episodes []struct {
		Messages             int
		Title, Content, Time string
	} `json:"episodes"`
	Statements []statement `json:"statements"`
	Questions  []struct {
		Question   string
		Episodes   []hit
		Statements []hit
		Originals  []int    // episodes with their messages
		Lines      []string // of the episodes
	} `json:"questions"`
}

type statement struct {
	Text    string
	Episode int
	Time    string
}

type call struct {
	Kind    string   `json:"kind"`
	Replies []string `json:"replies"`
	Shown   int      `json:"shown"`    // messages of the history of a boundary
	Of      int      `json:"messages"` // of an episode
	Known   []string `json:"known"`    // that a prediction is made from
}

type hit struct {
	Index int
	Score float64
}

// TestPort gives the method the replies that the authors' code got, and compares calls,
// episodes, statements, embedded texts, and what is found for each question. The files
// are those of the script in the folder that BENCH_PORTS names.
func TestPort(t *testing.T) {
	folder := os.Getenv("BENCH_PORTS")
	if folder == "" {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/nemori.py")
	}
	files := try.Get(filepath.Glob(filepath.Join(folder, "nemori-[0-9]*.json")))(t)
	for _, file := range files {
		p := &port{embedded: make(map[string]bool)}
		try.Do(t, json.Unmarshal(try.Get(os.ReadFile(file))(t), &p.reference))
		t.Run(filepath.Base(file), func(t *testing.T) { p.T = t; p.compare() })
	}
	if len(files) == 0 {
		t.Errorf("%s holds no nemori-*.json", folder)
	}
}

// A port compares a memory with a reference.
type port struct {
	*testing.T
	reference
	embedded map[string]bool
}

func (p *port) compare() {
	p.Setenv("BENCH_REQUIRE_DATA", "1")
	o := locomo.Options{Categories: []int{1}, Category5: locomo.Drop, Conversations: []string{p.Sample}}
	set := try.Get(locomo.Spec.Open(p.Context(), datasets.Env{Dir: realdata.Datasets(p)}, o))(p)
	talk := try.Get(set.Load(p.Context(), 0))(p)
	m := try.Get(made(p, p.reply, signs{p}).Build(p.Context(), talk))(p).(*memory)
	if len(p.Calls) > 0 {
		p.Errorf("%d calls of the authors' code were not made", len(p.Calls))
	}
	const clock = "2006-01-02T15:04:05"
	var want, got []any
	for _, e := range p.Episodes {
		want = append(want, []any{e.Messages, e.Title, e.Content, e.Time})
	}
	for _, e := range m.episodes {
		got = append(got, []any{e.End - e.First, e.Title, e.Content, e.Time.Format(clock)})
	}
	try.Equal(p.T, "episodes", want, got)
	once := lists.AddNew(nil, p.Statements...) // a statement that a reply repeats is kept once
	try.Equal(p.T, "statements", once, lists.Map(m.statements, func(s episodes.Statement) statement {
		return statement{s.Text, s.Episode, m.episodes[s.Episode].Time.Format(clock)}
	}))
	asked := make(map[string]bool)
	for _, q := range p.Questions {
		asked[q.Question] = true
	}
	for text := range p.Texts {
		if !asked[text] && !p.embedded[fold(text)] {
			p.Errorf("only the authors' code embeds %q", text)
		}
		delete(p.embedded, fold(text))
	}
	try.Equal(p.T, "texts that only the port embeds", map[string]bool{}, p.embedded)
	p.retrieval(m, once)
}

// reply gives the authors' reply to the same question, their next of its kind.
func (p *port) reply(_ context.Context, r llm.Request) (llm.Reply, error) {
	i := slices.IndexFunc(p.Calls, func(c call) bool {
		return c.Kind == r.Role || r.Role == "statements" && (c.Kind == "cold" || c.Kind == "extract")
	})
	if i < 0 {
		return llm.Reply{}, fmt.Errorf("the authors' code did not ask for %s", r.Role)
	}
	c := p.Calls[i]
	p.Calls = slices.Delete(p.Calls, i, i+1)
	switch r.Role {
	case "boundary":
		try.Equal(p.T, "history", c.Shown, len(methodtest.Lines(r))-1)
	case "episode":
		try.Equal(p.T, "messages", c.Of, len(methodtest.Lines(r)))
	case "predict":
		var known []string
		for line := range strings.Lines(r.Messages[0].Content) {
			if text, ok := strings.CutPrefix(line, "- "); ok {
				known = append(known, strings.TrimSuffix(text, "\n"))
			}
		}
		want, got := lists.AddNew(nil, c.Known...), lists.AddNew(nil, known...)
		try.Equal(p.T, "known", want, got[:min(len(want), len(got))]) // others take the places of repeated ones
	}
	return llm.Reply{Text: rename(p.T, r.Role, c.Replies[0])}, nil
}

// fields are the names in the authors' replies of what the project's prompts ask for.
var fields = map[string]map[string]string{
	"boundary": {"new_episode": "should_end", "why": "reason", "confidence": "confidence"},
	"episode":  {"title": "title", "content": "content", "time": "timestamp"},
}

// rename gives the fields of a reply the names that the project's prompts ask for.
func rename(t *testing.T, role, reply string) string {
	t.Helper()
	if fields[role] == nil {
		return reply
	}
	var theirs map[string]any
	try.Do(t, json.Unmarshal([]byte(reply), &theirs))
	ours := make(map[string]any)
	for name, from := range fields[role] {
		ours[name] = theirs[from]
	}
	return string(try.Get(json.Marshal(ours))(t))
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// signs embeds as the script does: a vector is the signs of the sum of the bit
// patterns of a text's words.
type signs struct{ *port }

func (s signs) Fit(context.Context, []string) (embed.Embedder, error) { return s, nil }
func (signs) Dim() int                                                { return 1024 }

func (s signs) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		s.embedded[text] = true
		reply.Vectors = append(reply.Vectors, vector(text))
	}
	return reply, nil
}

var word = regexp.MustCompile(`[a-z0-9]+`)

func vector(text string) []float32 {
	v := make([]float32, 1024)
	add := func(word string, weight float32) {
		for i, b := range sha3.SumSHAKE256([]byte(word), len(v)/8) {
			for k := range 8 {
				v[8*i+k] += weight * float32(int(b>>(7-k)&1)*2-1)
			}
		}
	}
	add("", 0.5)
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		add(w, 1)
	}
	for i := range v {
		v[i] = float32(math.Copysign(1.0/32, float64(v[i])))
	}
	return v
}

// retrieval compares what is found for each question.
func (p *port) retrieval(m *memory, once []statement) {
	near := func(x *index.Dense, question string, n int) (found []hit) {
		for _, h := range try.Get(x.Search(vector(question), n))(p) {
			found = append(found, hit{h.Index, 2*h.Score - 1})
		}
		return found
	}
	for _, q := range p.Questions {
		found := near(m.byEpisode, q.Question, len(q.Episodes))
		try.Equal(p.T, "episodes of "+q.Question, q.Episodes, found, cmpopts.EquateApprox(0, 1e-6))
		try.Equal(p.T, "lines of "+q.Question, q.Lines, lists.Map(found, func(h hit) string { return m.episodes[h.Index].Index() }))
		var want []hit
		for _, h := range q.Statements {
			want = lists.AddNew(want, hit{slices.Index(once, p.Statements[h.Index]), h.Score})
		}
		try.Equal(p.T, "statements of "+q.Question, want, near(m.byStatement, q.Question, len(want)), cmpopts.EquateApprox(0, 1e-6))
		var originals []int
		for _, e := range m.shown(try.Get(m.byEpisode.Search(vector(q.Question), mostEpisodes))(p), nil).Evidence {
			var i int
			if _, err := fmt.Sscanf(e.ID, "episode %d with messages", &i); err == nil {
				originals = append(originals, i)
			}
		}
		try.Equal(p.T, "episodes with messages", q.Originals, originals)
	}
}
