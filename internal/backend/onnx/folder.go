package onnx

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a folder should hold, below each error about one.
const (
	embedLayout = "want a folder in the layout of sentence-transformers: onnx/model.onnx or model.onnx, tokenizer.json, config.json, " +
		"and where the model has them modules.json, 1_Pooling/config.json and sentence_bert_config.json"
	pruneLayout = "want a folder of a token classifier such as LLMLingua-2's: onnx/model.onnx or model.onnx, tokenizer.json, config.json"
)

// hint returns what to say below an error: how to get the library that is
// missing, or else the layout.
func hint(err error, layout string) string {
	if e, ok := errors.AsType[*RuntimeError](err); ok {
		return e.Remedy()
	}
	return layout
}

// modelFiles are where a graph is looked for.
var modelFiles = []string{"onnx/model.onnx", "model.onnx"}

// maxConfig bounds the JSON files of a folder but the tokenizer's.
const maxConfig = 8 << 20

// A folder reads the files of a model and remembers which.
type folder struct {
	dir   string
	model string   // name of the graph's file
	read  []string // names of the files that were read
}

// open finds the model file of a folder.
func open(dir string) (*folder, error) {
	if dir == "" {
		return nil, errors.New("no folder is named")
	}
	switch info, err := os.Stat(dir); {
	case err != nil:
		return nil, fmt.Errorf("folder %s: %w", dir, cause(err))
	case !info.IsDir():
		return nil, fmt.Errorf("%s: not a folder", dir)
	}
	f := &folder{dir: dir}
	for _, name := range modelFiles {
		if f.has(name) {
			f.model = name
			return f, nil
		}
	}
	all := f.find()
	if len(all) != 1 {
		return nil, fmt.Errorf("%s: no model.onnx; the folder has %s", dir, cmp.Or(strings.Join(all, ", "), "no .onnx file"))
	}
	f.model = all[0]
	return f, nil
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) has(name string) bool {
	info, err := os.Stat(f.path(name))
	return err == nil && info.Mode().IsRegular()
}

// find returns the graphs right in the folder and in onnx, sorted.
func (f *folder) find() []string {
	var names []string
	for _, dir := range []string{"", "onnx"} {
		entries, err := os.ReadDir(f.path(dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name := filepath.ToSlash(filepath.Join(dir, e.Name())); strings.HasSuffix(name, ".onnx") && f.has(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// json decodes a file of the folder. It reports false where there is none.
func (f *folder) json(name string, v any) (bool, error) {
	file, err := os.Open(f.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w", f.path(name), cause(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", f.path(name), cause(err))
	case len(data) > maxConfig:
		return false, fmt.Errorf("%s: more than %d MiB", f.path(name), maxConfig>>20)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%s: %w", f.path(name), err)
	}
	f.used(name)
	return true, nil
}

// used notes that the model depends on a file.
func (f *folder) used(name string) {
	if !slices.Contains(f.read, name) {
		f.read = append(f.read, name)
	}
}

// sum returns the SHA-256 of the names and contents of the files that the
// model depends on, in hex.
func (f *folder) sum() (string, error) {
	slices.Sort(f.read)
	all := sha256.New()
	for _, name := range f.read {
		file, err := os.Open(f.path(name))
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.path(name), cause(err))
		}
		one := sha256.New()
		_, err = io.Copy(one, file)
		file.Close() //nolint:errcheck // it was only read
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.path(name), cause(err))
		}
		fmt.Fprintf(all, "%x %s\n", one.Sum(nil), name)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// config is what is used of a config.json.
type config struct {
	Type      string `json:"model_type"`
	Positions int    `json:"max_position_embeddings"`
	Pad       *int32 `json:"pad_token_id"`
}

// config reads config.json, which must be there.
func (f *folder) config() (config, error) {
	var c config
	ok, err := f.json("config.json", &c)
	if err == nil && !ok {
		err = fmt.Errorf("%s: no such file", f.path("config.json"))
	}
	return c, err
}

// padded are the models that count positions from behind the pad token.
var padded = []string{"camembert", "longformer", "mpnet", "roberta", "xlm-roberta"}

// DefaultTokens is the longest input of a model that does not say its own.
const DefaultTokens = 512

// longest returns the largest number of tokens of an input: the least that the
// files of the folder name.
func (f *folder) longest(c config) (int, error) {
	most := 0
	bound := func(n int) {
		if n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	positions := c.Positions
	if positions > 2 && slices.Contains(padded, c.Type) {
		positions -= 2
	}
	bound(positions)
	var s struct {
		Max *float64 `json:"max_seq_length"`
	}
	if _, err := f.json("sentence_bert_config.json", &s); err != nil {
		return 0, err
	}
	var t struct {
		Max *float64 `json:"model_max_length"`
	}
	if _, err := f.json("tokenizer_config.json", &t); err != nil {
		return 0, err
	}
	for _, n := range []*float64{s.Max, t.Max} {
		// Tokenizers without a bound have 1e30.
		if n != nil && *n < 1e9 {
			bound(int(*n))
		}
	}
	if most == 0 {
		most = DefaultTokens
	}
	return most, nil
}

// cause returns what is behind an error of a file, without its path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
