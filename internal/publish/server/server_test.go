package server_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/record"
	"recallbench/internal/result/treeview"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// A book is a [server.Book] of a few requests.
type book struct{ rev string }

func (b book) Rev() string { return b.rev }
func (b book) Len() int    { return 2 }
func (b book) Part(name, _ string) ([]byte, error) {
	if name == "figures" {
		return nil, errors.New("nothing can be drawn")
	}
	return json.Marshal(name)
}
func (b book) Request(n int) ([]byte, error)     { return json.Marshal(n) }
func (b book) Calls(n int) (any, error)          { return map[string]int{"calls of": n}, nil }
func (b book) Prompts(n, other int) (any, error) { return []int{n, other}, nil }
func (b book) Structure(n int) (any, error) {
	if n == 0 {
		return nil, treeview.ErrNoTree
	}
	return "a tree", nil
}
func (b book) Search(words []string) ([]int, error) { return []int{len(words)}, nil }

// A site is a server with a run named main.
type site struct {
	t       *testing.T
	handler http.Handler
	run     string // folder
	key     string
	opened  int // times that the run was
	now     time.Time
	log     strings.Builder
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t: t, run: filepath.Join(dir, "main"), key: catalog.Key("main"), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	folder := try.Get(record.Create(s.run))(t)
	try.Do(t, folder.WriteHeader(record.Header{ID: "1", Name: "main", Status: record.Complete}))
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	c, err := catalog.New([]string{dir}, "", catalog.Options{
		Metric: func(string) (*metrics.Spec, error) { return metrics.F1Mem0Spec, nil }, Now: func() time.Time { return s.now }, Log: log,
		Summarize: func(string) ([]record.SummaryRow, error) { return nil, nil },
	})
	try.Do(t, err)
	s.handler = server.New(server.Config{
		Token: "good", Hosts: []string{"127.0.0.1:7878", "localhost:7878"}, Catalog: c, Log: log,
		Open: func([]string) (server.Book, error) { s.opened++; return book{rev: "r"}, nil },
		Contrast: func(base server.Side, sides []server.Side, columns []string, by string) ([]byte, error) {
			if by == "moon" {
				return nil, errors.New("unknown value moon")
			}
			return json.Marshal(fmt.Sprint(filepath.Base(base.Dir), base.Row, len(sides), sides[0].Row, columns))
		},
		Hub: live.NewHub(live.Config{
			Metric: func(string) (*metrics.Spec, error) { return metrics.F1Mem0Spec, nil }, Alone: func(*metrics.Spec) bool { return false },
			Now: func() time.Time { return s.now },
		}),
		Chat: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			}
		}),
	}).Handler()
	return s
}

// ask sends a request with the token and the name of the server, unless headers say
// otherwise, which come as name and value.
func (s *site) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:7878"
	r.Header.Set("Authorization", "Bearer good")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// Who may ask what.
func TestHosts(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join(realdata.Fixtures(t), "viewer", "hosts.json")))(t)
	var vectors struct {
		Default struct{ Method, Path string }
		Cases   []struct {
			Host, Origin, Site, Auth, Method, Path, Type string
			Status                                       int
		}
	}
	try.Do(t, json.Unmarshal(data, &vectors))
	if len(vectors.Cases) != 17 {
		t.Fatalf("%d cases, want 17", len(vectors.Cases))
	}
	for i, c := range vectors.Cases {
		auth := ""
		if c.Auth != "" {
			auth = "Bearer " + c.Auth
		}
		w := newSite(t).ask(cmp.Or(c.Method, vectors.Default.Method), cmp.Or(c.Path, vectors.Default.Path), "",
			"Host", c.Host, "Origin", c.Origin, "Sec-Fetch-Site", c.Site, "Authorization", auth, "Content-Type", c.Type)
		if w.Code != c.Status {
			t.Errorf("case %d, %+v: %d %s", i, c, w.Code, w.Body)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Permissions-Policy"} {
			if w.Header().Get(name) == "" {
				t.Errorf("case %d has no %s", i, name)
			}
		}
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("case %d has %s", i, name)
			}
		}
		if w.Code >= 400 && w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("case %d is answered as %s", i, w.Header().Get("Content-Type"))
		}
	}
}

