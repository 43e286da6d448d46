// Package onnx runs small models from folders of the user: sentence embedders, and token
// classifiers that decide which words to keep, as Hugging Face's libraries export them.
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
// Graphs are run by ONNX Runtime, whose shared library the user provides: named in
// [Options], in the environment variable BENCH_ONNXRUNTIME, or found by the
// system's loader. It is called without cgo, by github.com/ebitengine/purego,
// through the first version of its C interface, which every ONNX Runtime has. Texts
// are tokenized by internal/door/token, so that a special token's name within a
// text is plain text.
//
//	library.go   finding the library; library and session, which tests replace
//	ort.go       the C interface
//	model.go     the files of a folder
//	graph.go     inputs and outputs, checked before anything runs, and batches
//
// A shared library runs with the rights of the program, and a fault in it ends the
// program. So a model's folder is never searched for one, and no graph may name weights
// in memory. Inputs, outputs and sizes are checked here; what the library rejects is an
// error that names the file.
//
// Nothing is fetched, no socket is opened, and nothing is logged: ONNX Runtime
// sends usage data to its maker unless disabled before it starts, so it is
// disabled.
//
// docs/design/calls.md explains the choice of this runtime, docs/design/performance.md
// measures its speed.
package onnx

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/door/token"
)

// What a folder should hold, below each error about one.
const (
	embedLayout = "want a folder in the layout of sentence-transformers: onnx/model.onnx or model.onnx, tokenizer.json, config.json, " +
		"and where the model has them modules.json, 1_Pooling/config.json and sentence_bert_config.json"
	pruneLayout = "want a folder of a token classifier such as LLMLingua-2's: onnx/model.onnx or model.onnx, tokenizer.json, config.json"
)

// Options say which model to open.
type Options struct {
	Dir   string // folder of the model
	Batch int    // most texts in one run of the graph
	// Runtime is ONNX Runtime's shared library or a folder that has it; empty
	// for the one that the system's loader finds.
	Runtime string
}

// An opener loads the library at a path.
type opener = func(path string) (library, error)

// A model is what embedders and classifiers have in common: the files of a folder,
// its tokenizer and its graph. It runs one batch at a time, on all processors.
type model struct {
	dir     string
	encoder *token.Encoder
	pad     int32 // id of the token that fills rows
	batch   int   // most rows of a batch
	most    int   // most tokens of a row
	files   []string
	sum     string

	graph   string // path of its file, for errors
	session        // of the graph
	output  int    // the one that is used

	mu     sync.Mutex // is held while a batch runs
	closed bool
}

// openModel reads a folder up to the graph, whose output is still to be picked.
func openModel(o Options, open opener) (*model, error) {
	if o.Dir == "" {
		return nil, errors.New("no folder is named")
	}
	if _, err := os.Stat(o.Dir); err != nil {
		return nil, fmt.Errorf("folder %s: %w", o.Dir, cause(err))
	}
	m := &model{dir: o.Dir, batch: o.Batch}
	graphFile := "onnx/model.onnx"
	if _, err := os.Stat(m.path(graphFile)); err != nil {
		graphFile = "model.onnx"
	}
	if err := m.scan(graphFile); err != nil {
		return nil, err
	}
	if err := m.configure(); err != nil {
		return nil, err
	}
	l, err := open(o.Runtime)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // the file that was scanned, which the library holds again
	m.graph = m.path(graphFile)
	if m.session, err = l.load(m.graph); err == nil {
		err = m.checkInputs()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", m.graph, err)
	}
	return m, err
}

func (m *model) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

// scan checks the file of the graph, and notes it and the files beside it whose names
// begin with its own, which have weights.
func (m *model) scan(name string) error {
	data, err := os.ReadFile(m.path(name))
	switch {
	case err != nil:
		return fmt.Errorf("%s: no model.onnx: %w", m.dir, cause(err))
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		return fmt.Errorf("%s: a pointer of Git LFS and not the file; git lfs pull fetches it", m.path(name))
	case len(data) == 0:
		return fmt.Errorf("%s: not an ONNX model: the file is empty", m.path(name))
	case bytes.Contains(data, []byte("_ORT_MEM_ADDR_")):
		return fmt.Errorf("%s: weights are at an address in memory, want them in the folder", m.path(name))
	}
	entries, err := os.ReadDir(m.path(path.Dir(name)))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), path.Base(name)) && e.Type().IsRegular() {
			m.files = append(m.files, path.Join(path.Dir(name), e.Name()))
		}
	}
	return err
}

