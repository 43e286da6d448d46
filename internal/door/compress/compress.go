// Package compress shortens texts by leaving words out, as LLMLingua-2 does (Pan et
// al., Findings of ACL 2024; package llmlingua 0.2.2).
//
// A [Classifier] says of each token of a text how probable it is that it is kept. A
// [Compressor] makes words of tokens, whose probability is the mean of theirs. It
// keeps the likeliest words in their order, so many that the rate asked for is what
// is left of the text's tokens. No question is looked at: a text is shortened once,
// whatever it will be asked.
//
// There are two kinds of classifiers. That of LLMLingua-2 is a model, which a
// model entry brings as a door. [IDF] is none: it ranks words by how few of a
// memory's texts have them, stop words last, and stands in where there is no
// model. Its results are idf-prune's and not LLMLingua-2's.
//
// # Departures
//
// LLMLingua-2 writes the kept tokens with the tokenizer's spaces, so that "It's"
// becomes "It ' s"; here words that touched still touch. It cuts words at the marks
// of its tokenizer. Here that is at white space, punctuation and symbols, and around
// each Chinese character, which is where multilingual BERT cuts too, whatever the
// classifier's tokenizer does. It loses all words as unlikely as the threshold; here
// the first of them stay while the rate allows, because a ranking that is no model's
// has many alike. A text that would lose everything stays as it is, as in LightMem's
// use of it.
package compress

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Token is a piece of a text, with the probability that it is kept.
type Token struct {
	Start int     `json:"start"` // in bytes of the text
	End   int     `json:"end"`
	Keep  float64 `json:"keep"`
}

// A Classifier says of tokens how probable it is that they are kept. It is safe
// for concurrent use.
type Classifier interface {
	// Classify returns the tokens of each text, in order. They cover every
	// letter and digit of the text, see [Check].
	Classify(ctx context.Context, texts []string) ([][]Token, error)
}

// Check reports what is wrong with the tokens of a text: a place that is not
// within it or inside a character, an order that goes back, a probability
// outside 0 to 1, or a letter or digit that no token has, which would be lost
// without a word.
func Check(text string, tokens []Token) error {
	end := 0 // of what is covered
	for i, t := range tokens {
		switch {
		case t.Start < 0 || t.End < t.Start || t.End > len(text):
			return fmt.Errorf("token %d is from byte %d to %d of a text of %d", i, t.Start, t.End, len(text))
		case i > 0 && (t.Start < tokens[i-1].Start || t.End < tokens[i-1].End):
			return fmt.Errorf("token %d, from byte %d to %d, stands behind one from %d to %d", i, t.Start, t.End, tokens[i-1].Start, tokens[i-1].End)
		case !boundary(text, t.Start) || !boundary(text, t.End):
			return fmt.Errorf("token %d, from byte %d to %d, begins or ends inside a character", i, t.Start, t.End)
		case !(t.Keep >= 0 && t.Keep <= 1):
			return fmt.Errorf("token %d is kept with %v, want a probability", i, t.Keep)
		}
		if err := bare(text, end, t.Start); err != nil {
			return err
		}
		end = max(end, t.End)
	}
	return bare(text, end, len(text))
}

// boundary reports whether a place of a text is not inside a character.
func boundary(text string, at int) bool {
	if at == len(text) || utf8.RuneStart(text[at]) {
		return true
	}
	for start := at - 1; start >= max(0, at-utf8.UTFMax); start-- {
		if utf8.RuneStart(text[start]) {
			_, size := utf8.DecodeRuneInString(text[start:])
			return start+size <= at
		}
	}
	return true // a stray byte
}

// bare reports letters and digits between two places of a text.
func bare(text string, from, to int) error {
	for i, r := range text[min(from, to):to] {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return fmt.Errorf("no token has %q at byte %d of a text of %d", r, from+i, len(text))
		}
	}
	return nil
}

// Options say how much is kept, and what whatever it is worth. The names and
// defaults but the rate are those of LLMLingua-2.
type Options struct {
	// Rate is the share of tokens that is kept, above 0 and at most 1.
	Rate float64
	// ForceTokens are words that are always kept, such as a full stop.
	ForceTokens []string
	// ReserveDigits keeps all words with a digit.
	ReserveDigits bool
	// DropConsecutive leaves out a forced word that would follow itself.
	DropConsecutive bool
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	if !(o.Rate > 0 && o.Rate <= 1) {
		faults = append(faults, fmt.Errorf("rate is %v, want above 0 and at most 1", o.Rate))
	}
	for i, t := range o.ForceTokens {
		if words := Words(t); len(words) != 1 || words[0] != [2]int{0, len(t)} {
			faults = append(faults, fmt.Errorf("force_tokens[%d] is %q, want one word or one mark", i, t))
		}
	}
	return errors.Join(faults...)
}

// A Compressor shortens texts. It is safe for concurrent use.
type Compressor struct {
	options    Options
	classifier Classifier
	count      func(string) int
	counts     sync.Map // of words that were counted, by word
}

// New returns a pruner whose rate is one of tokens as count counts them, word by
// word. The options are valid.
func New(c Classifier, o Options, count func(string) int) *Compressor {
	return &Compressor{options: o, classifier: c, count: count}
}

// A Compressed is a text that was shortened.
type Compressed struct {
	Text string
	// Kept and Of are the tokens of the words that were kept and of all words.
	Kept, Of int
}

// Compress shortens each of texts by itself.
func (p *Compressor) Compress(ctx context.Context, texts []string) ([]Compressed, error) {
	tokens, err := p.classifier.Classify(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(tokens) != len(texts) {
		return nil, fmt.Errorf("tokens of %d texts, want of %d", len(tokens), len(texts))
	}
	all := make([]Compressed, len(texts))
	work := compression{Compressor: p}
	for i, text := range texts {
		if err := Check(text, tokens[i]); err != nil {
			return nil, fmt.Errorf("text %d of %d: %w", i+1, len(texts), err)
		}
		all[i] = work.compress(text, tokens[i])
	}
	return all, nil
}

// A compression is the work on texts that come one after the other, with room that
// each leaves to the next.
type compression struct {
	*Compressor
	room  []word
	order []share
}

func (p *compression) compress(text string, tokens []Token) Compressed {
	words := p.words(text, tokens)
	result := Compressed{Text: text}
	for _, w := range words {
		result.Of += w.tokens
	}
	result.Kept = result.Of
	if p.options.Rate >= 1 {
		return result
	}
	kept := p.choose(text, words, result.Of)
	if len(kept) == 0 {
		return result
	}
	result.Text, result.Kept = join(text, kept), 0
	for _, w := range kept {
		result.Kept += w.tokens
	}
	return result
}

// tokens counts the tokens of a word; at least 1.
func (p *Compressor) tokens(w string) int {
	if n, ok := p.counts.Load(w); ok {
		return n.(int)
	}
	n := max(1, p.count(w))
	p.counts.Store(w, n)
	return n
}
