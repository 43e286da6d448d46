package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The word patterns of models, as their tokenizer.json files have them.
const (
	// gpt2Pattern is the pattern of GPT-2, which a ByteLevel step means.
	gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// llamaPattern is the pattern of Llama 3, which is cl100k_base's. qwenPattern is
	// that of Qwen up to 3, where each digit is a word, qwen35Pattern that of Qwen
	// 3.5, where marks are parts of words.
	llamaPattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwenPattern   = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen35Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// o200kPattern is the pattern of o200k_base, which gpt-oss and Llama 4 have
	// too, and tekkenPattern what Mistral made of it.
	o200kPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	tekkenPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` +
		`|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// A scanner returns the length of the first word of a text that is not empty.
// The words of a text join to it.
type scanner func(text string) int

// scanners holds the patterns that are matched by hand: a regular expression
// takes ten times as long, and on hostile text more.
var scanners = map[string]scanner{
	gpt2Pattern:  gpt2Word,
	llamaPattern: func(text string) int { return llamaWord(text, 3) },
	qwenPattern:  func(text string) int { return llamaWord(text, 1) },
	o200kPattern: o200kWord,
}

// byLine lists the patterns for which texts may be cut at [lineEnd] first.
// GPT-2's is none: a line feed is white space like any other to it, and white
// space before a word is cut elsewhere than that before the end of a text.
var byLine = []string{llamaPattern, qwenPattern, qwen35Pattern, o200kPattern, tekkenPattern}

func gpt2Word(text string) int {
	if n := contraction(text, false); n > 0 {
		return n
	}
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	if start < len(text) {
		if c := classAt(text[start:]); c != classWhite {
			return start + run(text[start:], c)
		}
	}
	return space(text)
}

func llamaWord(text string, digits int) int {
	if n := contraction(text, true); n > 0 {
		return n
	}
	r, size := utf8.DecodeRuneInString(text)
	switch class(r) {
	case classLetter:
		return run(text, classLetter)
	case classDigit:
		return number(text, digits)
	}
	if r != '\r' && r != '\n' {
		if n := run(text[size:], classLetter); n > 0 {
			return size + n
		}
	}
	return marks(text, "\r\n")
}

// o200kWord tells capitals from small letters: a word is capitals and then
// small letters, with at most one character before and a contraction behind.
// Letters without case and marks are both.
func o200kWord(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if class(r) == classDigit {
		return number(text, 3)
	}
	first := class(r) == classLetter
	for _, letters := range []func(string) int{endsSmall, endsCapital} {
		if !first && r != '\r' && r != '\n' {
			if n := letters(text[size:]); n > 0 {
				return size + n + suffix(text[size+n:])
			}
		}
		if n := letters(text); n > 0 {
			return n + suffix(text[n:])
		}
	}
	return marks(text, "\r\n/")
}

// endsSmall returns the length of the longest run of capitals and then small
// letters at the start of text that ends with a small letter; 0 for none.
func endsSmall(text string) int {
	capitals := letters(text, capital)
	if n := letters(text[capitals:], small); n > 0 {
		return capitals + n
	}
	// The last of the capitals that is a small letter too ends it.
	for n := capitals; n > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:n])
		if letterCase(r)&small != 0 {
			return n
		}
		n -= size
	}
	return 0
}

// endsCapital returns the length of the run of capitals at the start of text.
// It is asked where no small letter follows them.
func endsCapital(text string) int { return letters(text, capital) }

// suffix returns the length of the contraction at the start of text.
func suffix(text string) int {
	if text == "" {
		return 0
	}
	return contraction(text, true)
}

// number returns the length of the digits at the start of text, at most as
// many as most.
func number(text string, most int) int {
	n := 0
	for range most {
		r, size := utf8.DecodeRuneInString(text[n:])
		if n == len(text) || class(r) != classDigit {
			break
		}
		n += size
	}
	return n
}

// marks returns the length of the word at the start of text that has no letter
// and no digit: punctuation with a space before it and with what trails it,
// else white space up to its last line feed, else other white space.
func marks(text, trail string) int {
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	if n := run(text[start:], classOther); n > 0 {
		rest := text[start+n:]
		return start + n + len(rest) - len(strings.TrimLeft(rest, trail))
	}
	if n := strings.LastIndexAny(text[:run(text, classWhite)], "\r\n"); n >= 0 {
		return n + 1
	}
	return space(text)
}

// space returns the length of the white space at the start of text, less its
// last character where a word follows that may begin with it.
func space(text string) int {
	n := run(text, classWhite)
	if n == len(text) {
		return n
	}
	if _, size := utf8.DecodeLastRuneInString(text[:n]); size < n {
		return n - size
	}
	return n
}

// contraction returns the length of the English ending at the start of text,
// such as 'll, or 0. Where case is folded, the long s is an s.
func contraction(text string, fold bool) int {
	if text[0] != '\'' {
		return 0
	}
	for _, ending := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		switch n := 1 + len(ending); {
		case len(text) < n:
		case text[1:n] == ending:
			return n
		case fold && strings.EqualFold(text[1:n], ending):
			return n
		}
	}
	if fold && strings.HasPrefix(text[1:], "ſ") {
		return 1 + len("ſ")
	}
	return 0
}

// The classes of characters that word patterns tell apart: \p{L}, \p{N}, \s
// and the rest.
const (
	classOther = iota
	classLetter
	classDigit
	classWhite
)

// ascii holds the classes of the first characters.
var ascii = func() (table [utf8.RuneSelf]uint8) {
	for r := range table {
		table[r] = slowClass(rune(r))
	}
	return table
}()

func class(r rune) uint8 {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	return slowClass(r)
}

func slowClass(r rune) uint8 {
	switch {
	case unicode.IsLetter(r):
		return classLetter
	case unicode.IsNumber(r):
		return classDigit
	case unicode.IsSpace(r):
		return classWhite
	}
	return classOther
}

// classAt is the class of the first character of text.
func classAt(text string) uint8 {
	r, _ := utf8.DecodeRuneInString(text)
	return class(r)
}

// run returns how many bytes at the start of text are characters of class c.
func run(text string, c uint8) int {
	for i, r := range text {
		if class(r) != c {
			return i
		}
	}
	return len(text)
}

// The cases of letters and marks. A letter without case, a modifier letter and
// a mark have both.
const (
	capital = 1 << iota
	small
)

// asciiCase holds the cases of the first characters.
var asciiCase = func() (table [utf8.RuneSelf]uint8) {
	for r := range table {
		table[r] = slowCase(rune(r))
	}
	return table
}()

func letterCase(r rune) uint8 {
	if r < utf8.RuneSelf {
		return asciiCase[r]
	}
	return slowCase(r)
}

func slowCase(r rune) uint8 {
	switch {
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return capital
	case unicode.Is(unicode.Ll, r):
		return small
	case unicode.In(r, unicode.Lm, unicode.Lo, unicode.M):
		return capital | small
	}
	return 0
}

// letters returns how many bytes at the start of text are letters or marks of
// a case.
func letters(text string, c uint8) int {
	for i, r := range text {
		if letterCase(r)&c == 0 {
			return i
		}
	}
	return len(text)
}
