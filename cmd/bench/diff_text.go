package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/termsafe"
)

// The width of a diff's lines and of the names before its texts, in characters.
const (
	diffWidth = 100
	diffNames = 12
)

func (d *diff) text(w io.Writer, full bool) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "A  %s\nB  %s\nright by %s\n", termsafe.Visible(d.a), termsafe.Visible(d.b), d.right())
	for _, n := range d.notes {
		fmt.Fprintf(b, "%s\n", termsafe.Visible(n))
	}
	for _, p := range d.pairs {
		h := d.head(p)
		fmt.Fprintf(b, "\n%s\n%s\n", termsafe.Visible(d.name(p)), h.counts())
		for _, line := range h.left() {
			fmt.Fprintf(b, "%s\n", termsafe.Visible(line))
		}
		of := groups(p)
		for _, v := range scored.Verdicts() {
			for i, q := range of[v] {
				if i == 0 {
					fmt.Fprintf(b, "\n%s (%d)\n", verdictTitle(v), p.Counts[v])
				}
				writeRequest(b, d.request(p, q), full)
			}
			if more := p.Counts[v] - len(of[v]); more > 0 && len(of[v]) > 0 {
				fmt.Fprintf(b, "\n%d more; without --limit they are shown\n", more)
			}
		}
	}
	return b.Flush()
}

// name names a pair of cells by what they have in common and by what not.
func (d *diff) name(p cellPair) string {
	both := func(a, b string) string {
		if a == b {
			return a
		}
		return a + " → " + b
	}
	parts := []string{both(p.a.Dataset, p.b.Dataset), both(p.a.Method, p.b.Method), both(p.a.Model, p.b.Model)}
	if a, b := fmt.Sprint("seed ", p.a.Seed), fmt.Sprint("seed ", p.b.Seed); a != b || len(d.pairs) > 1 {
		parts = append(parts, both(a, b))
	}
	return strings.Join(parts, ", ")
}

func writeRequest(b *bufio.Writer, r diffRequest, full bool) {
	fmt.Fprintf(b, "\n%s\n", termsafe.Visible(r.title()))
	field := func(name, text string, n int) {
		wrap(b, name, cutText(termsafe.Visible(text), n, full))
	}
	field("question", r.Question, cutAnswer)
	field("gold", r.gold(), cutAnswer)
	for _, s := range []struct {
		name string
		diffAnswer
	}{{"A", r.A}, {"B", r.B}} {
		wrap(b, fmt.Sprintf("%s  %s", s.name, s.value()), string(s.Outcome)+": "+cutText(termsafe.Visible(s.text()), cutAnswer, full))
	}
	for i, t := range r.Turns {
		name := ""
		if i == 0 {
			name = "gold turns"
		}
		text := termsafe.Visible(t.ID) + ", " + r.shownBy(t)
		if t.Text != "" {
			text += ": " + cutText(termsafe.Visible(t.Text), cutTurn, full)
		}
		wrap(b, name, text)
	}
}

// wrap writes a text behind a name, in lines of at most diffWidth characters. A word
// that is longer than a line is broken.
func wrap(b *bufio.Writer, name, text string) {
	const room = diffWidth - 2 - diffNames
	start := "  " + name + strings.Repeat(" ", max(1, diffNames-utf8.RuneCountInString(name)))
	used := 0
	next := func() {
		b.WriteString("\n" + strings.Repeat(" ", 2+diffNames))
		used = 0
	}
	b.WriteString(start)
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if used > 0 && used+1+n > room {
			next()
		}
		if used > 0 {
			b.WriteByte(' ')
			used++
		}
		for n > room-used {
			head := firstRunes(word, room-used)
			b.WriteString(head)
			next()
			word, n = word[len(head):], n-utf8.RuneCountInString(head)
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
}

// firstRunes returns the first n characters of a text that has more.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// json writes a line for each pair of cells, and behind it one for each request.
// Nothing is cut.
func (d *diff) json(w io.Writer, _ bool) error {
	enc := jsonout.NewEncoder(w)
	for _, p := range d.pairs {
		if err := enc.Encode(d.head(p)); err != nil {
			return err
		}
		for _, q := range p.Pairs {
			if err := enc.Encode(d.request(p, q)); err != nil {
				return err
			}
		}
	}
	return nil
}
