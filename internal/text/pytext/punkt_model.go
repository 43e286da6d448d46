package pytext

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/neurosnap/sentences"
	"github.com/neurosnap/sentences/data"
)

// english returns the trained parameters for English. They are unpacked when
// a text first needs them.
var english = sync.OnceValue(func() *sentences.Storage {
	b, err := data.Asset("data/english.json")
	var s *sentences.Storage
	if err == nil {
		s, err = sentences.LoadTraining(b)
	}
	if err != nil {
		panic(fmt.Sprintf("text: embedded Punkt parameters: %v", err))
	}
	return s
})

// The contexts in which a type was seen in training: at the beginning of a
// sentence, inside one, or unknown; with an upper or a lower case letter.
const (
	beginUpper = 1 << (iota + 1)
	insideUpper
	unknownUpper
	beginLower
	insideLower
	unknownLower

	anyUpper = beginUpper | insideUpper | unknownUpper
	anyLower = beginLower | insideLower | unknownLower
)

// A token of the text around a candidate.
type token struct {
	text                        string
	sentBreak, abbrev, ellipsis bool
}

// typ returns the token without case, a number as ##number##.
func (t *token) typ() string {
	if isNumber(t.text) {
		return "##number##"
	}
	return Lower(t.text)
}

// isNumber reports whether s is a sign, a separator and a digit, the first two
// optional, with digits, separators and dashes after them.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s != "" && (s[0] == '.' || s[0] == ',') {
		s = s[1:]
	}
	first, _ := utf8.DecodeRuneInString(s)
	return isDigit(first) && strings.TrimLeftFunc(s, func(r rune) bool {
		return isDigit(r) || r == ',' || r == '.' || r == '-'
	}) == ""
}

// isInitial reports whether s is a letter and a period.
func isInitial(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return s[n:] == "." && IsWord(r) && !isDigit(r)
}

func withoutPeriod(typ string) string {
	if len(typ) > 1 {
		return strings.TrimSuffix(typ, ".")
	}
	return typ
}

// breaks reports whether a sentence ends within the context, before its last
// token.
func breaks(context string) bool {
	var buf [8]token
	tokens := buf[:0]
	for line := range strings.SplitSeq(context, "\n") {
		tokens = appendPunktTokens(tokens, line)
	}
	for i := range tokens {
		tokens[i].classify()
	}
	for i := range max(len(tokens)-1, 0) {
		if tokens[i].revise(&tokens[i+1]); tokens[i].sentBreak {
			return true
		}
	}
	return false
}

// classify is the first pass of Punkt: it looks at the token's type alone.
func (t *token) classify() {
	switch s := t.text; {
	case s == "." || s == "?" || s == "!":
		t.sentBreak = true
	case strings.HasPrefix(s, "..") && strings.Trim(s, ".") == "":
		t.ellipsis = true
	case strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ".."):
		typ := Lower(s[:len(s)-1])
		afterDash := typ[strings.LastIndexByte(typ, '-')+1:]
		t.abbrev = english().IsAbbr(typ, afterDash)
		t.sentBreak = !t.abbrev
	}
}

// revise is the second pass of Punkt: it corrects the first for a token with
// a final period in view of the next token.
func (t *token) revise(next *token) {
	if !strings.HasSuffix(t.text, ".") {
		return
	}
	typ, nextTyp := withoutPeriod(t.typ()), next.typ()
	if next.sentBreak {
		nextTyp = withoutPeriod(nextTyp)
	}
	model := english()
	if model.Collocations.Has(typ + "," + nextTyp) {
		t.sentBreak = false
		return
	}
	first, _ := utf8.DecodeRuneInString(next.text)
	context := model.OrthoContext[nextTyp]
	starts := startsSentence(next.text, context)
	initial := isInitial(t.text)
	if (t.abbrev || t.ellipsis) && !initial &&
		(starts == yes || isUpper(first) && model.SentStarters.Has(nextTyp)) {
		t.sentBreak = true
		return
	}
	if initial || typ == "##number##" {
		if starts == no || starts == unknown && initial && isUpper(first) && context&anyLower == 0 {
			t.sentBreak = false
		}
	}
}

// An answer is what the orthographic heuristic says.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// startsSentence tells from the case of a token, and from the contexts in
// which its type was seen, whether it starts a sentence.
func startsSentence(s string, context int) answer {
	switch s {
	case ";", ":", ",", ".", "!", "?":
		return no
	}
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case isUpper(first) && context&anyLower != 0 && context&insideUpper == 0:
		return yes
	case isLower(first) && (context&anyUpper != 0 || context&beginLower == 0):
		return no
	}
	return unknown
}

// IsCommon reports whether a word, given in lowercase, was met without a
// capital in the news texts that the English parameters of [AppendSentences]
// were trained on: "place" was, "rachel" was not. A word that was not may
// still be an English one, for the texts were not long.
func IsCommon(low string) bool {
	return english().OrthoContext[low]&anyLower != 0
}
