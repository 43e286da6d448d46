package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/publish/figure"
)

// Names are what methods, columns and other names in tables and figures are shown as.
type Names map[string]string

// Document shows the names in titles, heads and texts of cells of tables. A note says what
// each stands for; notes keep the names of the run.
func (n Names) Document(d *Document) {
	for _, t := range d.Tables {
		used := make(map[string]bool)
		t.Title = n.show(t.Title, used)
		for i := range t.Columns {
			c := &t.Columns[i]
			if head := n.show(c.head(), used); head != c.Name {
				c.Head = head
			}
			c.Group = n.show(c.Group, used)
		}
		for _, row := range t.Rows {
			for i := range row {
				row[i].Text = n.show(row[i].Text, used)
			}
		}
		t.NoteTitle(n.note(used))
	}
}

// Figure shows the names in all texts of a figure but its notes.
func (n Names) Figure(f *figure.Figure) {
	used := make(map[string]bool)
	f.Title = n.show(f.Title, used)
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Title, p.X.Label, p.Y.Label = n.show(p.Title, used), n.show(p.X.Label, used), n.show(p.Y.Label, used)
		p.Places = slices.Clone(p.Places) // panels share them
		for k := range p.Places {
			p.Places[k] = n.show(p.Places[k], used)
		}
		for k := range p.Series {
			p.Series[k].Name = n.show(p.Series[k].Name, used)
		}
	}
	if note := n.note(used); note != "" {
		f.Notes = append(f.Notes, note)
	}
}

// note says what the names that were shown stand for.
func (n Names) note(used map[string]bool) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		all = append(all, fmt.Sprintf("%s is %s", n[name], name))
	}
	return strings.Join(all, "; ")
}

// show replaces names in a text where they stand alone, the longest first, and notes
// which there were.
func (n Names) show(s string, used map[string]bool) string {
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var b strings.Builder
scan:
	for at := 0; at < len(s); {
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		for _, name := range names {
			rest, ok := strings.CutPrefix(s[at:], name)
			if after, _ := utf8.DecodeRuneInString(rest); ok && name != "" && !inName(before) && !inName(after) {
				b.WriteString(n[name])
				used[name] = true
				at += len(name)
				continue scan
			}
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		b.WriteString(s[at : at+size])
		at += size
	}
	return b.String()
}

// inName reports whether a character may be a part of a name.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("@_-.+", r)
}
