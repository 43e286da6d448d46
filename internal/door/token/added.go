package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An addedToken is a token beside the vocabulary of a model. It is found in
// the text before words are, and is no part of a word.
type addedToken struct {
	ID         int32
	Content    string
	SingleWord bool `json:"single_word"` // only where no word character touches it
	LStrip     bool // takes the white space before it
	RStrip     bool // and behind it
	Normalized bool // is looked for after the text is normalised
	Special    bool // is plain text to a Counter
}

// added are added tokens as a tree by the bytes of their contents.
type added struct {
	next  map[byte]*added
	token *addedToken
}

func (a *added) add(t *addedToken) {
	for i := range len(t.Content) {
		if a.next == nil {
			a.next = make(map[byte]*added)
		}
		child := a.next[t.Content[i]]
		if child == nil {
			child = new(added)
			a.next[t.Content[i]] = child
		}
		a = child
	}
	a.token = t
}

// longest returns the longest token that text begins with, or nil.
func (a *added) longest(text string) (t *addedToken) {
	for i := 0; i < len(text) && a.next != nil; i++ {
		if a = a.next[text[i]]; a == nil {
			break
		}
		if a.token != nil {
			t = a.token
		}
	}
	return t
}

// cut hands the tokens found in s, and what lies between them, to next. A
// special token hides a shorter one that begins in it.
func (a *added) cut(s span, next func(span)) {
	if a.next == nil {
		next(s)
		return
	}
	done := 0
	for i := 0; i < len(s.text); {
		t := a.longest(s.text[i:])
		if t == nil {
			i++
			continue
		}
		from, to := i, i+len(t.Content)
		i = to
		if t.Special || t.SingleWord && touched(s.text, from, to) {
			continue
		}
		if t.LStrip {
			from = max(done, len(strings.TrimRightFunc(s.text[:from], unicode.IsSpace)))
		}
		if t.RStrip {
			to = len(s.text) - len(strings.TrimLeftFunc(s.text[to:], unicode.IsSpace))
			i = to
		}
		if done < from {
			next(s.slice(done, from))
		}
		token := s.slice(from, to)
		token.token, token.id = true, t.ID
		next(token)
		done = to
	}
	if done < len(s.text) {
		next(s.slice(done, len(s.text)))
	}
}

// touched reports whether a word character stands right before from or at to.
func touched(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	behind, _ := utf8.DecodeRuneInString(text[to:])
	return from > 0 && wordCharacter(before) || to < len(text) && wordCharacter(behind)
}
