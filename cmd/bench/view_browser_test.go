package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/standin"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// A viewTab is a page of bench view in a browser.
type viewTab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp knows a tab by its context
}

// openTab opens an address. The page may report no fault and ask no other server.
func openTab(t *testing.T, address string) *viewTab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("BENCH_REQUIRE_CHROMIUM") == "1" {
			t.Fatal("there is no chromium here, and BENCH_REQUIRE_CHROMIUM is 1")
		}
		t.Skip("there is no chromium here")
	}
	ctx, stop := context.WithTimeout(context.Background(), 8*time.Minute) // for a browser that hangs
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1400, 900))...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	origin, _, _ := strings.Cut(address, "/#")
	var mu sync.Mutex
	var faults []string
	err = chromedp.Listen(ctx, func(event any) {
		fault := ""
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			fault = e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				fault += " " + e.ExceptionDetails.Exception.Description
			}
		case *runtime.EventConsoleAPICalled:
			fault = fmt.Sprintf("console: %s", e.Type)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, origin) && !strings.HasPrefix(e.Request.URL, "data:") && !strings.HasPrefix(e.Request.URL, "file:") {
				fault = "request: " + e.Request.URL
			}
		case *log.EventEntryAdded:
			if fault = e.Entry.Text; strings.Contains(fault, "status of 4") {
				return // what the server refuses is said on the page
			}
		}
		if fault != "" {
			mu.Lock()
			faults = append(faults, fault)
			mu.Unlock()
		}
	})
	if err == nil {
		err = chromedp.Do(ctx, chromedp.Navigate(address))
	}
	try.Do(t, err)
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range faults {
			t.Error(f)
		}
	})
	return &viewTab{t, ctx}
}

// run evaluates a script.
func (b *viewTab) run(script string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf("String((() => { %s })())", script)))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// until waits until an expression is true.
func (b *viewTab) until(expression string) {
	b.t.Helper()
	for range 600 {
		if b.run("return "+expression) == "true" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s: not within 30 s; the page shows\n%.3000s", expression, b.run("return location.hash + document.getElementById(\"_main\").innerText"))
}

// has waits until the elements of a selector have a text.
func (b *viewTab) has(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))", selector, text))
}

// click clicks the first element of a selector that has a text.
func (b *viewTab) click(selector, text string) {
	b.t.Helper()
	b.has(selector, text)
	b.run(fmt.Sprintf("[...document.querySelectorAll(%q)].find((e) => e.textContent.includes(%q)).click()", selector, text))
}

// media sets the width of the window and what the browser draws for: "screen" or "print",
// "light" or "dark".
func (b *viewTab) media(width int64, kind, scheme string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900), func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return chromedp.Void{}, err
	}); err != nil {
		b.t.Fatal(err)
	}
}

// tabs presses Tab until the focus has gone round, and returns the controls that it
// passed over, those that only a pointer can use, and those that do not show the focus.
func (b *viewTab) tabs() string {
	b.t.Helper()
	n, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`(() => {
		const seen = new Set(), dull = new Set();
		let pressed = false; // Tab, and not the page, moves the focus
		document.addEventListener("keydown", () => pressed = true, true);
		document.addEventListener("focusin", ({target}) => {
			seen.add(target);
			if (pressed && getComputedStyle(target).outlineStyle === "none") dull.add(target);
			pressed = false;
		});
		window.controls = () => [...(document.querySelector("dialog[open]") ?? document).querySelectorAll("a[href], button:enabled, input:enabled, select, textarea, summary, [tabindex='0']")].filter((e) => e.checkVisibility({visibilityProperty: true}));
		const clicked = "a, button, input, select, label, summary, [role=treeitem], [role=option]";
		window.missed = () => JSON.stringify({
			passed: controls().filter((e) => !seen.has(e)).map((e) => e.outerHTML.slice(0, 120)),
			pointer: [...document.querySelectorAll("*")].filter((e) => e.listeners?.click && !e.matches(clicked)).map((e) => e.outerHTML.slice(0, 120)),
			dull: [...dull].map((e) => e.outerHTML.slice(0, 120)),
		});
		document.activeElement.blur();
		window.steps = () => controls().length + 4 * document.querySelectorAll("input[type=date]").length; // which have a field for each part
		return steps();
	})()`))
	var missed string
	for range 3 { // what a page draws anew after it was reached is reached again
		for i := 0; err == nil && i < n+3; i++ {
			if err = chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab)); err == nil && i == n+2 { // what scrolls is known when the page is laid out
				n, err = chromedp.Run(b.ctx, chromedp.Evaluate[int]("steps()"))
			}
		}
		if err != nil {
			b.t.Fatal(err)
		}
		if missed = b.run("return missed()"); missed == `{"passed":[],"pointer":[],"dull":[]}` {
			return ""
		}
	}
	return missed
}

