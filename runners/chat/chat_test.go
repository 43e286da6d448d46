package chat_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/standin"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
	"recallbench/runners"
	"recallbench/runners/chat"
)

var quiet = slog.New(slog.DiscardHandler)

func house() chat.House {
	return chat.House{
		Plugins: suite.Plugins(), Env: runners.Env{Now: time.Now, Log: quiet, Getenv: func(string) string { return "" }},
		Recorder: func(calls.Mode) (*calls.Recorder, error) { return calls.NewRecorder(nil, calls.Off), nil },
	}
}

// engine returns an engine over a folder. Its model carries out what requests begin
// with, see [methodtest.TreeModel].
func engine(t *testing.T, dir string) *chat.Engine {
	t.Helper()
	return engineOver(t, dir, methodtest.TreeModel)
}

// engineOver returns an engine whose stand-in a function wraps.
func engineOver(t *testing.T, dir string, wrap func(llm.Generator) llm.Generator) *chat.Engine {
	t.Helper()
	h := house()
	h.Plugins.Models = slices.Clone(h.Plugins.Models)
	for i, m := range h.Plugins.Models {
		if m.Name != standin.Name {
			continue
		}
		model := *m
		model.Open = func(ctx context.Context, env backend.Env, options any) (backend.Doors, error) {
			doors, err := m.Open(ctx, env, options)
			doors.LLM = wrap(doors.LLM)
			return doors, err
		}
		h.Plugins.Models[i] = &model
	}
	e := &chat.Engine{Dir: dir, Open: h.Open, Budget: budget.New(0, 0), Now: time.Now, Log: quiet}
	t.Cleanup(func() { try.Do(t, e.Close()) })
	return e
}

// A client talks to an engine as a page does.
type client struct {
	*testing.T
	url string
	id  string
}

func serve(t *testing.T, e *chat.Engine) *client {
	t.Helper()
	s := httptest.NewServer(e.Handler())
	t.Cleanup(s.Close)
	return &client{T: t, url: s.URL + "/api/chat"}
}

// send posts a body, or gets where there is none, and returns the status and the answer.
func (c *client) send(path string, body any) (int, string) {
	c.Helper()
	method, data := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		data, _ = json.Marshal(body)
	}
	r := try.Get(http.NewRequestWithContext(c.Context(), method, c.url+path, bytes.NewReader(data)))(c.T)
	resp := try.Get(http.DefaultClient.Do(r))(c.T) //nolint:bodyclose // closed below
	defer resp.Body.Close()
	text := try.Get(io.ReadAll(resp.Body))(c.T)
	return resp.StatusCode, string(text)
}

// must is send for what has to be answered with a status.
func must[T any](c *client, status int, path string, body any) (v T) {
	c.Helper()
	got, text := c.send(path, body)
	if got != status {
		c.Fatalf("%s: status %d, want %d: %s", path, got, status, text)
	}
	try.Do(c.T, json.Unmarshal([]byte(text), &v))
	return v
}

func (c *client) begin(start map[string]any) {
	c.Helper()
	c.id = must[struct{ ID string }](c, http.StatusCreated, "", start).ID
}

// ask asks below the head, waits for the end of the turn, and returns the chat.
func (c *client) ask(text string) chat.View {
	c.Helper()
	head := c.view().Head
	must[map[string]int](c, http.StatusAccepted, "/"+c.id+"/turn", map[string]any{"parent": head, "text": text})
	return c.settled()
}

// settled waits for the end of the turn under way.
func (c *client) settled() chat.View {
	c.Helper()
	for {
		if v := c.view(); !v.Busy {
			return v
		}
		time.Sleep(time.Millisecond)
	}
}

func (c *client) view() chat.View {
	c.Helper()
	return must[chat.View](c, http.StatusOK, "/"+c.id, nil)
}

const weekend = `<Itinerary title="A weekend at the coast">
  <Day index="1"><POI name="Maritime museum" time="10:00"/><POI name="Pottery class" time="15:00"/></Day>
  <Day index="2"><POI name="Cliff path" time="9:00"/><POI name="Sandy cove" time="15:30"/></Day>
</Itinerary>`

