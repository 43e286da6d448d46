// Package token counts tokens.
//
// [Open] finds a tokenizer by name: one of OpenAI's encodings, which are
// embedded (see [New]), or the tokenizer.json of a Hugging Face model, read
// from a local file. [ForModel] knows which encoding a hosted model uses.
//
// A tokenizer.json says in steps what its tokenizer does: it normalizes the
// text, splits it into words, and splits each word into tokens of its
// vocabulary. The steps are read when the file is opened, and every fault of
// the file shows then; afterwards a text of any kind can be counted.
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

// A Counter counts the tokens of a text as a model's tokenizer splits it,
// special tokens read as plain text. It is safe for concurrent use.
//
// In the words of Hugging Face's library that is encode(text,
// add_special_tokens=False, split_special_tokens=True): an added token that is marked
// as special, such as <|im_start|>, is plain text where a text holds it. Any other
// added token, such as Qwen3's <think>, counts as the single token that it is for the
// model.
type Counter interface {
	// Name identifies the tokenizer: "o200k_base", or a file by its folder's
	// name and its hash, "qwen3-8b/tokenizer.json sha256:aeb13307".
	Name() string
	Count(text string) int
}

// A Codec is a Counter that can also split a text into its tokens.
type Codec interface {
	Counter
	// Split returns the tokens of text as strings. They are as many as Count
	// says, and join to text, in which a byte that is not UTF-8 is replaced by
	// U+FFFD. A token may contain only a part of a character.
	//
	// If a tokenizer normalizes, as BERT's does, they join to the normalised text
	// without its white space.
	Split(text string) []string
}

// Encodings lists the embedded encodings that [New] knows.
func Encodings() []string { return []string{"o200k_base", "cl100k_base"} }

func unknownEncoding(name string) error {
	return fmt.Errorf("unknown token encoding %q; have %s", name, strings.Join(Encodings(), ", "))
}

// New returns the tokenizer of an embedded OpenAI encoding.
func New(encoding string) (Codec, error) {
	e, ok := embedded[encoding]
	if !ok {
		return nil, unknownEncoding(encoding)
	}
	p, err := newPattern(e.pattern, true)
	if err != nil {
		return nil, err
	}
	go e.vocabulary() // by the first text it may have been read
	return &tokenizer{name: encoding, lines: true, cut: []cutter{p.cut}, model: e}, nil
}

// Decode returns the text of token ids in an embedded encoding. Special tokens have
// no text.
func Decode(encoding string, ids []int) (string, error) {
	e, ok := embedded[encoding]
	if !ok {
		return "", unknownEncoding(encoding)
	}
	v := e.vocabulary()
	var b strings.Builder
	for _, id := range ids {
		if id < 0 || id >= len(v.ends) {
			return "", fmt.Errorf("%d is not a token of %s", id, encoding)
		}
		b.WriteString(v.token(id))
	}
	return b.String(), nil
}

// fileBytes bounds a tokenizer.json. The largest of known models, Gemma 3's,
// has 33 MB.
const fileBytes = 128 << 20

// Open returns a tokenizer by its name: an embedded encoding (see [Encodings]),
// or the path of a tokenizer.json or of a folder that has one. A relative path
// starts from the folder base.
//
// A tokenizer.json is one that Hugging Face's library wrote for a model of byte
// pair encoding of bytes (Qwen, Llama 3, DeepSeek, GPT-2, RoBERTa) or of
// WordPiece (BERT, MPNet). SentencePiece models (T5, XLM-R, Gemma, Llama 2) and
// unknown steps are rejected: a wrong count would go unnoticed. The whole file is
// read and checked.
//
// It counts whole texts: truncation and padding, which some files request, are
// not applied.
func Open(name, base string) (Codec, error) {
	names := strings.Join(Encodings(), ", ") + ", or the path of a tokenizer.json or of a folder that holds one"
	if slices.Contains(Encodings(), name) {
		return New(name)
	}
	if name == "" {
		return nil, errors.New("no tokenizer is named; want " + names)
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		name, path = filepath.Join(name, "tokenizer.json"), filepath.Join(path, "tokenizer.json")
	}
	t, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file; want " + names)
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer %q: %w", name, err)
	}
	return t, nil
}

// OpenEncoder reads a tokenizer.json, as [Open] does. A post_processor, which
// adds tokens around a text, is supported if it is TemplateProcessing,
// BertProcessing or RobertaProcessing; without one nothing is added.
func OpenEncoder(path string) (*Encoder, error) {
	t, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Encoder{t}, nil
}

// read reads a tokenizer.json. Its errors do not name it.
func read(path string) (*tokenizer, error) {
	// The look comes first: opening a named pipe would wait for a writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, cause(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > fileBytes:
		return nil, fmt.Errorf("%d MiB, which no tokenizer.json has; want at most %d", info.Size()>>20, fileBytes>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cause(err)
	}
	t, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w\n\t%s", err, layout)
	}
	// No path of this machine may stand in a name.
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	sum := sha256.Sum256(data)
	t.name = fmt.Sprintf("%s/%s sha256:%x", filepath.Base(filepath.Dir(path)), filepath.Base(path), sum[:4])
	return t, nil
}

// cause returns what is behind an error of a file, without the path of it.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// The models of each encoding: those that OpenAI's tiktoken lists, and what
// has come since. A dated snapshot or a variant is named after its model, with
// a hyphen between, or a colon as Ollama writes it.
var (
	o200kModels  = regexp.MustCompile(`^(gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-5(\.\d+)?|gpt-oss|o[134])([-:].*)?$`)
	cl100kModels = regexp.MustCompile(`^(gpt-4|gpt-3\.5|gpt-35|text-embedding-3|text-embedding-ada-002)([-:].*)?$`)
)

// ForModel returns the embedded encoding of a hosted model, and whether it is
// known. Snapshots ("gpt-4o-2024-08-06"), fine-tuned models
// ("ft:gpt-4o-mini:...") and names with their maker ("openai/gpt-4o") have the
// encoding of their model.
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
