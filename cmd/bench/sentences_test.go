package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	notProse = regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!--.*?-->|^(?:    |#|\\|| *!\\[| +\\S+ {2,})[^\n]*$")
	codeSpan = regexp.MustCompile("`[^`]*`")
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	listItem = regexp.MustCompile(`\n\s*(?:[-*]|\d+\.) `)
	ends     = regexp.MustCompile(`[.!?:]["*)]*(?:\s+|$)`)
	listing  = regexp.MustCompile(`\bhave [^\s,]+,.*`)
	// knotted are constructions that a reader has to read twice.
	knotted = regexp.MustCompile(`(?i)\b(?:that it is of|of which|is no [a-z]|holds? against|held against|lets? go of|(?:is|are) told by)\b`)
)

// sentences returns the sentences of a text, a code span as one word.
func sentences(text string) (all []string) {
	text = notProse.ReplaceAllString(text, "\n")
	text = linkText.ReplaceAllString(codeSpan.ReplaceAllString(text, "code"), "$1")
	for paragraph := range strings.SplitSeq(listItem.ReplaceAllString(text, "\n\n"), "\n\n") {
		paragraph = strings.ReplaceAll(strings.Join(strings.Fields(paragraph), " "), "et al. ", "et al ")
		for _, s := range ends.Split(paragraph, -1) {
			if len(strings.Fields(s)) > 2 {
				all = append(all, s)
			}
		}
	}
	return all
}

// TestSentences reads the sentences of the help, the errors and the documents: they are
// short, and have none of the constructions that a reader has to read twice.
func TestSentences(t *testing.T) {
	var all []string
	for _, path := range pages(t) {
		all = append(all, sentences(read(t, path))...)
	}
	var help func(cmd *cobra.Command)
	help = func(cmd *cobra.Command) {
		all = append(all, sentences(cmd.Short+"\n\n"+cmd.Long)...)
		for _, c := range cmd.Commands() {
			help(c)
		}
	}
	help(newRootCommand(&app{}))
	for line := range strings.Lines(read(t, "testdata/messages.txt")) {
		if said, ok := strings.CutPrefix(line, "bench: "); ok {
			all = append(all, sentences(listing.ReplaceAllString(said, "have names"))...)
		}
	}
	if len(all) < 2000 {
		t.Fatalf("%d sentences, want at least 2000", len(all))
	}
	total := 0
	for _, s := range all {
		n := len(strings.Fields(s))
		total += n
		if n > 30 {
			t.Errorf("%d words: %s", n, s)
		}
		if found := knotted.FindString(s); found != "" {
			t.Errorf("%q in: %s", found, s)
		}
	}
	if mean := float64(total) / float64(len(all)); mean > 15 {
		t.Errorf("sentences have %.1f words on average, want at most 15", mean)
	}
}