// paper returns what of the tables of a page is lost on A4: what lies beyond the edge, and
// what no part of a table has.
func (b *viewTab) paper() string {
	b.t.Helper()
	const width = 794 - 2*38 // at 96 dots an inch, less margins of a centimetre
	b.media(width, "print", "light")
	defer b.run(`dispatchEvent(new Event("afterprint"))`)
	return b.run(fmt.Sprintf(`
		const text = (t) => [...t.querySelectorAll("th, td")].map((e) => e.textContent), tables = [...document.querySelectorAll("main table")], whole = tables.map(text);
		dispatchEvent(new Event("beforeprint"));
		const lost = [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > %d + 1).map((e) => "beyond: " + e.outerHTML.slice(0, 120));
		tables.forEach((t, i) => {
			const parts = [];
			for (let p = t.nextElementSibling; p?.matches(".part-of-table"); p = p.nextElementSibling) parts.push(p);
			const all = new Set((parts.length ? parts : [t]).flatMap(text));
			lost.push(...whole[i].filter((one) => !all.has(one)).map((one) => "not printed: " + one));
			lost.push(...(parts.length ? parts : [t]).flatMap((p) => [...p.rows].filter((r) => [...r.cells].reduce((n, c) => n + c.colSpan, 0) > 6)).map((r) => "over six columns: " + r.textContent));
		});
		return lost.join("\n");`, width))
}

// axe returns what keeps people out of a page, by the rules of axe-core.
func (b *viewTab) axe() string {
	b.t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"], preload: false}).then((r) =>
		r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html, v.nodes[0].failureSummary].join(" ")).join("\n"))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// treeModel lets the stand-in edit trees in a test, see [methodtest.TreeModel].
func treeModel(t *testing.T) {
	t.Helper()
	open := standin.Spec.Open
	t.Cleanup(func() { standin.Spec.Open = open })
	standin.Spec.Open = func(ctx context.Context, env backend.Env, options any) (backend.Doors, error) {
		doors, err := open(ctx, env, options)
		id := calls.Identity{Class: standin.Name, Provider: standin.Name, Model: standin.Name}
		doors.LLM = env.Calls.StandIn(id, methodtest.TreeModel(standin.Generator()))
		return doors, err
	}
}

