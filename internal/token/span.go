package token

// A span is a stretch of text on its way through a tokenizer.
type span struct {
	text string
	// at[i] is the offset in the original text of byte i of text, and the last
	// entry, one more than text has bytes, where the span ends there. It is
	// nil when nobody asks.
	at []int
	// first is set for what begins where the original begins.
	first bool
	// token is set when the span is a token already, and id is its.
	token bool
	id    int32
}

// origin returns text as a span of itself that knows its offsets.
func origin(text string) span {
	at := make([]int, len(text)+1)
	for i := range at {
		at[i] = i
	}
	return span{text: text, at: at, first: true}
}

// slice returns the bytes from i up to j of s.
func (s span) slice(i, j int) span {
	part := span{text: s.text[i:j], first: s.first && i == 0, token: s.token, id: s.id}
	if s.at != nil {
		part.at = s.at[i : j+1]
	}
	return part
}

// A rewriter builds a span from another, from left to right.
type rewriter struct {
	from span
	done int // of from.text
	text []byte
	at   []int
}

func rewrite(s span) *rewriter {
	return &rewriter{from: s, text: make([]byte, 0, len(s.text)+len(s.text)/4)}
}

// keep copies what is left before the offset to.
func (w *rewriter) keep(to int) {
	w.text = append(w.text, w.from.text[w.done:to]...)
	if w.from.at != nil {
		w.at = append(w.at, w.from.at[w.done:to]...)
	}
	w.done = to
}

// put writes s in the place of what is left before the offset to. All of s
// stands for the place where that begins.
func (w *rewriter) put(to int, s string) {
	w.text = append(w.text, s...)
	if w.from.at != nil {
		for range len(s) {
			w.at = append(w.at, w.from.at[w.done])
		}
	}
	w.done = to
}

// span keeps the rest and returns the result.
func (w *rewriter) span() span {
	w.keep(len(w.from.text))
	s := span{text: string(w.text), first: w.from.first}
	if w.from.at != nil {
		w.at = append(w.at, w.from.at[len(w.from.text)])
		s.at = w.at
	}
	return s
}
