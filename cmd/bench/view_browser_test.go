package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"recallbench/internal/publish/catalog"
)

// A viewTab is a page of bench view in a browser.
type viewTab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp knows a tab by its context
}

// openTab opens an address. The page may report no fault.
func openTab(t *testing.T, address string) *viewTab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("BENCH_REQUIRE_CHROMIUM") == "1" {
			t.Fatal("there is no chromium here, and BENCH_REQUIRE_CHROMIUM is 1")
		}
		t.Skip("there is no chromium here")
	}
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute) // for a browser that hangs
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1400, 900))...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
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
	if err != nil {
		t.Fatal(err)
	}
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

// TestViewRequest looks at what a page shows of a request: calls, prompts beside those
// of another method, the tree with its query, and notes.
func TestViewRequest(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join("results", "runs", "trees")
	must(t, "run", write(t, "run.yaml", `
datasets: [{use: tasks, options: {turns: multi, domains: [itinerary], split: dev}}]
methods: [{use: semantic-xpath}, {use: flat-rag}]
metrics: [pass]
calls: {offline: true}
limits: {requests: 2}
`), "--out", dir, "--display", "none")
	v := view(t, "--reviewer", "ann")
	defer v.end()
	var index catalog.Index
	v.get("/api/runs", &index)
	b := openTab(t, v.address+"/#/run/"+index.Runs[0].Key+"/requests&token="+v.token)
	b.has(".line .top", "")
	b.click(".line", "semantic-xpath")
	b.click(".answer.chosen summary", "Calls (")
	b.has(".answer.chosen .calls summary", "tokens read")
	b.click(".answer.chosen .calls summary", "tokens read")
	b.has(".answer.chosen .message h5", "reply")
	b.click(".answer.chosen summary", "Prompts beside those of")
	b.has(".answer.chosen .transcript h5", "")
	b.click(".answer.chosen summary", "Memory")
	b.has(".answer.chosen [role=treeitem]", "Itinerary")
	b.click(".answer.chosen .steps button", "")
	b.has(".answer.chosen .step li", "=")
	b.click(".answer.chosen .step button", "")
	b.has(".answer.chosen [aria-selected=true]", "")
	b.click(".answer.chosen summary", "Notes")
	b.click(".answer.chosen .note-form button", "right")
	b.has(".answer.chosen .notes-of li", "ann correct: true")
	b.run(`const form = [...document.querySelectorAll(".answer.chosen .note-form form")].find((f) => f.textContent.startsWith("Tag"));
		form.querySelector("input").value = "<b>odd"; form.requestSubmit = null; form.dispatchEvent(new Event("submit", {cancelable: true}))`)
	b.has(".answer.chosen [role=alert]", "small letters, digits and dashes")
	// A file has the same where it is told to.
	page, err := filepath.Abs("page.html")
	if err != nil {
		t.Fatal(err)
	}
	must(t, "report", dir, "--calls", "--structures", "--notes", "--out", page)
	b.click(".answer.chosen .notes-of button", "take back")
	b.has(".answer.chosen .notes-of", "none")
	b.run(`bench.app.go("review"); return ""`)
	b.has("form.bar button", "Draw a queue")
	b.run(`document.querySelector("input[name=name]").value = "first"; document.querySelector("form.bar").requestSubmit()`)
	b.has(".bar", "first item 1 of 4, 0 labelled")
	b.until(`document.querySelector(".facts") !== null && !document.body.innerText.includes("semantic-xpath")`)
	b.run(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "2", bubbles: true}))`)
	b.has(".bar", "first item 2 of 4, 1 labelled")
	if err := chromedp.Do(b.ctx, chromedp.Navigate("file://"+filepath.ToSlash(page)+"#/requests")); err != nil {
		t.Fatal(err)
	}
	b.click(".line", "semantic-xpath")
	b.click(".answer.chosen summary", "Calls (")
	b.has(".answer.chosen .calls summary", "tokens read")
	b.click(".answer.chosen summary", "Memory")
	b.has(".answer.chosen [role=treeitem]", "Itinerary")
	b.click(".answer.chosen summary", "Notes")
	b.has(".answer.chosen .notes-of li", "ann correct: true")
	b.until(`document.querySelector(".answer.chosen .note-form") === null`)
}

// TestViewChat talks to a tree on the page: a turn, its tree and query, undo, redo, a
// query of one's own, and a mark.
func TestViewChat(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("results", 0o755); err != nil {
		t.Fatal(err)
	}
	v := view(t)
	defer v.end()
	b := openTab(t, v.address+"/#/chat&token="+v.token)
	b.click(".chat-bar li button", "conference")
	b.has(".chat-memory h3", "after the first turn")
	b.until(`document.querySelector(".chat-talk textarea").value.startsWith("Cancel the poster session")`)
	b.run(`document.querySelector(".chat-talk form").requestSubmit()`)
	b.has(".chat-memory h3", "after turn 1")
	b.has(".chat-memory .mark-deleted", "deleted")
	b.has(".turns .kind", "delete")
	b.click(".chat-memory [role=treeitem]", "deleted")
	b.has(".turns li", "reads or changes the node")
	b.click(".chat-turn button", "right")
	b.has(".turns li", "marked right")
	b.click(".chat-bar button", "Undo")
	b.has(".chat-memory h3", "after the first turn")
	b.has(".turns .aside", "on another branch")
	b.run(`const q = document.querySelector(".chat-memory form input"); q.value = "//Day"; q.form.requestSubmit()`)
	b.has(".chat-memory .execution code", "//Day")
	b.click(".chat-bar button", "Redo")
	b.has(".chat-memory h3", "after turn 1")
	b.run(`bench.app.go("chat"); return ""`)
	b.has(".chat-bar h3", "Chats (1)")
}
