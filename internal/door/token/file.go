package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// layout says what a file should be, below each error about one.
const layout = `want a tokenizer.json as Hugging Face's tokenizers library writes it: an object with "model" ` +
	`({"type": "BPE", "vocab": {"token": id, ...}, "merges": ["left right", ...]}, or a WordPiece model), ` +
	`"pre_tokenizer", "normalizer", "post_processor" and "added_tokens"`

// file is a tokenizer.json. What is not listed does not change a count.
type file struct {
	AddedTokens   []addedToken `json:"added_tokens"`
	Normalizer    *step
	PreTokenizer  *step `json:"pre_tokenizer"`
	PostProcessor *step `json:"post_processor"`
	Model         *modelFile
}

// A step normalises, cuts, or adds tokens. Which fields it has depends on its
// type.
type step struct {
	Type string

	Normalizers   []step // of a Sequence
	PreTokenizers []step
	Processors    []step

	CleanText     *bool `json:"clean_text"` // BertNormalizer
	HandleChinese *bool `json:"handle_chinese_chars"`
	StripAccents  *bool `json:"strip_accents"`
	Lowercase     *bool

	Pattern        struct{ Regex *string } // Split
	Behavior       string
	Invert         bool
	AddPrefixSpace *bool `json:"add_prefix_space"` // ByteLevel
	UseRegex       *bool `json:"use_regex"`

	Single        []slot                           // TemplateProcessing
	SpecialTokens map[string]struct{ IDs []int32 } `json:"special_tokens"`
	Cls, Sep      namedToken                       // BertProcessing, RobertaProcessing
}

// A slot of a template is a special token or the text.
type slot struct {
	SpecialToken *slotID
	Sequence     *slotID
}

// A slotID names a special token, or the text "A" or "B".
type slotID struct {
	ID   string
	Type int32 `json:"type_id"`
}

// A namedToken is a token with its id, written ["[SEP]", 102].
type namedToken struct {
	text string
	id   int32
}

// UnmarshalJSON reads both.
func (t *namedToken) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil || len(parts) != 2 ||
		json.Unmarshal(parts[0], &t.text) != nil || json.Unmarshal(parts[1], &t.id) != nil {
		return fmt.Errorf(`post_processor: %.40s, want a token with its id like ["[SEP]", 102]`, data)
	}
	return nil
}

type modelFile struct {
	Type         string
	Vocab        map[string]int32
	Merges       merges
	UnkToken     *string `json:"unk_token"`
	Dropout      *float64
	Prefix       *string `json:"continuing_subword_prefix"`
	Suffix       *string `json:"end_of_word_suffix"`
	IgnoreMerges bool    `json:"ignore_merges"`
	MaxChars     *int    `json:"max_input_chars_per_word"`
}

// merges are pairs of tokens, written ["left", "right"] or "left right".
type merges [][2]string

// UnmarshalJSON reads either form.
func (m *merges) UnmarshalJSON(data []byte) error {
	var lines []string
	err := json.Unmarshal(data, &lines)
	if err != nil {
		var pairs [][]string
		if json.Unmarshal(data, &pairs) != nil {
			return errors.New(`model.merges: want ["left right", ...] or [["left", "right"], ...]`)
		}
		*m = make(merges, 0, len(pairs))
		for i, p := range pairs {
			if len(p) != 2 {
				return fmt.Errorf("model.merges[%d]: %d tokens, want 2", i, len(p))
			}
			*m = append(*m, [2]string(p))
		}
		return nil
	}
	*m = make(merges, 0, len(lines))
	for i, line := range lines {
		left, right, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(right, " ") {
			return fmt.Errorf("model.merges[%d]: %.40q, want two tokens with a space between them", i, line)
		}
		*m = append(*m, [2]string{left, right})
	}
	return nil
}

// parse reads a tokenizer.json.
func parse(data []byte) (*Encoder, error) {
	f, err := decode(data)
	if err != nil {
		return nil, err
	}
	c := compiler{file: f}
	e := &Encoder{hf: c.compile(), single: []part{{text: true}}}
	if f.PostProcessor != nil {
		c.surround(f.PostProcessor, "post_processor", e)
	}
	for _, id := range f.Model.Vocab {
		e.vocab = max(e.vocab, int(id)+1)
	}
	for _, t := range f.AddedTokens {
		e.vocab = max(e.vocab, int(t.ID)+1)
	}
	return e, errors.Join(c.faults...)
}

// decode reads what a tokenizer.json says, without a look at its meaning.
func decode(data []byte) (f file, err error) {
	if bytes.HasPrefix(data, []byte("version https://git-lfs")) {
		return f, errors.New("a pointer of Git LFS and not the file; git lfs pull fetches it")
	}
	err = json.Unmarshal(data, &f)
	switch wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); {
	case f.Model != nil && f.Model.Type == "Unigram":
		return f, errors.New("model.type: Unigram models are not supported; have BPE, WordPiece")
	case ok && wrong.Field != "":
		return f, fmt.Errorf("%s: unexpected %s", strings.ToLower(wrong.Field), wrong.Value)
	case ok:
		return f, fmt.Errorf("unexpected %s", wrong.Value)
	case err != nil:
		return f, place(data, err)
	case f.Model == nil:
		return f, errors.New("model: missing")
	}
	return f, nil
}

// place adds line and column to an error of syntax.
func place(data []byte, err error) error {
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	before := string(data[:min(int(wrong.Offset), len(data))])
	line := 1 + strings.Count(before, "\n")
	column := len(before) - 1 - strings.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: not JSON: %w", line, column, err)
}
