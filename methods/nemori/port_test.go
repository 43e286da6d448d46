package nemori

import (
	"context"
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
	"recallbench/methods/methodtest"
)

// A reference is what scripts/ports/nemori.py writes: what the authors' code did
// with a conversation and with scripted replies.
type reference struct {
	Sample   string `json:"sample"`
	Messages []struct {
		Speaker string `json:"speaker"`
		Time    string `json:"time"`
	} `json:"messages"`
	Calls    []call            `json:"calls"`
	Texts    map[string]string `json:"texts"` // the bits of their vectors, in hex
	Episodes []struct {
		Messages int    `json:"messages"`
		Title    string `json:"title"`
		Content  string `json:"content"`
		Time     string `json:"time"`
	} `json:"episodes"`
	Statements []struct {
		Text    string `json:"text"`
		Episode int    `json:"episode"`
		Time    string `json:"time"`
	} `json:"statements"`
	Questions []struct {
		Question   string   `json:"question"`
		Episodes   []hit    `json:"episodes"`
		Statements []hit    `json:"statements"`
		Originals  []int    `json:"originals"` // episodes with their messages
		Lines      []string `json:"lines"`     // of the episodes
	} `json:"questions"`
}

type call struct {
	Kind    string   `json:"kind"`
	Replies []string `json:"replies"`  // to asking, and to asking again
	Shown   int      `json:"shown"`    // messages of the history of a boundary
	Of      int      `json:"messages"` // of an episode
	Episode int      `json:"episode"`  // of the other kinds
	Known   []string `json:"known"`    // that a prediction is made from
}

type hit struct {
	Index int     `json:"index"`
	Score float64 `json:"score"`
}

// TestPort replays what the authors' code was told and compares what became of it,
// record by record. Differences that docs/methods.md lists are counted, all others
// are faults. Replies have the form that the project's prompts ask for.
func TestPort(t *testing.T) {
	folder := os.Getenv("BENCH_PORTS")
	if folder == "" {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/nemori.py")
	}
	t.Setenv("BENCH_REQUIRE_DATA", "1")
	files, err := filepath.Glob(filepath.Join(folder, "nemori-[0-9]*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no nemori-*.json: %v", folder, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { replay(t, file) })
	}
}

func replay(t *testing.T, file string) {
	t.Helper()
	data := try.Get(os.ReadFile(file))(t)
	p := &port{T: t, listed: make(map[string]int)}
	try.Do(t, json.Unmarshal(data, &p.ref))
	p.build(p.reply)
	p.same("number of messages", len(p.ref.Messages), len(p.memory.messages))
	for i, m := range p.memory.messages {
		p.same(fmt.Sprintf("message %d", i), p.ref.Messages[i].Speaker+p.ref.Messages[i].Time, m.Line.Speaker+isoTime(m.Line.Time))
	}
	p.stores()
	p.texts()
	p.retrieval()
	t.Logf("%s: %d calls, %d records compared, %d equal, listed differences %v", p.ref.Sample, len(p.ref.Calls), p.equal+total(p.listed), p.equal, p.listed)
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// A port compares a memory with a reference.
type port struct {
	*testing.T

	ref    reference
	memory *memory
	equal  int
	listed map[string]int // differences by name

	embedded map[string]bool
	asked    []call // by the port

	lost  map[int]bool // episodes without a usable reply
	ours  map[int]int  // the port's statement of each of the authors'
	extra map[int]bool // statements that only the port has
	twice map[int]bool // statements that only the authors have: repeated ones
}

// same compares a record.
func (p *port) same(what string, want, got any) {
	p.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		p.Errorf("%s (-authors +port):\n%s", what, diff)
		return
	}
	p.equal++
}

