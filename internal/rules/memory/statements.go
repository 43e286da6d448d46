package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/door/llm"
)

const (
	leastStated   = 3.5 // the weight from which on a sentence is a fact to keep
	statedWords   = 34  // longer ones are cut
	maxStatements = 200
	leastKept     = 2   // statements of an episode, where it tells as many
	keptShare     = 0.5 // statements for each message on top, the weightiest
	covered       = 0.8 // share of a statement's words in a predicted sentence that makes it known
	maxPredicted  = 64  // sentences of a prediction that are looked at
)

// statements lists the lasting facts: from lines, or from an episode's content.
func (r *Rules) statements(ctx context.Context, t llm.StatementsTask) (llm.Statements, []string, error) {
	var all []told
	if len(t.Lines) > 0 {
		tale, err := r.retell(ctx, t.Lines)
		if err != nil {
			return llm.Statements{}, nil, err
		}
		all = tale.out
	} else {
		sentences, err := r.analyser.Sentences(t.Content, t.Time)
		if err != nil {
			return llm.Statements{}, nil, err
		}
		all = asTold(sentences, t.Title)
	}
	known, err := r.predicted(t.Prediction)
	if err != nil {
		return llm.Statements{}, nil, err
	}
	out := llm.Statements{Statements: []string{}}
	seen := make(map[string]bool)
	weak, old := 0, 0
	least := leastStated
	if n := len(t.Lines); n > 0 {
		least = max(least, bar(all, leastKept+int(keptShare*float64(n))))
	}
	for _, s := range all {
		if len(out.Statements) == maxStatements {
			break
		}
		if s.weight < least {
			weak++
			continue
		}
		if seen[s.text] || isKnown(s.stems, known) {
			old++
			continue
		}
		seen[s.text] = true
		out.Statements = append(out.Statements, cut(s.text, statedWords)+".")
	}
	return out, []string{
		"of " + strconv.Itoa(len(all)) + " clauses " + strconv.Itoa(weak) + " say too little and " + strconv.Itoa(old) + " are known",
	}, nil
}

// bar is the weight that at most n of the sentences exceed.
func bar(all []told, n int) float64 {
	if len(all) <= n {
		return 0
	}
	weights := make([]float64, len(all))
	for i, s := range all {
		weights[i] = s.weight
	}
	slices.SortFunc(weights, func(a, b float64) int { return cmp.Compare(b, a) })
	return math.Nextafter(weights[n], math.Inf(1))
}

// asTold takes the sentences of a content that is in the third person already.
// The sentence that only repeats the title is left out.
func asTold(sentences []Sentence, title string) []told {
	var out []told
	nobody := new(voices)
	for i := range sentences {
		s := &sentences[i]
		c := clause{s, 0, len(s.Words)}
		text := s.source()
		if s.Question || title != "" && strings.HasSuffix(text, title) {
			continue
		}
		t := told{text: text, words: len(s.Words)}
		t.stems, t.weight = c.weigh(nobody)
		if pointsBack(&s.Words[0]) {
			t.weight += backwardWeight
		}
		out = append(out, t)
	}
	return out
}

// predicted returns the words of each sentence of a prediction.
func (r *Rules) predicted(prediction string) ([]map[uint64]bool, error) {
	if prediction == "" {
		return nil, nil
	}
	sentences, err := r.analyser.Sentences(prediction, time.Time{})
	if err != nil {
		return nil, err
	}
	var out []map[uint64]bool
	for _, s := range sentences[:min(maxPredicted, len(sentences))] {
		known := make(map[uint64]bool)
		for _, stem := range stemsOf(s.Words) {
			known[stem] = true
		}
		out = append(out, known)
	}
	return out, nil
}

// isKnown reports whether a predicted sentence has nearly all words that inform.
func isKnown(stems []uint64, known []map[uint64]bool) bool {
	return slices.ContainsFunc(known, func(k map[uint64]bool) bool {
		n := 0
		for _, stem := range stems {
			if k[stem] {
				n++
			}
		}
		return float64(n) >= covered*float64(len(stems))
	})
}

// cut leaves out what stands behind the last comma or joint among the first n
// words, where a text has more.
func cut(text string, n int) string {
	at, last, words := 0, 0, 0
	for at < len(text) {
		next := strings.IndexByte(text[at:], ' ')
		if next < 0 {
			return text
		}
		at += next
		words++
		if c := text[at-1]; words > n/2 && (c == ',' || c == ';') || strings.HasPrefix(text[at:], " and ") || strings.HasPrefix(text[at:], " but ") {
			last = at
		}
		if words == n {
			break
		}
		at++
	}
	if last == 0 {
		last = at
	}
	return strings.TrimRight(text[:last], " ,;")
}
