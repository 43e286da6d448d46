package token

// An addedToken is a token beside the vocabulary of a model. It is found in
// the text before words are, and is no part of a word.
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

// cut hands the tokens found in a text, and what lies between them with no token, to
// next. A special token hides a shorter one that begins in it.
func (a *added) cut(s string, next func(text string, token *addedToken)) {
	done := 0
	for i := 0; i < len(s) && a.next != nil; {
		t := a.longest(s[i:])
		if t == nil {
			i++
			continue
		}
		from := i
		if i += len(t.Content); t.Special {
			continue
		}
		if done < from {
			next(s[done:from], nil)
		}
		next(s[from:i], t)
		done = i
	}
	if done < len(s) {
		next(s[done:], nil)
	}
}
