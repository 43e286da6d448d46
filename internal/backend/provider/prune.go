package provider

import (
	"context"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/tokenclassifier"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
)

// openPrune opens the door to the classifier of tokens.
func (b *opening) openPrune() error {
	if b.Prune.Use != "http" {
		return nil
	}
	o := b.Prune
	var inner compress.Classifier
	if b.calls() {
		config := o.config()
		var err error
		if config.Key, err = o.Key.Read(b.env); err != nil {
			return err
		}
		c, err := tokenclassifier.New(config)
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
func (p Prune) config() tokenclassifier.Config {
	return tokenclassifier.Config{BaseURL: p.BaseURL, Batch: p.Batch}
}

// A limitedClassifier is a classifier behind the limits of its account.
type limitedClassifier struct {
	compress.Classifier
	gate
}

func (l limitedClassifier) Classify(ctx context.Context, texts []string) ([][]compress.Token, error) {
	var tokens [][]compress.Token
	_, err := l.account.Do(ctx, 0, func(ctx context.Context) (_ int, err error) {
		tokens, err = l.Classifier.Classify(ctx, texts)
		return 0, err
	})
	return tokens, err
}

// A batchedClassifier cuts requests into batches before they are recorded, so
// that a batch that fails costs none of those before it.
type batchedClassifier struct {
	compress.Classifier
	size int
}

func (b batchedClassifier) Classify(ctx context.Context, texts []string) ([][]compress.Token, error) {
	all := make([][]compress.Token, 0, len(texts))
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
	recorded compress.Classifier
	mode     calls.Mode // replay, or off for no recordings
}

func (e evenly) Classify(ctx context.Context, texts []string) ([][]compress.Token, error) {
	if e.mode == calls.Replay {
		tokens, err := e.recorded.Classify(ctx, texts)
		if fault.KindOf(err) != fault.Miss {
			return tokens, err
		}
	}
	all := make([][]compress.Token, len(texts))
	for i, t := range texts {
		for _, w := range compress.Words(t) {
			all[i] = append(all[i], compress.Token{Start: w[0], End: w[1], Keep: 0.5})
		}
	}
	return all, nil
}
