package memory

import (
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/llm"
)

// What speaks for the end of an episode, as parts of a sum that is held against
// 0. A difference of 1 is odds of e.
const (
	boundaryBase   = -4.6
	hourGap        = 5.0  // half an hour and more between messages
	dayGap         = 12.0 // another day
	turnMark       = 1.8  // "by the way" and its like
	greetingMark   = 3.0  // a greeting behind a farewell
	farewellMark   = 2.0  // a farewell before
	asksAnew       = 1.2  // ends with a question whose words are new
	freshWeight    = 2.6  // times the share of its words that are new
	replyMark      = -2.0 // it answers the question before it
	leansMark      = -1.2 // begins with a word that points back, agrees or praises
	thinMark       = -1.5 // says too little to tell
	fullEpisode    = 8    // messages at which the length begins to speak for an end
	fullWeight     = 0.35 // for each message beyond
	youngWeight    = -0.5 // for each message short of youngEpisode
	youngEpisode   = 6
	recentLines    = 6 // of the history, in which words are looked for
	shortestGap    = 30 * time.Minute
	thinWords      = 3
	boundaryReason = "the talk goes on"
)

// boundary decides whether a message begins something new: after a pause, with
// a turn of phrase, by words that are new, the sooner the longer the episode.
func (r *Rules) boundary(t llm.BoundaryTask) (llm.Boundary, error) {
	n := len(t.History)
	if n == 0 {
		return llm.Boundary{Why: "the episode has no message yet"}, nil
	}
	last := t.History[n-1]
	if !last.Time.IsZero() && !t.Next.Time.IsZero() {
		switch gap := t.Next.Time.Sub(last.Time).Abs(); {
		case gap >= shortestGap && !sameDay(last.Time, t.Next.Time):
			return decided(boundaryBase+dayGap, "it is another day"), nil
		case gap >= shortestGap:
			return decided(boundaryBase+hourGap, "half an hour or more went by"), nil
		}
	}
	next, err := r.analyser.Sentences(t.Next.Text, t.Next.Time)
	if err != nil {
		return llm.Boundary{}, err
	}
	said := make(map[uint64]bool)
	var before []Sentence
	for _, l := range t.History[max(0, n-recentLines):] {
		if before, err = r.analyser.Sentences(l.Text, l.Time); err != nil {
			return llm.Boundary{}, err
		}
		for i := range before {
			for k := range before[i].Words {
				if w := &before[i].Words[k]; w.informs() {
					said[w.Stem] = true
				}
			}
		}
	}
	return weighBoundary(n, before, next, said), nil
}

// weighBoundary sums what speaks for an end: n messages so far, the sentences of
// the last and of the next one, and the words that were said of late.
func weighBoundary(n int, last, next []Sentence, said map[uint64]bool) llm.Boundary {
	sum, why := boundaryBase, boundaryReason
	most := 0.0
	add := func(x float64, reason string) {
		sum += x
		if x > most {
			most, why = x, reason
		}
	}
	add(fullWeight*float64(max(0, n-fullEpisode)), "the episode is long")
	add(youngWeight*float64(max(0, youngEpisode-n)), "")
	words, fresh := news(next, said)
	if words < thinWords {
		add(thinMark, "")
	} else {
		add(freshWeight*fresh, "most of its words are new")
	}
	if turns := turning(next); turns {
		add(turnMark, "it turns to something else")
	}
	if asks(next) && fresh > 0.5 {
		add(asksAnew, "it asks about something else")
	}
	switch {
	case asks(last):
		add(replyMark, "")
	case parting(last) && greeting(next):
		add(greetingMark, "a greeting follows a farewell")
	case parting(last):
		add(farewellMark, "a farewell came before")
	}
	if leans(next) {
		add(leansMark, "")
	}
	if sum <= 0 {
		why = boundaryReason
	}
	return decided(sum, why)
}

// decided makes a reply of a sum.
func decided(sum float64, why string) llm.Boundary {
	p := 1 / (1 + math.Exp(-sum))
	return llm.Boundary{Why: why, NewEpisode: sum > 0, Confidence: math.Round(100*max(p, 1-p)) / 100}
}

func sameDay(a, b time.Time) bool {
	y, m, d := a.Date()
	y2, m2, d2 := b.Date()
	return y == y2 && m == m2 && d == d2
}

// news counts the words of a message that inform, each once, and the share of
// them that was not said.
func news(next []Sentence, said map[uint64]bool) (words int, fresh float64) {
	seen := make(map[uint64]bool)
	for i := range next {
		for k := range next[i].Words {
			w := &next[i].Words[k]
			if w.informs() && !seen[w.Stem] {
				seen[w.Stem] = true
				words++
				if !said[w.Stem] {
					fresh++
				}
			}
		}
	}
	if words == 0 {
		return 0, 0
	}
	return words, fresh / float64(words)
}

// asks reports whether a message ends with a question.
func asks(sentences []Sentence) bool {
	for _, s := range slices.Backward(sentences) {
		if !s.Remark {
			return s.Question
		}
	}
	return false
}

// turning reports whether a sentence of a message begins with a phrase that
// turns to something else.
func turning(sentences []Sentence) bool {
	for i := range sentences {
		words := sentences[i].Words
		for k := range min(3, len(words)) {
			for _, phrase := range turns {
				if starts(words, k, phrase) {
					return true
				}
			}
		}
	}
	return false
}

// parting reports whether a message ends with a farewell.
func parting(sentences []Sentence) bool {
	const shortest = 8 // words of the sentence
	if len(sentences) == 0 {
		return false
	}
	words := sentences[len(sentences)-1].Words
	if len(words) > shortest {
		return false
	}
	for i := range words {
		if farewells[words[i].Low] {
			return true
		}
	}
	return false
}

// greeting reports whether a message begins with a greeting.
func greeting(sentences []Sentence) bool {
	return len(sentences) > 0 && greetings[sentences[0].Words[0].Low]
}

// leans reports whether a message begins by answering, praising or pointing
// back.
func leans(sentences []Sentence) bool {
	if len(sentences) == 0 {
		return true
	}
	w := &sentences[0].Words[0]
	if greetings[w.Low] {
		return false
	}
	return w.Kind == Filler || backward[w.Low] || affirmations[w.Low] || denials[w.Low] ||
		strings.HasPrefix(w.Low, "thank") || strings.HasPrefix(w.Low, "agree")
}
