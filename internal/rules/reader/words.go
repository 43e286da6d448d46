package reader

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// maxWord bounds the length of a word, in bytes. Longer runs of letters are
// cut: they are noise, and stemming is not linear in their length.
const maxWord = 48

// A word is a token of a text.
type word struct {
	start, end int    // byte offsets
	text       string // as written
	low        string // lower case, with straight apostrophes
	stem       uint64 // hash of the stem
	tag        string // Penn Treebank tag; the mark itself for marks
	class      class
	upper      bool // begins with a capital
	punct      bool
}

// split cuts text into words and marks. A word is a run of letters and digits
// with inner apostrophes, hyphens and, between digits, points and commas. A
// clitic ("'s", "n't", "'m") is a word of its own, as taggers expect. Control
// characters count as space.
func split(text string) []word {
	words := make([]word, 0, len(text)/5+2)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			i += size
		case wordRune(r):
			end := wordEnd(text, i)
			words = appendWord(words, text, i, end)
			i = end
		default:
			words = append(words, word{start: i, end: i + size, text: text[i : i+size], low: text[i : i+size], punct: true})
			i += size
		}
	}
	return words
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordEnd returns where the word that starts at i ends.
func wordEnd(text string, i int) int {
	limit := min(len(text), i+maxWord)
	last := rune(0)
	for i < limit {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !wordRune(r) {
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			joins := r == '\'' || r == '’' || r == '-' || r == '&'
			inNumber := (r == '.' || r == ',' || r == ':') && unicode.IsDigit(last) && unicode.IsDigit(next)
			plus := r == '+' && unicode.IsLetter(last)
			if !(joins && wordRune(last) && wordRune(next)) && !inNumber && !plus {
				return i
			}
		}
		last = r
		i += size
	}
	return min(i, len(text))
}

// clitics are the endings that are words of their own.
var clitics = []string{"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"}

func appendWord(words []word, text string, start, end int) []word {
	low := strings.ToLower(text[start:end])
	if strings.Contains(low, "’") {
		low = strings.ReplaceAll(low, "’", "'")
	}
	r, _ := utf8.DecodeRuneInString(text[start:])
	upper := unicode.IsUpper(r)
	if strings.Contains(low, "'") {
		for _, c := range clitics {
			head, ok := strings.CutSuffix(low, c)
			if !ok || head == "" {
				continue
			}
			// Offsets of the cut: the clitic's length in the text may differ
			// from its length here when the apostrophe is a curly one.
			cut := end - len(c)
			if tail := text[start:end]; strings.Contains(tail[max(0, len(tail)-len(c)-2):], "’") {
				cut -= len("’") - 1
			}
			if cut <= start {
				break
			}
			return append(words,
				word{start: start, end: cut, text: text[start:cut], low: head, upper: upper},
				word{start: cut, end: end, text: text[cut:end], low: c})
		}
	}
	return append(words, word{start: start, end: end, text: text[start:end], low: low, upper: upper})
}

// stem returns the Snowball English stem of a lower-case word.
func stem(low string) string {
	if len(low) > maxWord || len(low) < 3 {
		return low
	}
	env := snowballstem.NewEnv(low)
	english.Stem(env)
	return env.Current()
}

// A Stem is a word of a text by which texts are compared, or a mark.
type Stem struct {
	Stem    uint64 // equal for forms of one word; 0 for marks
	Content bool   // carries meaning, as closed lists tell
	Mark    bool
}

// Stems returns the stems and marks of a text, in order.
func Stems(text string) iter.Seq[Stem] {
	return func(yield func(Stem) bool) {
		for _, w := range split(text) {
			s := Stem{Mark: w.punct}
			if !w.punct {
				s.Stem, s.Content = hash(stem(lemma(w.low))), classOf(w.low) == content
			}
			if !yield(s) {
				return
			}
		}
	}
}

// hash is FNV-1a over the bytes of s, finished so that short strings spread
// over all bits.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h ^= uint64(s[i])
		h *= 1099511628211
	}
	return Mix(h)
}

// Mix is the finaliser of SplitMix64.
func Mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

func isNoun(tag string) bool { return strings.HasPrefix(tag, "NN") }

func isPlural(w word) bool {
	return w.tag == "NNS" || w.tag == "NNPS" || (strings.HasSuffix(w.low, "s") && !strings.HasSuffix(w.low, "ss") && isNoun(w.tag) && len(w.low) > 3)
}

// singular drops a plural ending, as far as spelling tells.
func singular(low string) string {
	switch {
	case strings.HasSuffix(low, "ies") && len(low) > 4:
		return low[:len(low)-3] + "y"
	case strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss"):
		return low[:len(low)-1]
	}
	return low
}
