package memoryos

import (
	"context"
	"crypto/sha256"
	"encoding/json"
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
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/index"
)

// A reference is what scripts/ports/memoryos.py wrote down of a run of the authors'
// code.
type reference struct {
	Code     string
	Fallback string // the summary of a page whose themes cannot be read
	Speakers []string
	Turns    []struct {
		ID, Session, Speaker, Text string
		Time                       time.Time
	}
	Replies map[string][]string // by kind, in the order of calls
	Texts   []string            // that were embedded
	Store   struct {
		Segments        []referenceSegment
		Short           int
		Profile         string
		User, Assistant []string
	}
	Found []struct {
		Question string
		Pages    []struct {
			Page  int
			Score float64
		}
		User, Assistant []string
	}
}

type referenceSegment struct {
	Summary      string
	Keywords     []string
	Interactions int
	Heat         float64
	Pages        []referencePage
}

type referencePage struct {
	Page       int
	Overview   string
	Prev, Next int
	Keywords   []string
	Analysed   bool
}

// patterns is the function by which the script embeds.
type patterns struct{}

var patternWord = regexp.MustCompile(`[a-z0-9]+`)

func (p patterns) Fit(context.Context, []string) (embed.Embedder, error) { return p, nil }
func (patterns) Info() embed.Info                                        { return embed.Info{Dim: 256} }

func (patterns) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, 256)
		for _, word := range append(patternWord.FindAllString(strings.ToLower(text), -1), "") {
			for i, b := range sha256.Sum256([]byte(word)) {
				for bit := range 8 {
					v[8*i+bit] += float32(b>>(7-bit)&1)*2 - 1
				}
			}
		}
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// A replayer gives the replies that the authors' code got to the port, in the form
// that the port asks for.
type replayer struct {
	t    *testing.T
	ref  *reference
	next map[string]int
	// listed counts where the port differs on purpose.
	listed map[string]int
	again  string // the reply to a request that asks again
}

func (r *replayer) take(kind string) string {
	i := r.next[kind]
	r.next[kind]++
	if i >= len(r.ref.Replies[kind]) {
		r.t.Fatalf("the port asks for %s more often than the authors' code, %d times", kind, i)
	}
	return strings.TrimSpace(r.ref.Replies[kind][i])
}

const (
	userData      = "【User Data】"
	privateData   = "【User Private Data】"
	assistantData = "【Assistant Knowledge】"
)

// Generate implements [llm.Generator].
func (r *replayer) Generate(_ context.Context, request llm.Request) (llm.Reply, error) {
	if llm.AsksAgain(request.Messages[len(request.Messages)-1].Content) {
		return llm.Reply{Text: r.again}, nil
	}
	text := r.reply(request)
	r.again = text
	return llm.Reply{Text: text, Finish: "stop"}, nil
}

func (r *replayer) reply(request llm.Request) string {
	switch request.Task.(type) {
	case llm.BoundaryTask:
		if r.ref.Code == "pypi" && r.next["continuity"] == 0 {
			r.take("continuity")
			r.listed["continuity asked of the first page"]++
		}
		switch text := r.take("continuity"); strings.ToLower(text) {
		case "true":
			return `{"why": "", "new_episode": false, "confidence": 1}`
		case "false":
			return `{"why": "", "new_episode": true, "confidence": 1}`
		default:
			return text
		}
	case llm.SummaryTask:
		if request.Params.MaxTokens == overviewTokens {
			return r.take("overview")
		}
		return r.take("merge")
	case llm.ThemesTask:
		return r.themes(r.take("themes"))
	case llm.KeywordsTask:
		return marshal(r.t, llm.Keywords{Keywords: r.take("keywords")})
	case llm.PortraitTask:
		if r.ref.Code == "pypi" {
			private, _ := r.knowledge(r.ref.Replies["knowledge"][r.next["knowledge"]])
			return marshal(r.t, llm.Portrait{Profile: r.take("profile"), Facts: private})
		}
		profile, data, marked := strings.Cut(r.take("personality"), userData)
		if !marked {
			r.listed["a personality without facts"]++
		}
		return marshal(r.t, llm.Portrait{
			Profile: strings.TrimSpace(strings.ReplaceAll(profile, "【User Profile】", "")), Facts: strings.Split(data, "\n"),
		})
	case llm.StatementsTask:
		if r.ref.Code == "pypi" {
			_, assistant := r.knowledge(r.take("knowledge"))
			return marshal(r.t, llm.Statements{Statements: assistant})
		}
		return marshal(r.t, llm.Statements{Statements: []string{strings.ReplaceAll(r.take("assistant"), assistantData, "")}})
	default:
		r.t.Fatalf("the authors' code asks for no %s", request.Task.Kind())
		return ""
	}
}