// build builds the memory of the sample with the reference's replies.
func (p *port) build(reply llm.GeneratorFunc) {
	set, err := locomo.Spec.Open(p.Context(), datasets.Env{Dir: realdata.Datasets(p)}, locomo.Spec.Options)
	if err != nil {
		p.Fatal(err)
	}
	samples := try.All(p, set.All(p.Context()))
	at := slices.IndexFunc(samples, func(s datasets.Sample) bool { return s.ID == p.ref.Sample })
	if at < 0 {
		p.Fatalf("LoCoMo has no sample %q", p.ref.Sample)
	}
	prompts, err := prompt.Load(Spec.Name, Spec.Prompts, nil)
	if err != nil {
		p.Fatal(err)
	}
	p.embedded = make(map[string]bool)
	m, err := Spec.New(methods.Env{LLM: reply, Embed: signs{p}, Prompts: prompts, Log: slog.New(slog.DiscardHandler)}, Defaults())
	if err != nil {
		p.Fatal(err)
	}
	ctx, _ := meter.With(p.Context(), time.Now, meter.Limits{})
	built, err := m.Build(ctx, samples[at])
	if err != nil {
		p.Fatal(err)
	}
	p.memory = built.(*memory)
}

func isoTime(t time.Time) string { return t.Format("2006-01-02T15:04:05") }

// reply gives the authors' reply to the same question.
func (p *port) reply(_ context.Context, r llm.Request) (llm.Reply, error) {
	attempt := 1
	if !llm.AsksAgain(r.Messages[len(r.Messages)-1].Content) {
		attempt = 0
		p.asked = append(p.asked, call{Kind: r.Role, Episode: p.count("episode") - 1})
	}
	c := &p.asked[len(p.asked)-1]
	kinds := []string{r.Role}
	first := llm.Request{Messages: r.Messages[:min(2, len(r.Messages))]}
	switch r.Role {
	case "boundary":
		c.Shown, c.Episode = len(methodtest.Lines(first))-1, p.count("boundary")
	case "episode":
		c.Of, c.Episode = len(methodtest.Lines(first)), p.count("episode")-1
	case "predict":
		for line := range strings.Lines(first.Messages[0].Content) {
			if text, ok := strings.CutPrefix(line, "- "); ok {
				c.Known = append(c.Known, strings.TrimSuffix(text, "\n"))
			}
		}
	case "statements":
		kinds = []string{"cold", "extract"}
	}
	n := 0
	for _, ref := range p.ref.Calls {
		if !slices.Contains(kinds, ref.Kind) {
			continue
		}
		n++
		if at := ref.Episode; r.Role == "boundary" && n == c.Episode || r.Role == "episode" && n == c.Episode+1 || r.Role != "boundary" && r.Role != "episode" && at == c.Episode {
			c.Replies = ref.Replies
			return llm.Reply{Text: translate(r.Role, ref.Replies[min(attempt, len(ref.Replies)-1)])}, nil
		}
	}
	if r.Role != "predict" {
		p.Errorf("the authors' code did not ask for %s %d", r.Role, c.Episode)
	}
	return llm.Reply{Text: "nothing"}, nil
}

// count counts what was asked for with a role.
func (p *port) count(role string) (n int) {
	for _, c := range p.asked {
		if c.Kind == role {
			n++
		}
	}
	return n
}

var object = regexp.MustCompile(`(?s)\{.*\}`)

// translate gives the fields of a reply the names that the project's prompts ask for.
func translate(role, reply string) string {
	found := object.FindString(reply)
	var fields map[string]any
	if json.Unmarshal([]byte(found), &fields) != nil {
		return reply
	}
	renamed := make(map[string]any)
	for from, to := range map[string]map[string]string{
		"boundary":   {"should_end": "new_episode", "reason": "why", "confidence": "confidence"},
		"episode":    {"title": "title", "content": "content", "timestamp": "time"},
		"statements": {"statements": "statements"},
	}[role] {
		if value, ok := fields[from]; ok {
			renamed[to] = value
		}
	}
	data, err := json.Marshal(renamed)
	if err != nil {
		panic(err)
	}
	return strings.Replace(reply, found, string(data), 1)
}

// signs embeds as the script does: a vector is the signs of the sum of the bit
// patterns of a text's words.
type signs struct{ *port }

func (s signs) Fit(context.Context, []string) (embed.Embedder, error) { return s, nil }
func (signs) Info() embed.Info                                        { return embed.Info{Dim: 1024, Normalised: true} }

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

func bits(v []float32) string {
	packed := make([]byte, len(v)/8)
	for i, x := range v {
		if x > 0 {
			packed[i/8] |= 1 << (7 - i%8)
		}
	}
	return hex.EncodeToString(packed)
}

