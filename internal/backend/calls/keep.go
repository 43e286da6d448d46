package calls

import (
	"context"

	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
)

// Classifier wraps a classifier of tokens; in the mode [Replay] c may be nil, in
// the others a door that is nil stays nil. Each text is a recording of its own.
func (r *Recorder) Classifier(id Identity, c compress.Classifier) compress.Classifier {
	if r.mode == Off || c == nil && r.mode != Replay {
		return c
	}
	return &classifier{r.door(id), c}
}

// A classifier is a recorded compress.Classifier.
type classifier struct {
	door
	inner compress.Classifier
}

// Classify implements compress.Classifier.
func (c *classifier) Classify(ctx context.Context, texts []string) ([][]compress.Token, error) {
	answers, err := askList(ctx, &c.door, texts, keeping, c.call)
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	tokens := make([][]compress.Token, len(answers))
	for i, a := range answers {
		tokens[i] = a.Kept
	}
	return tokens, nil
}

// call classifies what is not recorded.
func (c *classifier) call(ctx context.Context, texts []string) ([]Reply, error) {
	tokens, err := c.inner.Classify(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(tokens) != len(texts) {
		return nil, fault.New(fault.BadReply, "tokens of %d texts, want of %d", len(tokens), len(texts))
	}
	replies := make([]Reply, len(texts))
	for i, t := range tokens {
		if err := compress.Check(texts[i], t); err != nil {
			return nil, fault.New(fault.BadReply, "text %d of %d: %v", i+1, len(texts), err)
		}
		replies[i].Kept = t
	}
	return replies, nil
}