// A chat goes on, back and on in a branch, and all of it is there after a restart.
func TestBranches(t *testing.T) {
	dir := t.TempDir()
	e := engine(t, dir)
	c := serve(t, e)
	c.begin(map[string]any{"source": map[string]any{"xml": weekend}, "method": "semantic-xpath", "model": "stand-in", "today": "2026-03-01"})
	v := c.ask("Delete the pottery class.")
	if v.Head != 1 || v.Versions != 2 || len(v.Turns[0].Record.Edits) != 1 || v.Turns[0].Record.Edits[0].Op != tree.Delete {
		t.Fatalf("after a deletion: %+v", v)
	}
	must[any](c, http.StatusOK, "/"+c.id+"/head", map[string]int{"turn": 0})
	if v = c.view(); v.Head != 0 || v.Versions != 1 || v.Redo != 1 {
		t.Fatalf("undone: %+v", v)
	}
	v = c.ask("Delete the sandy cove.")
	if v.Head != 2 || v.Versions != 2 || v.Turns[1].Parent != 0 {
		t.Fatalf("in a branch: %+v", v)
	}
	s := must[structure.Structure](c, http.StatusOK, "/"+c.id+"/structure?turn=1", nil)
	if s.Query == "" || len(s.Steps) == 0 || s.Version != 2 || s.Base != 1 {
		t.Errorf("the execution of a turn: query %q, %d steps, version %d of %d", s.Query, len(s.Steps), s.Version, s.Base)
	}
	rows := func(c *client, turn int) map[string]string {
		marks := make(map[string]string)
		s := must[struct {
			Nodes []struct{ Label, Mark string }
		}](c, http.StatusOK, fmt.Sprintf("/%s/structure?turn=%d", c.id, turn), nil)
		for _, n := range s.Nodes {
			marks[n.Label] = n.Mark
		}
		return marks
	}
	want := rows(c, 2)
	if want["Sandy cove"] != "deleted" || want["Pottery class"] != "" {
		t.Errorf("rows %v", want)
	}
	before := c.view()

	again := serve(t, engine(t, dir))
	again.id = c.id
	try.Equal(t, "after a restart", before, again.view())
	try.Equal(t, "rows after a restart", want, rows(again, 2))
	must[any](again, http.StatusOK, "/"+c.id+"/head", map[string]int{"turn": 0})
	if v = again.view(); v.Head != 0 || v.Versions != 1 || v.Redo != 2 {
		t.Errorf("undone after a restart: %+v", v)
	}
	must[any](again, http.StatusOK, "/"+c.id+"/head", map[string]int{"turn": 1})
	if v = again.ask("Delete the cliff path."); v.Head != 3 || v.Versions != 3 || v.Turns[2].Parent != 1 {
		t.Errorf("on after a restart: %+v", v)
	}
	marks := rows(again, 3)
	if _, there := marks["Pottery class"]; there || marks["Cliff path"] != "deleted" || marks["Sandy cove"] != "" {
		t.Errorf("rows of the branch %v", marks)
	}
	q := must[struct {
		Steps []semxpath.Step
		Nodes []struct {
			Label string
			About bool
		}
	}](again, http.StatusOK, "/"+c.id+"/query", map[string]any{"version": 1, "query": `//POI[node ~= "Pottery class"]`})
	found := false
	for _, n := range q.Nodes {
		found = found || n.About && n.Label == "Pottery class"
	}
	if !found || len(q.Steps) == 0 {
		t.Errorf("query over the first version: %+v", q)
	}
	if list := must[[]chat.Start](again, http.StatusOK, "", nil); len(list) != 1 || list[0].ID != c.id {
		t.Errorf("list %+v", list)
	}
}

