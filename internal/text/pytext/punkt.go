package pytext

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// AppendSentences appends to dst the sentences of English text as NLTK's sent_tokenize
// splits it (versions 3.8 to 3.9.2), without the white space between them.
//
// The algorithm is Punkt (Kiss and Strunk, "Unsupervised multilingual sentence
// boundary detection", Computational Linguistics 32, 2006) as NLTK's
// PunktSentenceTokenizer applies it, with the parameters that NLTK ships for
// English. They come from github.com/neurosnap/sentences, whose own splitter
// is not used: it adds rules for English that NLTK does not have. Its list of
// frequent sentence starters has 40 words, NLTK's 39; the list matters only
// for words with a capital letter.
func AppendSentences(dst []string, s string) []string {
	if !strings.ContainsAny(s, ".?!") {
		return appendSpan(dst, s, span{0, len(strings.TrimRightFunc(s, IsSpace))})
	}
	var buf [8]span
	slices := cutSentences(buf[:0], s)
	skip := 0 // what the sentence before has taken from the start of this one
	for i, this := range slices {
		this.start += skip
		if i == len(slices)-1 {
			return appendSpan(dst, s, this)
		}
		next := slices[i+1]
		var closers int
		closers, skip = closing(s[next.start:max(next.start, next.end)])
		if closers > 0 {
			this.end = next.start + closers
		}
		dst = appendSpan(dst, s, this)
	}
	return dst
}

type span struct{ start, end int }

// appendSpan appends what a span has of s, if that is anything.
func appendSpan(dst []string, s string, p span) []string {
	if p.end <= p.start {
		return dst
	}
	return append(dst, s[p.start:p.end])
}

// closing returns how many closing quotes and brackets at the start of a
// sentence belong to the one before, and the length with the white space
// after them. They do if white space, two dashes or nothing comes next.
func closing(s string) (closers, length int) {
	rest := strings.TrimLeft(s, `"')]}`)
	closers = len(s) - len(rest)
	text := strings.TrimLeftFunc(rest, IsSpace)
	if closers == 0 || rest != "" && len(text) == len(rest) && !strings.HasPrefix(rest, "--") {
		return 0, 0
	}
	return closers, len(s) - len(text)
}

// cutSentences appends the spans between sentence breaks to dst; quotes and
// brackets that close a sentence still stand at the start of the next.
func cutSentences(dst []span, s string) []span {
	start := 0
	for c := range candidates(s) {
		if breaks(s[c.word:c.context]) {
			dst = append(dst, span{start, c.end})
			start = c.next
		}
	}
	return append(dst, span{start, len(strings.TrimRightFunc(s, IsSpace))})
}

// A candidate is a mark that may end a sentence.
type candidate struct {
	word    int // where the word starts that the mark ends
	end     int // behind the mark
	next    int // where the next sentence would start
	context int // behind what is needed to decide
}

// candidates yields the marks . ? and ! before white space and a further
// word, or before punctuation that cannot be part of a word. Of marks in the
// same word only the last counts.
func candidates(s string) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		last, word := candidate{}, span{} // word ends before the mark
		pending := false
		for i := range len(s) {
			if s[i] != '.' && s[i] != '?' && s[i] != '!' {
				continue
			}
			c, ok := follow(s, i+1)
			if !ok {
				continue
			}
			// The reference takes white space right behind the word before
			// for none.
			c.word = word.start
			if k := strings.LastIndexAny(s[word.end:i], " \t\n\r\v\f"); k > 0 {
				c.word = word.end + k + 1
			}
			if pending && word.end <= c.word && !yield(last) {
				return
			}
			last, word, pending = c, span{c.word, i}, true
		}
		if pending {
			yield(last)
		}
	}
}

// follow returns the candidate of a mark that ends at s[end], and whether
// what follows allows for one.
func follow(s string, end int) (candidate, bool) {
	if end < len(s) && strings.IndexByte(nonWord, s[end]) >= 0 {
		return candidate{end: end, next: end, context: end + 1}, true
	}
	rest := s[end:]
	text := strings.TrimLeftFunc(rest, IsSpace)
	if text == "" || len(text) == len(rest) {
		return candidate{}, false
	}
	next := len(s) - len(text)
	length := strings.IndexFunc(text, IsSpace)
	if length < 0 {
		length = len(text)
	}
	return candidate{end: end, next: next, context: next + length}, true
}

const (
	// nonWord are the characters that cannot be part of a word.
	nonWord = `)";}]*:@'({[!?`
	// notFirst are the characters that cannot start a word.
	notFirst = "(\"`{[:;&#*@)}]-,"
)

// appendPunktTokens appends the tokens of s to dst: words with the periods in
// and after them, dashes and ellipses, and single characters of punctuation.
func appendPunktTokens(dst []token, s string) []token {
	for s = strings.TrimLeftFunc(s, IsSpace); s != ""; s = strings.TrimLeftFunc(s, IsSpace) {
		n := runOfMarks(s)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
			if strings.IndexByte(notFirst, s[0]) < 0 {
				for !endsWord(s[n:]) {
					_, size := utf8.DecodeRuneInString(s[n:])
					n += size
				}
			}
		}
		dst = append(dst, token{text: s[:n]})
		s = s[n:]
	}
	return dst
}

// endsWord reports whether a word ends before s.
func endsWord(s string) bool {
	return endsHere(s) || s[0] == ',' && endsHere(s[1:])
}

func endsHere(s string) bool {
	if s == "" || strings.IndexByte(nonWord, s[0]) >= 0 || runOfMarks(s) > 0 {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return IsSpace(r)
}

// runOfMarks returns the length of the dashes, of the periods, or of the periods with
// spaces between them that start s. 0 for fewer than two, or three where spaces are
// between.
func runOfMarks(s string) int {
	if s[0] != '.' && s[0] != '-' {
		return 0
	}
	if n := len(s) - len(strings.TrimLeft(s, s[:1])); n > 1 {
		return n
	}
	length := 0
	for count, i := 1, 0; s[i] == '.'; count++ {
		if count > 2 {
			length = i + 1
		}
		r, n := utf8.DecodeRuneInString(s[i+1:])
		if i += 1 + n; !IsSpace(r) || i == len(s) {
			break
		}
	}
	return length
}
