package rating

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

const (
	// noResponse stands in an item for an answer that is empty or that failed.
	noResponse = "(no response)"
	// removed stands in an item where an answer named a method or a model.
	removed = "[name removed]"
	// longest is how many bytes of a text an item shows: a cell of a spreadsheet holds no
	// more.
	longest = 30_000
	// summaryBytes bounds the summary of what went before, and gap stands where turns are
	// left out.
	summaryBytes = 6_000
	gap          = "[…]"
)

// Ask hides where items come from. It gives them opaque ids, replaces names of methods and
// models in responses, and makes texts safe to show; the hash of an answer is of the
// answer as it was given. What raters should check is left as it is.
func Ask(what What, items []Item, seed uint64, raters, names []string) Asked {
	a := Asked{What: what, Seed: seed, Raters: raters, Items: slices.Clone(items)}
	r := rand.New(rand.NewPCG(seed, 0))
	pattern := hiding(names)
	for i := range a.Items {
		it := &a.Items[i]
		// Drawn and not derived from what it stands for: an id tells nothing.
		it.ID = fmt.Sprintf("a%016x", r.Uint64())
		it.Answer = note.Sum(it.Response)
		it.Turn, it.History, it.Facts = clean(it.Turn), clean(it.History), clean(it.Facts)
		shown := clean(it.Response)
		it.Response = pattern.ReplaceAllString(shown, removed)
		it.Hidden = it.Response != shown
		if shown == "" {
			it.Response = noResponse
		}
	}
	return a
}

// hiding matches names in any case and however their words are joined, but no names of two
// letters or less.
func hiding(names []string) *regexp.Regexp {
	var parts []string
	for _, n := range names {
		words := strings.FieldsFunc(n, func(r rune) bool { return strings.ContainsRune("-_ /", r) })
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		if len(words) > 0 && utf8.RuneCountInString(n) > 2 {
			parts = append(parts, strings.Join(words, `[-_ /]*`))
		}
	}
	if len(parts) == 0 {
		return regexp.MustCompile(`[^\s\S]`) // nothing
	}
	// The longest first, so that no end of a longer name is left over.
	slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(parts, "|") + `)\b`)
}

// clean makes a text safe to show: line feeds stay, other control characters
// become blanks, and a text that is too long is cut where it says so.
func clean(s string) string {
	if len(s) > longest {
		s = s[:longest] + "\n[cut: the text is longer]"
	}
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimRight(termsafe.Text(line), " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Summary returns turns in their order, one a line. When not all find room, those that
// are evidence, by id, come first and then the latest; gaps are marked.
func Summary(turns []record.Utterance, evidence []string) string {
	lines := make([]string, len(turns))
	left := summaryBytes
	for _, first := range []bool{true, false} {
		for i, t := range slices.Backward(turns) {
			line := strings.Join(strings.Fields(t.Speaker+": "+t.Text), " ")
			if slices.Contains(evidence, t.Turn) == first && len(line) <= left {
				lines[i], left = line, left-len(line)
			}
		}
	}
	for i, line := range lines {
		if line == "" {
			lines[i] = gap
		}
	}
	return strings.Join(slices.Compact(lines), "\n")
}

// For returns the items in the order of a rater: questions in an order of the rater's own,
// and so the answers to each.
func (a Asked) For(rater string) []Item {
	r := rand.New(rand.NewPCG(a.Seed, uint64(slices.Index(a.Raters, rater))+1))
	var groups [][]Item
	for i, it := range a.Items {
		if i == 0 || it.Sample != a.Items[i-1].Sample || it.Request != a.Items[i-1].Request {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], it)
	}
	r.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for _, g := range groups {
		r.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
	}
	return slices.Concat(groups...)
}