// TestViewPages visits every page of bench view in two sizes and two colour schemes, and
// goes round it by keyboard.
func TestViewPages(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	t.Chdir(t.TempDir())
	treeModel(t)
	must(t, "run", write(t, "talk.yaml", `
datasets: [{use: sample}]
methods: [{use: xmemory}, {use: semantic-anchoring}]
metrics: [f1@mem0, evidence-recall]
structures: true
`), "--out", filepath.Join("results", "runs", "talk"), "--limit", "2", "--display", "none")
	must(t, "run", write(t, "tree.yaml", `
datasets: [{use: tasks, options: {turns: multi, domains: [itinerary], split: dev}}]
methods: [{use: semantic-xpath}, {use: flat-rag}]
metrics: [pass]
calls: {stand_in: true}
limits: {requests: 2}
`), "--out", filepath.Join("results", "runs", "tree"), "--display", "none")
	t.Setenv("USER", "ann") // whose notes they are
	v, index := watch(t)
	keys := make(map[string]string)
	for _, r := range index.Runs {
		keys[filepath.Base(r.Path)] = r.Key
	}
	talk, tree := "#/run/"+keys["talk"]+"/", "#/run/"+keys["tree"]+"/"
	inside := [][2]string{{".inside > details:not([open]) > summary", "Trace"}, {".inside > details:not([open]) > summary", "Memory"}, {".inside > details:not([open]) > summary", "Notes"}}
	request := append([][2]string{{".line .cell", ""}}, inside...)
	anchoring := append([][2]string{{".line .cell[data-series='1']", ""}}, inside...)
	pages := []struct {
		fragment string
		clicks   [][2]string // selectors and texts
		shown    string      // selector
		facts    map[string]string
	}{
		{"#/runs", nil, ".runs .grid td", nil},
		{talk + "overview", [][2]string{{".columns-of summary", "Columns"}}, ".ranking .dot", nil},
		{talk + "compare", nil, ".grid .number, .flips", nil},
		{talk + "questions", nil, ".line .top", nil},
		{talk + "questions", append(request, [2]string{".inside .outline .about", "episode"}), ".inside .outline [role=treeitem]", map[string]string{
			`[...document.querySelectorAll(".inside .outline [role=treeitem]")].map((e) => e.getAttribute("aria-level") + " " + e.querySelector(".type").textContent).filter((x, i, all) => all.indexOf(x) === i).sort().join()`: "1 theme,2 fact,3 episode,4 turn",
			`document.querySelector(".inside .outline .about .turner").textContent`:                                                                                                                              "\u25be",
			`document.querySelectorAll(".inside .trace circle").length - document.querySelectorAll(".inside .trace tbody tr").length`:                                                                            "0",
			`document.querySelectorAll(".inside .trace .include").length > 0`:                                                                                                                                    "true",
			`document.querySelector(".timeline tfoot text").textContent + ", " + document.querySelectorAll(".timeline .hit").length + " of " + document.querySelector(".timeline .gold-turn title").textContent`: "2024-01-15, 2 of D1:5",
		}},
		{talk + "questions", anchoring, ".inside .structure svg.links", map[string]string{
			`[...document.querySelectorAll(".inside .trace tbody td")].map((e) => e.textContent).slice(0, 1).join()`:       "D6:3",
			`[...document.querySelectorAll(".inside .trace th")].map((e) => e.textContent).slice(-5).sort().join()`:        "dependencies,discourse,entities,score,similarity",
			`[...document.querySelectorAll(".links text[text-anchor=end]")].some((e) => e.textContent === "Granddad")`:     "true",
			`[...document.querySelectorAll(".links text:not([text-anchor])")].some((e) => e.textContent.includes("D1:5"))`: "true",
		}},
		{tree + "questions", append(request, [2]string{".inside > details > summary", "Calls ("}, [2]string{".inside .steps button", ""}, [2]string{".inside .structure > details > summary", "Versions"}), ".inside .step li", map[string]string{
			`document.querySelector(".timeline")`: "null",
			`[...document.querySelectorAll(".versions section")].map((e) => e.querySelector("h3").textContent + " " + (e.querySelector("[data-id=n39]") !== null)).join()`: "version 1 true,version 2 false",
			`(() => {
				const tree = document.querySelector(".versions .outline");
				tree.dispatchEvent(new KeyboardEvent("keydown", {key: "*"}));
				return tree.querySelectorAll("[aria-expanded=false]").length;
			})()`: "0",
			`document.querySelector(".inside .structure > .outline [data-id=n39] strong").textContent`:                                                    "\u2212 deleted ",
			`[...document.querySelectorAll(".inside .step .shade")].every((e) => e.classList.contains("w" + Math.min(4, Math.floor(5 * e.textContent))))`: "true",
		}},
		{talk + "figures", nil, "figure img", nil},
		{talk + "settings", nil, "main h3", nil},
		{talk + "live", nil, "progress", nil},
		{talk + "review", [][2]string{{"form.fields button", "Draw a queue"}}, ".note-form", nil},
		{"#/chat", nil, ".chat-bar form", nil},
		{"#/chat", [][2]string{{".chat-bar button", "conference"}, {".chat-talk button", "Ask"}}, ".chat-memory .mark-deleted", nil},
		{talk + "questions", [][2]string{{"#_keys-of", ""}}, "#_keys kbd", map[string]string{
			`[...document.querySelectorAll("#_keys dd")].map((e) => e.textContent).slice(-2).join()`: "Chat,this list",
		}},
	}
	b := openTab(t, v.address+"/#/runs&token="+v.token)
	b.until("bench.app.ready > 0")
	if file := os.Getenv("BENCH_AXE"); file != "" {
		source, err := os.ReadFile(file)
		if err == nil {
			err = chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](string(source)+"; undefined"))
		}
		try.Do(t, err)
	}
	for i, p := range pages {
		t.Run(fmt.Sprint(i, " ", p.shown), func(t *testing.T) {
			b.t = t
			b.media(1280, "screen", "light")
			b.run(fmt.Sprintf("location.hash = %q", p.fragment))
			b.until(fmt.Sprintf("bench.app.page?.name === %q && bench.app.data !== undefined", strings.FieldsFunc(p.fragment, func(r rune) bool { return strings.ContainsRune("#/?", r) })[max(0, strings.Count(p.fragment, "/")-1)]))
			if strings.HasSuffix(p.fragment, "review") {
				b.has("form.fields", "Draw a queue")
				b.run(`document.querySelector("input[name=name]").value = "first"`)
			}
			for _, c := range p.clicks {
				b.click(c[0], c[1])
			}
			b.has(p.shown, "")
			b.until(`document.querySelector("[aria-busy]") === null`)
			for expression, want := range p.facts {
				if got := b.run("return " + expression); got != want {
					t.Errorf("%s is %q, want %q", expression, got, want)
				}
			}
			if missed := b.tabs(); missed != "" {
				t.Errorf("by keyboard: %s", missed)
			}
			for _, width := range []int64{1280, 390} {
				for _, scheme := range []string{"light", "dark"} {
					each := (width == 390) == (scheme == "dark") // each size and each scheme once
					if !each && longtest.N(0, 1) == 0 {
						continue
					}
					b.media(width, "screen", scheme)
					if got := b.run("return document.documentElement.scrollWidth"); got != strconv.FormatInt(width, 10) {
						t.Errorf("%s is %s px wide on a screen of %d", p.fragment, got, width)
					}
					if os.Getenv("BENCH_AXE") != "" && each { // these rules are slow
						if found := b.axe(); found != "" {
							t.Errorf("%d px, %s: %s", width, scheme, found)
						}
					}
				}
			}
			if lost := b.paper(); lost != "" {
				t.Errorf("on paper: %s", lost)
			}
		})
	}
	b.t = t
	b.run(`document.querySelector("dialog").close()`)
}

