package lightmem

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/transcript"
	"recallbench/methods/methodtest"
)

// A reference is what scripts/ports/lightmem.py wrote of a run of the authors'
// code.
type reference struct {
	Hostile bool `json:"hostile"`
	Turns   []struct {
		ID      string    `json:"id"`
		Session string    `json:"session"`
		Time    time.Time `json:"time"`
		Speaker string    `json:"speaker"`
		Short   string    `json:"short"`
	} `json:"turns"`
	Replies []struct {
		Kind  string   `json:"kind"`
		Key   []string `json:"key"`
		Reply string   `json:"reply"`
	} `json:"replies"`
	Attention []struct {
		Texts  []string    `json:"texts"`
		Matrix [][]float64 `json:"matrix"`
	} `json:"attention"`
	Batches   [][][]int            `json:"batches"`
	Documents []string             `json:"documents"`
	Vectors   map[string][]float32 `json:"vectors"`
	Before    []referenceFact      `json:"before"`
	Queues    [][]referenceHit     `json:"queues"` // of the facts before, in order
	After     []referenceFact      `json:"after"`
	Questions []struct {
		Question  string         `json:"question"`
		Retrieved []referenceHit `json:"retrieved"`
	} `json:"questions"`
}

type referenceFact struct {
	ID      string  `json:"id"`
	Text    *string `json:"memory"`
	Time    *string `json:"time_stamp"`
	Weekday *string `json:"weekday"`
	Speaker string  `json:"speaker_name"`
	Topic   int     `json:"topic_id"`
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
	replies   map[string]string
	attention map[string][][]float64
	vectors   map[string][]float32
	documents map[string]bool
	batches   [][]transcript.Line
}

func newReplay(r *reference) *replay {
	p := &replay{make(map[string]string), make(map[string][][]float64), make(map[string][]float32), make(map[string]bool), nil}
	for _, x := range r.Replies {
		p.replies[hash(x.Key...)] = x.Reply
	}
	for _, x := range r.Attention {
		p.attention[hash(x.Texts...)] = x.Matrix
	}
	for text, v := range r.Vectors {
		p.vectors[strings.TrimSpace(text)] = v
	}
	return p
}

func (p *replay) Fit(context.Context, []string) (embed.Embedder, error) { return p, nil }
func (p *replay) Info() embed.Info                                      { return embed.Info{} }

// unknown returns the vector of a text that the authors' run did not embed, which
// is near no other.
func unknown(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, 96)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

