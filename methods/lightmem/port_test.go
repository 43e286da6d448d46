package lightmem

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/transcript"
	"recallbench/methods/methodtest"
)

// A reference is what scripts/ports/lightmem.py wrote of a run of the authors' code.
type reference struct {
	Turns []struct {
		ID, Session, Speaker, Short string
		Time                        time.Time
	} `json:"turns"`
	Replies []struct {
		Key   []string
		Reply string
	} `json:"replies"`
	Attention []struct {
		Texts  []string
		Matrix [][]float64
	} `json:"attention"`
	Batches   [][][]int            `json:"batches"`
	Documents []string             `json:"documents"`
	Vectors   map[string][]float32 `json:"vectors"`
	Before    []referenceFact      `json:"before"`
	Queues    [][]referenceHit     `json:"queues"` // of the facts before, in order
	After     []referenceFact      `json:"after"`
	Questions []struct {
		Question  string
		Retrieved []referenceHit
	} `json:"questions"`
}

type referenceFact struct {
	ID      string `json:"id"`
	Text    string `json:"memory"`
	Time    string `json:"time_stamp"`
	Weekday string `json:"weekday"`
	Speaker string `json:"speaker_name"`
}

type referenceHit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// fours counts tokens as the script does: four characters of a word.
type fours struct{}

func (fours) Name() string { return "fours" }

func (fours) Count(text string) (n int) {
	for w := range strings.FieldsSeq(text) {
		n += (utf8.RuneCountInString(w) + 3) / 4
	}
	return n
}

// A replay answers as the authors' run was answered, and notes what it is asked.
// The authors put a space behind a message that they embed; the texts here have
// none.
type replay struct {
	*testing.T
	replies   map[string]string
	attention map[string][][]float64
	vectors   map[string][]float32
	documents map[string]bool
	batches   [][]transcript.Line
}

func joined(texts []string) string { return strings.Join(texts, "\x00") }

func newReplay(t *testing.T, r *reference) *replay {
	t.Helper()
	p := &replay{t, make(map[string]string), make(map[string][][]float64), make(map[string][]float32), make(map[string]bool), nil}
	for _, x := range r.Replies {
		p.replies[joined(x.Key)] = x.Reply
	}
	for _, x := range r.Attention {
		p.attention[joined(x.Texts)] = x.Matrix
	}
	for text, v := range r.Vectors {
		p.vectors[strings.TrimSpace(text)] = v
	}
	return p
}

func (p *replay) Fit(context.Context, []string) (embed.Embedder, error) { return p, nil }
func (p *replay) Dim() int                                              { return 0 }

func (p *replay) Embed(_ context.Context, r embed.Request) (reply embed.Reply, err error) {
	for _, text := range r.Texts {
		if p.vectors[text] == nil {
			p.Errorf("the authors' code did not embed %q", text)
		}
		if r.Kind == embed.Document {
			p.documents[text] = true
		}
		reply.Vectors = append(reply.Vectors, p.vectors[text])
	}
	return reply, nil
}

func (p *replay) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	var key []string
	switch r.Role {
	case extract.Role:
		p.batches = append(p.batches, methodtest.Lines(r))
		key = texts(methodtest.Lines(r))
	case revise.Role:
		_, said, _ := strings.Cut(r.Messages[1].Content, "remembered:\n")
		fact, said, _ := strings.Cut(said, "\n")
		key = append(key, fact)
		for line := range strings.Lines(said) {
			if text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "- "); ok && !strings.HasPrefix(text, "\"") {
				key = append(key, text)
			}
		}
	}
	text, ok := p.replies[joined(key)]
	if !ok {
		return llm.Reply{}, fmt.Errorf("the authors' code did not ask for %s of %q and %d others", r.Role, key[0], len(key)-1)
	}
	return llm.Reply{Text: text, Finish: "stop"}, nil
}

func texts(lines []transcript.Line) []string {
	return lists.Map(lines, func(l transcript.Line) string { return l.Text })
}

// attend makes topics end as the authors' segmenter does: also by how much each of some
// texts attends to each before it, as rows of shares.
func (m *method) attend(attention func(ctx context.Context, texts []string) ([][]float64, error)) {
	m.bounds = func(b *builder, ctx context.Context, messages []message) ([]int, error) {
		texts := make([]string, len(messages))
		for i, m := range messages {
			texts[i] = m.short
		}
		matrix, err := attention(ctx, texts)
		coarse := peaks(matrix)
		if err != nil || len(coarse) == 0 {
			return nil, err
		}
		fine, err := b.boundaries(ctx, messages)
		return near(fine, coarse), err
	}
}

// peaks returns the boundaries that a matrix of attention shows: of the shares
// M[k+1][k] of a message's attention that go to the one before it, those k whose
// share is larger than both its neighbours'. The first and the last share are never
// one. The authors number them from 0 and compare them with numbers of messages from
// 1. So k stands for the boundary before message k, and the share is that of message
// k+1.
func peaks(matrix [][]float64) (found []int) {
	share := func(k int) float64 { return matrix[k+1][k] }
	for k := 1; k < len(matrix)-2; k++ {
		if share(k-1) < share(k) && share(k) > share(k+1) {
			found = append(found, k)
		}
	}
	return found
}

// reach is how far from a coarse boundary a fine one may be.
const reach = 3

// near returns the fine boundaries within reach of a coarse one, and all of them
// where none is.
func near(fine, coarse []int) (found []int) {
	for _, f := range fine {
		for _, c := range coarse {
			if f-c >= -reach && f-c <= reach {
				found = append(found, f)
				break
			}
		}
	}
	if len(found) == 0 {
		return fine
	}
	return found
}

