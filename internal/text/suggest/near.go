// Package suggest finds the known name that was probably meant by a wrong one,
// for messages.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Unknown says that a name is unknown: what it should name, the nearest known
// name if one is near, and all known names.
//
//	unknown method "flat-rga"; did you mean "flat-rag"? have stateless, flat-rag
func Unknown(kind, got string, have []string) string {
	meant, known := "", "none"
	if name, ok := Find(got, have); ok {
		meant = fmt.Sprintf(" did you mean %q?", name)
	}
	if len(have) > 0 {
		known = strings.Join(have, ", ")
	}
	return fmt.Sprintf("unknown %s %q;%s have %s", kind, shorten(got), meant, known)
}

// Find returns the name in have that is nearest to got, and whether it is near
// enough to be a typo: at most a third of its letters differ, or got is a
// prefix of it. Case and the difference between - and _ do not count. Of
// equally near names the first wins; nearest is one that lacks only the part
// after its @, such as a dialect.
func Find(got string, have []string) (string, bool) {
	want := fold(got)
	if want == "" || len(want) > maxLen {
		return "", false
	}
	first := func(prefix string) int {
		return slices.IndexFunc(have, func(name string) bool { return strings.HasPrefix(fold(name), prefix) })
	}
	best, distance := first(want+"@"), 0
	for i, name := range have {
		folded := fold(name)
		limit := max(1, max(len(want), len(folded))/3)
		if len(folded) > maxLen || len(folded) == 1 && !strings.HasPrefix(want, folded) {
			continue
		}
		if d := edits(want, folded); d <= limit && (best < 0 || d < distance) {
			best, distance = i, d
		}
	}
	if best < 0 && len(want) > 1 {
		best = first(want)
	}
	if best < 0 {
		return "", false
	}
	return have[best], true
}

// maxLen bounds the names compared: a longer one is not a slip of the keyboard.
const maxLen = 80

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }

// shorten cuts a name too long to be printed in full.
func shorten(s string) string {
	if r := []rune(s); len(r) > maxLen {
		return string(r[:maxLen]) + "..."
	}
	return s
}

// edits counts the bytes to insert, delete, replace or swap with their
// neighbour to turn a into b: the optimal string alignment distance.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
