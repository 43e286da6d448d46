package htmlreport_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/testkit/try"
)

func write(tb testing.TB, p *htmlreport.Page) string {
	tb.Helper()
	var b bytes.Buffer
	try.Do(tb, p.Write(&b))
	return b.String()
}

// TestWrite holds what stands in the file to what a reader of HTML needs to know:
// that the texts of others are texts.
func TestWrite(t *testing.T) {
	p := hostileRun().page(t)
	p.Figures = func() ([]htmlreport.Figure, error) {
		return []htmlreport.Figure{{Title: "figure " + hostile, SVG: []byte("<svg>" + hostile + "</svg>"), Notes: []string{hostile}}}, nil
	}
	html := write(t, p)
	if again := write(t, p); again != html {
		t.Error("the same run gives another file the second time")
	}
	for _, bad := range []string{"alert(1)</script>", "<img src=x", "<!--", "\x1b", "\x00", "\u202e", "\u2028", "{{.}}\"", "style=\""} {
		if i := strings.Index(html, bad); i >= 0 {
			t.Errorf("the file has %q in: %q", bad, html[max(0, i-60):min(len(html), i+60)])
		}
	}
	if n := len(regexp.MustCompile(`<script>`).FindAllString(html, -1)); n != 1 {
		t.Errorf("%d scripts run, want 1", n)
	}
	for _, want := range []string{"default-src &#39;none&#39;", "run &lt;/script&gt;", `\x1b[31m\x00\u202eright to left`, "Zoë 😀"} {
		if !strings.Contains(html, want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	machine := []string{"/somewhere/else", `"argv"`, `"config":`}
	for _, want := range machine {
		if settings := part(t, html, "settings"); !strings.Contains(settings, want) {
			t.Errorf("the settings lack %q:\n%s", want, settings)
		}
	}

	p.Anonymous = true
	html = write(t, p)
	for _, bad := range machine {
		for _, name := range htmlreport.Parts() {
			if strings.Contains(part(t, html, name), bad) {
				t.Errorf("without what tells of machines, the part %s has %q", name, bad)
			}
		}
	}
}

func TestColumn(t *testing.T) {
	p := hostileRun().page(t)
	p.Column = "judge"
	if index, want := part(t, write(t, p), "index"), `"judging":{"by":"judge","column":"judge"}`; !strings.Contains(index, want) {
		t.Errorf("the index lacks %s", want)
	}
	p.Column = "f1"
	if err, want := p.Write(io.Discard), `unknown column "f1"; have judge`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	p.Column, p.Metrics = "", nil
	if err := p.Write(io.Discard); err == nil {
		t.Error("a page without columns is written")
	}
}

// Several runs on one page show the values of a column that all of them have, and each keeps its
// name.
func TestSeveralRuns(t *testing.T) {
	p := hostileRun().page(t)
	other := hostileRun()
	other.header.ID, other.header.Metrics = "4567cdef", []string{"f1", "tokens"}
	p.Runs = append(p.Runs, other.page(t).Runs...)
	p.Runs[0].Name, p.Runs[1].Name = "one", "two"
	html := write(t, p)
	var got struct {
		Judging   struct{ Column string }
		Series    []string
		Questions struct{ Question []string }
		Requests  struct{ Question, Status, Reach []int }
	}
	try.Do(t, json.Unmarshal([]byte(part(t, html, "index")), &got))
	if got.Judging.Column != "f1" {
		t.Errorf("values are of %s, want f1, which both runs have", got.Judging.Column)
	}
	if want := []string{"first · one", "second " + hostile + " · one", "first · two", "second " + hostile + " · two"}; !slices.Equal(got.Series, want) {
		t.Errorf("series are %q", got.Series)
	}
	if len(got.Questions.Question) != 4 || !slices.Equal(got.Requests.Question, []int{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}) {
		t.Errorf("questions are %q, of requests %v", got.Questions.Question, got.Requests.Question)
	}
	if want := []int{0, 0, 0, 0, 0, 0, 1, 0}; !slices.Equal(got.Requests.Status[:8], want) || !slices.Equal(got.Requests.Status[8:], want) {
		t.Errorf("statuses are %v, want twice %v", got.Requests.Status, want)
	}
	if want := []int{2, 1, 0, 0, 3, 1, 0, 0}; !slices.Equal(got.Requests.Reach[:8], want) || !slices.Equal(got.Requests.Reach[8:], want) {
		t.Errorf("reaches are %v, want twice %v", got.Requests.Reach, want)
	}
}

// part reads a data element as the script does.
func part(t *testing.T, html, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `id="_`+name+`">`)
	text, _, closed := strings.Cut(rest, "</script>")
	if !ok || !closed {
		t.Fatalf("the file has no data element %s", name)
	}
	r := try.Get(gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))))(t)
	data := try.Get(io.ReadAll(r))(t)
	return string(data)
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// TestBook reads single requests of the index, as a server does.
func TestBook(t *testing.T) {
	b := try.Get(hostileRun().page(t).Open())(t)
	if b.Len() != 8 || len(b.Rev()) != 8 {
		t.Errorf("the book has %d requests and revision %q, want 8 and eight digits", b.Len(), b.Rev())
	}
	for _, name := range htmlreport.Parts() {
		if data, err := b.Part(name, ""); err != nil || !json.Valid(data) {
			t.Errorf("part %s: %v: %.80s", name, err, data)
		}
	}
	if _, err := b.Part("nothing", ""); err == nil {
		t.Error("there is a part nothing")
	}
	if found, err := b.Search([]string{"boat", "nadia"}); err != nil || !slices.Equal(found, []int{0, 4}) {
		t.Errorf("the words are in %v (%v)", found, err)
	}
	for n, want := range map[int]int{0: 2, 4: 3, 6: 0} { // blocks of evidence
		data := try.Get(b.Request(n))(t)
		var got struct {
			Gold     struct{ Question string }
			Evidence []struct{ Inline struct{ Name, Text string } }
		}
		try.Do(t, json.Unmarshal(data, &got))
		if len(got.Evidence) != want || got.Gold.Question == "" {
			t.Errorf("request %d has question %q and %d blocks, want %d", n, got.Gold.Question, len(got.Evidence), want)
		}
		if q, err := b.Scored(n); err != nil || len(q.Evidence) != want || b.Run(n).Header.ID == "" {
			t.Errorf("request %d is read as %d blocks (%v), want %d", n, len(q.Evidence), err, want)
		}
	}
	for _, n := range []int{-1, 8} {
		if _, err := b.Request(n); err == nil {
			t.Errorf("request %d is read, though there are 8", n)
		}
	}
}

// TestSources finds in the sources what could turn a text into markup or program.
func TestSources(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|dangerouslySetInnerHTML|javascript:|style=|DOMParser`)
	files, err := filepath.Glob("app/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of the page (%v)", err)
	}
	for _, name := range append(files, "page/page.html.tmpl") {
		data := try.Get(os.ReadFile(name))(t)
		if found := forbidden.Find(data); found != nil {
			t.Errorf("%s has %q; texts become text nodes alone", name, found)
		}
	}
}

func TestAssets(t *testing.T) {
	all, packed := 0, counter(0)
	gz := gzip.NewWriter(&packed)
	for _, a := range htmlreport.Assets() {
		all += len(a.Data)
		try.Get(gz.Write(a.Data))(t)
	}
	try.Do(t, gz.Close())
	if all > 200_000 || packed > 60_000 {
		t.Errorf("the bundle has %d bytes, %d packed; want at most 200000 and 60000", all, packed)
	}
}
