package reader

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// An asking says by which words a question asks for a type of value.
type asking struct {
	want  want
	later bool // stands behind the line of the file
	// any lists alternatives; all parts of one are needed.
	any [][]askPart
}

// An askPart is words in a row that a question has, or has not.
type askPart struct {
	words []string
	not   bool
}

//go:embed asks.txt
var askText string

// askings are the askings of asks.txt, in order.
var askings = sync.OnceValue(func() []asking { return readAskings(askText) })

func readAskings(text string) []asking {
	var all []asking
	later := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, alternatives, ok := strings.Cut(line, ": ")
		if later = later || line == "---"; !ok || line[0] == '#' {
			continue
		}
		a := asking{want: want(name), later: later}
		for alternative := range strings.SplitSeq(alternatives, ", ") {
			var parts []askPart
			for part := range strings.SplitSeq(alternative, "+") {
				words, not := strings.CutPrefix(part, "!")
				parts = append(parts, askPart{strings.Fields(words), not})
			}
			a.any = append(a.any, parts)
		}
		all = append(all, a)
	}
	return all
}

// fits reports whether a question has all parts of an alternative.
func (a *asking) fits(words []word) bool {
	return slices.ContainsFunc(a.any, func(parts []askPart) bool {
		return !slices.ContainsFunc(parts, func(p askPart) bool { return says(words, p.words) == p.not })
	})
}

// wanted is the type of value that the question asks for. Types whose values
// could be anything are only looked for where a service speaks.
func (q *query) wanted(service bool) want {
	for _, a := range askings() {
		if (service || !a.later) && a.fits(q.words) {
			return a.want
		}
	}
	return wantNone
}

// says reports whether a question has the words of a part in a row.
func says(words []word, part []string) bool {
	for i := -1; i <= len(words); i++ {
		k := 0
		for k < len(part) && fits(words, i+k, part[k]) {
			k++
		}
		if k == len(part) {
			return true
		}
	}
	return false
}

// fits reports whether word i of a question is one that a part names.
func fits(words []word, i int, part string) bool {
	outside := i < 0 || i >= len(words)
	switch name, isList := strings.CutPrefix(part, "$"); {
	case !isList:
		return at(words, i) == part
	case name == "end":
		return outside || words[i].punct
	case outside:
		return false
	case name == "small":
		return !words[i].punct && words[i].class != content
	default:
		return list(name)[words[i].low]
	}
}

// serves reports whether one of the speakers goes by a part and not by a name:
// the conversation is one with a service.
func serves(speakers []string) bool {
	return slices.ContainsFunc(speakers, func(s string) bool { return parts[s] })
}

// parts are what speakers are called by the part that they have in a service, and
// askers those of them who want something.
var (
	parts  = set("user customer client caller guest assistant agent system operator service clerk bot wizard")
	askers = set("user customer client caller guest")
)