// What cannot be is refused with a status and a text that says what would be right.
func TestRefused(t *testing.T) {
	c := serve(t, engine(t, t.TempDir()))
	c.begin(map[string]any{"source": map[string]any{"xml": weekend}, "model": "stand-in"})
	own := map[string]any{"xml": weekend}
	for _, tt := range []struct {
		path   string
		body   any
		status int
		want   string
	}{
		{"", map[string]any{"source": map[string]any{"xml": "<a><b"}}, 422, "unexpected EOF"},
		{"", map[string]any{"source": map[string]any{"xml": strings.Repeat(" ", chat.MaxTree+1)}}, 413, "want at most"},
		{"", map[string]any{"source": own, "today": "tomorrow"}, 422, "want a day such as"},
		{"", map[string]any{"source": own, "model": "gpt"}, 422, `unknown model "gpt"`},
		{"", map[string]any{"source": own, "method": "external"}, 422, "runs a program"},
		{"", map[string]any{"source": own, "method": "in-context"}, 422, "cannot continue from versions"},
		{"", map[string]any{"source": map[string]any{"dataset": "tasks", "sample": "todo/none", "options": map[string]any{"turns": "multi"}}}, 422, `no conversation "todo/none"`},
		{"", map[string]any{"source": map[string]any{"dataset": "tasks", "sample": "a", "options": map[string]any{"dir": "/etc"}}}, 422, "may name a file"},
		{"", "no object", 400, "the body"},
		{"/" + c.id + "/turn", map[string]any{"parent": 3, "text": "Hello"}, 409, "the head is turn 0, not 3"},
		{"/" + c.id + "/turn", map[string]any{"text": " "}, 422, "text is empty"},
		{"/" + c.id + "/turn", map[string]any{"text": strings.Repeat("a", chat.MaxText+1)}, 413, "want at most"},
		{"/" + c.id + "/head", map[string]any{"turn": 4}, 422, "there is no turn 4"},
		{"/" + c.id + "/query", map[string]any{"version": 1, "query": "//["}, 422, "//["},
		{"/" + c.id + "/query", map[string]any{"version": 2, "query": "//POI"}, 422, "there is no version 2"},
		{"/" + c.id + "/structure?turn=x", nil, 400, "want a number"},
		{"/" + c.id + "/structure?turn=7", nil, 404, "there is no turn 7"},
		{"/" + c.id + "/export?as=all", nil, 400, "unknown format"},
		{"/00000000", nil, 404, "there is no chat"},
		{"/..%2f..", nil, 404, "is not the id of a chat"},
	} {
		status, text := c.send(tt.path, tt.body)
		if status != tt.status || !strings.Contains(text, strings.ReplaceAll(tt.want, `"`, `\"`)) {
			t.Errorf("%s %v: %d %s, want %d and %q", tt.path, tt.body, status, text, tt.status, tt.want)
		}
	}
}

// Twenty chats of a server spend one budget, although each began while nothing of it was
// spent.
func TestOneBudget(t *testing.T) {
	model := modelserver.New(t, modelserver.Options{})
	h := house()
	h.Models = map[string]any{"m": map[string]any{"use": "live", "options": map[string]any{
		"chat": map[string]any{"base_url": model.URL, "model": "m", "price": map[string]any{"input": 1, "output": 1}}, "tokenizer": "o200k_base",
	}}}
	const usd = 0.001 // a thousand tokens
	b := budget.New(0, usd)
	e := &chat.Engine{Dir: t.TempDir(), Open: h.Open, Budget: b, Now: time.Now, Log: quiet}
	defer e.Close()
	c := serve(t, e)
	var ids []string
	for range 20 {
		c.begin(map[string]any{"source": map[string]any{"dataset": "sample", "sample": "nadia-owen"}, "method": "stateless", "model": "m", "mode": "off"})
		ids = append(ids, c.id)
	}
	answered, refused, cost := 0, 0, 0.0
	for range 3 {
		for _, c.id = range ids {
			status, _ := c.send("/"+c.id+"/turn", map[string]any{"parent": c.view().Head, "text": "Who was at the coast?"})
			if status == http.StatusPaymentRequired {
				refused++
				continue
			}
			turns := c.settled().Turns
			switch rec := turns[len(turns)-1].Record; {
			case rec.Error == nil:
				answered, cost = answered+1, cost+*rec.Cost
			case rec.Error.Kind == string(fault.Budget):
				refused++
			default:
				t.Errorf("%+v", rec.Error)
			}
		}
	}
	_, spent := b.Spent()
	t.Logf("%d answered for $%v, %d refused", answered, cost, refused)
	if answered == 0 || refused == 0 || cost > usd || model.Stats().Answered != answered || spent < cost-1e-9 || spent > cost+1e-9 {
		t.Errorf("%d of %d calls answered for $%v of $%v, %d refused, $%v spent", answered, model.Stats().Answered, cost, usd, refused, spent)
	}
}

// A fake is a memory whose answers a test gives.
type fake struct {
	sample datasets.Sample
	paid   bool
	asked  chan string
	answer chan error
	budget *budget.Budget
}

func (f *fake) Sample() datasets.Sample { return f.sample }
func (f *fake) Paid() bool              { return f.paid }
func (f *fake) Close() error            { return nil }
func (f *fake) Query(context.Context, string, *tree.Version) (semxpath.Result, error) {
	return semxpath.Result{}, errors.New("no queries")
}

