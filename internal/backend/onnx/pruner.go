package onnx

import (
	"context"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/door/compress"
)

// A Pruner decides which words of a text to keep, by a local token classifier with
// two labels such as LLMLingua-2's: the second means that a token is kept. It is
// safe for concurrent use; one batch runs at a time.
type Pruner struct{ *model }

// OpenPruner opens the model of a folder and runs it once. An error names the
// faulty file and what a folder should contain.
func OpenPruner(o Options) (*Pruner, error) { return newPruner(o, openLibrary) }

func newPruner(o Options, open opener) (*Pruner, error) {
	p := new(Pruner)
	return opened(p, "classifier of tokens", pruneLayout, p.open(o, open))
}

func (p *Pruner) open(o Options, open opener) (err error) {
	if p.model, err = openModel(o, open); err != nil {
		return err
	}
	const tried = "It's 3 km, she said."
	var apart []int32
	for _, w := range compress.Words(tried) {
		apart = append(apart, p.encoder.Tokens(tried[w[0]:w[1]])...)
	}
	if !slices.Equal(apart, p.encoder.Tokens(tried)) {
		return fmt.Errorf("%s: it does not cut at white space and marks, as BERT's does", p.path("tokenizer.json"))
	}
	if p.most <= len(p.encoder.Surround(nil)) {
		return fmt.Errorf("inputs of %d tokens leave no room for a text", p.most)
	}
	if err := p.use(3, "logits"); err != nil {
		return err
	}
	dims, err := p.try()
	if err != nil {
		return err
	}
	if n := dims[len(dims)-1]; n != 2 {
		return fmt.Errorf("%s: %d labels of a token, want 2", p.graph, n)
	}
	return nil
}

// A piece is a token of a chunk: of which word, and the share of its probability in
// that of the word, which is the mean over its tokens.
type piece struct {
	text, word int
	share      float64
}

// Classify implements [compress.Classifier]. A text that is longer than the model
// takes is classified in chunks, which end at a full stop where they have one.
func (p *Pruner) Classify(ctx context.Context, texts []string) ([][]compress.Word, error) {
	all := make([][]compress.Word, len(texts))
	before := p.encoder.Before()
	room := p.most - len(p.encoder.Surround(nil))
	var rows [][]int32
	var of [][]piece // of each row
	for i, text := range texts {
		var ids []int32
		var pieces []piece
		stop := 0 // tokens up to the last full stop
		flush := func(n int) {
			if n > 0 {
				rows, of = append(rows, p.encoder.Surround(ids[:n])), append(of, pieces[:n:n])
				ids, pieces, stop = ids[n:], pieces[n:], 0
			}
		}
		for k, w := range compress.Words(text) {
			all[i] = append(all[i], compress.Word{Start: w[0], End: w[1]})
			shown := text[w[0]:w[1]]
			tokens := p.encoder.Tokens(shown)
			tokens = tokens[:min(len(tokens), room)]
			if len(ids)+len(tokens) > room && stop > 0 {
				flush(stop)
			}
			if len(ids)+len(tokens) > room {
				flush(len(ids))
			}
			for _, id := range tokens {
				ids, pieces = append(ids, id), append(pieces, piece{i, k, 1 / float64(len(tokens))})
			}
			if shown == "." {
				stop = len(ids)
			}
		}
		flush(len(ids))
	}
	err := p.each(ctx, rows, func(r int, logits []float32, _ []int) error {
		for k, piece := range of[r] {
			at := 2 * (before + k)
			if at+1 >= len(logits) {
				return fmt.Errorf("%s: %d logits for a row of %d tokens", p.graph, len(logits), len(rows[r]))
			}
			keep := 1 / (1 + math.Exp(float64(logits[at])-float64(logits[at+1])))
			if math.IsNaN(keep) {
				return fmt.Errorf("%s: the logits of a token are %v", p.graph, logits[at:at+2])
			}
			all[piece.text][piece.word].Keep += piece.share * keep
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
