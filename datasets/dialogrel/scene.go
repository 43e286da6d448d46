package dialogrel

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
)

// A scene is a dialogue of the source whose speakers are distinguished within
// the whole conversation, with its relations.
type scene struct {
	origin   string
	turns    []turn
	facts    []fact
	names    []properName
	sessions int // number of sessions it is divided into
}

// A turn is an utterance in the making.
type turn struct {
	speakers []string
	text     string
	key      string // of the text; see key
	session  int    // in the scene, from 0
	replaced []replacement
	id       string // in the conversation
	number   int    // of its session in the conversation, from 1
}

// A fact is one relation of a pair.
type fact struct {
	relation, trigger string
	x, y              argument
	evidence          []int // turns of the scene, in order
}

// An argument is one of a pair's, with all of its names, the one of the pair
// first.
type argument struct {
	names []string
	kind  kind
}

// newScene reads a dialogue. Its speakers are numbered from first on.
func newScene(d dialogue, origin string, first int) (s *scene, speakers int) {
	s = &scene{origin: origin}
	renamed := make(map[string]string)
	rename := func(name string) string {
		if !isSpeaker(name) {
			return name
		}
		if renamed[name] == "" {
			renamed[name] = "Speaker " + strconv.Itoa(first+len(renamed))
		}
		return renamed[name]
	}
	for _, t := range d.turns {
		if t.text != "" {
			s.turns = append(s.turns, turn{text: t.text, key: key(t.text), speakers: lists.Map(t.speakers, rename)})
		}
	}
	// Nothing can be asked about an argument without a word, nor can it be found.
	pairs := lists.Filter(d.pairs, func(p pair) bool { return !wordless(p.X) && !wordless(p.Y) })
	for i := range pairs {
		pairs[i].X, pairs[i].Y = rename(pairs[i].X), rename(pairs[i].Y)
	}
	known := aliases(pairs)
	for _, p := range pairs {
		for i, relation := range p.Relations {
			if relation != unanswerable {
				f := fact{relation: relation, trigger: p.Triggers[i], x: argument{known.of(p.X), p.XKind}, y: argument{known.of(p.Y), p.YKind}}
				f.evidence = s.locate(f)
				s.facts = append(s.facts, f)
			}
		}
	}
	s.names = properNames(pairs)
	return s, len(renamed)
}

// An aliasing has the other names of each name, by key.
type aliasing map[string][][]string

// aliases reads the pairs that give other names of somebody.
func aliases(pairs []pair) aliasing {
	var groups []argument
	for _, p := range pairs {
		if !slices.Contains(p.Relations, alternateNames) {
			continue
		}
		i := slices.IndexFunc(groups, func(g argument) bool { return key(g.names[0]) == key(p.X) })
		if i < 0 {
			i, groups = len(groups), append(groups, argument{names: []string{p.X}})
		}
		groups[i] = groups[i].with(argument{names: []string{p.Y}})
	}
	of := make(aliasing)
	for _, g := range groups {
		for _, name := range g.names {
			of[key(name)] = append(of[key(name)], g.names)
		}
	}
	return of
}

// of returns a name with its other names. A name shared by several, such as
// honey, has none, as it does not say who is meant.
func (a aliasing) of(name string) []string {
	names, groups := []string{name}, a[key(name)]
	if len(groups) > 1 {
		groups = lists.Filter(groups, func(g []string) bool { return key(g[0]) == key(name) })
	}
	for _, g := range groups {
		for _, other := range g {
			// Nor does a name of it that others have too.
			if key(other) != key(name) && len(a[key(other)]) == 1 {
				names = append(names, other)
			}
		}
	}
	return names
}

// answers returns the names of y that are right answers, except x itself if
// another name of x is asked for.
func (f fact) answers() []string {
	return slices.DeleteFunc(slices.Clone(f.y.names), func(name string) bool { return key(name) == key(f.x.names[0]) })
}

// shares reports whether an argument has a name of another.
func (a argument) shares(o argument) bool {
	return slices.ContainsFunc(a.names, func(name string) bool {
		return slices.ContainsFunc(o.names, func(other string) bool { return key(name) == key(other) })
	})
}

// with returns an argument that has the names of another too.
func (a argument) with(o argument) argument {
	for _, name := range o.names {
		if !a.shares(argument{names: []string{name}}) {
			a.names = append(slices.Clip(a.names), name)
		}
	}
	return a
}

// has reports whether a turn has one of some names.
func (t *turn) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(t.key, key(name)) && len(occurrences(t.text, name)) > 0
	})
}

// speaks reports whether an argument says a turn.
func (t *turn) speaks(a argument) bool {
	return slices.ContainsFunc(a.names, func(name string) bool { return slices.Contains(t.speakers, name) })
}

// maxEvidence is the largest number of turns that support one fact; of more that
// are as good, the first count.
const maxEvidence = 3