func (f *fake) Ask(ctx context.Context, _ *tree.History, r datasets.Request) (record.Record, methods.Response, meter.Paid, error) {
	paid := meter.Paid{USD: new(0.75)}
	metered, _ := meter.With(ctx, time.Now, meter.Limits{})
	meter.Stage(metered, "retrieve")()
	lease, err := f.budget.Reserve(ctx, 0, 0.75, true)
	if err != nil {
		return record.Record{}, methods.Response{}, paid, err
	}
	defer func() { _ = f.budget.Settle(context.WithoutCancel(ctx), lease, budget.Settlement{Paid: &paid}) }()
	f.asked <- r.Text
	select {
	case err := <-f.answer:
		rec := record.Record{Request: r.ID, Status: record.OK, Answer: "yes"}
		if err != nil {
			rec = record.Record{Request: r.ID, Status: record.Error, Error: &record.Failure{Kind: "timeout", Message: err.Error()}}
		}
		return rec, methods.Response{}, paid, nil
	case <-ctx.Done():
		return record.Record{}, methods.Response{}, paid, ctx.Err()
	}
}

// Of two tabs one asks; a cancelled turn leaves nothing, a failed one its fault; and
// what costs is refused once the budget is spent.
func TestTurnsUnderWay(t *testing.T) {
	f := &fake{sample: datasets.Sample{ID: "s"}, paid: true, asked: make(chan string), answer: make(chan error), budget: budget.New(0, 2.25)}
	e := &chat.Engine{
		Dir: t.TempDir(), Now: time.Now, Log: quiet, Budget: f.budget,
		Open: func(context.Context, chat.Start, *tree.Tree, *budget.Budget) (chat.Room, error) { return f, nil },
	}
	defer e.Close()
	c := serve(t, e)
	c.begin(map[string]any{"source": map[string]any{"dataset": "sample", "sample": "s"}, "model": "m"})
	turn := func(status int) {
		t.Helper()
		must[any](c, status, "/"+c.id+"/turn", map[string]any{"parent": c.view().Head, "text": "Well?"})
	}
	other := c.listen()
	turn(202)
	<-f.asked
	turn(409)
	if status, _ := c.send("/"+c.id+"/head", map[string]int{"turn": 0}); status != 409 {
		t.Errorf("the head moved under a turn: %d", status)
	}
	must[any](c, 200, "/"+c.id+"/cancel", map[string]int{})
	if v := c.settled(); len(v.Turns) != 0 {
		t.Errorf("a cancelled turn left %+v", v.Turns)
	}
	turn(202)
	<-f.asked
	f.answer <- errors.New("the server is gone")
	if v := c.settled(); len(v.Turns) != 1 || v.Turns[0].Record.Error.Kind != "timeout" || v.Head != 1 {
		t.Errorf("a failed turn: %+v", v.Turns)
	}
	turn(202)
	<-f.asked
	f.answer <- nil
	if v := c.settled(); v.Turns[1].Record.Answer != "yes" {
		t.Errorf("after a failed turn: %+v", v.Turns)
	}
	turn(402) // three turns of $0.75

	all := []string{"state", "begun", "stage", "stage", "cancelled", "begun", "stage", "stage", "failed", "paid", "begun", "stage", "stage", "answer", "paid"}
	try.Equal(t, "events of the other tab", all, other(len(all)))
	if got := c.listen()(1); got[0] != "state" {
		t.Errorf("a tab that comes back: %v", got)
	}
}

// listen follows the events of the chat. What it returns waits for some, and returns
// their names.
func (c *client) listen() func(n int) []string {
	c.Helper()
	r := try.Get(http.NewRequestWithContext(c.Context(), http.MethodGet, c.url+"/"+c.id+"/events", nil))(c.T)
	resp := try.Get(http.DefaultClient.Do(r))(c.T) //nolint:bodyclose // closed below
	c.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func(n int) (names []string) {
		c.Helper()
		for len(names) < n && lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				names = append(names, name)
			}
		}
		if len(names) < n {
			c.Fatalf("the stream ended after %v: %v", names, lines.Err())
		}
		return names
	}
}

