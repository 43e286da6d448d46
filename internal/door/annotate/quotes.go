package annotate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

// cut makes a document of tokens: sentences by Punkt, and in them words and marks.
// What stands between white space and is neither a letter nor a digit is a token
// by itself, save within a word: "9:30", "don't", "mid-May".
func cut(utterances []Utterance) Document {
	var doc Document
	for i, u := range utterances {
		at := 0
		for _, sentence := range pytext.AppendSentences(nil, u.Text) {
			start := strings.Index(u.Text[at:], sentence)
			if start < 0 { // it was normalised
				continue
			}
			start += at
			at = start + len(sentence)
			s := Sentence{Utterance: i}
			for _, span := range tokens(sentence) {
				word := sentence[span[0]:span[1]]
				s.Tokens = append(s.Tokens, Token{Text: word, Lemma: strings.ToLower(word), Start: start + span[0], End: start + span[1]})
			}
			if len(s.Tokens) > 0 {
				doc.Sentences = append(doc.Sentences, s)
			}
		}
	}
	return doc
}

// tokens returns where the tokens of a sentence begin and end.
func tokens(s string) (all [][2]int) {
	start := -1 // of the word that goes on
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		next, _ := utf8.DecodeRuneInString(s[at+n:])
		wordy := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		within := start >= 0 && (unicode.IsLetter(next) || unicode.IsDigit(next)) && strings.ContainsRune("'’-:.,", r)
		switch {
		case wordy || within:
			if start < 0 {
				start = at
			}
		default:
			if start >= 0 {
				all, start = append(all, [2]int{start, at}), -1
			}
			if !unicode.IsSpace(r) && !unicode.IsControl(r) && (r != utf8.RuneError || n > 1) {
				all = append(all, [2]int{at, at + n})
			}
		}
		at += n
	}
	if start >= 0 {
		all = append(all, [2]int{start, len(s)})
	}
	return all
}

// quotes finds words of sentences. The same words quoted again are the next such
// words of the sentence.
type quotes struct {
	doc  *Document
	used map[string]int // by sentence and words, how often they were quoted
}

func newQuotes(doc *Document) *quotes { return &quotes{doc, make(map[string]int)} }

// find returns the span of a quote in a sentence, counted from 1. Words count, and
// not what stands between them; letters' case counts.
func (q *quotes) find(sentence int, quote string) (Span, error) {
	if sentence < 1 || sentence > len(q.doc.Sentences) {
		return Span{}, fmt.Errorf("there is no sentence %d", sentence)
	}
	s := q.doc.Sentences[sentence-1]
	var words []string
	for _, t := range tokens(quote) {
		words = append(words, quote[t[0]:t[1]])
	}
	if len(words) == 0 {
		return Span{}, fmt.Errorf("a quote of sentence %d is empty", sentence)
	}
	key := fmt.Sprint(sentence, words)
	skip := q.used[key]
	q.used[key]++
	for i := 0; i+len(words) <= len(s.Tokens); i++ {
		same := true
		for k, w := range words {
			same = same && s.Tokens[i+k].Text == w
		}
		if !same {
			continue
		}
		if skip == 0 {
			return Span{i, i + len(words)}, nil
		}
		skip--
	}
	if q.used[key] > 1 {
		return Span{}, fmt.Errorf("sentence %d has %q only %d times", sentence, quote, q.used[key]-1)
	}
	return Span{}, fmt.Errorf("sentence %d has no words %q", sentence, quote)
}
