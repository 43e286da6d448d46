package htmlreport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	"github.com/chromedp/chromedp/kb"

	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

func TestBrowser(t *testing.T) {
	longtest.Skip(t)
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WindowSize(1400, 900))
	ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute) // for a browser that hangs
	defer stop()
	allocator, stop := chromedp.NewExecAllocator(ctx, flags...)
	defer stop()
	browser, stop := chromedp.NewContext(allocator)
	defer stop()
	try.Do(t, chromedp.Do(browser))

	t.Run("hostile", func(t *testing.T) {
		p := hostileRun().page(t)
		p.Figures = func() ([]htmlreport.Figure, error) {
			return []htmlreport.Figure{{Title: "figure " + hostile, SVG: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(3)"><script>alert(4)</script></svg>`)}}, nil
		}
		b := open(browser, t, p)
		t.Run("filter", b.filter)
		t.Run("look", b.look)
		t.Run("keys", b.keys)
		t.Run("link", b.link)
		t.Run("visible", b.visible)
		t.Run("outcomes", b.outcomes)
		t.Run("draw", b.draw)
		t.Run("flips", b.flips)
		t.Run("layout", b.layout)
	})
	t.Run("policy", open(browser, t, hostileRun().page(t)).policy)
	t.Run("large", open(browser, t, largeRun(largeQuestions(), 2).page(t)).large)
}

// largeQuestions is the number of questions about each conversation of the large
// page: 200, for 40,000 requests, or fewer where these would take too long.
func largeQuestions() int {
	if longtest.UnderRace {
		return 10
	}
	return 200
}

func (b *tab) filter(t *testing.T) {
	b.t = t
	second := "second " + hostile
	cases := []struct {
		Filter map[string]string `json:"filter"`
		Want   string            `json:"-"`
	}{
		{map[string]string{}, "4 questions"},
		{map[string]string{"category": "temporal"}, "2 of 4 questions"},
		{map[string]string{"outcome": "right"}, "1 of 4 questions"},
		{map[string]string{"outcome": "partly-retrieved"}, "Nothing passes the filter."},
		{map[string]string{"outcome": "not-retrieved"}, "1 of 4 questions"},
		{map[string]string{"outcome": "right", "method": "first"}, "1 of 4 questions"},
		{map[string]string{"outcome": "right", "method": second}, "Nothing passes the filter."},
		{map[string]string{"right": "first", "wrong": second}, "1 of 4 questions"},
		{map[string]string{"wrong": "first", "right": second}, "Nothing passes the filter."},
		{map[string]string{"error": "rate-limit"}, "1 of 4 questions"},
		{map[string]string{"unclear": "1"}, "1 of 4 questions"},
		{map[string]string{"missed": "1"}, "2 of 4 questions"},
		{map[string]string{"disputed": "1"}, "Nothing passes the filter."},
		{map[string]string{"differ": "1"}, "2 of 4 questions"},
		{map[string]string{"text": "boat"}, "2 of 4 questions"},
		{map[string]string{"text": `"who has" NADIA`}, "1 of 4 questions"},
		{map[string]string{"text": "<img src=x"}, "2 of 4 questions"},
		{map[string]string{"text": "nobody says this"}, "Nothing passes the filter."},
		{map[string]string{"text": "-boat"}, "2 of 4 questions"},
		{map[string]string{"judge": "judge", "outcome": "right"}, "1 of 4 questions"},
		{map[string]string{"judge": "evidence", "outcome": "right"}, "1 of 4 questions"},
		{map[string]string{"sort": "hard"}, "4 questions"},
	}
	for _, c := range cases {
		b.set(c.Filter)
		if got := get[string](b, `byId("status").textContent`); got != c.Want {
			t.Errorf("%v: %s, want %s", c.Filter, got, c.Want)
		}
	}
	// The address of another page may have a filter that this one does not know.
	for _, field := range []string{"method", "outcome", "error", "category", "dataset", "right", "wrong"} {
		if n := get[int](b, fmt.Sprintf(`select(page.index, {%q: "of another page"}).chosen.length`, field)); n != 0 {
			t.Errorf("a %s that is not there lets %d questions through", field, n)
		}
	}
	b.set(map[string]string{"judge": "judge"})
	if got, want := get[string](b, `page.judging.textContent + location.hash`), "its judge is at least 50, and else wrong."; !strings.Contains(got, want) || !strings.HasSuffix(got, "#/questions?judge=judge") {
		t.Errorf("the rule for right answers reads %q, want %s", got, want)
	}
	b.set(map[string]string{"sort": "hard"})
	if got, want := get[string](b, `document.querySelector("#_list .line:last-child .cell .mark").textContent`), "\u2713"; got != want {
		t.Errorf("the easiest question has %q, want %q last", got, want)
	}
}

// set opens the matrix under a filter and waits until it is applied.
func (b *tab) set(filter map[string]string) {
	b.t.Helper()
	query := url.Values{}
	for name, value := range filter {
		query.Set(name, value)
	}
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`bench.app.note({}); location.hash = "#/questions?" + %q`, query.Encode())))
	b.until(fmt.Sprintf(`bench.app.page?.name === "questions" && new URLSearchParams(bench.app.state).toString() === new URLSearchParams(%q).toString()`, query.Encode()))
	b.until(`byId("status").textContent !== "searching \u2026" && bench.app.data.openAt < 0`)
	b.do(chromedp.Evaluate[chromedp.Void](`(async () => { await bench.app.data.searching; bench.app.data.apply(); })()`, chromedp.EvalAwaitPromise))
}