// TestViewRequest looks at what a page shows of a request: calls, prompts beside those
// of another method, the tree with its query, and notes.
func TestViewRequest(t *testing.T) {
	t.Chdir(t.TempDir())
	treeModel(t)
	dir := filepath.Join("results", "runs", "trees")
	must(t, "run", write(t, "run.yaml", `
datasets: [{use: tasks, options: {turns: multi, domains: [itinerary], split: dev}}]
methods: [{use: semantic-xpath}, {use: flat-rag}]
metrics: [pass]
calls: {stand_in: true}
limits: {requests: 2}
`), "--out", dir, "--display", "none")
	t.Setenv("USER", "ann") // whose notes they are
	v, index := watch(t)
	b := openTab(t, v.address+"/#/run/"+index.Runs[0].Key+"/questions&token="+v.token)
	b.has(".line .top", "")
	b.click(".line .cell[title='semantic-xpath']", "")
	b.click(".inside summary", "Calls (")
	b.has(".inside .calls summary", "tokens read")
	b.click(".inside .calls summary", "tokens read")
	b.has(".inside .message h4", "reply")
	b.click(".inside summary", "Prompts beside those of")
	b.has(".inside .transcript h4", "")
	b.click(".inside summary", "Memory")
	b.has(".inside [role=treeitem]", "Itinerary")
	b.click(".inside .steps button", "")
	b.has(".inside .step li", "=")
	b.click(".inside .step button", "")
	b.has(".inside [aria-selected=true]", "")
	b.click(".inside summary", "Notes")
	b.click(".inside .note-form button", "right")
	b.has(".inside .notes-of li", "ann correct: true")
	b.run(`const form = [...document.querySelectorAll(".inside .note-form form")].find((f) => f.textContent.startsWith("Tag"));
		form.querySelector("input").value = "<b>odd"; form.requestSubmit = null; form.dispatchEvent(new Event("submit", {cancelable: true}))`)
	b.has(".inside [role=alert]", "lower-case letters, digits and dashes")
	// A file has the same where it is told to.
	page := try.Get(filepath.Abs("page.html"))(t)
	must(t, "report", dir, "--full", "--out", page)
	b.click(".inside .notes-of button", "take back")
	b.has(".inside .notes-of", "none")
	b.run(`bench.app.go("review"); return ""`)
	b.has("form.fields button", "Draw a queue")
	b.run(`document.querySelector("input[name=name]").value = "first"; document.querySelector("form.fields").requestSubmit()`)
	b.has(".bar", "first item 1 of 4, 0 labelled")
	b.until(`document.querySelector(".facts") !== null && !document.body.innerText.includes("semantic-xpath")`)
	b.run(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "2", bubbles: true}))`)
	for n := 1; n < 4; n++ {
		b.has(".bar", fmt.Sprintf("first item %d of 4, %d labelled", n+1, n))
		b.run(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "1", bubbles: true}))`)
	}
	b.has("[aria-label=agreement]", "ann 4")
	try.Do(t, chromedp.Do(b.ctx, chromedp.Navigate("file://"+filepath.ToSlash(page)+"#/questions")))
	b.click(".line .cell[title='semantic-xpath']", "")
	b.click(".inside summary", "Calls (")
	b.has(".inside .calls summary", "tokens read")
	b.click(".inside summary", "Memory")
	b.has(".inside [role=treeitem]", "Itinerary")
	b.click(".inside summary", "Notes")
	b.has(".inside .notes-of li", "ann correct: true")
	b.until(`document.querySelector(".inside .note-form") === null`)
	b.run(`bench.app.go("overview"); return ""`)
	b.has(".ranking .plot th", "semantic-xpath")
}

// TestViewWorkers looks at the workers of a run.
func TestViewWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join("results", "runs", "many")
	must(t, "run", questions(t, 1, 1, "name: many\nmodels: [{use: stand-in}]\n"), "--out", dir, "--display", "none")
	now := time.Now().UTC()
	err := record.Folder(dir).WriteProgress(record.Progress{Time: now, PID: os.Getpid(), Host: record.Host(), Workers: []record.Worker{
		{Name: "<b>ada", State: record.WorkerJoined, Joined: now.Add(-100 * time.Second), Units: []string{"c/s1", "c/s2", "c/s3", "c/s4", "c/s5", "c/s6"}, Done: 7, Requests: 250},
		{Name: "grace", State: record.WorkerLost, Joined: now, Units: []string{}, Faults: 3, Fault: "no key"},
	}})
	try.Do(t, err)
	t.Setenv("USER", "ann") // whose notes they are
	v, index := watch(t)
	b := openTab(t, v.address+"/#/run/"+index.Runs[0].Key+"/live&token="+v.token)
	b.has("caption", "Workers")
	b.has("tr", "<b>adajoinedc/s1, c/s2, c/s3, c/s4, c/s5 and 1 more72502.500")
	b.has("tr", "gracelost00–3no key")
}
