package live

import (
	"context"

	"recallbench/internal/calls"
	"recallbench/internal/fault"
	"recallbench/internal/lingua"
	"recallbench/internal/price"
	"recallbench/internal/prune"
)

// openPrune opens the door to the classifier of tokens.
func (b *opening) openPrune() error {
	if b.Prune.Use != "http" {
		return nil
	}
	o := b.Prune
	var inner prune.Classifier
	if b.calls() {
		config := o.config()
		var err error
		if config.Key, err = o.Key.Read(b.env); err != nil {
			return err
		}
		c, err := lingua.New(config)
		if err != nil {
			return err
		}
		g, _, err := b.gate(o.Server, o.Model, &price.Listing{}) // what it costs is not counted in tokens
		if err != nil {
			return err
		}
		inner = limitedClassifier{c, g}
	}
	b.settings["prune"] = o.name()
	id := calls.Identity{Class: "lingua", Provider: o.provider(), Model: o.Model}
	door := batchedClassifier{b.env.Calls.Classifier(id, inner), o.Batch}
	if b.env.Estimate {
		b.doors.Prune = evenly{door, b.env.Calls.Mode()}
		return nil
	}
	b.doors.Prune = door
	return nil
}

// name names the classifier in results.
func (p Prune) name() string {
	if p.Model != "" {
		return p.Model
	}
	return p.provider()
}

// config is what the client of a server needs of the options, the key left out.
func (p Prune) config() lingua.Config { return lingua.Config{BaseURL: p.BaseURL, Batch: p.Batch} }

// A limitedClassifier is a classifier behind the limits of its account.
type limitedClassifier struct {
	prune.Classifier
	gate
}

func (l limitedClassifier) Classify(ctx context.Context, texts []string) ([][]prune.Token, error) {
	var tokens [][]prune.Token
	err := l.passFree(ctx, func(ctx context.Context) (err error) {
		tokens, err = l.Classifier.Classify(ctx, texts)
		return err
	})
	return tokens, err
}

// A batchedClassifier cuts requests into batches before they are recorded, so
// that a batch that fails costs none of those before it.
type batchedClassifier struct {
	prune.Classifier
	size int
}

func (b batchedClassifier) Classify(ctx context.Context, texts []string) ([][]prune.Token, error) {
	all := make([][]prune.Token, 0, len(texts))
	for len(texts) > 0 {
		n := min(b.size, len(texts))
		tokens, err := b.Classifier.Classify(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		all = append(all, tokens...)
		texts = texts[n:]
	}
	return all, nil
}

// evenly stands in for a classifier when only calls of language models are
// counted: of what is not recorded every word is as likely kept, so that the rate
// asked for is what is left.
type evenly struct {
	recorded prune.Classifier
	mode     calls.Mode // replay, or off for no recordings
}

func (e evenly) Classify(ctx context.Context, texts []string) ([][]prune.Token, error) {
	if e.mode == calls.Replay {
		tokens, err := e.recorded.Classify(ctx, texts)
		if fault.KindOf(err) != fault.Miss {
			return tokens, err
		}
	}
	all := make([][]prune.Token, len(texts))
	for i, t := range texts {
		for _, w := range prune.Words(t) {
			all[i] = append(all[i], prune.Token{Start: w[0], End: w[1], Keep: 0.5})
		}
	}
	return all, nil
}
