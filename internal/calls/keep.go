package calls

import (
	"context"

	"recallbench/internal/fault"
	"recallbench/internal/prune"
)

// Classifier wraps a classifier of tokens; in the mode [Replay] c may be nil, in
// the others a door that is nil stays nil. Each text is a recording of its own.
func (r *Recorder) Classifier(id Identity, c prune.Classifier) prune.Classifier {
	if r.mode == Off || c == nil && r.mode != Replay {
		return c
	}
	return &classifier{r.door(id), c}
}

// A classifier is a recorded prune.Classifier.
type classifier struct {
	door
	inner prune.Classifier
}

// Classify implements prune.Classifier.
func (c *classifier) Classify(ctx context.Context, texts []string) ([][]prune.Token, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	all := make([]*Call, len(texts))
	for i, t := range texts {
		all[i] = keeping(c.id, t)
	}
	answers, _, err := c.do(ctx, all, func(ctx context.Context, items []int) ([]Reply, []bool, error) {
		some := make([]string, len(items))
		for n, i := range items {
			some[n] = texts[i]
		}
		return c.call(ctx, some)
	})
	if err != nil {
		return nil, err
	}
	tokens := make([][]prune.Token, len(answers))
	for i, a := range answers {
		tokens[i] = a.Kept
	}
	return tokens, nil
}

// call classifies what is not recorded.
func (c *classifier) call(ctx context.Context, texts []string) ([]Reply, []bool, error) {
	tokens, err := c.inner.Classify(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	if len(tokens) != len(texts) {
		return nil, nil, fault.New(fault.BadReply, "tokens of %d texts, want of %d", len(tokens), len(texts))
	}
	replies, keep := make([]Reply, len(texts)), make([]bool, len(texts))
	for i, t := range tokens {
		if err := prune.Check(texts[i], t); err != nil {
			return nil, nil, fault.New(fault.BadReply, "text %d of %d: %v", i+1, len(texts), err)
		}
		replies[i], keep[i] = Reply{Kept: t}, true
	}
	return replies, keep, nil
}
