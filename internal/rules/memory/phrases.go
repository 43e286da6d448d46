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
}

// A phraser collects the phrases of some sentences and counts their words.
type phraser struct {
	voices *voices
	lines  map[uint64]int // that have a stem
	seen   map[string]bool
	list   []phrase
}

func newPhraser(v *voices) *phraser {
	return &phraser{voices: v, lines: make(map[uint64]int), seen: make(map[string]bool)}
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
			if !w.informs() || likings[w.Low] || w.Tag == "CD" || p.voices.vocative(w) {
				run = 0
				continue
			}
			p.lines[w.Stem] += when(!seen[w.Stem], 1)
			seen[w.Stem] = true
			if noun := w.noun() || w.Tag == "VBG"; noun || strings.HasPrefix(w.Tag, "JJ") {
				if run++; noun {
					p.add(s, k+1-min(run, phraseWords), k+1)
				}
			} else {
				run = 0
			}
		}
	}
}

func (p *phraser) add(s *Sentence, from, to int) {
	text := s.Text[s.Words[from].Start:s.Words[to-1].End]
	low := strings.ToLower(text)
	if p.seen[low] || len(p.list) >= maxPhrases {
		return
	}
	p.seen[low] = true
	if from == 0 && s.Words[0].Tag != "NNP" {
		text = low
	}
	p.list = append(p.list, phrase{text: text, stems: stems(s.Words[from:to])})
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
	slices.SortStableFunc(p.list, func(a, b phrase) int { return cmp.Compare(b.score, a.score) })
	var out []string
	taken := make(map[uint64]bool)
	for _, f := range p.list {
		if len(out) == n {
			break
		}
		if slices.ContainsFunc(f.stems, func(x uint64) bool { return taken[x] }) {
			continue
		}
		out = append(out, f.text)
		for _, x := range f.stems {
			taken[x] = true
		}
	}
	return out
}

// list writes "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