// look opens questions and looks at what is shown of them.
func (b *tab) look(t *testing.T) {
	b.t = t
	b.set(map[string]string{"text": `"who has"`})
	b.click(`#_list [data-row="0"] .cell`)
	b.until(`byId("pane").querySelectorAll(".answer").length === 2`)
	for expression, want := range map[string]string{
		`byId("asked").textContent`:                                                                                              "Who has the boat?",
		`byId("pane").querySelector(".gold-answer").textContent`:                                                                 "Nadia",
		`byId("pane").querySelector(".answer.chosen .outcome").textContent`:                                                      "\u2713 right",
		`[...byId("pane").querySelectorAll("dd mark.gold")].map((e) => e.textContent).join()`:                                    "\u2605 D1:3,\u2605 D1:4",
		`[...byId("pane").querySelectorAll(".ranks tbody tr")].map((e) => e.textContent).join()`:                                 "\u2605 D1:3#2#2,\u2605 D1:4missed#3",
		`byId("pane").querySelectorAll(".timeline .hit").length + " " + byId("pane").querySelectorAll(".timeline .miss").length`: "3 1",
		`byId("pane").querySelectorAll(".timeline text.gold-turn").length + ""`:                                                  "2",
		`bench.orderOf(undefined, ["D10:2", "D2:11", "D2:3"]).turns.join()`:                                                      "D2:3,D2:11,D10:2",
		`bench.orderOf(undefined, ["S10:2", "S2:11", "S2:3"]).turns.join()`:                                                      "S2:3,S2:11,S10:2",
	} {
		if got := get[string](b, expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	// What is closed is opened before the page is printed.
	b.do(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint"))`))
	said := get[string](b, `byId("pane").textContent`)
	for _, want := range []string{"777", "reader </script>", "ingest, for all 4 questions", "retrieve", "2.5 ms", "<img src=x onerror=alert(2)>", "[31m\u2400[U+202E]right to left[U+202C]"} {
		if !strings.Contains(said, want) {
			t.Errorf("the question does not show %q:\n%s", want, said)
		}
	}
	if got := get[string](b, `byId("pane").querySelector(".piece.gold .passage mark").textContent`); got != "nadia" {
		t.Errorf("the evidence marks %q, want nadia", got)
	}

	b.set(map[string]string{"error": "rate-limit"})
	b.click(`#_list [data-row="0"]`)
	b.until(`byId("pane").querySelector(".answer .error") !== null`)
	if got := get[string](b, `byId("pane").querySelector(".answer .error").textContent`); !strings.HasPrefix(got, "rate-limit after 3 attempts429 </script>") {
		t.Errorf("the error reads %q", got)
	}

	// A long answer is shown in part, and then in full.
	b.set(map[string]string{"text": "captain"})
	b.click(`#_list [data-row="0"]`)
	long := `[...byId("pane").querySelectorAll(".answer .passage")].find((e) => e.textContent.startsWith("captain"))`
	b.until(long + ` !== undefined`)
	if got := get[int](b, long+`.textContent.length`); got > 5000 {
		t.Errorf("of a long answer %d characters are shown at first", got)
	}
	b.do(chromedp.Evaluate[chromedp.Void](long + `.parentNode.querySelector("button").click()`))
	if got := get[int](b, long+`.textContent.length`); got != large {
		t.Errorf("after 'show all', %d characters are shown, want %d", got, large)
	}
	b.click(`#_close`)
	b.until(`byId("pane").hidden`)
	// What is shown of the rows is that of Go, also by another score.
	b.goTo("#/overview?score=f1&columns=f1", `document.querySelector(".ranking .dot")`)
	if got := get[string](b, `document.querySelector(".ranking").textContent`); !strings.Contains(got, "text </script>") || !strings.Contains(got, "<b>8") || !strings.Contains(got, "25.0") {
		t.Errorf("the ranking reads %q", got)
	}
	b.set(nil)
}

func (b *tab) keys(t *testing.T) {
	b.t = t
	b.set(nil)
	b.do(chromedp.Evaluate[chromedp.Void](`byId("list").focus()`))
	state := `[page.list.selected, page.series, page.openAt >= 0, document.activeElement.id].join()`
	for _, c := range []struct{ keys, want string }{
		{"jjjk", "1,0,false,_list"},
		{"l", "1,1,false,_list"},
		{kb.Enter, "1,1,true,_asked"},
		{"h", "1,0,true,_asked"},
		{"j", "2,0,true,_asked"},
		{kb.Escape, "2,0,false,_list"},
	} {
		b.do(chromedp.KeyEvent(c.keys))
		got := ""
		for range 1000 { // a question is read before it is shown
			if got = get[string](b, state); got == c.want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got != c.want {
			t.Errorf("after %q: %s, want %s", c.keys, got, c.want)
		}
	}
	// The list of keys turns single characters off, and sets the colours.
	b.do(chromedp.KeyEvent("?"))
	b.until(`byId("keys").open && byId("keys").textContent.includes("previous and next method")`)
	b.click(`#_keys input`)
	b.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const field = byId("keys").querySelector("select");
		field.value = "dark";
		field.dispatchEvent(new Event("change"));
	})()`))
	b.click(`#_keys button`)
	b.do(chromedp.KeyEvent("k"))
	if got, want := get[string](b, `page.list.selected + " " + getComputedStyle(document.body).backgroundColor`), "2 rgb(20, 24, 29)"; got != want {
		t.Errorf("without single characters and in dark: %s, want %s", got, want)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
	b.do(chromedp.KeyEvent("/"))
	if got := get[string](b, `document.activeElement.id`); got != "_text" {
		t.Errorf("after a slash the focus is on %q", got)
	}
	// The protocol types the slash although the page prevents it.
	b.do(chromedp.Evaluate[chromedp.Void](`byId("text").value = ""`), chromedp.KeyEvent("boat"))
	b.until(`byId("status").textContent === "2 of 4 questions"`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`byId("status").textContent === "4 questions" && byId("text").value === "" && !location.hash.includes("boat")`)
}

// link follows a link to an answer in a page that is opened anew.
func (b *tab) link(t *testing.T) {
	b.t = t
	key := get[string](b, `encodeURIComponent(page.index.key(page.index.at(page.chosen[0], 1)))`)
	// So do links of earlier versions, which name another page or none.
	for _, fragment := range []string{"#/questions?outcome=not-used&r=" + key, "#/requests?outcome=not-used&r=" + key, "#r=" + key + "&outcome=not-used"} {
		b.navigate(fragment)
		b.until(`page.openAt >= 0 && !byId("pane").hidden`)
		if got, want := get[string](b, `bench.app.state.outcome + " " + byId("asked").textContent + " " + byId("pane").querySelector(".answer.chosen .outcome").textContent`),
			"not-used Who has the boat? \u2717 wrong, retrieved"; got != want {
			t.Errorf("%s leads to %q, want %q", fragment, got, want)
		}
	}
	b.navigate("#r=nowhere")
	b.until(`byId("status").textContent === "There is no question nowhere on this page."`)
}

// visible holds the script's rule for what is spelled out to that of terminals.
func (b *tab) visible(t *testing.T) {
	b.t = t
	got := get[[]int](b, `Array.from({length: 0x10000}, (_, i) => i < 0xd800 || i >= 0xe000 ? i : 0xe0000 + i - 0xd800)
		.filter((c) => visible(String.fromCodePoint(c)) !== String.fromCodePoint(c))`)
	var want []int
	for i := range 0x10000 {
		if i >= 0xd800 && i < 0xe000 {
			i += 0xe0000 - 0xd800
		}
		if s := string(rune(i)); termsafe.Visible(s) != s && s != "\n" && s != "\t" {
			want = append(want, i)
		}
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the script spells out %x, Go %x", got, want)
	}
	for in, want := range map[string]string{"a\r\n\tb": "a\n\tb", "\x1b\x7f\u009b": "␛␡[U+009B]", "\u202eZo\u00eb \U0001f469\u200d\U0001f680": "[U+202E]Zoë 👩\u200d🚀"} {
		if got := get[string](b, "visible("+quote(in)+")"); got != want {
			t.Errorf("%q is spelled out as %q by the script, want %q", in, got, want)
		}
	}
}

// outcomes holds the script's rule for outcomes to that of Go, over all combinations.
func (b *tab) outcomes(t *testing.T) {
	b.t = t
	for i, name := range get[[]string](b, "bench.VERDICTS") {
		verdict := metrics.Verdict(name)
		for _, status := range []record.Status{record.OK, record.Error, record.Refused, record.Limit} {
			for reach := scored.ReachUnknown; reach <= scored.ReachAll; reach++ {
				failed := 0
				if status != record.OK {
					failed = 1
				}
				got := get[string](b, fmt.Sprintf(`bench.OUTCOMES[bench.outcome(%d, %d, %d)].name`, failed, i, reach))
				if want := scored.OutcomeOf(status, verdict, reach); got != string(want) {
					t.Errorf("a request of status %s and reach %d whose answer is %s is %s for the script and %s for Go", status, reach, verdict, got, want)
				}
			}
		}
	}
	for _, column := range []string{"judge", metrics.SpanColumn} {
		right, wrong := metrics.Bounds(column)
		for _, value := range []*float64{nil, new(0.0), new(0.1), new(0.11), new(0.49), new(0.5), new(0.69), new(0.7), new(1.0)} {
			number := "NaN"
			if value != nil {
				number = fmt.Sprint(*value)
			}
			got := get[string](b, fmt.Sprintf(`bench.VERDICTS[bench.verdictBy({right: %v, wrong: %v}, %s)]`, right, wrong, number))
			if want := metrics.By(column, value); got != string(want) {
				t.Errorf("%s of %s is %s for the script and %s for Go", column, number, got, want)
			}
		}
	}
}

// draw keeps elements, by key or by place, with their focus, and replaces listeners.
func (b *tab) draw(t *testing.T) {
	b.t = t
	got := get[[]string](b, `(() => {
		const {draw, h} = bench, box = h("div", {}), heard = [];
		document.body.append(box);
		const row = (key, text) => h("li", {key, onclick: () => heard.push(text)}, h("input", {"aria-label": key, value: text}));
		draw(box, h("ul", {}, row("a", "1"), row("b", "2"), row("c", "3")), "text");
		const [ul] = box.children, [a, second, c] = ul.children;
		a.firstChild.focus();
		draw(box, h("ul", {class: "x"}, row("c", "4"), row("d", "5"), row("a", "6")), null, "other");
		const same = [box.children[0] === ul, ul.children[0] === c, ul.children[2] === a, second.isConnected, document.activeElement === a.firstChild];
		c.click();
		const values = [...ul.children].map((li) => li.firstChild.value).join("");
		box.remove();
		return [same.join(), values, box.lastChild.data, ul.className, heard.join()];
	})()`)
	if want := []string{"true,true,true,false,true", "456", "other", "x", "4"}; !slices.Equal(got, want) {
		t.Errorf("after drawing again: %q, want %q", got, want)
	}
}

// flips holds the page's comparison to the recorded one, and to that of bench diff.
func (b *tab) flips(t *testing.T) {
	b.t = t
	for _, column := range []string{"", "judge"} {
		r := hostileRun().page(t).Runs[0]
		run := try.Get(scored.Open(r.Folder, r.Header))(t)
		c := try.Get(scored.Compare(scored.Side{Run: run, Cell: run.Header.Cells[0]}, scored.Side{Run: run, Cell: run.Header.Cells[1]}, column, scored.Filter{}))(t)
		got := get[[]float64](b, fmt.Sprintf(`(() => {
			page.index.judge({by: %q, column: "judge"});
			const set = bench.flips(page.index, 0, 1), c = set.counts;
			return [c.lost, c.gained, c["both-right"], c["both-wrong"], c.unclear, set.onlyA, set.onlyB, set.changed];
		})()`, column))
		want := []float64{
			float64(c.Counts[scored.Lost]), float64(c.Counts[scored.Gained]), float64(c.Counts[scored.BothRight]), float64(c.Counts[scored.BothWrong]),
			float64(c.Unclear), float64(c.OnlyA), float64(c.OnlyB), float64(len(c.Changed)),
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %q: lost, gained, right, wrong, unclear, only A, only B, changed are %v, bench diff counts %v", column, got, want)
		}
	}
}

// policy tries what the page's policy forbids, and finds that it is refused and that
// the test sees it.
func (b *tab) policy(t *testing.T) {
	b.t = t
	got := get[[]string](b, `(async () => {
		const refused = [];
		addEventListener("securitypolicyviolation", (e) => refused.push(e.effectiveDirective));
		const tried = async (attempt) => { try { await attempt(); } catch { /* counted by the event */ } };
		await tried(() => fetch("https://192.0.2.1/"));
		await tried(() => { document.body.innerHTML = "<b>markup</b>"; });
		const image = document.createElement("img");
		image.src = "https://192.0.2.1/x.png";
		const style = document.createElement("style");
		style.textContent = "body { color: red }";
		document.body.append(image, style);
		document.body.setAttribute("style", "color: red");
		for (let i = 0; i < 500 && refused.length < 5; i++) await new Promise((done) => setTimeout(done, 10));
		return refused.sort();
	})()`, chromedp.EvalAwaitPromise)
	want := []string{"connect-src", "img-src", "require-trusted-types-for", "style-src-attr", "style-src-elem"}
	if !slices.Equal(got, want) {
		t.Errorf("the policy refused %q, want %q", got, want)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.faults) < len(want) {
		t.Errorf("of what the policy refused the test saw %q", b.faults)
	}
	b.faults = nil
}

// large measures a page of 40,000 requests. It fails from three times the bounds on.
func (b *tab) large(t *testing.T) {
	b.t = t
	questions := 50 * largeQuestions()
	t.Logf("%d requests can be looked through %.0f ms after the page was asked for", 4*questions, get[float64](b, "bench.app.ready"))
	if got := get[int](b, `page.chosen.length`); got != questions {
		t.Fatalf("the matrix has %d questions, want %d", got, questions)
	}
	// The best of several: the bound is for the page, not for what else the machine does.
	times := get[map[string]float64](b, `Object.fromEntries([
		{category: "temporal"}, {outcome: "not-used"}, {method: "beta", outcome: "right"}, {sort: "hard"}, {sort: "apart"}, {differ: "1"}, {unclear: "1", missed: "1"}, {wrong: "beta"},
	].map((filter) => {
		let best = Infinity;
		for (let i = 0; i < 7; i++) {
			bench.app.state = filter;
			page.apply();
			best = Math.min(best, page.filterTime);
		}
		return [JSON.stringify(filter), best];
	}))`)
	for filter, ms := range times {
		if ms > 3*50 {
			t.Errorf("%s takes %.1f ms for %d questions, want at most 50", filter, ms, questions)
		}
	}
	t.Logf("milliseconds for %d questions: %v", questions, times)
	b.set(nil)
	for _, place := range []string{"0", "byId('list').scrollHeight / 2", "byId('list').scrollHeight"} {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`byId("list").scrollTop = %s; page.list.draw()`, place)))
		if n := get[int](b, `document.querySelectorAll("*").length`); n > 2500 {
			t.Errorf("at %s the page has %d elements", place, n)
		}
	}
	// The last question is in sight now, and lies in the last chunks.
	b.click(fmt.Sprintf(`#_list [data-row="%d"]`, questions-1))
	b.until(`byId("pane").querySelectorAll(".answer").length === 4`)
	if got, want := get[string](b, `byId("pane").querySelector(".sub").textContent`), fmt.Sprintf("talk-49 \u00b7 q%d", largeQuestions()-1); !strings.Contains(got, want) {
		t.Errorf("the last question is %q, want %q", got, want)
	}
}

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
