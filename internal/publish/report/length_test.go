package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"recallbench/internal/testkit/try"
)

// Words stand in each table that shows a column which falls with length, and a note says
// where rows differ by more than twice in it. 9 words are to 16 and to 25 as 1 is to 1.8
// and to 2.8.
func TestLength(t *testing.T) {
	for raised, want := range map[float64]bool{0: false, 0.1: true} {
		for _, columns := range [][]string{nil, {"f1@mem0"}} {
			o := fakeOptions()
			o.By, o.Columns = Category, columns
			d := try.Get(Build([]*Run{pairRun("main", raised, "words")}, o))(t)
			for _, table := range d.Tables {
				has := func(name string) bool {
					return slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Name == name }) || strings.HasSuffix(table.Name, ": "+name)
				}
				if !has("f1@mem0") {
					continue
				}
				if !has("words") {
					t.Errorf("%s has no words", table.Name)
				}
				if noted := slices.ContainsFunc(table.Notes, func(n string) bool { return strings.Contains(n, "9.0 words in stateless, 25.0 in Naive RAG") }); noted != want {
					t.Errorf("%s, raised %v: noted %v, want %v", table.Name, raised, noted, want)
				}
			}
		}
	}
}

// Words are compared, and not tested: the tests of other columns are those without them.
func TestContrastLength(t *testing.T) {
	for columns, want := range map[string]int{"": 1, "f1@mem0": 1, "evidence-recall": 0} {
		o := contrastOptions()
		if columns != "" {
			o.Columns = []string{columns}
		}
		base, side := Side{Run: pairRun("a", 0.1, "words"), Method: "stateless"}, Side{Run: pairRun("a", 0.1, "words"), Method: "Naive RAG"}
		rows, _ := contrast(t, base, o, side)
		base.Run, side.Run = pairRun("a", 0.1), pairRun("a", 0.1)
		plain, _ := contrast(t, base, o, side)
		words, noted := 0, 0
		for _, r := range rows {
			if r.Column.Name == "words" {
				words++
				if r.Base != 9 || r.New != 25 || r.Verdict() != "" || r.P != nil {
					t.Errorf("words: %v to %v, %q", r.Base, r.New, r.Verdict())
				}
				continue
			}
			if i := slices.IndexFunc(plain, func(p Contrast) bool { return p.Column.Name == r.Column.Name }); *plain[i].Adjusted != *r.Adjusted {
				t.Errorf("%s: p is %v, without words %v", r.Column.Name, *r.Adjusted, *plain[i].Adjusted)
			}
			if slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "9.0 words") }) {
				noted++
			}
		}
		if words != want || noted != want {
			t.Errorf("%q: %d rows of words and %d notes, want %d", columns, words, noted, want)
		}
	}
}

// A table that is wider than a terminal goes without what its title says, and breaks heads.
func TestNarrow(t *testing.T) {
	o := fakeOptions()
	o.Columns = []string{"f1@mem0", "exact-match", "evidence-recall", "words", "tokens@xmemory"}
	d := try.Get(Build([]*Run{pairRun("main", 0.1, "words")}, o))(t)
	table := d.Tables[0]
	table.Rows[0][0].Text = "Semantic Anchoring"
	text := unstyled(t, &Document{Tables: []*Table{{Columns: table.Columns, Rows: table.Rows}}}, "text")
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > terminal {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for name, want := range map[string]bool{"errors": false, "500": false, "evidence-": true, "Naive RAG": true} {
		if strings.Contains(text, name) != want {
			t.Errorf("%q is there: %v, want %v\n%s", name, !want, want, text)
		}
	}
}
