package token

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	library "github.com/tiktoken-go/tokenizer/codec"
)

// The embedded encodings. The library's own list would link two more that no model in
// use has, and their tables are 3.6 MB of the binary.
const (
	o200kBase  = "o200k_base"
	cl100kBase = "cl100k_base"
)

// Encodings lists the embedded encodings that [New] knows.
func Encodings() []string { return []string{o200kBase, cl100kBase} }

// New returns the tokenizer of an embedded OpenAI encoding. Reading its
// vocabulary takes some 20 ms, so it is put off until the first text.
func New(encoding string) (Codec, error) {
	switch encoding {
	case o200kBase:
		return &tiktoken{name: encoding, word: scanners[o200kPattern], codec: sync.OnceValue(library.NewO200kBase)}, nil
	case cl100kBase:
		return &tiktoken{name: encoding, word: scanners[llamaPattern], codec: sync.OnceValue(library.NewCl100kBase)}, nil
	}
	return nil, fmt.Errorf("unknown token encoding %q; have %s", encoding, strings.Join(Encodings(), ", "))
}

type tiktoken struct {
	name   string
	codec  func() *library.Codec
	word   scanner
	pieces memo[int]
	lines  memo[int]
	words  memo[[]string]
}

func (t *tiktoken) Name() string { return t.name }

// Count counts line by line and remembers the counts, because prompts repeat
// most of their lines: the history of a conversation is counted once and not
// with each question about it.
func (t *tiktoken) Count(text string) int {
	return countPieces(text, &t.pieces, func(piece string) int {
		n := 0
		for len(piece) > 0 {
			i := lineEnd(piece)
			n += t.lines.get(piece[:i], t.line)
			piece = piece[i:]
		}
		return n
	})
}

// lineEnd returns the length of the shortest prefix of text that can be tokenised
// apart from the rest. The encodings, and the models that took over their word
// patterns, cut a text into words before they merge bytes. A word never reaches over
// a line feed unless white space or, in o200k_base, a slash follows it.
func lineEnd(text string) int {
	for i := 0; ; {
		k := strings.IndexByte(text[i:], '\n')
		if k < 0 || i+k+1 == len(text) {
			return len(text)
		}
		i += k + 1
		if c := text[i]; c > ' ' && c < 0x7f && c != '/' {
			return i
		}
	}
}

// A piece is some lines of a long text, at least minPiece and, but for a longer
// line, at most maxPiece bytes.
const (
	minPiece = 2 << 10
	maxPiece = 16 << 10
)

// countPieces counts a text piece by piece and remembers the counts: a prompt of
// thousands of lines that comes with each question takes a look-up for dozens
// of lines and not for each. What a line looks like decides whether a piece ends
// with it, so that two texts with the same lines have the same pieces.
func countPieces(text string, known *memo[int], count func(string) int) int {
	n := 0
	for len(text) > minPiece {
		end := 0
		for end < len(text) {
			line := text[end : end+lineEnd(text[end:])]
			end += len(line)
			chosen := (len(line)+int(line[0])+int(line[len(line)/2]))%8 == 0
			if end >= maxPiece || chosen && end >= minPiece {
				break
			}
		}
		n += known.get(text[:end], count)
		text = text[end:]
	}
	return n + count(text)
}

// pieceBytes bounds what is merged at once. Merging is quadratic in the length
// of a word, and a hostile text may be one word.
const pieceBytes = 1 << 10

// pieceEnd returns the length of a prefix of text of at most pieceBytes. It ends
// before a space between two letters, where no word can go on. A text without such a
// place is cut between two characters, which may give a few tokens more than the
// encoding would.
func pieceEnd(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	for i := pieceBytes; i > 0; i-- {
		if text[i] == ' ' && letter(text[i-1]) && i+1 < len(text) && letter(text[i+1]) {
			return i
		}
	}
	end := pieceBytes
	for end > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (t *tiktoken) line(text string) int {
	n := 0
	for len(text) > 0 {
		k := t.word(text)
		n += len(t.words.get(text[:k], t.merge))
		text = text[k:]
	}
	return n
}

// Split cuts the text into words by hand, because the library's pattern is a
// regular expression that backtracks, and remembers the tokens of each.
func (t *tiktoken) Split(text string) []string {
	var all []string
	for len(text) > 0 {
		k := t.word(text)
		all = append(all, t.words.get(text[:k], t.merge)...)
		text = text[k:]
	}
	return all
}

// merge returns the tokens of a word.
func (t *tiktoken) merge(word string) []string {
	var all []string
	for len(word) > 0 {
		end := pieceEnd(word)
		_, tokens, err := t.codec().Encode(word[:end])
		if err != nil {
			// The word pattern ran out of its limits, on text that no
			// tokenizer was made for. A token a byte is an upper bound.
			tokens = splitBytes(word[:end])
		}
		all = append(all, tokens...)
		word = word[end:]
	}
	return all
}

func splitBytes(text string) []string {
	tokens := make([]string, len(text))
	for i := range tokens {
		tokens[i] = text[i : i+1]
	}
	return tokens
}
