package reader

import (
	"errors"
	"fmt"
	"strings"
)

// How much a word says about a concept that it belongs to, from 0 to 1.
const (
	nameStrength   = 0.90 // the word names the concept
	memberStrength = 0.82 // an instance
	hintStrength   = 0.38 // often an instance
	broaderFactor  = 0.95 // for each step to a broader concept
	maybeFactor    = 0.50 // for a step to one that it often belongs to
)

// A concept is an idea with the words that belong to it.
type concept struct {
	name      string
	broader   []step
	opposites []uint16
	absent    []uint16 // what may not be there, for a concept that means an absence
	domain    uint16   // where absence counts; with absent only
	members   int
}

// A step leads to a broader concept.
type step struct {
	to     uint16
	factor float32
}

// A link says that a term belongs to a concept, and how far.
type link struct {
	concept  uint16
	strength float32
	direct   bool // not by way of a narrower concept
	name     bool // the term names the concept itself
}

// A lexicon knows which concepts words and phrases belong to. It does not
// change once it is read.
type lexicon struct {
	concepts []concept
	links    map[uint64][]link
	// longest is the number of words of the longest phrase that begins with a
	// stem.
	longest map[uint64]int
}

// readLexicon reads the format that the head of concepts.txt describes. The
// error holds all faults.
func readLexicon(name, text string) (*lexicon, error) {
	r := lexiconReader{name: name, ids: make(map[string]uint16)}
	r.lexicon.links = make(map[uint64][]link)
	r.lexicon.longest = make(map[uint64]int)
	r.scan(text, r.declare)
	r.scan(text, r.fill)
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	r.widen()
	return &r.lexicon, nil
}

// A lexiconReader reads a lexicon in two passes: concepts refer to others that
// stand below them.
type lexiconReader struct {
	lexicon lexicon
	name    string
	ids     map[string]uint16
	at      uint16 // the concept that a line belongs to
	line    int
	faults  []error
}

func (r *lexiconReader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...)))
}

// scan calls use for each line that says something: the kind of the line is ":"
// for a head, "" for members, or the mark that it begins with.
func (r *lexiconReader) scan(text string, use func(kind, head string, list []string)) {
	r.line = 0
	for line := range strings.Lines(text) {
		r.line++
		body := strings.TrimSpace(line)
		if body == "" || body[0] == '#' {
			continue
		}
		if line[0] != ' ' {
			head, names, _ := strings.Cut(body, ":")
			use(":", head, items(names))
			continue
		}
		kind := ""
		for _, mark := range []string{"<?", "<", "!", "-", "@", "?"} {
			if rest, ok := strings.CutPrefix(body, mark); ok {
				kind, body = mark, rest
				break
			}
		}
		use(kind, "", items(body))
	}
}

// items splits a list at commas.
func items(list string) []string {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// declare gives each concept its number.
func (r *lexiconReader) declare(kind, head string, _ []string) {
	if kind != ":" {
		return
	}
	if _, ok := r.ids[head]; ok {
		r.fault("concept %q is there twice", head)
	}
	r.ids[head] = uint16(len(r.lexicon.concepts))
	r.lexicon.concepts = append(r.lexicon.concepts, concept{name: head})
}

// fill reads what a line says about its concept.
func (r *lexiconReader) fill(kind, head string, list []string) {
	if kind == ":" {
		r.at = r.ids[head]
		r.add(head, nameStrength, true)
		for _, item := range list {
			r.add(item, nameStrength, true)
		}
		return
	}
	c := &r.lexicon.concepts[r.at]
	switch kind {
	case "":
		for _, item := range list {
			r.add(item, memberStrength, false)
		}
		c.members += len(list)
	case "?":
		for _, item := range list {
			r.add(item, hintStrength, false)
		}
	case "<", "<?":
		factor := float32(broaderFactor)
		if kind == "<?" {
			factor = maybeFactor
		}
		for _, id := range r.refer(list) {
			c.broader = append(c.broader, step{to: id, factor: factor})
		}
	case "!":
		c.opposites = append(c.opposites, r.refer(list)...)
	case "-":
		c.absent = append(c.absent, r.refer(list)...)
	case "@":
		for _, id := range r.refer(list) {
			c.domain = id
		}
	}
}

// refer returns the numbers of concepts.
func (r *lexiconReader) refer(list []string) []uint16 {
	var out []uint16
	for _, item := range list {
		id, ok := r.ids[item]
		if !ok {
			r.fault("no concept %q", item)
			continue
		}
		out = append(out, id)
	}
	return out
}

// add links a word or phrase to the concept of the line.
func (r *lexiconReader) add(item string, strength float32, name bool) {
	words := phraseStems(item)
	if len(words) == 0 {
		r.fault("no word in %q", item)
		return
	}
	first := words[0]
	r.lexicon.longest[first] = max(r.lexicon.longest[first], len(words))
	h := phraseHash(words)
	r.lexicon.links[h] = merge(r.lexicon.links[h], link{concept: r.at, strength: strength, direct: true, name: name})
}

// merge adds a link, or strengthens the one that is there.
func merge(links []link, l link) []link {
	for i := range links {
		if old := &links[i]; old.concept == l.concept {
			old.strength = max(old.strength, l.strength)
			old.direct = old.direct || l.direct
			old.name = old.name || l.name
			return links
		}
	}
	return append(links, l)
}

// widen adds to every term the concepts that are broader than its own.
func (r *lexiconReader) widen() {
	for h, links := range r.lexicon.links {
		for i := 0; i < len(links); i++ { // links grows
			for _, s := range r.lexicon.concepts[links[i].concept].broader {
				strength := min(links[i].strength, memberStrength) * s.factor
				if strength < minStrength {
					continue
				}
				links = merge(links, link{concept: s.to, strength: strength})
			}
		}
		r.lexicon.links[h] = links
	}
}

// minStrength is the least strength of a link that is kept.
const minStrength = 0.1

// phraseStems returns the hashed stems of the words of a phrase.
func phraseStems(phrase string) []uint64 {
	var out []uint64
	for _, w := range split(strings.ReplaceAll(phrase, "-", " ")) {
		if !w.punct {
			out = append(out, formOf(w.low).stem)
		}
	}
	return out
}

// phraseHash identifies a phrase; that of one word is the word's.
func phraseHash(stems []uint64) uint64 {
	h := stems[0]
	for _, s := range stems[1:] {
		h = Mix(h*31 + s)
	}
	return h
}
