package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// A page is what a test reads of HTML that is well-formed XML too.
type page struct {
	elements map[string]int
	ids      []string
	targets  []string // of links, without their #
	text     string
	style    string
	policy   string
}

// readPage reads HTML, and fails t if an element is not closed where it should
// be, or if there is one, or an attribute, that tables have no use for.
func readPage(t *testing.T, s string) page {
	t.Helper()
	known := strings.Fields("html head meta title style body main section div table caption thead tbody tr th td p ol li sup a b data")
	attributes := strings.Fields("lang charset http-equiv content name class id scope colspan rowspan value href tabindex")
	p := page{elements: make(map[string]int)}
	d := xml.NewDecoder(strings.NewReader(s))
	inStyle := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			p.elements[e.Name.Local]++
			if !slices.Contains(known, e.Name.Local) {
				t.Errorf("there is an element <%s>", e.Name.Local)
			}
			inStyle = e.Name.Local == "style"
			for _, a := range e.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Errorf("<%s> has an attribute %s", e.Name.Local, a.Name.Local)
				}
				switch a.Name.Local {
				case "id":
					p.ids = append(p.ids, a.Value)
				case "href":
					p.targets = append(p.targets, strings.TrimPrefix(a.Value, "#"))
				case "content":
					if strings.Contains(a.Value, "default-src") {
						p.policy = a.Value
					}
				}
			}
		case xml.EndElement:
			inStyle = false
		case xml.CharData:
			if inStyle {
				p.style += string(e)
			} else {
				p.text += string(e)
			}
		}
	}
}

// A page stands by itself: its policy allows the style sheet that it has, every
// link leads to a note of it, and no two things have the same id.
func TestHTMLPage(t *testing.T) {
	o := fakeOptions()
	o.By, o.Against, o.Intervals = Category, "stateless", true
	d := try.Get(Build([]*Run{standInRun()}, o))(t)
	p := readPage(t, render(t, d, "html"))
	if p.elements["table"] != len(d.Tables) {
		t.Errorf("%d tables, want %d", p.elements["table"], len(d.Tables))
	}
	sum := sha256.Sum256([]byte(p.style))
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.HasPrefix(p.policy, want) {
		t.Errorf("policy %q, want %q at its start", p.policy, want)
	}
	for _, target := range p.targets {
		if !slices.Contains(p.ids, target) {
			t.Errorf("a link leads to #%s, which is not there", target)
		}
	}
	slices.Sort(p.ids)
	if n := len(p.ids); len(slices.Compact(p.ids)) != n {
		t.Error("an id is there twice")
	}
	if len(p.targets) == 0 || !strings.Contains(p.text, standInNote) {
		t.Error("the page has no notes")
	}
}

// A part of a page has the same table, and no styles.
func TestHTMLFragment(t *testing.T) {
	var b strings.Builder
	try.Do(t, hostile().Tables[0].HTML(&b))
	p := readPage(t, b.String())
	if p.elements["table"] != 1 || p.elements["style"] != 0 || p.elements["li"] != 2 {
		t.Errorf("the fragment has %v", p.elements)
	}
	if page := render(t, hostile(), "html"); !strings.Contains(page, b.String()) {
		t.Error("the page has another table")
	}
}

func TestAnchor(t *testing.T) {
	for in, want := range map[string]string{
		"locomo":                 "locomo",
		"xmemory-table1":         "xmemory-table1",
		"locomo by f1@mem0":      "locomo-by-f1-mem0-5ddbba",
		"LoCoMo":                 "locomo-584123",
		"":                       "e3b0c4",
		"\x1b\"><script>":        "script-380765",
		strings.Repeat("ab", 99): strings.Repeat("ab", 24) + "-dbdc7d",
	} {
		if got := anchor(in); got != want {
			t.Errorf("anchor(%.20q) = %q, want %q", in, got, want)
		}
	}
}