// themes writes the authors' list of themes as an object. What is no list is left
// as it is, but that their package then takes a text of its own.
func (r *replayer) themes(text string) string {
	var list []llm.Theme
	if err := json.Unmarshal([]byte(text), &list); err == nil && len(list) > 0 {
		return marshal(r.t, llm.Themes{Themes: list})
	}
	r.listed["a page without themes"]++
	if r.ref.Code != "pypi" {
		return text
	}
	return marshal(r.t, llm.Themes{Themes: []llm.Theme{{Keywords: []string{}, Content: r.ref.Fallback}}})
}

// knowledge reads the two lists of a reply. Either may be absent.
func (r *replayer) knowledge(text string) (private, assistant []string) {
	before, after, marked := strings.Cut(text, assistantData)
	if marked {
		assistant = strings.Split(after, "\n")
	}
	if _, list, ok := strings.Cut(before, privateData); ok {
		private = strings.Split(list, "\n")
	}
	return append([]string{}, private...), append([]string{}, assistant...)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPort replays what scripts/ports/memoryos.py wrote down of the authors' code,
// and compares what is embedded, the store, and what each question finds.
func TestPort(t *testing.T) {
	dir := os.Getenv("BENCH_PORTS")
	if dir == "" {
		t.Skip("BENCH_PORTS does not name a folder with files of scripts/ports/memoryos.py")
	}
	files, err := filepath.Glob(filepath.Join(dir, "memoryos-*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("%s has no memoryos-*.json, which scripts/ports/memoryos.py writes", dir)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ref := new(reference)
			if err := json.Unmarshal(data, ref); err != nil {
				t.Fatal(err)
			}
			comparePort(t, ref)
		})
	}
}

func comparePort(t *testing.T, ref *reference) {
	t.Helper()
	r := &replayer{t: t, ref: ref, next: make(map[string]int), listed: make(map[string]int)}
	o := options(Profile(ref.Code))
	o.Pairing = Lossy
	method := makeMethod(t, o, func(llm.Generator) llm.Generator { return r })
	texts := &noted{texts: make(map[string]bool)}
	method.embed = texts
	m := buildMemory(t.Context(), t, method, ref.sample())
	records := 0
	ordinal := ref.compareStore(t, r, m, &records)
	for _, q := range ref.Found {
		found, err := m.search(t.Context(), q.Question)
		if err != nil {
			t.Fatal(err)
		}
		records += 2
		if len(found.pages) != len(q.Pages) {
			t.Errorf("%q: %d pages, want %d", q.Question, len(found.pages), len(q.Pages))
			continue
		}
		for i, want := range q.Pages {
			got := found.pages[i]
			// Of pages that are as similar the authors' code takes the one that stands
			// lower in memory.
			if ordinal[got.page.id] != want.Page && math.Abs(got.score-want.Score) > tie {
				t.Errorf("%q: page %d at place %d with %v, want page %d with %v", q.Question, ordinal[got.page.id], i, got.score, want.Page, want.Score)
			} else if ordinal[got.page.id] != want.Page {
				r.listed["pages as similar"]++
			}
		}
		compareFacts(t, r, q.Question, pick(m.long.user, found.userFacts), q.User, m.Search.User)
		if ref.Code == "pypi" {
			records++
			compareFacts(t, r, q.Question, pick(m.long.agent, found.agentFacts), q.Assistant, m.Search.Assistant)
		}
	}
	calls := 0
	for kind, list := range ref.Replies {
		calls += len(list)
		if r.next[kind] != len(list) {
			t.Errorf("the port asks for %s %d times, the authors' code %d times", kind, r.next[kind], len(list))
		}
	}
	embedded := ref.compareTexts(t, r, m, texts.texts)
	t.Logf("%s: %d calls, %d records, %d texts embedded; on purpose: %v", ref.Code, calls, records, embedded, r.listed)
}

// noted is an embedder that notes what it embeds.
type noted struct {
	patterns

	texts map[string]bool
}

func (n *noted) Fit(context.Context, []string) (embed.Embedder, error) { return n, nil }

func (n *noted) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	for _, text := range r.Texts {
		n.texts[folded(text)] = true
	}
	return n.patterns.Embed(ctx, r)
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

func (ref *reference) sample() datasets.Sample {
	s := datasets.Sample{ID: "port", Speakers: ref.Speakers}
	for _, t := range ref.Turns {
		if n := len(s.Sessions); n == 0 || s.Sessions[n-1].ID != t.Session {
			s.Sessions = append(s.Sessions, datasets.Session{ID: t.Session, Time: t.Time})
		}
		session := &s.Sessions[len(s.Sessions)-1]
		session.Turns = append(session.Turns, datasets.Turn{ID: t.ID, Speaker: t.Speaker, Text: t.Text, Time: t.Time})
	}
	return s
}

