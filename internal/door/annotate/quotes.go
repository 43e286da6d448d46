package annotate

import (
	"fmt"
	"strings"
)

// quotes finds words of sentences. The same words quoted again are the next such
// words of the sentence.
type quotes struct {
	doc  *Document
	used map[string]int // by sentence and words, how often they were quoted
}

func newQuotes(doc *Document) *quotes { return &quotes{doc, make(map[string]int)} }

// find returns the span of a quote in a sentence, counted from 1. White space does
// not count; letters' case does.
func (q *quotes) find(sentence int, quote string) (Span, error) {
	if sentence < 1 || sentence > len(q.doc.Sentences) {
		return Span{}, fmt.Errorf("there is no sentence %d", sentence)
	}
	tokens := q.doc.Sentences[sentence-1].Tokens
	words := strings.Join(strings.Fields(quote), "")
	if words == "" {
		return Span{}, fmt.Errorf("a quote of sentence %d is empty", sentence)
	}
	key := fmt.Sprint(sentence, " ", words)
	skip := q.used[key]
	q.used[key]++
	for i := range tokens {
		var text strings.Builder
		end := i
		for ; end < len(tokens) && text.Len() < len(words); end++ {
			text.WriteString(tokens[end].Text)
		}
		if text.String() != words {
			continue
		}
		if skip == 0 {
			return Span{i, end}, nil
		}
		skip--
	}
	if q.used[key] > 1 {
		return Span{}, fmt.Errorf("sentence %d has %q only %d times", sentence, quote, q.used[key]-1)
	}
	return Span{}, fmt.Errorf("sentence %d has no words %q", sentence, quote)
}