// locate returns the turns that state a fact: the first non-empty of
//
//   - turns with the trigger and y, and x in them or speaking;
//   - turns with the trigger and y;
//   - turns with the trigger, and x or y in them or speaking;
//   - without a trigger, turns with y, and x in them or speaking; turns with y;
//     turns with x that y says.
//
// Where y is not a speaker and in none of the second and third kind, the nearest
// turn with y comes too. None means that no turn can be named.
func (s *scene) locate(f fact) []int {
	triggered := func(t *turn) bool { return !wordless(f.trigger) && t.has(f.trigger) }
	for kind, holds := range []func(t *turn, x, y bool) bool{
		func(t *turn, x, y bool) bool { return triggered(t) && y && x },
		func(t *turn, _, y bool) bool { return triggered(t) && y },
		func(t *turn, x, _ bool) bool { return triggered(t) && (x || t.speaks(f.y)) },
		func(_ *turn, x, y bool) bool { return y && x },
		func(_ *turn, _, y bool) bool { return y },
		func(t *turn, _, _ bool) bool { return t.speaks(f.y) && t.has(f.x.names...) },
	} {
		var found []int
		for i := range s.turns {
			t := &s.turns[i]
			if len(found) < maxEvidence && holds(t, t.speaks(f.x) || t.has(f.x.names...), t.has(f.y.names...)) {
				found = append(found, i)
			}
		}
		if kind == 2 && found != nil {
			found = s.withNearest(found, f.y)
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// withNearest adds the turn with an argument that is nearest to the first of some
// turns, the earlier of two, unless one of them has it or the argument speaks.
func (s *scene) withNearest(found []int, a argument) []int {
	if slices.ContainsFunc(found, func(i int) bool { return s.turns[i].has(a.names...) || s.turns[i].speaks(a) }) {
		return found
	}
	for d := 1; d < len(s.turns); d++ {
		for _, i := range []int{found[0] - d, found[0] + d} {
			if i >= 0 && i < len(s.turns) && s.turns[i].has(a.names...) {
				found = append(found, i)
				slices.Sort(found)
				return found
			}
		}
	}
	return found
}

// evidence returns the turns of a fact plus those made necessary by replacing
// names: for a turn that lost the name of y, the last one before it that has
// it.
func (s *scene) evidence(f fact) []int {
	found := slices.Clone(f.evidence)
	for _, i := range f.evidence {
		lost := slices.ContainsFunc(s.turns[i].replaced, func(r replacement) bool { return slices.Contains(f.y.names, r.name) })
		if !lost || s.turns[i].has(f.y.names...) {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			if s.turns[k].has(f.y.names...) {
				found = append(found, k)
				break
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// The number of turns between two boundaries.
const (
	minTurns = 6
	maxTurns = 10
)

// divide cuts a scene into sessions of 6 to 10 turns; the last one is the rest. The
// best places to end a session are between two turns that support facts, then those
// with such turns in the session and after it. Ties prefer places that leave more
// than two turns, and then chance decides.
func (s *scene) divide(r *rand.Rand) {
	bears := make([]bool, len(s.turns))
	for _, f := range s.facts {
		for _, i := range f.evidence {
			bears[i] = true
		}
	}
	for start := 0; start < len(s.turns); s.sessions++ {
		best, at, ties := -1, len(s.turns), 0
		for end := start + minTurns; end <= start+maxTurns && end < len(s.turns); end++ {
			score := 0
			switch {
			case bears[end-1] && bears[end]:
				score = 4
			case slices.Contains(bears[start:end], true) && slices.Contains(bears[end:], true):
				score = 2
			}
			if len(s.turns)-end > 2 {
				score++
			}
			if score > best {
				best, at, ties = score, end, 1
			} else if score == best {
				if ties++; r.IntN(ties) == 0 {
					at = end
				}
			}
		}
		if len(s.turns)-start <= maxTurns {
			at = len(s.turns)
		}
		for i := start; i < at; i++ {
			s.turns[i].session = s.sessions
		}
		start = at
	}
}

// A span is a range of bytes of a text.
type span struct{ start, end int }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }

// occurrences returns where a name occurs in a text as whole words, ignoring
// case and the shape of apostrophes.
func occurrences(text, name string) []span {
	var found []span
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if n := prefix(text[i:], name); n > 0 && !inWord(before) {
			if next, _ := utf8.DecodeRuneInString(text[i+n:]); !inWord(next) {
				found = append(found, span{i, i + n})
				r, _ = utf8.DecodeLastRuneInString(text[:i+n])
				size = n
			}
		}
		before = r
		i += size
	}
	return found
}

// prefix returns the length of the beginning of a text that is a name, 0 for
// none.
func prefix(text, name string) int {
	n := 0
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || same(r) != same(want) {
			return 0
		}
		n += size
	}
	return n
}

func same(r rune) rune {
	if r == '’' || r == '‘' {
		return '\''
	}
	return unicode.ToLower(r)
}

// key is a name in the form for comparison.
func key(name string) string { return strings.Map(same, name) }

// wordless reports whether a name has neither a letter nor a digit, such as "?".
func wordless(name string) bool { return !strings.ContainsFunc(name, inWord) }

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
