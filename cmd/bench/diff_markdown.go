package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"recallbench/internal/asked"
	"recallbench/internal/plain"
)

// markdown writes a diff as GitHub-flavoured Markdown, requests below a fold.
func (d *diff) markdown(w io.Writer, full bool) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## A: %s, B: %s\n\nRight where %s.\n", mark(d.a), mark(d.b), mark(d.right()))
	for _, n := range d.notes {
		fmt.Fprintf(b, "\n%s.\n", mark(n))
	}
	for _, p := range d.pairs {
		h := d.head(p)
		fmt.Fprintf(b, "\n### %s\n\n| compared | right in both | wrong in both | lost | gained | net | exact McNemar p |\n|--:|--:|--:|--:|--:|--:|--:|\n| %d | %d | %d | %d | %d | %+d | %s |\n",
			mark(d.name(p)), h.Compared, h.BothRight, h.BothWrong, h.Lost, h.Gained, h.Net, h.p())
		for _, line := range h.left() {
			fmt.Fprintf(b, "\n%s.\n", mark(line))
		}
		of := groups(p)
		for _, v := range asked.Verdicts() {
			if len(of[v]) == 0 {
				continue
			}
			fmt.Fprintf(b, "\n<details><summary>%s (%d)</summary>\n", verdictTitle(v), p.Counts[v])
			for _, q := range of[v] {
				markRequest(b, d.request(p, q), full)
			}
			if more := p.Counts[v] - len(of[v]); more > 0 {
				fmt.Fprintf(b, "\n%d more; without --limit they are shown.\n", more)
			}
			b.WriteString("\n</details>\n")
		}
	}
	return b.Flush()
}

func markRequest(b *bufio.Writer, r diffRequest, full bool) {
	cell := func(text string, n int) string { return mark(cutText(text, n, full)) }
	fmt.Fprintf(b, "\n**%s** %s\n\n", mark(r.Sample+" "+r.Request+", "+r.Category), cell(r.Question, cutAnswer))
	fmt.Fprintf(b, "| | value | outcome | answer |\n|---|--:|---|---|\n| gold | | | %s |\n", cell(r.gold(), cutAnswer))
	fmt.Fprintf(b, "| A | %s | %s | %s |\n", r.A.value(), r.A.Outcome, cell(r.A.text(), cutAnswer))
	fmt.Fprintf(b, "| B | %s | %s | %s |\n", r.B.value(), r.B.Outcome, cell(r.B.text(), cutAnswer))
	for i, t := range r.Turns {
		if i == 0 {
			b.WriteString("\nGold turns:\n\n")
		}
		fmt.Fprintf(b, "- %s, %s", mark(t.ID), r.shownBy(t))
		if t.Text != "" {
			fmt.Fprintf(b, ": %s", cell(t.Text, cutTurn))
		}
		b.WriteString("\n")
	}
}

// markEscapes are what Markdown and HTML would read as more than text.
var markEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`, "!", `\!`, "$", `\$`, "@", "&#64;",
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "://", ":&#8203;//",
)

// mark keeps a text from being read as Markdown, and on one line.
func mark(s string) string { return markEscapes.Replace(plain.Visible(s)) }