// json decodes a file of the folder. It reports false if there is none.
func (m *model) json(name string, v any) (bool, error) {
	data, err := os.ReadFile(m.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		err = cause(err)
	default:
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", m.path(name), err)
	}
	m.files = append(m.files, name)
	return true, nil
}

// padded are the models that count positions from behind the pad token.
var padded = []string{"camembert", "longformer", "mpnet", "roberta", "xlm-roberta"}

// DefaultTokens is the longest input of a model that does not specify its own.
const DefaultTokens = 512

// configure reads the tokenizer, and how many tokens an input may have: the least that
// the files of the folder name.
func (m *model) configure() error {
	var c struct {
		Type      string  `json:"model_type"`
		Positions float64 `json:"max_position_embeddings"`
		Pad       *int32  `json:"pad_token_id"`
	}
	var s struct {
		Max float64 `json:"max_seq_length"`
	}
	var t struct {
		Max float64 `json:"model_max_length"`
	}
	ok, err := m.json("config.json", &c)
	if err == nil && !ok {
		err = fmt.Errorf("%s: no such file", m.path("config.json"))
	}
	if err != nil {
		return err
	}
	if _, err := m.json("sentence_bert_config.json", &s); err != nil {
		return err
	}
	if _, err := m.json("tokenizer_config.json", &t); err != nil {
		return err
	}
	if c.Positions > 2 && slices.Contains(padded, c.Type) {
		c.Positions -= 2
	}
	for _, n := range []float64{c.Positions, s.Max, t.Max} {
		// Tokenizers without a bound have 1e30.
		if n >= 1 && n < 1e9 && (m.most == 0 || int(n) < m.most) {
			m.most = int(n)
		}
	}
	m.most = cmp.Or(m.most, DefaultTokens)
	if m.encoder, err = token.OpenEncoder(m.path("tokenizer.json")); err != nil {
		return err
	}
	m.files = append(m.files, "tokenizer.json")
	if c.Pad != nil && *c.Pad >= 0 && int(*c.Pad) < m.encoder.Vocab() {
		m.pad = *c.Pad
	}
	return nil
}

// try runs the graph once, so that what does not fit shows when the model is
// opened, and returns the dimensions of the output for one row. It then sums
// up the files.
func (m *model) try() (dims []int, err error) {
	row := m.encoder.Encode("a", m.most)
	if len(row) == 0 {
		return nil, errors.New("the tokenizer makes no token of a text")
	}
	err = m.each(context.Background(), [][]int32{row}, func(_ int, _ []float32, d []int) error {
		dims = d
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("a first run: %w", err)
	}
	return dims, m.sumUp()
}

// sumUp computes the SHA-256 of the names and contents of the files that the model
// depends on.
func (m *model) sumUp() error {
	slices.Sort(m.files)
	all := sha256.New()
	for _, name := range m.files {
		one := sha256.New()
		file, err := os.Open(m.path(name))
		if err == nil {
			_, err = io.Copy(one, file)
			file.Close() //nolint:errcheck // it was only read
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.path(name), cause(err))
		}
		fmt.Fprintf(all, "%x %s\n", one.Sum(nil), name)
	}
	m.sum = hex.EncodeToString(all.Sum(nil))
	return nil
}

// SHA256 identifies the files that the model depends on, by their names and
// contents, in hex.
func (m *model) SHA256() string { return m.sum }

// Close releases the model. A running call ends first; later ones fail.
func (m *model) Close() error {
	if m == nil || m.session == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		m.close()
	}
	return nil
}

// opened returns a model, or what went wrong when it was opened and what to do: how to
// get the library that is missing, or what a folder should hold.
func opened[M io.Closer](m M, what, layout string, err error) (M, error) {
	if err == nil {
		return m, nil
	}
	var none M
	if _, ok := errors.AsType[libraryError](err); ok {
		layout = libraryRemedy
	}
	return none, fmt.Errorf("%s: %w\n\t%s", what, errors.Join(err, m.Close()), layout)
}

// cause returns what is behind an error of a file, without its path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
