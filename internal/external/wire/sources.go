package wire

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What a turn needs to be found in a block by its text.
const (
	minWords        = 4   // of a turn that stands in the block as a whole
	minTrigramWords = 6   // of a turn that stands in it nearly
	minTrigrams     = 0.8 // share of its distinct trigrams that do
)

// Sources estimates from their texts which turns blocks come from. A turn is a
// source if all its words occur in the block in order, or nearly all its
// trigrams. An estimate errs both ways: rewritten facts have no source, and a
// block that differs from a turn in one word has one.
type Sources struct {
	turns []sourceTurn
	// byTrigram are the turns that have a trigram.
	byTrigram map[[3]string][]int
	byWord    map[string][]int // first word of the turns of minWords and more
}

type sourceTurn struct {
	id       string
	folded   string // with a space on both sides
	words    int
	trigrams int // distinct
}

// NewSources indexes turns.
func NewSources(turns []Turn) *Sources {
	s := &Sources{byTrigram: make(map[[3]string][]int), byWord: make(map[string][]int)}
	for _, t := range turns {
		words := foldWords(t.Text)
		if len(words) < minWords {
			continue
		}
		i := len(s.turns)
		distinct := trigrams(words)
		s.turns = append(s.turns, sourceTurn{t.ID, " " + strings.Join(words, " ") + " ", len(words), len(distinct)})
		s.byWord[words[0]] = append(s.byWord[words[0]], i)
		if len(words) >= minTrigramWords {
			for g := range distinct {
				s.byTrigram[g] = append(s.byTrigram[g], i)
			}
		}
	}
	return s
}

// Of returns the ids of the turns that a text comes from, in the order of the
// conversation.
func (s *Sources) Of(text string) []string {
	words := foldWords(text)
	folded := " " + strings.Join(words, " ") + " "
	found := make([]bool, len(s.turns))
	for _, w := range words {
		for _, i := range s.byWord[w] {
			found[i] = found[i] || strings.Contains(folded, s.turns[i].folded)
		}
	}
	shared := make(map[int]int)
	for g := range trigrams(words) {
		for _, i := range s.byTrigram[g] {
			shared[i]++
		}
	}
	for i, n := range shared {
		found[i] = found[i] || float64(n) >= minTrigrams*float64(s.turns[i].trigrams)
	}
	var ids []string
	for i, ok := range found {
		if ok {
			ids = append(ids, s.turns[i].id)
		}
	}
	return ids
}

func trigrams(words []string) map[[3]string]bool {
	set := make(map[[3]string]bool)
	for i := range len(words) - 2 {
		set[[3]string(words[i:i+3])] = true
	}
	return set
}

// foldWords returns the words of a text without case, marks and forms of
// letters.
func foldWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// Fold returns the words of a text, folded, with one space between them and one
// on both sides, so that whole words are found in it.
func Fold(text string) string { return " " + strings.Join(foldWords(text), " ") + " " }
