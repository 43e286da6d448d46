// Package pruning shortens texts by leaving words out, as LLMLingua-2 does (Pan et
// al., Findings of ACL 2024; package llmlingua 0.2.2).
//
// A classifier gives each word the probability that it is kept. The most probable
// words stay in their order, as many as the requested rate allows of the text's
// tokens. The question is ignored: a text is shortened once, whatever is asked
// later.
//
// There are two classifiers. That of LLMLingua-2 is a model, which a model entry
// may have. [Frequencies] is not: it ranks words by how few of a memory's texts
// have them, stop words last, and stands in if there is no model. Its results are
// labelled idf-prune, not LLMLingua-2.
//
// # Departures
//
// LLMLingua-2 writes the kept tokens with the tokenizer's spaces, so that "It's"
// becomes "It ' s"; here words that touched still touch. It drops all words at the
// threshold; here the first of them stay while the rate allows, because a ranking
// without a model has many ties. A text in several chunks has one threshold here and
// one per chunk there. A text that would lose everything stays as it is, as in
// LightMem's use of it.
package pruning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/token"
	"recallbench/internal/text/pytext"
	"recallbench/methods"
)

// Options say how texts are shortened.
type Options struct {
	// Use is the classifier that decides which words go.
	Use Use `yaml:"use"`
	// Rate is the share of each line's tokens that is kept.
	Rate float64 `yaml:"rate"`
	// ForceTokens are words and marks that are always kept, such as ".".
	ForceTokens []string `yaml:"force_tokens"`
}

// Use is a classifier of words.
type Use string

// The classifiers.
const (
	None       Use = "none"
	IDF        Use = "idf"        // idf-prune: words that occur in most of the memory's lines go first
	LLMLingua2 Use = "llmlingua2" // the model entry's classifier of tokens
)

// Values lists the classifiers.
func (Use) Values() []string {
	return []string{string(None), string(IDF), string(LLMLingua2)}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults fault.List
	faults.Want(o.Rate > 0 && o.Rate <= 1, "rate is %v, want above 0 and at most 1", o.Rate)
	for i, t := range o.ForceTokens {
		words := compress.Words(t)
		faults.Want(len(words) == 1 && words[0] == [2]int{0, len(t)}, "force_tokens[%d] is %q, want one word or one mark", i, t)
	}
	return errors.Join(faults...)
}

// Needs reports a classifier that the model entry lacks.
func (o Options) Needs(env methods.Env) error {
	if o.Use == LLMLingua2 && env.Prune == nil {
		return errors.New("prune.use is llmlingua2, but the model entry has no token classifier; set options.prune.dir of the live entry to its folder, or use idf, which needs none")
	}
	return nil
}

// Name names the classifier in traces; the stand-in for LLMLingua-2 is not
// called by that name.
func (o Options) Name() string {
	if o.Use == IDF {
		return "idf-prune"
	}
	return string(o.Use)
}

// Compressor returns the compressor for the texts of a memory with these lines;
// nil for [None]. The classifier is the model entry's, which [Options.Needs]
// has checked. The rate is one of tokens as the counter counts them, word by
// word.
func (o Options) Compressor(classifier compress.Classifier, counter token.Counter, lines []string) *Compressor {
	switch o.Use {
	case LLMLingua2:
		return &Compressor{o, classifier, counter.Count}
	case IDF:
		return &Compressor{o, NewFrequencies(lines), counter.Count}
	case None:
	}
	return nil
}

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

// Frequencies rank words by their inverse document frequency over texts. They
// need no model; as a classifier they are called idf-prune.
//
// A word in lowercase, which here may contain single marks as "hasn't" and 3.5
// do, that occurs in n of N texts has the weight
//
//	idf = ln(1 + (N - n + 0.5) / (n + 0.5)) / ln(1 + (N + 0.5) / 0.5)
//
// from 0 to 1. Its probability is (1 + idf) / 2, and idf / 2 for a stop word, a mark
// or a symbol, so these go first, the most common before the others.
type Frequencies struct {
	keep map[string]float64 // by word in lowercase; 1 for one that no text has
}

// NewFrequencies returns the ranking over texts.
func NewFrequencies(texts []string) *Frequencies {
	in := make(map[string]int) // texts that have a word
	for _, t := range texts {
		seen := make(map[string]bool)
		for _, w := range whole(t) {
			seen[named(t[w[0]:w[1]])] = true
		}
		for name := range seen {
			in[name]++
		}
	}
	total := float64(len(texts))
	weight := func(n int) float64 {
		return math.Log(1+(total-float64(n)+0.5)/(float64(n)+0.5)) / math.Log(1+(total+0.5)/0.5)
	}
	x := &Frequencies{keep: make(map[string]float64, len(in))}
	for name, n := range in {
		x.keep[name] = weight(n) / 2
		if first, _ := utf8.DecodeRuneInString(name); !compress.Alone(first) && !pytext.StopWord(name) {
			x.keep[name] += 0.5
		}
	}
	return x
}

// named returns a word as it is looked up.
func named(w string) string { return strings.ReplaceAll(strings.ToLower(w), "’", "'") }

// joints are the marks that may occur inside a word or a number.
const joints = "'’-.,:/"

// whole returns the positions of the words of a text as [compress.Words] does, but with
// words joined by a single mark as one: without its end "hasn't" would say something
// else, and so would 3.5.
func whole(text string) [][2]int {
	words := compress.Words(text)
	n := 0
	for i := 0; i < len(words); i++ {
		w := words[i]
		for inside(text, w) && i+2 < len(words) &&
			words[i+1][0] == w[1] && words[i+2][0] == words[i+1][1] && inside(text, words[i+2]) &&
			strings.Contains(joints, text[words[i+1][0]:words[i+1][1]]) {
			w[1] = words[i+2][1]
			i += 2
		}
		words[n] = w
		n++
	}
	return words[:n]
}

// inside reports whether a word begins with a letter or a digit.
func inside(text string, w [2]int) bool {
	r, _ := utf8.DecodeRuneInString(text[w[0]:])
	return !compress.Alone(r)
}

// Classify implements [compress.Classifier].
func (x *Frequencies) Classify(_ context.Context, texts []string) ([][]compress.Word, error) {
	all := make([][]compress.Word, len(texts))
	for i, t := range texts {
		words := whole(t)
		all[i] = make([]compress.Word, len(words))
		for k, w := range words {
			keep, ok := x.keep[named(t[w[0]:w[1]])]
			if !ok {
				keep = 1
			}
			all[i][k] = compress.Word{Start: w[0], End: w[1], Keep: keep}
		}
	}
	return all, nil
}
