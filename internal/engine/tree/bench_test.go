package tree

import (
	"fmt"
	"strings"
	"testing"
)

// million is a document of a million nodes in one of the styles.
func million(elements bool) string {
	var b strings.Builder
	b.WriteString("<Root>")
	for c := range 100 {
		fmt.Fprintf(&b, "<Category name='c%d'>", c)
		for p := range 100 {
			fmt.Fprintf(&b, "<Project name='p%d'>", p)
			for t := range 99 {
				if elements {
					fmt.Fprintf(&b, "<Task><name>task %d</name><status>open</status><due>2026-01-01</due></Task>", t)
				} else {
					fmt.Fprintf(&b, "<Task name='task %d' status='open' due='2026-01-01'/>", t)
				}
			}
			b.WriteString("</Project>")
		}
		b.WriteString("</Category>")
	}
	b.WriteString("</Root>")
	return b.String()
}

func BenchmarkParseMillion(b *testing.B) {
	for _, style := range []string{"attributes", "elements"} {
		b.Run(style, func(b *testing.B) {
			doc := million(style == "elements")
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				tr, err := ParseXML("million.xml", strings.NewReader(doc), XMLOptions{})
				if err != nil || tr.Len() != 1_000_101 {
					b.Fatal(tr.Len(), err)
				}
			}
		})
	}
}

func BenchmarkWalkMillion(b *testing.B) {
	tr, err := ParseXML("million.xml", strings.NewReader(million(false)), XMLOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tasks := 0
		for _, n := range Walk(tr.Root()) {
			if n.Type == "Task" {
				tasks++
			}
		}
		if tasks != 990_000 {
			b.Fatal(tasks)
		}
	}
}
