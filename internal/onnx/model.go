package onnx

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"recallbench/internal/token"
)

// A model is what an embedder and a classifier have in common.
type model struct {
	name    string // of the folder
	folder  *folder
	config  config
	encoder *token.Encoder
	runner
	sum string
}

// openModel reads a folder up to the graph, whose output is still to be picked.
func openModel(dir, file string, batch, most int, lib func() (library, error)) (*model, error) {
	if batch < 0 || most < 0 {
		return nil, fmt.Errorf("a batch of %d rows of at most %d tokens, want none of them negative", batch, most)
	}
	f, err := open(dir, file)
	if err != nil {
		return nil, err
	}
	m := &model{name: folderName(dir), folder: f}
	if m.config, err = f.config(); err != nil {
		return nil, err
	}
	longest, err := f.longest(m.config)
	if err != nil {
		return nil, err
	}
	if most == 0 {
		most = longest
	}
	if most > longest {
		return nil, fmt.Errorf("inputs of %d tokens are asked for, and the model takes %d at most", most, longest)
	}
	if m.encoder, err = token.OpenEncoder(f.path("tokenizer.json")); err != nil {
		return nil, err
	}
	f.used("tokenizer.json")
	l, err := lib()
	if err != nil {
		return nil, err
	}
	g, err := load(f, l)
	if err != nil {
		return nil, err
	}
	if g.width > 0 {
		most = min(most, g.width)
	}
	m.runner = runner{graph: g, batch: batch, most: most}
	if p := m.config.Pad; p != nil && *p >= 0 && int(*p) < m.encoder.Vocab() {
		m.pad = *p
	}
	return m, nil
}

// try runs the graph once, so that what does not fit shows when the model is
// opened, and returns the dimensions of the output for one row. It then sums
// up the files.
func (m *model) try(row token.Encoding) (dims []int, err error) {
	if len(row.IDs) == 0 {
		return nil, errors.New("the tokenizer makes no token of a text")
	}
	err = m.each(context.Background(), []token.Encoding{row}, func(_ int, _ []float32, d []int) error {
		dims = d
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("a first run: %w", err)
	}
	m.sum, err = m.folder.sum()
	return dims, err
}

// SHA256 identifies the files that the model depends on, by their names and
// contents, in hex.
func (m *model) SHA256() string { return m.sum }

// MaxTokens is the longest input in tokens. Longer ones are cut.
func (m *model) MaxTokens() int { return m.most }

// Close lets go of the model. A call that runs ends first; later ones fail.
func (m *model) Close() error {
	m.graph.close()
	return nil
}

func folderName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}
