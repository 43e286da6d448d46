package token

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A tokenizer works as a tokenizer.json or an embedded encoding says.
type tokenizer struct {
	name string

	added     []addedToken // found in the text as it is, the longest first
	normalize []func(string) string
	cut       []cutter
	model     model

	// lines is set if a text may be counted line by line.
	lines      bool
	lineCounts memo[int]
	words      memo[[]symbol]

	before, after []int32 // the special tokens around a text
	vocab         int     // one more than the largest id
}

// An addedToken is a token outside the vocabulary of a model. It is found in
// the text before words are, and does not belong to a word.
type addedToken struct {
	ID      int32
	Content string
	// Where these are set, all but special ones are refused.
	SingleWord bool `json:"single_word"` // only where no word character touches it
	LStrip     bool // takes the white space before it
	RStrip     bool // and behind it
	Normalized bool // is looked for after the text is normalised
	Special    bool // is plain text to a Counter
}

// Name implements [Counter].
func (t *tokenizer) Name() string { return t.name }

// Count implements [Counter].
func (t *tokenizer) Count(text string) (n int) {
	text = valid(text)
	if !t.lines {
		return t.countLine(text)
	}
	for len(text) > 0 {
		end := lineEnd(text)
		n += t.lineCounts.get(text[:end], t.countLine)
		text = text[end:]
	}
	return n
}

func (t *tokenizer) countLine(line string) (n int) {
	t.each(line, func(string, int32) { n++ })
	return n
}

// Split implements [Codec].
func (t *tokenizer) Split(text string) (tokens []string) {
	t.each(valid(text), func(token string, _ int32) { tokens = append(tokens, token) })
	return tokens
}

// each hands the tokens of a text to next, with their ids. A special token hides a
// shorter one that begins in it.
func (t *tokenizer) each(text string, next func(token string, id int32)) {
	done := 0
	for i := 0; i < len(text) && len(t.added) > 0; {
		a := t.addedAt(text[i:])
		if a == nil {
			i++
			continue
		}
		if !a.Special {
			t.plain(text[done:i], next)
			next(a.Content, a.ID)
			done = i + len(a.Content)
		}
		i += len(a.Content)
	}
	t.plain(text[done:], next)
}

// addedAt returns the longest added token that a text begins with; nil for none.
func (t *tokenizer) addedAt(text string) *addedToken {
	for i := range t.added {
		if a := &t.added[i]; a.Content[0] == text[0] && strings.HasPrefix(text, a.Content) {
			return a
		}
	}
	return nil
}

// plain hands on the tokens of a text without added tokens.
func (t *tokenizer) plain(text string, next func(token string, id int32)) {
	for _, normalize := range t.normalize {
		text = normalize(text)
	}
	words := []string{text}
	for _, cut := range t.cut {
		var finer []string
		for _, word := range words {
			finer = cut(finer, word)
		}
		words = finer
	}
	for _, word := range words {
		start := 0
		for _, s := range t.words.get(word, t.model.split) {
			next(word[start:s.end], s.token)
			start = s.end
		}
	}
}

// valid returns text with U+FFFD in the place of each byte that is not UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

// lineEnd returns the length of the shortest prefix of text that can be tokenised
// apart from the rest. The known word patterns cut a text into words before bytes are
// merged. A word never reaches over a line feed unless white space or, in o200k_base, a
// slash follows it.
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

// memoBytes bounds what a memo keeps, with entryBytes for an entry and its value
// beside the bytes of its key. A conversation of the known datasets is about 0.1 MB.
const (
	memoBytes  = 4 << 20
	entryBytes = 64
)

// A memo remembers what was found out about texts that come again: prompts
// repeat most of their lines, and lines their words. It is safe for concurrent
// use.
type memo[V any] struct {
	mu    sync.RWMutex
	known map[string]V
	bytes int
}

// get returns what is known of text, from find when nothing is.
func (m *memo[V]) get(text string, find func(string) V) V {
	m.mu.RLock()
	v, ok := m.known[text]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = find(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.bytes > memoBytes {
		m.known, m.bytes = make(map[string]V), 0
	}
	m.known[strings.Clone(text)] = v // a clone does not hold on to whole prompts
	m.bytes += len(text) + entryBytes
	return v
}

// An Encoder turns texts into a model's input: the ids of their tokens with the
// model's special tokens around them. It is safe for concurrent use.
//
// Unlike in Hugging Face's library, the name of a special token within a text
// is plain text, so that no text can end itself.
type Encoder struct{ t *tokenizer }

// Vocab is one more than the largest id in an encoding.
func (e *Encoder) Vocab() int { return e.t.vocab }

// Before is the number of special tokens before a text.
func (e *Encoder) Before() int { return len(e.t.before) }

// Encode encodes a text. If a text has more than most tokens, its end is left
// out; the special tokens stay. Most is at least 1, or 0 for no limit.
func (e *Encoder) Encode(text string, most int) []int32 {
	most = cmp.Or(most, math.MaxInt)
	ids := e.Tokens(text)
	all := e.Surround(ids[:min(len(ids), max(0, most-len(e.t.before)-len(e.t.after)))])
	return all[:min(len(all), most)]
}

// Tokens returns the ids of a text's tokens, with nothing around them.
func (e *Encoder) Tokens(text string) (ids []int32) {
	e.t.each(valid(text), func(_ string, id int32) { ids = append(ids, id) })
	return ids
}

// Surround puts the special tokens of a text around the ids of its tokens.
func (e *Encoder) Surround(ids []int32) []int32 { return slices.Concat(e.t.before, ids, e.t.after) }
