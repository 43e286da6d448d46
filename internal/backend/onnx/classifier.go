package onnx

import (
	"context"
	"fmt"
	"strconv"

	"recallbench/internal/door/nli"
	"recallbench/internal/door/token"
)

// ClassifyOptions say which model to open and how to use it.
type ClassifyOptions struct {
	Dir     string   // folder of the model
	Over    nli.Over // empty is nli.Contradiction
	Batch   int      // most pairs in one run of the graph
	Runtime string   // as in [EmbedOptions]
}

// A Classifier scores entailment with a local model. It is safe for concurrent
// use; one batch runs at a time.
type Classifier struct {
	*model
	options ClassifyOptions
	names   []string // of the labels, by logit
	labels  nli.Labels
}

// OpenClassifier opens the model of a folder and runs it once. An error names
// the file at fault and what a folder should hold.
func OpenClassifier(o ClassifyOptions) (*Classifier, error) {
	return newClassifier(o, func() (library, error) { return openLibrary(o.Runtime) })
}

func newClassifier(o ClassifyOptions, lib func() (library, error)) (*Classifier, error) {
	c := &Classifier{options: o}
	return opened(c, "classifier of entailment", classifyLayout, c.open(lib))
}

func (c *Classifier) open(lib func() (library, error)) (err error) {
	if c.model, err = openModel(c.options.Dir, c.options.Batch, lib); err != nil {
		return err
	}
	where := c.folder.path("config.json")
	c.names = make([]string, len(c.config.Labels))
	for key, label := range c.config.Labels {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(c.names) {
			return fmt.Errorf("%s: id2label: %.40q among %d labels, want numbers from 0 on", where, key, len(c.names))
		}
		c.names[i] = label
	}
	if c.labels, err = nli.FindLabels(c.names); err != nil {
		return fmt.Errorf("%s: id2label: %w", where, err)
	}
	if err := c.graph.use(2, "logits"); err != nil {
		return err
	}
	row, err := c.encoder.EncodePair("a", "b", c.most)
	if err != nil {
		return err
	}
	dims, err := c.try(row)
	if err != nil {
		return err
	}
	if dims[0] != len(c.names) {
		return fmt.Errorf("%s: %d logits, and config.json has %d labels", c.graph.name, dims[0], len(c.names))
	}
	return nil
}

// Entail implements [nli.Scorer]: the probability is [nli.Labels.Probability]
// of the logits for premise and hypothesis as a pair. Of a pair that is longer
// than the model takes the end of the premise is left out.
func (c *Classifier) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	rows := make([]token.Encoding, len(pairs))
	for i, p := range pairs {
		row, err := c.encoder.EncodePair(p.Premise, p.Hypothesis, c.most)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	scores := make([]float64, len(pairs))
	err := c.each(ctx, rows, func(i int, values []float32, _ []int) error {
		logits := make([]float64, len(values))
		for k, v := range values {
			logits[k] = float64(v)
		}
		p, err := c.labels.Probability(logits, c.options.Over)
		if err != nil {
			return fmt.Errorf("%s: pair %d of %d: %w", c.graph.name, i+1, len(pairs), err)
		}
		scores[i] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	return scores, nil
}