func TestAnswers(t *testing.T) {
	s := newSite(t)
	run := "/api/run/" + s.key
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		want               string // in the answer
	}{
		{"GET", "/api/runs", "", nil, 200, `"path":"main"`},
		{"GET", run + "/index", "", nil, 200, `"index"`},
		{"GET", run + "/settings", "", nil, 200, `"settings"`},
		{"GET", run + "/figures", "", nil, 422, "nothing can be drawn"},
		{"GET", run + "/request/1?rev=r", "", nil, 200, "1"},
		{"GET", run + "/request/1?rev=old", "", nil, 409, "read the index again"},
		{"GET", run + "/calls/1?rev=r", "", nil, 200, `{"calls of":1}`},
		{"GET", run + "/structure/1?rev=r", "", nil, 200, `"a tree"`},
		{"GET", run + "/structure/0?rev=r", "", nil, 404, "structures: true"},
		{"GET", run + "/prompts/1?with=0&rev=r", "", nil, 200, `[1,0]`},
		{"GET", run + "/prompts/1", "", nil, 404, `no request \"\"`},
		{"GET", run + "/calls/1?rev=old", "", nil, 409, "read the index again"},
		{"GET", run + "/request/2", "", nil, 404, "there are 2, counted from 0"},
		{"GET", run + "/request/x", "", nil, 404, "no request"},
		{"GET", "/api/run/nothing/index", "", nil, 404, "no such run"},
		{"GET", run + "/contrast?a=" + s.key + ":A&b=" + s.key + ":B&column=f1", "", nil, 200, `"mainA1B[f1]"`},
		{"GET", run + "/contrast?a=" + s.key + "&b=" + s.key + "&by=moon", "", nil, 422, "unknown value moon"},
		{"GET", run + "/contrast", "", nil, 400, "one run has nothing"},
		{"GET", run + "/contrast?a=" + s.key, "", nil, 400, "at least one b"},
		{"GET", run + "/contrast?a=" + s.key + "&b=other:A", "", nil, 400, "want KEY, KEY:METHOD or KEY:METHOD@MODEL"},
		{"GET", run + "/search?q=leeds", "", nil, 200, `{"requests":[1]}`},
		{"GET", run + "/search?q=%22Ann+live%22+leeds", "", nil, 200, `{"requests":[2]}`},
		{"GET", run + "/search?q=+", "", nil, 400, "no words"},
		{"GET", run + "/live", "", nil, 200, `"status":"complete"`},
		{"GET", run + "/live?after=x", "", nil, 400, "want a number"},
		{"GET", "/api/events?run=nothing", "", nil, 404, "no such run"},
		{"GET", "/api/other", "", nil, 404, "no such"},
		{"POST", run + "/index", "{}", nil, 405, "want GET"},
		{"PUT", "/api/runs", "{}", nil, 405, "method PUT"},
		{"POST", "/api/chat", strings.Repeat("a", 1<<20), nil, 200, ""},
		{"POST", "/api/chat", strings.Repeat("a", 1<<20+1), nil, 413, ""},
		{"POST", "/api/chat", "{}", []string{"Content-Type", "application/jsonp"}, 415, "want application/json"},
		{"POST", "/api/chat", "{}", []string{"Content-Type", "application/json; charset=utf-8"}, 200, ""},
		{"GET", "/", "", []string{"Authorization", ""}, 200, "<script"},
		{"GET", "/api/runs", "", []string{"Authorization", "Basic good"}, 401, "no token"},
	} {
		w := s.ask(c.method, c.path, c.body, c.headers...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, w.Body, c.status, c.want)
		}
	}
	if s.opened != 1 {
		t.Errorf("the run was opened %d times", s.opened)
	}
	// A run is opened anew when a file has changed.
	try.Do(t, os.WriteFile(filepath.Join(s.run, "scores.jsonl"), []byte("{}\n"), 0o644))
	if w := s.ask("GET", run+"/index", ""); w.Code != 200 || s.opened != 2 {
		t.Errorf("a changed run: %d, opened %d times", w.Code, s.opened)
	}
	var runs struct{ Rev string }
	try.Do(t, json.Unmarshal(s.ask("GET", "/api/runs", "").Body.Bytes(), &runs))
	if w := s.ask("GET", "/api/runs?since="+runs.Rev, ""); w.Code != 304 {
		t.Errorf("the same runs: %d", w.Code)
	}
}

// The shell names a script and a style that are served, and may be kept for ever.
func TestPage(t *testing.T) {
	s := newSite(t)
	get := func(path string) *httptest.ResponseRecorder { return s.ask("GET", path, "", "Authorization", "") }
	assets := regexp.MustCompile(`/a/[0-9a-f]+/app\.\w+`).FindAllString(get("/").Body.String(), -1)
	if len(assets) != 2 {
		t.Fatalf("assets %v", assets)
	}
	for _, path := range assets {
		if w := get(path); w.Code != 200 || w.Body.Len() == 0 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	if w := get("/a/0/app.js"); w.Code != 404 {
		t.Errorf("another script: %d", w.Code)
	}
}

// A stream begins with the state, says what is new, and leaves room for the page's
// other requests.
func TestEvents(t *testing.T) {
	s := newSite(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:7878"
		s.handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	open := func() *http.Response {
		t.Helper()
		r := try.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/api/events?run="+s.key, nil))(t)
		r.Header.Set("Authorization", "Bearer good")
		resp, err := http.DefaultClient.Do(r)
		try.Do(t, err)
		return resp
	}
	var first *http.Response
	for i := range 4 {
		resp := open()
		defer resp.Body.Close()
		if i == 0 {
			first = resp
		}
		lines := bufio.NewScanner(resp.Body)
		var got []string
		for len(got) < 3 && lines.Scan() {
			got = append(got, lines.Text())
		}
		if resp.Header.Get("Content-Type") != "text/event-stream" || len(got) < 3 || got[1] != "event: state" || !strings.Contains(got[2], `"status":"complete"`) {
			t.Fatalf("%d %v", resp.StatusCode, got)
		}
	}
	if w := s.ask("GET", "/api/chat/x/events", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("a fifth stream, of a chat: %d", w.Code)
	}
	full := open()
	defer full.Body.Close()
	if full.StatusCode != http.StatusTooManyRequests || full.Header.Get("Retry-After") != "2" {
		t.Errorf("a fifth stream: %d", full.StatusCode)
	}
	try.Do(t, first.Body.Close())
	for again := full; again.StatusCode != http.StatusOK; { // the place is free as soon as the server sees it
		again = open()
		try.Do(t, again.Body.Close())
	}
}
