package htmlreport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/testkit/try"
)

// chromium finds a browser, or ends the test.
func chromium(tb testing.TB) string {
	tb.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("BENCH_REQUIRE_CHROMIUM") == "1" {
		tb.Fatal("there is no chromium here, and BENCH_REQUIRE_CHROMIUM is 1")
	}
	tb.Skip("there is no chromium here")
	return ""
}

// A tab is a page that is open in the browser.
type tab struct {
	t   *testing.T      // that is running
	ctx context.Context //nolint:containedctx // chromedp knows a tab by its context
	url string

	mu     sync.Mutex
	faults []string // what a page must not do
}

// open writes a page and opens it in a tab of its own. When the test ends, the page
// must have reported no error and asked for nothing.
func open(browser context.Context, t *testing.T, p *htmlreport.Page) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	try.Do(t, os.WriteFile(file, []byte(write(t, p)), 0o644))
	b := newTab(browser, t, "file://"+file)
	b.navigate("#/questions")
	return b
}

// newTab opens a tab for a page of an address.
func newTab(browser context.Context, t *testing.T, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute) // for a browser that hangs
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, url: url}
	try.Do(t, chromedp.Listen(ctx, b.watch))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, f := range b.faults {
			t.Error(f)
		}
	})
	return b
}

// watch notes what a page must not do: report an error, break its policy, ask for
// anything but itself.
func (b *tab) watch(event any) {
	var fault string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		fault = fmt.Sprintf("console: %s", e.Type)
	case *log.EventEntryAdded:
		fault = "log: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		if url, _, _ := strings.Cut(e.Request.URL, "#"); !b.own(url) {
			fault = "request: " + url
		}
	}
	if fault != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
}

// own reports whether an address is the page's: its file, or what its server has.
func (b *tab) own(url string) bool {
	return url == b.url || strings.HasPrefix(url, "data:") || strings.HasPrefix(b.url, "http:") && strings.HasPrefix(url, b.url)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	try.Do(b.t, chromedp.Do(b.ctx, actions...))
}

// navigate loads the page at a fragment of its address.
func (b *tab) navigate(fragment string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+fragment))
	b.until(`bench.app.ready > 0`)
	b.do(chromedp.Evaluate[chromedp.Void](fill))
}

// until waits until something is true of the page.
func (b *tab) until(condition string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition))
		if err != nil {
			b.t.Fatalf("%s: %v; %q", condition, err, b.faults)
		}
		if ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// click clicks an element that is there.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%s).click()", quote(selector))))
}

// quote returns a text as the script writes it.
func quote(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text is never refused
	}
	return string(quoted)
}

// get evaluates an expression of the page.
func get[T any](b *tab, expression string, o ...chromedp.EvaluateOption) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, o...))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// fill names what the tests look at.
const fill = `var {byId, select, visible} = bench, page = bench.app.data;`

// Pages of a file, and what is there when they are shown.
var filePages = []struct{ fragment, shown string }{
	{"#/overview", `byId("main").className === "overview" && document.querySelector(".outcomes")`},
	{"#/compare", `byId("main").className === "compare" && document.querySelector(".flips")`},
	{"#/questions", `byId("main").className === "questions" && byId("pane").hidden && byId("list")?.children.length > 1`},
	{"OPEN", `byId("asked") && !byId("pane").hidden`},
	{"#/figures", `byId("main").className === "figures"`},
	{"#/settings", `byId("main").className === "settings" && document.querySelector("main h3")`},
}

// goTo opens a page and waits for it. OPEN is that of an open request.
func (b *tab) goTo(fragment, shown string) {
	b.t.Helper()
	if fragment == "OPEN" {
		fragment = `#/questions?r=` + get[string](b, `encodeURIComponent(bench.app.data?.index?.key(0) ?? "")`)
	}
	b.do(chromedp.Evaluate[chromedp.Void]("location.hash = " + quote(fragment)))
	b.until(`!!(` + shown + `)`)
}

// media sets what the browser draws for: "screen" or "print", "light" or "dark".
func (b *tab) media(kind, scheme string) {
	b.t.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return chromedp.Void{}, err
	})
}

// layout holds the pages to their sizes: a request's heading is near the top, nothing is
// wider than a small screen, and no table is wider than paper.
func (b *tab) layout(t *testing.T) {
	b.t = t
	for _, size := range [][2]int64{{1280, 900}, {1024, 768}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.goTo(filePages[2].fragment, filePages[2].shown)
		b.goTo(filePages[3].fragment, filePages[3].shown)
		if y := get[float64](b, `byId("asked").getBoundingClientRect().top`); y > 240 || y < 0 {
			t.Errorf("at %d × %d a request's heading is %.0f px from the top, want at most 240", size[0], size[1], y)
		}
	}
	b.do(chromedp.EmulateViewport(390, 800))
	for _, p := range filePages {
		b.goTo(p.fragment, p.shown)
		if w := get[float64](b, `document.documentElement.scrollWidth`); w > 390 {
			t.Errorf("%s is %.0f px wide on a screen of 390", p.fragment, w)
		}
	}
	const paper = 794 - 2*38 // A4 at 96 dots an inch, less margins of a centimetre
	b.do(chromedp.EmulateViewport(paper, 1123))
	b.media("print", "light")
	for _, p := range filePages {
		b.goTo(p.fragment, p.shown)
		b.do(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint"))`))
		lost := get[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("th, td, .passage, img, h1, h2, h3, dd")].filter((e) => {
			const box = e.getBoundingClientRect();
			return box.width > 0 && box.right > %d + 1;
		}).map((e) => e.textContent.slice(0, 40))`, paper))
		if len(lost) > 0 {
			t.Errorf("%s: beyond the edge of paper lie %q", p.fragment, lost)
		}
		b.do(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("afterprint"))`))
	}
	b.media("", "light")
	b.do(chromedp.EmulateReset())
}