// usable reports whether one of the replies that the port looks at fits.
func usable(role string, replies []string) bool {
	for _, r := range replies[:min(2, len(replies))] {
		var e struct{ Content string }
		found := object.FindString(translate(role, r))
		if json.Unmarshal([]byte(found), &e) == nil && e.Content != "" {
			return true
		}
	}
	return false
}

// stores compares questions to the model, episodes and statements.
func (p *port) stores() {
	m := p.memory
	p.lost = make(map[int]bool)
	if len(p.ref.Episodes) != len(m.episodes) {
		p.Fatalf("%d episodes, the authors' code has %d", len(m.episodes), len(p.ref.Episodes))
	}
	episode := p.of("episode")
	for i, want := range p.ref.Episodes {
		e := m.episodes[i]
		p.same(fmt.Sprintf("length of episode %d", i), want.Messages, e.End-e.First)
		if !usable("episode", episode[i].Replies) {
			p.lost[i] = true
			p.listed["the messages stand for an account that is not usable"]++
			if lines := building.Clean(transcript.Texts(building.Lines(m.messages[e.First:e.End])), building.MaxContent); e.Content != lines {
				p.Errorf("episode %d: account %q, want the messages", i, e.Content)
			}
			continue
		}
		p.same(fmt.Sprintf("episode %d", i), []string{want.Title, want.Content, want.Time}, []string{e.Title, e.Content, isoTime(e.Time)})
	}
	p.statements()
	asked := p.of("boundary")
	n := 0
	for _, c := range p.ref.Calls {
		if c.Kind == "boundary" {
			p.same(fmt.Sprintf("history of boundary %d", n), c.Shown, asked[n].Shown)
			n++
		}
	}
	p.same("number of boundaries", n, len(asked))
	p.predictions()
}

// of returns what the port asked for with a role.
func (p *port) of(role string) (calls []call) {
	for _, c := range p.asked {
		if c.Kind == role {
			calls = append(calls, c)
		}
	}
	return calls
}

// fold folds white space, as the port does.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// statements compares the statements of each episode.
func (p *port) statements() {
	p.ours, p.extra, p.twice = make(map[int]int), make(map[int]bool), make(map[int]bool)
	at := make(map[string]int) // the port's, by episode and text
	for i, s := range p.memory.statements {
		at[fmt.Sprint(s.Episode, s.Text)] = i
		p.extra[i] = true
	}
	has := make(map[int]bool)
	for i, want := range p.ref.Statements {
		text := fold(want.Text)
		got, ok := at[fmt.Sprint(want.Episode, text)]
		switch {
		case text == "":
			p.listed["an empty statement is left out"]++
			p.twice[i] = true
			continue
		case !ok:
			p.Errorf("statement %d %q of episode %d is not in the port's memory", i, want.Text, want.Episode)
			continue
		case !p.extra[got]:
			p.listed["a statement that a reply repeats is kept once"]++
			p.twice[i] = true
		case text != want.Text:
			p.listed["white space is folded"]++
		case p.lost[want.Episode]:
			p.listed["an unusable account has the time of its messages"]++
		default:
			e := p.memory.episodes[p.memory.statements[got].Episode]
			p.same(fmt.Sprintf("time of statement %d", i), want.Time, isoTime(e.Time))
		}
		p.ours[i], has[want.Episode] = got, true
		delete(p.extra, got)
	}
	for i := range p.extra {
		s := p.memory.statements[i]
		p.listed["the account stands for statements that are not usable"]++
		if has[s.Episode] || s.Text != building.Clean(p.memory.episodes[s.Episode].Content, building.MaxContent) {
			p.Errorf("statement %q of episode %d is not in the authors' memory", s.Text, s.Episode)
		}
	}
}

