// Package onnx runs small models from folders of the user: sentence embedders, and
// classifiers of tokens that say which words are kept, as Hugging Face's libraries export
// them.
//
// A folder of a sentence embedder, in the layout of sentence-transformers:
//
//	onnx/model.onnx or model.onnx   the graph and its weights
//	tokenizer.json                  how texts become tokens
//	config.json                     pad token, number of positions
//	modules.json                    whether there is a Normalize, optional
//	1_Pooling/config.json           how token vectors become one, optional
//	sentence_bert_config.json       longest input, optional
//
// A classifier of tokens has the graph, tokenizer.json and config.json.
//
// Graphs are run by ONNX Runtime, whose shared library the user brings: named
// in [EmbedOptions], in the environment variable BENCH_ONNXRUNTIME, or found by
// the system's loader. It is called without cgo, by
// github.com/ebitengine/purego, through the first version of its C interface,
// which every ONNX Runtime has. Texts are tokenised by internal/door/token, so that
// a special token's name within a text is plain text.
//
//	library.go   finding the library; library and session, which tests replace
//	ort.go       the C interface
//	weights.go   the files of the graph and its weights
//	graph.go     inputs and outputs, checked before anything runs
//	batches.go   texts of like length together
//
// A shared library runs with the rights of the program, and a fault in it ends the
// program. So a model's folder is never searched for one, and no graph may name weights
// in memory. Inputs, outputs and sizes are checked here; what the
// library refuses is an error that names the file.
//
// Nothing is fetched, no socket is opened, and nothing is logged: ONNX Runtime
// sends usage to its maker unless told otherwise before it starts, and it is
// told.
//
// docs/design/onnx.md says why this runtime, docs/performance.md how fast it is.
package onnx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"recallbench/internal/door/token"
)

// A model is what embedders and classifiers have in common.
type model struct {
	name    string // of the folder
	folder  *folder
	config  config
	encoder *token.Encoder
	runner
	sum string
}

// openModel reads a folder up to the graph, whose output is still to be picked.
func openModel(dir string, batch int, lib func() (library, error)) (*model, error) {
	f, err := open(dir)
	if err != nil {
		return nil, err
	}
	m := &model{name: folderName(dir), folder: f}
	if m.config, err = f.config(); err != nil {
		return nil, err
	}
	most, err := f.longest(m.config)
	if err != nil {
		return nil, err
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

// Close releases the model. A call that runs ends first; later ones fail.
func (m *model) Close() error {
	if m != nil {
		m.graph.close()
	}
	return nil
}

// opened returns a model, or what went wrong when it was opened and what a folder should
// hold.
func opened[M io.Closer](m M, what, layout string, err error) (M, error) {
	if err == nil {
		return m, nil
	}
	var none M
	return none, fmt.Errorf("%s: %w\n\t%s", what, errors.Join(err, m.Close()), hint(err, layout))
}

func folderName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}
