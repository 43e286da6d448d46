package reader

import (
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/door/llm"
)

// A kinsman is somebody, or something, that may be the other end of a tie.
type kinsman struct {
	text      string
	best, sum float64
	from      candidate
}

// worth is what the best line says for one, and a little for each other.
func (k *kinsman) worth() float64 { return k.best + worthMore*(k.sum-k.best) }

// What every candidate is weighed with.
const (
	worthMore      = 0.2 // of further lines
	worthFirstRank = 0.4 // for the first passage
)

// A kinship collects who may be the other end.
type kinship struct {
	bond
	name    []string // of the end that is named, in lower case
	speaker string   // the same, if somebody who speaks
	written map[string]string
	all     map[string]*kinsman
	keys    []string
}

// related answers a question about a relation between people: with a name that
// the lines give, or else, where several people talk, with the one of them that
// most speaks for. The passages say how speakers are written.
func (q *query) related(m *matcher, speakers []string, passages []llm.Passage) (string, []candidate) {
	b := q.bond()
	if b.tie == tieNone {
		return "", nil
	}
	k := &kinship{bond: b, written: writing(passages), all: make(map[string]*kinsman)}
	for _, w := range b.whose {
		k.name = append(k.name, w.low)
	}
	full := strings.Join(k.name, " ")
	talking := make(map[string]bool)
	for _, s := range speakers {
		for _, one := range speakersOf(s) {
			talking[one] = true
		}
	}
	if talking[full] {
		k.speaker = full
	}
	if !numbered(full) && len(talking) < crowd {
		return "", nil
	}
	switch {
	case b.person:
		k.people(m)
	case b.tie == tieName:
		k.otherNames(m)
	default:
		k.things(m)
	}
	return k.answer()
}

// crowd is how many must talk for guesses about who is who: in a chat of two, a
// question about a relation is about others. Numbered speakers are of a
// transcript, in which more talk than the passages show.
const crowd = 3

func (k *kinship) answer() (string, []candidate) {
	var best *kinsman
	for _, key := range k.keys {
		if x := k.all[key]; best == nil || x.worth() > best.worth() {
			best = x
		}
	}
	switch {
	case best != nil:
	case k.person || k.tie == tieName:
		return NoInformation, nil // no words of a sentence are one
	default:
		return "", nil
	}
	c := best.from
	c.score = best.worth()
	return best.text, []candidate{c}
}

// add counts what a sentence says for one.
func (k *kinship) add(text string, worth float64, c candidate) {
	var words []string
	for _, w := range split(text) {
		words = append(words, w.low)
	}
	key := strings.Join(words, " ")
	if k.is(key) {
		return
	}
	x := k.all[key]
	if x == nil {
		x = &kinsman{text: text}
		k.all[key] = x
		k.keys = append(k.keys, key)
	}
	if worth > x.best || x.from.line == nil {
		x.best, x.from = worth, c
	}
	x.sum += worth
}

// is reports whether a name is that of the end that the question names.
func (k *kinship) is(key string) bool {
	full := strings.Join(k.name, " ")
	return key == full || len(k.name) > 1 && k.speaker == "" && slices.Contains(k.name, key)
}

// early is what the rank of a passage says.
func (c candidate) early() float64 { return worthFirstRank / (1 + float64(c.line.rank)/halfRank) }

// speakersOf cuts the name of a line's speaker where several speak at once.
func speakersOf(speaker string) []string { return strings.Split(speaker, ", ") }

// numbered reports whether a name is a word with a number, as transcripts have
// them.
func numbered(name string) bool {
	head, tail, ok := strings.Cut(name, " ")
	_, err := strconv.Atoi(tail)
	return ok && head != "" && err == nil
}

// writing maps the lower-case names of those who speak to how they are written.
func writing(passages []llm.Passage) map[string]string {
	names := make(map[string]string)
	for _, p := range passages {
		for _, l := range p.Lines {
			for _, one := range speakersOf(l.Speaker) {
				if low := strings.ToLower(one); names[low] == "" {
					names[low] = one
				}
			}
		}
	}
	return names
}
