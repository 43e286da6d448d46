package memory

import (
	"cmp"
	"slices"
	"strings"
)

// A phrase is a run of nouns with the adjectives before them.
type phrase struct {
	text  string
	stems []uint64
	score float64
	order int
}

// A phraser collects the phrases of some sentences and counts their words.
type phraser struct {
	voices *voices
	lines  map[uint64]int // that have a stem
	seen   map[string]int // phrases by their stems, as an index of list
	list   []phrase
}

func newPhraser(v *voices) *phraser {
	return &phraser{voices: v, lines: make(map[uint64]int), seen: make(map[string]int)}
}

const (
	maxPhrases  = 4000
	phraseWords = 3
)

// read takes in what a line says; what an image shows is left out.
func (p *phraser) read(sentences []Sentence) {
	seen := make(map[uint64]bool)
	for i := range sentences {
		s := &sentences[i]
		if s.Remark {
			continue
		}
		run := 0
		for k := range s.Words {
			w := &s.Words[k]
			if p.topical(w) && !seen[w.Stem] {
				seen[w.Stem] = true
				p.lines[w.Stem]++
			}
			switch {
			case p.topical(w) && (w.noun() || strings.HasPrefix(w.Tag, "JJ") || w.Tag == "VBG"):
				run++
				if w.noun() || w.Tag == "VBG" {
					p.add(s, k+1-min(run, phraseWords), k+1)
				}
			default:
				run = 0
			}
		}
	}
}

// topical reports whether a word can be what a talk is about.
func (p *phraser) topical(w *Word) bool {
	return w.informs() && !likings[w.Low] && !verdicts[w.Low] && w.Tag != "CD" && !p.voices.vocative(w)
}

func (p *phraser) add(s *Sentence, from, to int) {
	if len(p.list) >= maxPhrases {
		return
	}
	text := s.Text[s.Words[from].Start:s.Words[to-1].End]
	var stems []uint64
	for i := from; i < to; i++ {
		stems = append(stems, s.Words[i].Stem)
	}
	key := strings.ToLower(text)
	if _, ok := p.seen[key]; ok {
		return
	}
	if w := &s.Words[from]; w.Upper && from == 0 && w.Tag != "NNP" {
		text = key
	}
	p.seen[key] = len(p.list)
	p.list = append(p.list, phrase{text: text, stems: stems, order: len(p.list)})
}

// best returns the n phrases that say best what the talk is about: their words
// are in many lines. No two share a word.
func (p *phraser) best(n int) []string {
	for i := range p.list {
		f := &p.list[i]
		for _, stem := range f.stems {
			f.score += float64(p.lines[stem])
		}
		// The mean of the words' counts, in favour of two words over one.
		f.score *= [...]float64{1, 0.75, 0.55}[len(f.stems)-1]
	}
	slices.SortFunc(p.list, func(a, b phrase) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order))
	})
	var out []string
	taken := make(map[uint64]bool)
	for _, f := range p.list {
		if len(out) == n {
			break
		}
		if slices.ContainsFunc(f.stems, func(x uint64) bool { return taken[x] }) {
			continue
		}
		for _, x := range f.stems {
			taken[x] = true
		}
		out = append(out, f.text)
	}
	return out
}

// list writes "a, b and c".
func list(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
