package pruning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/door/compress"
)

// A Compressor shortens texts. It is safe for concurrent use.
type Compressor struct {
	Options
	classifier compress.Classifier
	count      func(string) int // tokens of a word
}

// A Compressed is a text that was shortened.
type Compressed struct {
	Text string
	// Kept and Of are the tokens of the words that were kept and of all words.
	Kept, Of int
}

// Compress shortens each of texts by itself.
func (c *Compressor) Compress(ctx context.Context, texts []string) ([]Compressed, error) {
	all, err := c.classifier.Classify(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(all) != len(texts) {
		return nil, fmt.Errorf("words of %d texts, want of %d", len(all), len(texts))
	}
	short := make([]Compressed, len(texts))
	for i, text := range texts {
		short[i] = c.compress(text, all[i])
	}
	return short, nil
}

// A word has the number of its tokens.
type word struct {
	compress.Word
	tokens int
}

func (c *Compressor) compress(text string, found []compress.Word) Compressed {
	words := make([]word, len(found))
	result := Compressed{Text: text}
	for i, w := range found {
		shown := text[w.Start:w.End]
		if slices.Contains(c.ForceTokens, shown) {
			w.Keep = 1
		}
		words[i] = word{w, max(1, c.count(shown))}
		result.Of += words[i].tokens
	}
	result.Kept = result.Of
	if c.Rate >= 1 {
		return result
	}
	kept := choose(words, result.Of, c.Rate)
	if len(kept) == 0 {
		return result
	}
	var b strings.Builder
	result.Kept = 0
	for i, w := range kept {
		if i > 0 && w.Start > kept[i-1].End {
			b.WriteByte(' ') // something between the two is left out
		}
		b.WriteString(text[w.Start:w.End])
		result.Kept += w.tokens
	}
	result.Text = b.String()
	return result
}

// choose returns the words to keep, given the number of tokens of all words: those
// above the threshold and, of those at it, the first ones, while the rate allows.
// One of probability 1 is above it, as in llmlingua: forced tokens survive even if
// most others go.
func choose(words []word, total int, rate float64) (kept []word) {
	if len(words) == 0 {
		return nil
	}
	limit := threshold(words, total, rate)
	budget := rate * float64(total)
	above := func(w word) bool { return w.Keep > limit || w.Keep == 1 }
	for _, w := range words {
		if above(w) {
			budget -= float64(w.tokens)
		}
	}
	for _, w := range words {
		if !above(w) {
			if w.Keep < limit || float64(w.tokens) > budget {
				continue
			}
			budget -= float64(w.tokens)
		}
		kept = append(kept, w)
	}
	return kept
}

// threshold returns the percentile of the tokens' probabilities below which words are
// left out, as in llmlingua: the whole number of hundredths in the share that goes,
// plus one. Each token has the probability of its word, and values between two tokens
// are interpolated as in numpy's percentile.
func threshold(words []word, total int, rate float64) float64 {
	percent := min(100, int(100*(1-rate)+1))
	order := slices.SortedFunc(slices.Values(words), func(a, b word) int { return cmp.Compare(a.Keep, b.Keep) })
	at := func(place int) float64 { // of a token in that order
		for _, w := range order {
			if place -= w.tokens; place < 0 {
				return w.Keep
			}
		}
		return order[len(order)-1].Keep
	}
	place := float64(percent) / 100 * float64(total-1)
	low := at(int(place))
	return low + (at(int(place)+1)-low)*(place-float64(int(place)))
}
