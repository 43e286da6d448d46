package memory

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/timex"
)

// An Analyser cuts a text into tagged sentences. At is when the text was said;
// the zero time leaves relative expressions of time unresolved. It bounds how
// much of a text it reads, and how many words a sentence has.
type Analyser interface {
	Sentences(text string, at time.Time) ([]Sentence, error)
}

// A Sentence is a sentence of a text, or a remark that stands in brackets, such
// as the caption of an image.
type Sentence struct {
	Text     string // the whole text, in which offsets count
	Words    []Word // at least one that is no mark
	Remark   bool
	Question bool
	Times    []timex.Expr
}

// A Word is a word or a mark. An ending such as "'s" or "n't" is a word of its
// own.
type Word struct {
	Start, End int    // byte offsets in the text
	Low        string // lower case, with straight apostrophes
	Stem       uint64 // equal for forms of one word
	Tag        string // of the Penn Treebank; the mark itself for marks
	Kind       Kind
	Upper      bool // begins with a capital
}

// A Kind says what a word does in a text.
type Kind uint8

// The kinds of words.
const (
	Content  Kind = iota // carries meaning
	Function             // articles, pronouns, prepositions, auxiliaries
	Filler               // greetings and chatter
	Mark
)

func (w *Word) mark() bool { return w.Kind == Mark }

func (w *Word) noun() bool { return strings.HasPrefix(w.Tag, "NN") }

func (w *Word) verb() bool { return strings.HasPrefix(w.Tag, "V") }

func (w *Word) adverb() bool { return strings.HasPrefix(w.Tag, "RB") || adverbs[w.Low] }

// finite reports whether a word is a finite verb or an auxiliary.
func (w *Word) finite() bool {
	switch w.Tag {
	case "VBD", "VBZ", "VBP", "MD":
		return true
	}
	return auxiliaries[w.Low] || w.Low == "'s" && w.Tag != "POS"
}

// informs reports whether a word says what a talk is about.
func (w *Word) informs() bool {
	return w.Kind == Content && !vague[w.Low] && utf8.RuneCountInString(w.Low) > 1
}

// stems lists the stems of the words that inform, each once.
func stems(words []Word) (out []uint64) {
	seen := make(map[uint64]bool, len(words))
	for i := range words {
		if w := &words[i]; w.informs() && !seen[w.Stem] {
			seen[w.Stem] = true
			out = append(out, w.Stem)
		}
	}
	return out
}

// foreign reports whether a sentence is not English: it has letters of another
// script, or few of the commonest words. Its words are then left as they are.
func (s *Sentence) foreign() bool {
	words, common := 0, 0
	for _, w := range s.Words {
		words += when(w.Kind != Mark, 1)
		common += when(w.Kind == Function || w.Kind == Filler, 1)
	}
	const fewWords, fifth = 6, 5 // in English about every second word is one of the commonest
	return words >= fewWords && fifth*common < words ||
		strings.ContainsFunc(s.source(), func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// label returns the word in front of a remark: "image" in "[image: a dog]".
func (s *Sentence) label() string {
	const longest = 64 // bytes
	end := s.Words[0].Start
	before := s.Text[max(0, end-longest):end]
	label, _, _ := strings.Cut(before[strings.LastIndexByte(before, '[')+1:], ":")
	return strings.ToLower(strings.TrimSpace(label))
}

// source is the sentence as it stands in the text.
func (s *Sentence) source() string {
	return s.Text[s.Words[0].Start:s.Words[len(s.Words)-1].End]
}

// clip cuts a text to at most n bytes, at the border of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n])
}