// compareStore compares segments, pages and long-term memory. It returns the
// authors' numbers of pages, which count only those with both sides.
func (ref *reference) compareStore(t *testing.T, r *replayer, m *memory, records *int) map[int]int {
	t.Helper()
	ordinal := make(map[int]int)
	for _, p := range m.pages {
		if !p.half() {
			ordinal[p.id] = len(ordinal) + 1
		}
	}
	var got []referenceSegment
	for _, s := range m.mid.segments {
		segment := referenceSegment{Summary: s.summary, Keywords: sorted(s.keywords), Interactions: s.fresh, Heat: s.heat}
		for _, p := range s.pages {
			segment.Pages = append(segment.Pages, referencePage{p.id, p.overview, p.prev, p.next, sorted(p.keywords), p.analysed})
		}
		for i := range segment.Pages {
			p := &segment.Pages[i]
			p.Page, p.Prev, p.Next = ordinal[p.Page], ordinal[p.Prev], ordinal[p.Next]
		}
		*records += 1 + len(segment.Pages)
		got = append(got, segment)
	}
	want := ref.Store.Segments
	for i := range want {
		want[i].Keywords = sorted(want[i].Keywords)
		for k := range want[i].Pages {
			p := &want[i].Pages[k]
			p.Overview, p.Keywords = folded(p.Overview), sorted(p.Keywords)
		}
	}
	approximately := cmpopts.EquateApprox(0, 1e-9)
	if diff := cmp.Diff(want, got, approximately, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("segments (-authors +port):\n%s", diff)
	}
	*records += 4
	if len(m.short) != ref.Store.Short {
		t.Errorf("%d pages in short-term memory, want %d", len(m.short), ref.Store.Short)
	}
	if ref.Store.Profile == "None" {
		ref.Store.Profile = ""
	}
	if diff := cmp.Diff(folded(ref.Store.Profile), m.long.profile); diff != "" {
		t.Errorf("profile (-authors +port):\n%s", diff)
	}
	compareFacts(t, r, "store", m.long.user, ref.Store.User, -1)
	compareFacts(t, r, "store", m.long.agent, ref.Store.Assistant, -1)
	*records += len(m.long.user) + len(m.long.agent)
	return ordinal
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// compareFacts compares lists of facts. The authors also keep facts that say that
// there is none, which take the place of others where only some are found.
func compareFacts(t *testing.T, r *replayer, name string, got, want []string, most int) {
	t.Helper()
	var kept []string
	for _, f := range want {
		if none := strings.Trim(strings.ToLower(folded(f)), "- .") == "none"; none {
			r.listed["a fact that says none"]++
			continue
		}
		kept = append(kept, folded(f))
	}
	if len(kept) < len(want) && most > 0 {
		got = got[:min(len(kept), len(got))]
	}
	got = slices.Clone(got)
	for i := range min(len(kept), len(got)) { // as with pages
		if kept[i] != got[i] && most > 0 && alike(t, name, kept[i], got[i]) {
			r.listed["facts as similar"]++
			got[i] = kept[i]
		}
	}
	if diff := cmp.Diff(kept, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: facts (-authors +port):\n%s", name, diff)
	}
}

// alike reports whether a question is as similar to one text as to another.
func alike(t *testing.T, question, a, b string) bool {
	t.Helper()
	v, err := embed.Vectors(t.Context(), patterns{}, embed.Query, []string{question, a, b})
	if err != nil {
		t.Fatal(err)
	}
	return math.Abs(embed.Cosine(v[0], v[1])-embed.Cosine(v[0], v[2])) < tie
}

// tie is a difference of cosines that rounding can make.
const tie = 1e-6

// compareTexts compares what is embedded, each text once, and returns how many
// texts of the authors the port embeds too. The authors embed pages in forms that
// nothing reads, and embed pages again for each question that comes near to them;
// the port embeds each page once.
func (ref *reference) compareTexts(t *testing.T, r *replayer, m *memory, texts map[string]bool) (both int) {
	t.Helper()
	authors, unread := make(map[string]bool), make(map[string]bool)
	for _, p := range m.pages {
		user, agent := said(p.user), said(p.agent)
		if ref.Code == "eval" {
			unread[folded("User: "+user+" Assiant: "+agent)] = true
			unread[folded("用户: "+user)] = true
		}
	}
	for _, text := range ref.Texts {
		text = folded(text)
		authors[text] = true
		switch {
		case texts[text]:
			both++
		case unread[text]:
			r.listed["a page's vector that nothing reads"]++
		case strings.Trim(strings.ToLower(text), "- .") == "none":
		default:
			if len(m.long.user) < m.Knowledge && len(m.long.agent) < m.Knowledge || m.Knowledge < 0 || !strings.HasPrefix(text, "- ") {
				t.Errorf("the port does not embed %q", text)
				continue
			}
			r.listed["a fact that made room for later ones"]++
		}
	}
	pages := make(map[string]bool)
	for _, p := range m.pages {
		pages[folded(p.text(m.Profile))] = true
	}
	for text := range texts {
		switch {
		case authors[text]:
		case pages[text]:
			r.listed["a page that no question comes near"]++
		default:
			t.Errorf("the authors' code does not embed %q", text)
		}
	}
	return both
}

// pick returns the facts that were found.
func pick(list []string, found []index.Hit) []string {
	var out []string
	for _, h := range found {
		out = append(out, list[h.Index])
	}
	return out
}
