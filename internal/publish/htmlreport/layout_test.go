package htmlreport_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

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
