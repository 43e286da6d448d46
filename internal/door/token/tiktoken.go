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
	h := &hf{name: encoding, lines: true}
	switch encoding {
	case o200kBase:
		h.cut, h.model = []cutter{scan(o200kWord)}, &tiktoken{codec: sync.OnceValue(library.NewO200kBase)}
	case cl100kBase:
		h.cut, h.model = []cutter{scan(scanners[llamaPattern])}, &tiktoken{codec: sync.OnceValue(library.NewCl100kBase)}
	default:
		return nil, fmt.Errorf("unknown token encoding %q; have %s", encoding, strings.Join(Encodings(), ", "))
	}
	return h, nil
}

// tiktoken is the model of an embedded encoding. Words are cut by hand, because the
// library's pattern is a regular expression that backtracks, and where their tokens end
// is remembered.
type tiktoken struct {
	codec func() *library.Codec
	words memo[[]int]
}

// tokens implements [model]. No model that is run here has such an encoding, so that the
// ids do not matter.
func (t *tiktoken) tokens(word string, next func(id int32, end int)) {
	for _, end := range t.words.get(word, t.merge) {
		next(0, end)
	}
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

// merge returns where the tokens of a word end.
func (t *tiktoken) merge(word string) (ends []int) {
	for start := 0; start < len(word); {
		end := start + pieceEnd(word[start:])
		_, tokens, err := t.codec().Encode(word[start:end])
		for _, token := range tokens {
			if err == nil {
				start += len(token)
				ends = append(ends, start)
			}
		}
		// Where the word pattern ran out of its limits, on text that no tokenizer was
		// made for, a token a byte is an upper bound.
		for ; start < end; start++ {
			ends = append(ends, start+1)
		}
	}
	return ends
}
