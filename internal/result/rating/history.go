package rating

import (
	"slices"
	"strings"

	"recallbench/internal/door/token"
)

// A Turn is a turn of the history of a question.
type Turn struct {
	Speaker, Text string
	Evidence      bool // the gold answer rests on it
}

// gap stands where turns are left out.
const gap = "[…]"

// History returns a compact history: the turns that are given, in order, one a
// line, in at most budget tokens. When not all find room, those that are evidence
// come first and then the latest; gaps are marked. A turn that is too long for
// what room is left is cut.
func History(turns []Turn, budget int, tokens token.Codec) string {
	lines := make([]string, len(turns))
	left := budget
	take := func(i int) {
		line := strings.Join(strings.Fields(turns[i].Speaker+": "+clip(turns[i].Text)), " ")
		n := tokens.Count(line + "\n")
		mark := tokens.Count(gap + "\n")
		switch {
		case n+2*mark <= left:
			lines[i] = line
			left -= n + 2*mark
		case turns[i].Evidence && left > 4*mark:
			parts := tokens.Split(line)
			line = strings.ToValidUTF8(strings.Join(parts[:min(len(parts), left-3*mark)], ""), "") + " " + gap
			lines[i], left = line, 0
		}
	}
	for i := range turns {
		if turns[i].Evidence {
			take(i)
		}
	}
	for i := range slices.Backward(turns) {
		if !turns[i].Evidence {
			take(i)
		}
	}
	var b strings.Builder
	skipped := false
	for _, l := range lines {
		if l == "" {
			skipped = true
			continue
		}
		if skipped {
			b.WriteString(gap + "\n")
			skipped = false
		}
		b.WriteString(l + "\n")
	}
	if skipped {
		b.WriteString(gap + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clip bounds what is looked at of a text.
func clip(s string) string { return s[:min(len(s), longest)] }