// TestCaseStudy asks the requests of the shipped session, as the paper's appendix C
// does: the time of what was cancelled eleven turns ago comes from the version before.
func TestCaseStudy(t *testing.T) {
	says := func(v any) llm.Reply {
		text := try.Get(json.Marshal(v))(t)
		return llm.Reply{Text: string(text)}
	}
	const before = "What time was the poster session?"
	query := llm.Reply{Text: `//POI[node ~= "poster session visit"]`}
	replies := map[string]map[string]llm.Reply{
		"Wait, what time": {"resolve": says(map[string]any{"operation": "read", "version": "before", "number": 0, "about": "cancelled the poster session visit", "task": before})},
		before: {
			"translate": query,
			"handle":    says(map[string]any{"operation": "read", "nodes": []string{"n8"}, "answer": "From 11:00 AM.", "edits": []any{}}),
		},
	}
	c := serve(t, engineOver(t, t.TempDir(), func(g llm.Generator) llm.Generator {
		g = methodtest.TreeModel(g)
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			for request, by := range replies {
				if reply, ok := by[r.Role]; ok && strings.Contains(r.Messages[1].Content, "\nRequest: "+request) {
					return reply, nil
				}
			}
			return g.Generate(ctx, r)
		})
	}))
	x := try.Get(chat.Examples())(t)[0]
	c.begin(map[string]any{"source": x.Source, "method": "semantic-xpath", "today": x.Today})
	var v chat.View
	for _, text := range x.Requests {
		if v = c.ask(text); v.Turns[len(v.Turns)-1].Record.Status != record.OK {
			t.Errorf("%s: %+v", text, v.Turns[len(v.Turns)-1].Record.Error)
		}
	}
	first, last := v.Turns[0].Record, v.Turns[len(v.Turns)-1].Record
	if len(first.Edits) != 1 || first.Edits[0].Op != tree.Delete || first.Edits[0].ID != "n8" {
		t.Errorf("the cancellation edits %+v", first.Edits)
	}
	if !strings.Contains(last.Answer, "11:00 AM") || len(last.Edits) != 0 || !cmp.Equal(last.Nodes, []string{"n8"}) {
		t.Errorf("the last answer is %q from %v", last.Answer, last.Nodes)
	}
}

// The recordings of a chat, those of rules among them, are exported as one file that
// a store takes.
func TestExportCalls(t *testing.T) {
	open := func() *calls.Store {
		s := try.Get(calls.Open(t.TempDir(), quiet))(t)
		t.Cleanup(func() { s.Close() })
		return s
	}
	from, to := open(), open()
	h := house()
	h.Recorder = func(mode calls.Mode) (*calls.Recorder, error) { return calls.NewRecorder(from, mode), nil }
	e := &chat.Engine{Dir: t.TempDir(), Open: h.Open, Budget: budget.New(0, 0), Store: func() (*calls.Store, error) { return calls.OpenToRead(from.Dir(), quiet) }, Now: time.Now, Log: quiet}
	defer e.Close()
	c := serve(t, e)
	c.begin(map[string]any{"source": map[string]any{"xml": weekend}})
	if status, text := c.send("/"+c.id+"/export?as=calls", nil); status != 422 || !strings.Contains(text, "no call") {
		t.Errorf("without a turn: %d %s", status, text)
	}
	called := c.ask("Delete the pottery class.").Turns[0].Record.Calls
	zipped := func(as string) *zip.Reader {
		t.Helper()
		status, text := c.send("/"+c.id+"/export?as="+as, nil)
		if status != 200 {
			t.Fatal(status, text)
		}
		return try.Get(zip.NewReader(strings.NewReader(text), int64(len(text))))(t)
	}
	dir := t.TempDir()
	try.Do(t, os.CopyFS(dir, zipped("calls")))
	if chat := try.Get(fs.ReadFile(zipped("chat"), "chat.jsonl"))(t); bytes.Count(chat, []byte("\n")) != 2 {
		t.Errorf("the log of the chat:\n%s", chat)
	}
	path := filepath.Join(dir, "chat-"+c.id+".db")
	if in, err := to.Import(t.Context(), path); err != nil || !in.Whole() || in.New != len(called) || in.New == 0 {
		t.Errorf("%+v, %v of %d calls", in, err, len(called))
	}
}

// Every example that pages offer begins and answers its first request.
func TestExamples(t *testing.T) {
	c := serve(t, engine(t, t.TempDir()))
	for _, x := range must[[]chat.Example](c, http.StatusOK, "/examples", nil) {
		c.begin(map[string]any{"source": x.Source, "method": x.Method, "today": x.Today})
		if v := c.ask(x.Requests[0]); v.Turns[0].Record.Answer == "" {
			t.Errorf("%s: %+v", x.Name, v.Turns[0].Record)
		}
	}
}
