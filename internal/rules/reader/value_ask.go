package reader

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// An asking says by which words a question asks for a type of value.
type asking struct {
	want    want
	service bool // only where a service speaks
	// any lists alternatives, of which all parts are needed.
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
var askings = sync.OnceValue(func() []asking {
	var all []asking
	service := false
	for line := range strings.Lines(askText) {
		line = strings.TrimSpace(line)
		name, alternatives, ok := strings.Cut(line, ": ")
		if service = service || line == "---"; !ok || line[0] == '#' {
			continue
		}
		a := asking{want: want(name), service: service}
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
})

// wanted is the type of value that the question asks for. Types whose values
// could be anything are only looked for where a service speaks.
func (q *query) wanted(service bool) want {
	for _, a := range askings() {
		if (service || !a.service) && slices.ContainsFunc(a.any, func(parts []askPart) bool {
			return !slices.ContainsFunc(parts, func(p askPart) bool { return q.says(p.words) == p.not })
		}) {
			return a.want
		}
	}
	return wantNone
}

// says reports whether the question has the words of a part in a row.
func (q *query) says(part []string) bool {
	for i := -1; i <= len(q.words); i++ {
		k := 0
		for k < len(part) && q.fits(i+k, part[k]) {
			k++
		}
		if k == len(part) {
			return true
		}
	}
	return false
}

// fits reports whether word i of the question is one that a part names.
func (q *query) fits(i int, part string) bool {
	outside := i < 0 || i >= len(q.words)
	switch name, isList := strings.CutPrefix(part, "$"); {
	case !isList:
		return q.low(i) == part
	case name == "end":
		return outside || q.words[i].punct
	case outside:
		return false
	case name == "small":
		return !q.words[i].punct && q.words[i].class != content
	default:
		return list(name)[q.words[i].low]
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