func (p *replay) Embed(_ context.Context, r embed.Request) (reply embed.Reply, err error) {
	for _, text := range r.Texts {
		v, ok := p.vectors[text]
		if !ok {
			v = unknown(text)
		}
		if r.Kind == embed.Document {
			p.documents[text] = true
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

func (p *replay) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	var key []string
	switch r.Role {
	case extract.Role:
		lines := methodtest.Lines(llm.Request{Messages: r.Messages[:2]})
		for _, l := range lines {
			key = append(key, l.Text)
		}
		if len(r.Messages) == 2 { // not a repair
			p.batches = append(p.batches, lines)
		}
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
	text, ok := p.replies[hash(key...)]
	if !ok {
		return llm.Reply{}, fmt.Errorf("the authors' code did not ask for %s of %q and %d others", r.Role, key[0], len(key)-1)
	}
	return llm.Reply{Text: text, Finish: "stop"}, nil
}

func (p *replay) attend(_ context.Context, texts []string) ([][]float64, error) {
	m, ok := p.attention[hash(texts...)]
	if !ok {
		return nil, fmt.Errorf("the authors' code did not cut %d messages from %q on", len(texts), texts[0])
	}
	return m, nil
}

// TestPort holds the method against runs of the authors' code over the same
// conversation, with the same replies, vectors and attention. Set BENCH_PORTS to
// the folder of the files that scripts/ports/lightmem.py wrote.
func TestPort(t *testing.T) {
	folder := os.Getenv("BENCH_PORTS")
	if folder == "" {
		t.Skip("BENCH_PORTS does not name the folder of what scripts/ports/lightmem.py writes")
	}
	files := try.Get(filepath.Glob(filepath.Join(folder, "lightmem-*.json")))(t)
	if len(files) == 0 {
		t.Fatalf("no lightmem-*.json in %s; scripts/ports/lightmem.py writes them", folder)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { comparePort(t, file) })
	}
}

func comparePort(t *testing.T, file string) {
	t.Helper()
	data := try.Get(os.ReadFile(file))(t)
	ref := new(reference)
	try.Do(t, json.Unmarshal(data, ref))
	p := newReplay(ref)
	b := newPort(t, ref, p)
	before := try.Get(b.finish())(t)
	sums := &sums{t: t}
	sums.batches(ref, p)
	sums.documents(ref, p)
	same := sums.facts(ref, before)
	sums.queues(ref, before, same)

	try.Do(t, b.revise(t.Context()))
	after := try.Get(b.finish())(t)
	left := sums.revised(ref, after, same)
	for _, q := range ref.Questions {
		sums.retrieved(ref, after, left, q.Question, q.Retrieved)
	}
	sums.lists()
	t.Logf("%s: %d turns, %d replies\n%s", filepath.Base(file), len(ref.Turns), len(ref.Replies), strings.Join(sums.rows, "\n"))
}

// newPort reads the reference's conversation. The authors forget what the last message
// cuts off.
func newPort(t *testing.T, ref *reference, p *replay) *builder {
	t.Helper()
	o := Defaults()
	o.Prune.Use = pruning.None
	m := makeMethod(t, o, func(llm.Generator) llm.Generator { return p })
	m.Embed, m.tokens = p, fours{}
	m.attend(p.attend)
	s := datasets.Sample{ID: "port"}
	for _, x := range ref.Turns {
		if n := len(s.Sessions); n == 0 || s.Sessions[n-1].ID != x.Session {
			s.Sessions = append(s.Sessions, datasets.Session{ID: x.Session, Time: x.Time})
		}
		session := &s.Sessions[len(s.Sessions)-1]
		session.Turns = append(session.Turns, datasets.Turn{ID: x.ID, Speaker: x.Speaker, Text: x.Short, Time: x.Time})
	}
	b := try.Get(m.newBuilder(t.Context(), s))(t)
	for i := range b.messages {
		segments, err := b.sense(t.Context(), i)
		last := i == len(b.messages)-1
		if last && err == nil {
			segments, err = b.cut(t.Context(), true)
		}
		if err == nil {
			err = b.remember(t.Context(), b.gather(segments, last))
		}
		try.Do(t, err)
	}
	return b
}

// sums are the figures of a comparison.
type sums struct {
	t    *testing.T
	rows []string

	asked, equal, near int // lists: compared, equal, and equal up to the order of equal scores
}

// row adds a line: of so many records so many are equal, and so many differ for a
// reason that docs/methods.md lists. Any other is an error.
func (s *sums) row(what string, records, equal, listed int, note string) {
	s.t.Helper()
	s.rows = append(s.rows, fmt.Sprintf("%-12s %6d compared %6d equal %4d listed  %s", what, records, equal, listed, note))
	if equal+listed != records {
		s.t.Errorf("%s: of %d records %d are equal and %d differ for a listed reason", what, records, equal, listed)
	}
}

// batches compares the lines of each call with the authors' segments.
func (s *sums) batches(ref *reference, p *replay) {
	records, equal := max(len(ref.Batches), len(p.batches)), 0
	for i, b := range ref.Batches[:min(len(ref.Batches), len(p.batches))] {
		var want, got []string
		for _, turn := range slices.Concat(b...) {
			want = append(want, ref.Turns[turn].Short)
		}
		for _, l := range p.batches[i] {
			got = append(got, l.Text)
		}
		if slices.Equal(want, got) {
			equal++
		}
	}
	s.row("batches", records, equal, 0, "")
}

// documents compares the texts that were embedded to be stored or cut.
func (s *sums) documents(ref *reference, p *replay) {
	want := make(map[string]bool)
	empty := 0
	for _, text := range ref.Documents {
		if text = strings.TrimSpace(text); text == "" {
			empty = 1
		} else {
			want[text] = true
		}
	}
	never := make(map[string]bool) // messages that stand for themselves, and misplaced facts
	both := 0
	for text := range p.documents {
		if want[text] {
			both++
		} else {
			never[text] = true
		}
	}
	for text := range want {
		if !p.documents[text] {
			s.t.Errorf("not embedded: %q", text)
		}
	}
	if !ref.Hostile && len(never) > 0 {
		s.t.Errorf("embedded and not by the authors: %q", slices.Sorted(maps.Keys(never))[:1])
	}
	s.row("embedded", len(want)+len(never)+empty, both, len(never)+empty, "facts of nothing; messages without a reply; misplaced facts")
}

// facts compares the stores before revision, and returns the ids of the authors'
// facts by the index of ours; empty for one that the authors do not have.
func (s *sums) facts(ref *reference, m *memory) []string {
	ids := make([]string, len(m.facts))
	equal, dropped, misplaced, added, topics := 0, 0, 0, 0, 0
	i := 0
	for _, w := range ref.Before {
		if *w.Text == "" {
			dropped++
			continue
		}
		for i < len(m.facts) && m.facts[i].text != *w.Text {
			i++
			added++
		}
		if i == len(m.facts) {
			s.t.Fatalf("the fact %q is not in the memory, or not in its place", *w.Text)
		}
		f := m.facts[i]
		ids[i] = w.ID
		from := m.messages[f.message]
		switch {
		case w.Time == nil:
			misplaced++
		case *w.Time != f.time.Format("2006-01-02T15:04:05.000") || *w.Weekday != f.time.Format("Mon") || w.Speaker != from.Line.Speaker:
			s.t.Errorf("fact %q: %s %s of %s, want %s %s of %s", f.text, f.time, f.time.Format("Mon"), from.Line.Speaker, *w.Time, *w.Weekday, w.Speaker)
		case w.Topic != f.topic:
			topics++
		default:
			equal++
		}
		i++
	}
	added += len(m.facts) - i
	if want := m.unread + m.misplaced - misplaced; added != want {
		s.t.Errorf("%d facts are only here; %d messages stand for themselves, and %d facts have a negative source", added, m.unread, m.misplaced-misplaced)
	}
	if !ref.Hostile && added+dropped+misplaced > 0 {
		s.t.Errorf("%d facts more, %d less and %d misplaced with replies that are all good", added, dropped, misplaced)
	}
	s.row("facts", len(ref.Before)+added, equal, dropped+misplaced+topics+added,
		fmt.Sprintf("%d empty, %d without a time, %d under another batch's topic, %d only here (no usable reply, or a negative source)", dropped, misplaced, topics, added))
	return ids
}

// queues compares who has a say about whom.
func (s *sums) queues(ref *reference, m *memory, ids []string) {
	b := &builder{memory: memory{method: m.method, space: m.space, facts: m.facts}}
	later := try.Get(b.later())(s.t)
	got := make(map[string][]string) // the facts that one has a say about
	for j, say := range later {
		for _, i := range say {
			got[ids[i]] = append(got[ids[i]], ids[j])
		}
	}
	texts := make(map[string]*string)
	for _, w := range ref.Before {
		texts[w.ID] = w.Text
	}
	records, equal := 0, 0
	for k, queue := range ref.Queues {
		var want []string
		for _, h := range queue {
			if h.Score >= sayScore {
				want = append(want, h.ID)
			}
		}
		id := ref.Before[k].ID
		want = slices.DeleteFunc(want, func(id string) bool { return *texts[id] == "" })
		slices.Sort(want)
		slices.Sort(got[id])
		if *texts[id] == "" {
			continue
		}
		records++
		if slices.Equal(want, got[id]) {
			equal++
		} else {
			s.t.Errorf("fact %s has a say about %v, want %v", id, got[id], want)
		}
	}
	s.row("queues", records, equal, 0, "")
}

// revised compares the stores after revision, and returns the ids by index.
func (s *sums) revised(ref *reference, m *memory, before []string) []string {
	texts := make(map[string]string)
	empty := make(map[string]bool)
	for _, w := range ref.Before {
		empty[w.ID] = *w.Text == ""
	}
	for _, w := range ref.After {
		if !empty[w.ID] {
			texts[w.ID] = *w.Text
		}
	}
	var want, got []string
	var ids []string
	for _, id := range before {
		if text, ok := texts[id]; id == "" || ok {
			ids = append(ids, id)
			want = append(want, text)
		}
	}
	listed := 0
	for i, f := range m.facts {
		got = append(got, f.text)
		if i < len(ids) && ids[i] == "" {
			want[i] = f.text
			listed++
		}
	}
	if !slices.Equal(want, got) {
		s.t.Errorf("%d facts after revision, want %d, or their texts differ", len(got), len(want))
	}
	s.row("revised", len(got), len(got)-listed, listed, fmt.Sprintf("updated %d, deleted %d, ignored %d", m.updated, m.deleted, m.ignored))
	return ids
}

// retrieved compares the facts that a question finds, in order. Facts that only one side has are left out; the next ones
// take their places.
func (s *sums) retrieved(ref *reference, m *memory, ids []string, question string, found []referenceHit) {
	empty := make(map[string]bool)
	for _, w := range ref.Before {
		empty[w.ID] = *w.Text == ""
	}
	hits := try.Get(m.nearest(s.t.Context(), question))(s.t)
	var got, want []referenceHit
	for _, h := range hits {
		if id := ids[h.Index]; id != "" {
			got = append(got, referenceHit{id, h.Score})
		}
	}
	for _, h := range found {
		if !empty[h.ID] {
			want = append(want, h)
		}
	}
	n := min(len(got), len(want))
	if !ref.Hostile && n != mostFacts {
		s.t.Errorf("question %q: %d and %d facts, want %d", question, len(got), len(want), mostFacts)
	}
	got, want = got[:n], want[:n]
	// Cosines of 32-bit floats tell equal ones apart by their rounding: within
	// a hair's breadth the order is taken to be that of the store.
	byScore := func(a, b referenceHit) int {
		if math.Abs(a.Score-b.Score) > 1e-6 {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.ID, b.ID)
	}
	if !slices.EqualFunc(got, want, func(a, b referenceHit) bool { return a.ID == b.ID }) {
		slices.SortFunc(got, byScore)
		slices.SortFunc(want, byScore)
		s.near++
	}
	s.asked++
	if slices.EqualFunc(got, want, func(a, b referenceHit) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-5 }) {
		s.equal++
	} else {
		s.t.Errorf("question %q finds other facts", question)
	}
}

// lists adds a line about the lists that were compared.
func (s *sums) lists() {
	s.row("lists", s.asked, s.equal, 0, fmt.Sprintf("%d of them up to the order of equal scores", s.near))
}

func hash(texts ...string) string { return strings.Join(texts, "\x00") }