// predictions compares what predictions are made from.
func (p *port) predictions() {
	only := make(map[string]bool) // texts that only the port has
	for i := range p.extra {
		only[p.memory.statements[i].Text] = true
	}
	known := make(map[int][]string)
	for _, c := range p.ref.Calls {
		for _, k := range c.Known {
			if c.Kind == "predict" {
				known[c.Episode] = append(known[c.Episode], fold(k))
			}
		}
	}
	for _, c := range p.of("predict") {
		got := slices.DeleteFunc(slices.Clone(c.Known), func(k string) bool { return only[k] })
		want := p.once(known[c.Episode], c.Episode)
		full := max(len(c.Known), len(known[c.Episode])) == 10 // statements that a prediction is made from
		delete(known, c.Episode)
		if p.lost[c.Episode] {
			p.listed["a prediction for an account that is not usable"]++
			continue
		}
		if n := min(len(want), len(got)); full { // what only one has took places
			want, got = want[:n], got[:n]
		}
		p.same(fmt.Sprintf("known for episode %d", c.Episode), want, got)
	}
	for e := range known {
		if p.lost[e] {
			continue
		}
		p.Errorf("no prediction for episode %d, the authors' code makes one from %q", e, known[e])
	}
}

// once leaves out the repetitions, in texts, of statements that came before an
// episode and that the port has once.
func (p *port) once(texts []string, before int) (kept []string) {
	repeated := make(map[string]int)
	for i := range p.twice {
		if s := p.ref.Statements[i]; s.Episode < before {
			repeated[fold(s.Text)]++
		}
	}
	for _, text := range texts {
		if repeated[text] > 0 {
			repeated[text]--
			continue
		}
		kept = append(kept, text)
	}
	return kept
}

// texts compares what was embedded, and its vectors.
func (p *port) texts() {
	apart := make(map[string]bool) // differences that were counted
	for i := range p.lost {
		e := p.ref.Episodes[i]
		apart[fold(e.Title+". "+e.Content)], apart[p.memory.episodes[i].Index()] = true, true
	}
	for i := range p.extra {
		apart[p.memory.statements[i].Text] = true
	}
	questions := make(map[string]bool) // these are asked later
	for _, q := range p.ref.Questions {
		questions[fold(q.Question)] = true
	}
	for text, want := range p.ref.Texts {
		p.same("vector of "+text, want, bits(vector(text)))
		text = fold(text)
		if text != "" && !apart[text] && !questions[text] && !p.embedded[text] {
			p.Errorf("only the authors' code embeds %q", text)
		}
		delete(p.embedded, text)
	}
	for text := range p.embedded {
		if !apart[text] {
			p.Errorf("only the port embeds %q", text)
		}
	}
}

// retrieval compares what is found for each question.
func (p *port) retrieval() {
	for _, q := range p.ref.Questions {
		v := vector(q.Question)
		all := func(f *index.Dense, n int) []index.Hit {
			hits, err := f.Search(v, n)
			if err != nil {
				p.Fatal(err)
			}
			return hits
		}
		var want, got []index.Hit
		for rank, h := range q.Episodes {
			if !p.lost[h.Index] {
				want = append(want, index.Hit{Index: h.Index, Score: h.Score})
				p.same("line of an episode", q.Lines[rank], p.memory.episodes[h.Index].Index())
			}
		}
		for _, h := range all(p.memory.byEpisode, len(p.memory.episodes)) {
			if !p.lost[h.Index] {
				got = append(got, index.Hit{Index: h.Index, Score: 2*h.Score - 1})
			}
		}
		p.found("episodes", q.Question, want, got)
		want, got = nil, nil
		for _, h := range q.Statements {
			if !p.twice[h.Index] {
				want = append(want, index.Hit{Index: p.ours[h.Index], Score: h.Score})
			}
		}
		for _, h := range all(p.memory.byStatement, len(p.memory.statements)) {
			if !p.extra[h.Index] {
				got = append(got, index.Hit{Index: h.Index, Score: 2*h.Score - 1})
			}
		}
		p.found("statements", q.Question, want, got)
		if len(p.lost) == 0 {
			shown := p.memory.shown(all(p.memory.byEpisode, mostEpisodes), nil)
			var originals []int
			for _, e := range shown.Evidence {
				var i int
				if _, err := fmt.Sscanf(e.ID, "episode %d with messages", &i); err == nil {
					originals = append(originals, i)
				}
			}
			p.same("episodes with messages", q.Originals, originals)
		}
	}
}

func (p *port) found(what, question string, want, got []index.Hit) {
	got = got[:min(len(got), len(want))]
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6), cmpopts.EquateEmpty()); diff != "" {
		p.Errorf("%s of %q (-authors +port):\n%s", what, question, diff)
		return
	}
	p.equal++
}