func (p *replay) attend(_ context.Context, texts []string) ([][]float64, error) {
	m, ok := p.attention[joined(texts)]
	if !ok {
		return nil, fmt.Errorf("the authors' code did not cut %d messages from %q on", len(texts), texts[0])
	}
	return m, nil
}

// TestPort holds the method against runs of the authors' code over the same
// conversation, with the same replies, vectors and attention: batches, embedded texts,
// facts, who has a say about whom, facts after revision, and what is found for each
// question. The files are those of the script in the folder that BENCH_PORTS names.
func TestPort(t *testing.T) {
	folder := os.Getenv("BENCH_PORTS")
	if folder == "" {
		t.Skip("BENCH_PORTS does not name the folder of what scripts/ports/lightmem.py writes")
	}
	files := try.Get(filepath.Glob(filepath.Join(folder, "lightmem-*.json")))(t)
	for _, file := range files {
		var r reference
		try.Do(t, json.Unmarshal(try.Get(os.ReadFile(file))(t), &r))
		t.Run(filepath.Base(file), r.compare)
	}
	if len(files) == 0 {
		t.Errorf("%s holds no lightmem-*.json", folder)
	}
}

func (r *reference) compare(t *testing.T) {
	p := newReplay(t, r)
	b := r.build(t, p)
	before := try.Get(b.finish())(t)
	try.Equal(t, "batches", lists.Map(r.Batches, func(segments [][]int) []string {
		return lists.Map(slices.Concat(segments...), func(turn int) string { return r.Turns[turn].Short })
	}), lists.Map(p.batches, texts))
	want := make(map[string]bool)
	for _, text := range r.Documents {
		want[strings.TrimSpace(text)] = true
	}
	try.Equal(t, "embedded texts", want, p.documents)
	if len(before.facts) != len(r.Before) {
		t.Fatalf("%d facts, want %d", len(before.facts), len(r.Before))
	}
	for i, w := range r.Before {
		f := before.facts[i]
		got := referenceFact{w.ID, f.text, f.time.Format("2006-01-02T15:04:05.000"), f.time.Format("Mon"), before.messages[f.message].Line.Speaker}
		try.Equal(t, "fact", w, got)
	}
	r.queues(t, b)
	try.Do(t, b.revise(t.Context()))
	after := try.Get(b.finish())(t)
	text := func(f referenceFact) string { return f.Text }
	try.Equal(t, "facts after revision", lists.Map(r.After, text), lists.Map(after.facts, func(f fact) string { return f.text }))
	for _, q := range r.Questions {
		var found []referenceHit
		for _, h := range try.Get(after.nearest(t.Context(), q.Question))(t) {
			found = append(found, referenceHit{r.After[h.Index].ID, h.Score})
		}
		same(t, q.Question, q.Retrieved, found)
	}
}

// build reads the reference's conversation. The authors forget what the last message
// cuts off.
func (r *reference) build(t *testing.T, p *replay) *builder {
	t.Helper()
	o := Defaults()
	o.Prune.Use = pruning.None
	m := makeMethod(t, o, func(llm.Generator) llm.Generator { return p })
	m.Embed, m.tokens = p, fours{}
	m.attend(p.attend)
	s := datasets.Sample{ID: "port"}
	for _, x := range r.Turns {
		if n := len(s.Sessions); n == 0 || s.Sessions[n-1].ID != x.Session {
			s.Sessions = append(s.Sessions, datasets.Session{ID: x.Session, Time: x.Time})
		}
		session := &s.Sessions[len(s.Sessions)-1]
		session.Turns = append(session.Turns, datasets.Turn{ID: x.ID, Speaker: x.Speaker, Text: x.Short, Time: x.Time})
	}
	b := try.Get(m.newBuilder(t.Context(), s))(t)
	for i := range b.messages {
		segments := try.Get(b.sense(t.Context(), i))(t)
		last := i == len(b.messages)-1
		if last {
			segments = try.Get(b.cut(t.Context(), true))(t)
		}
		try.Do(t, b.remember(t.Context(), b.gather(segments, last)))
	}
	return b
}

// queues compares who has a say about whom.
func (r *reference) queues(t *testing.T, b *builder) {
	t.Helper()
	got := make([][]string, len(r.Before)) // the facts that one has a say about
	for j, say := range try.Get(b.later())(t) {
		for _, i := range say {
			got[i] = append(got[i], r.Before[j].ID)
		}
	}
	for i, queue := range r.Queues {
		var want []string
		for _, h := range queue {
			if h.Score >= sayScore {
				want = append(want, h.ID)
			}
		}
		slices.Sort(want)
		slices.Sort(got[i])
		try.Equal(t, "a say of "+r.Before[i].Text, want, got[i])
	}
}

// same compares the facts that a question finds, in order. Cosines of 32-bit floats tell
// equal ones apart by their rounding: within a hair's breadth any order is right.
func same(t *testing.T, question string, want, got []referenceHit) {
	t.Helper()
	byScore := func(a, b referenceHit) int {
		if math.Abs(a.Score-b.Score) > 1e-6 {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.ID, b.ID)
	}
	slices.SortFunc(want, byScore)
	slices.SortFunc(got, byScore)
	if len(got) != mostFacts || !slices.EqualFunc(want, got, func(a, b referenceHit) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-5 }) {
		t.Errorf("question %q finds other facts: %v, want %v", question, got, want)
	}
}
