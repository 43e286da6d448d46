package annotate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/pytext"
)

// Limits that keep hostile text cheap.
const (
	maxToken    = 64  // bytes of one token; a longer run is cut
	maxSentence = 120 // tokens of one sentence; a longer one is cut
)

// A sentence is a sentence on its way through the layers.
type sentence struct {
	annotate.Sentence
	low      []string // tokens in lower case, with straight apostrophes
	chunks   []chunk  // noun phrases, in order
	question bool
}

// sentences cuts an utterance into sentences of tokens. Line breaks end a
// sentence, and so do the marks that Punkt takes for an end.
func sentences(utterance int, s string) []sentence {
	var out []sentence
	pos := 0
	var parts []string
	for line := range strings.Lines(s) {
		parts = pytext.AppendSentences(parts[:0], line)
		at := 0
		for _, part := range parts {
			i := strings.Index(line[at:], part)
			if i < 0 {
				continue
			}
			at += i
			out = appendSentences(out, utterance, part, pos+at)
			at += len(part)
		}
		pos += len(line)
	}
	return out
}

// appendSentences appends the tokens of one sentence of Punkt, in pieces where it
// is too long.
func appendSentences(out []sentence, utterance int, part string, base int) []sentence {
	t := tokenizer{src: part, base: base, tokens: make([]annotate.Token, 0, len(part)/4+2)}
	t.run()
	for tokens := t.tokens; len(tokens) > 0; {
		n := min(len(tokens), maxSentence)
		for i := range n {
			// Marks that a sentence break may follow without white space.
			if c := tokens[i].Text[0]; i+1 < len(tokens) && (c == '?' || c == '!') && !mark(tokens[i+1].Text) {
				n = i + 1
				break
			}
		}
		out = append(out, newSentence(utterance, tokens[:n:n]))
		tokens = tokens[n:]
	}
	return out
}

func newSentence(utterance int, tokens []annotate.Token) sentence {
	s := sentence{Sentence: annotate.Sentence{Utterance: utterance, Tokens: tokens}, low: make([]string, len(tokens))}
	for i, t := range tokens {
		s.low[i] = lower(t.Text)
		s.question = s.question || t.Text[0] == '?'
	}
	return s
}

// lower returns a token in lower case with straight apostrophes.
func lower(s string) string {
	s = pytext.Lower(s)
	if strings.Contains(s, "’") {
		s = strings.ReplaceAll(s, "’", "'")
	}
	return s
}

// mark reports whether a token is a punctuation mark.
func mark(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return !wordRune(r) && r != '\'' && r != '’' || s == "'" || s == "’"
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// A tokenizer cuts a sentence into the tokens of the Penn Treebank: clitics are
// tokens of their own ("do n't", "Ann 's"), marks too, and an abbreviation keeps
// its period. White space, control characters and invalid UTF-8 stand between
// tokens.
type tokenizer struct {
	src    string
	base   int
	tokens []annotate.Token
}

func (t *tokenizer) add(from, to int) {
	if from < to {
		t.tokens = append(t.tokens, annotate.Token{Text: t.src[from:to], Start: t.base + from, End: t.base + to})
	}
}

func (t *tokenizer) run() {
	for i := 0; i < len(t.src); {
		r, size := utf8.DecodeRuneInString(t.src[i:])
		switch {
		case r == utf8.RuneError && size == 1, unicode.IsSpace(r), unicode.IsControl(r):
			i += size
		case wordRune(r):
			end := t.wordEnd(i)
			t.word(i, end)
			i = end
		default:
			end := i + size
			n := 0
			if (r == '\'' || r == '’') && i > 0 {
				n = t.clitic(i)
			}
			if n > 0 {
				end = i + n
			} else if r < utf8.RuneSelf && !strings.ContainsRune("()[]{}", r) { // "..." and "!!!" are one token
				for end < len(t.src) && t.src[end] == t.src[i] && end-i < maxToken {
					end++
				}
			}
			t.add(i, end)
			i = end
		}
	}
}

// wordEnd returns where the word that starts at i ends.
func (t *tokenizer) wordEnd(i int) int {
	start, last := i, rune(0)
	for i < len(t.src) {
		r, size := utf8.DecodeRuneInString(t.src[i:])
		if i+size-start > maxToken {
			return i
		}
		if !wordRune(r) && !t.joins(start, i, last, r, size) {
			break
		}
		last = r
		i += size
	}
	if i < len(t.src) && t.src[i] == '.' && abbreviated(t.src[start:i]) {
		i++
	}
	return i
}

// joins reports whether a mark in or behind a word belongs to it.
func (t *tokenizer) joins(start, i int, last, r rune, size int) bool {
	next, _ := utf8.DecodeRuneInString(t.src[i+size:])
	switch r {
	case '\'', '’', '-', '&', '@':
		return wordRune(last) && wordRune(next)
	case ',', ':':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	case '.':
		if unicode.IsDigit(last) && unicode.IsDigit(next) {
			return true
		}
		// Letters with periods ("a.m.", "U.S.") and names of hosts.
		return unicode.IsLetter(last) && unicode.IsLetter(next) && (unicode.IsLower(next) || i-start == 1 || t.src[i-2] == '.')
	}
	return false
}

// abbreviated reports whether the period behind a word belongs to it.
func abbreviated(s string) bool {
	if len(s) == 1 {
		return s[0] >= 'A' && s[0] <= 'Z' && s[0] != 'I'
	}
	if len(s) > 10 {
		return false
	}
	if s[1] == '.' {
		return true
	}
	return words().abbreviations[strings.ToLower(s)]
}

var clitics = [...]string{"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"}

// fused are words that the Penn Treebank cuts in two, with the length of the
// first.
var fused = [...]struct {
	word  string
	first int
}{{"cannot", 3}, {"gonna", 3}, {"wanna", 3}, {"gotta", 3}, {"lemme", 3}, {"gimme", 3}}

// word adds a word as one or two tokens.
func (t *tokenizer) word(start, end int) {
	s := t.src[start:end]
	if apostrophe := strings.LastIndexAny(s, "'’"); apostrophe > 0 {
		cut := start + apostrophe
		if n := t.clitic(cut); n > 0 && cut+n == end {
			t.add(start, cut)
			t.add(cut, end)
			return
		}
		if rest := s[apostrophe:]; cut-1 > start && (s[apostrophe-1] == 'n' || s[apostrophe-1] == 'N') && (strings.HasSuffix(rest, "t") || strings.HasSuffix(rest, "T")) && len(rest) <= 4 {
			t.add(start, cut-1)
			t.add(cut-1, end)
			return
		}
	}
	for _, f := range fused {
		if len(s) == len(f.word) && strings.EqualFold(s, f.word) {
			t.add(start, start+f.first)
			t.add(start+f.first, end)
			return
		}
	}
	t.add(start, end)
}

// clitic returns the length of the clitic other than n't at an apostrophe; 0 for
// none.
func (t *tokenizer) clitic(i int) int {
	_, quote := utf8.DecodeRuneInString(t.src[i:])
	rest := t.src[i+quote:]
	for _, c := range clitics[1:] {
		if n := len(c) - 1; len(rest) >= n && strings.EqualFold(rest[:n], c[1:]) {
			if next, _ := utf8.DecodeRuneInString(rest[n:]); !wordRune(next) || n == len(rest) {
				return quote + n
			}
		}
	}
	return 0
}
