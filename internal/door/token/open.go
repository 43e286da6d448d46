package token

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fileBytes bounds a tokenizer.json. The largest of known models, Gemma 3's,
// has 33 MB.
const fileBytes = 128 << 20

// Open returns a tokenizer by its name: an embedded encoding (see
// [Encodings]), or the path of a tokenizer.json or of a folder that holds one.
// A relative path starts from the folder base.
//
// A tokenizer.json is one that Hugging Face's library wrote for a model of
// byte pair encoding of bytes (Qwen, Llama 3, DeepSeek, GPT-2, RoBERTa) or of
// WordPiece (BERT). What SentencePiece made (T5, XLM-R, Gemma, Llama 2) is
// refused, as is every step that is not known here: a wrong count would not be
// seen. The file is read and checked whole; what is remembered of
// it afterwards are its merges.
//
// It counts whole texts: truncation and padding, which some files ask for, are
// not applied.
func Open(name, base string) (Codec, error) {
	names := strings.Join(Encodings(), ", ") + ", or the path of a tokenizer.json or of a folder that holds one"
	if slices.Contains(Encodings(), name) {
		return New(name)
	}
	if name == "" {
		return nil, errors.New("no name of a tokenizer; want " + names)
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		name, path = filepath.Join(name, "tokenizer.json"), filepath.Join(path, "tokenizer.json")
	}
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("tokenizer %q: no such file; want %s", name, names)
	case err != nil:
		return nil, fmt.Errorf("tokenizer %q: %w", name, cause(err))
	}
	e, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer %q: %w\n\t%s", name, err, layout)
	}
	e.hf.name = fileName(path, data)
	return e.hf, nil
}

// cause returns what is behind an error of a file, without the path of it.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// readFile reads a regular file of a size that is in reason.
func readFile(path string) ([]byte, error) {
	// The look comes first: opening a named pipe would wait for a writer.
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > fileBytes:
		return nil, fmt.Errorf("%d MiB, which no tokenizer.json has; want at most %d", info.Size()>>20, fileBytes>>20)
	}
	return os.ReadFile(path)
}

// fileName is what a file is called where no path of this machine may stand.
func fileName(path string, data []byte) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s/%s sha256:%x", filepath.Base(filepath.Dir(path)), filepath.Base(path), sum[:4])
}

// The models of each encoding: those that OpenAI's tiktoken lists, and what
// has come since. A dated snapshot or a variant is named after its model, with
// a hyphen between, or a colon as Ollama writes it.
var (
	o200kModels  = regexp.MustCompile(`^(gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-5(\.\d+)?|gpt-oss|o[134])([-:].*)?$`)
	cl100kModels = regexp.MustCompile(`^(gpt-4|gpt-3\.5|gpt-35|text-embedding-3|text-embedding-ada-002)([-:].*)?$`)
)

// ForModel returns the embedded encoding that a hosted model counts with, and
// whether that is known. Snapshots ("gpt-4o-2024-08-06"), fine-tuned models
// ("ft:gpt-4o-mini:...") and names with their maker ("openai/gpt-4o") are
// their model's.
//
// The encoding of gpt-oss is named o200k_harmony; it differs from o200k_base
// in its special tokens only.
func ForModel(model string) (encoding string, ok bool) {
	model = strings.TrimPrefix(strings.TrimPrefix(model, "openai/"), "ft:")
	switch {
	case o200kModels.MatchString(model):
		return "o200k_base", true
	case cl100kModels.MatchString(model):
		return "cl100k_base", true
	}
	return "", false
}
