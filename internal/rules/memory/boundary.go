package memory

import (
	"math"
	"time"

	"recallbench/internal/door/llm"
)

// What speaks for the end of an episode, as parts of a sum that is compared with
// 0. A difference of 1 is odds of e.
const (
	boundaryBase = -4.6
	hourGap      = 5.0  // half an hour and more between messages
	dayGap       = 12.0 // another day
	turnMark     = 1.8  // "by the way" and its like
	freshWeight  = 2.6  // times the share of its words that are new
	replyMark    = -2.0 // it answers the question before it
	leansMark    = -1.2 // begins with a word that points back, agrees or praises
	thinMark     = -1.5 // says too little to tell
	fullEpisode  = 8    // messages at which the length begins to speak for an end
	fullWeight   = 0.35 // for each message beyond
	youngWeight  = -0.5 // for each message short of youngEpisode
	youngEpisode = 6
	recentLines  = 6 // of the history, in which words are looked for
	shortestGap  = 30 * time.Minute
	thinWords    = 3
)

// segments cuts a stretch as message by message would.
func (r *Rules) segments(t llm.SegmentsTask) (llm.Segments, error) {
	s := llm.Segments{Episodes: []llm.Segment{{First: 1}}}
	first := 0
	for i := 1; i < len(t.Lines); i++ {
		b, err := r.boundary(llm.BoundaryTask{History: t.Lines[first:i], Next: t.Lines[i]})
		if err != nil {
			return s, err
		}
		if b.NewEpisode {
			first = i
			s.Episodes = append(s.Episodes, llm.Segment{First: i + 1, Topic: b.Why})
		}
	}
	return s, nil
}

// boundary decides whether a message begins something new: after a pause, with
// a turn of phrase, by words that are new, the sooner the longer the episode.
func (r *Rules) boundary(t llm.BoundaryTask) (llm.Boundary, error) {
	n := len(t.History)
	if n == 0 {
		return llm.Boundary{Why: "the episode has no message yet"}, nil
	}
	last := t.History[n-1]
	if !last.Time.IsZero() && !t.Next.Time.IsZero() && t.Next.Time.Sub(last.Time).Abs() >= shortestGap {
		if last.Time.Format(time.DateOnly) != t.Next.Time.Format(time.DateOnly) {
			return decided(boundaryBase+dayGap, "it is another day"), nil
		}
		return decided(boundaryBase+hourGap, "half an hour or more went by"), nil
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
		for _, s := range before {
			for _, stem := range stems(s.Words) {
				said[stem] = true
			}
		}
	}
	return weighBoundary(n, before, next, said), nil
}

// weighBoundary sums what speaks for an end: n messages so far, the sentences of
// the last and of the next one, and the words that were said of late.
func weighBoundary(n int, last, next []Sentence, said map[uint64]bool) llm.Boundary {
	sum := boundaryBase + fullWeight*float64(max(0, n-fullEpisode)) + youngWeight*float64(max(0, youngEpisode-n))
	why := "the episode is long"
	words, fresh := 0, 0
	for _, s := range next {
		for _, stem := range stems(s.Words) {
			words++
			fresh += when(!said[stem], 1)
		}
		for k := range min(3, len(s.Words)) {
			if why != turned && starts(s.Words[k:], turns) > 0 {
				sum, why = sum+turnMark, turned
			}
		}
	}
	switch {
	case words < thinWords:
		sum += thinMark
	case 2*fresh > words && why != turned:
		why = "most of its words are new"
		fallthrough
	default:
		sum += freshWeight * float64(fresh) / float64(words)
	}
	if len(last) > 0 && last[len(last)-1].Question {
		sum += replyMark
	}
	if len(next) == 0 || leans(&next[0].Words[0]) {
		sum += leansMark
	}
	return decided(sum, why)
}

const turned = "it turns to something else"

// decided makes a reply of a sum.
func decided(sum float64, why string) llm.Boundary {
	if sum <= 0 {
		why = "the talk goes on"
	}
	p := 1 / (1 + math.Exp(-sum))
	return llm.Boundary{Why: why, NewEpisode: sum > 0, Confidence: math.Round(100*max(p, 1-p)) / 100}
}

// leans reports whether a message that begins with a word answers, praises or
// points back.
func leans(w *Word) bool {
	return w.Kind == Filler || backward[w.Low] || affirmations[w.Low] || denials[w.Low] || courtesies[w.Low]
}
