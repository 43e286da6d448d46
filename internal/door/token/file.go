package token

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
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

	Pattern        struct{ Regex string } // Split
	Behavior       string
	Invert         bool
	AddPrefixSpace *bool `json:"add_prefix_space"` // ByteLevel
	UseRegex       *bool `json:"use_regex"`

	Single        []slot                           // TemplateProcessing
	SpecialTokens map[string]struct{ IDs []int32 } `json:"special_tokens"`
	Cls, Sep      namedToken                       // BertProcessing, RobertaProcessing
}

// A slot of a template is a special token or the text, "A".
type slot struct {
	SpecialToken, Sequence *struct {
		ID   string
		Type int32 `json:"type_id"`
	}
}

// A namedToken is the id of a token that is written ["[SEP]", 102].
type namedToken int32

// UnmarshalJSON reads the id.
func (t *namedToken) UnmarshalJSON(data []byte) error {
	var text string
	parts := []any{&text, (*int32)(t)}
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != 2 {
		return fmt.Errorf(`post_processor: %.40s, want a token with its id like ["[SEP]", 102]`, data)
	}
	return nil
}

type modelFile struct {
	Type         string
	Vocab        map[string]int32
	Merges       []mergeFile
	UnkToken     *string `json:"unk_token"`
	Dropout      float64
	Prefix       *string `json:"continuing_subword_prefix"`
	Suffix       string  `json:"end_of_word_suffix"`
	IgnoreMerges bool    `json:"ignore_merges"`
	MaxChars     *int    `json:"max_input_chars_per_word"`
}

// A mergeFile is a pair of tokens, written ["left", "right"] or "left right".
type mergeFile [2]string

// UnmarshalJSON reads either form.
func (m *mergeFile) UnmarshalJSON(data []byte) error {
	var both string
	var parts []string
	var err error
	if data[0] == '"' {
		err = json.Unmarshal(data, &both)
		parts = strings.Split(both, " ")
	} else {
		err = json.Unmarshal(data, &parts)
	}
	if err != nil || len(parts) != 2 {
		return fmt.Errorf(`model.merges: %.40s, want two tokens: "left right" or ["left", "right"]`, data)
	}
	*m = mergeFile(parts)
	return nil
}

// A compiler makes a tokenizer of a file and collects the file's faults.
type compiler struct {
	t      *tokenizer
	bytes  bool // the words' bytes are what the model splits, not their characters
	faults []error
}

// parse reads a tokenizer.json.
func parse(data []byte) (*tokenizer, error) {
	f, err := decode(data)
	if err != nil {
		return nil, err
	}
	c := compiler{t: new(tokenizer)}
	if f.Normalizer != nil {
		c.normalizers(f.Normalizer, "normalizer")
	}
	if f.PreTokenizer != nil {
		c.cutters(f.PreTokenizer, "pre_tokenizer")
	}
	if f.PostProcessor != nil {
		c.surround(f.PostProcessor, "post_processor")
	}
	// The patterns of lines leave nothing between their matches.
	c.t.lines = c.t.lines && len(c.t.cut) == 1 && (f.Normalizer == nil || f.Normalizer.Type == "NFC")
	c.add(f.AddedTokens)
	c.model(f.Model)
	for _, id := range slices.Concat(c.t.before, c.t.after) {
		c.id("post_processor", id)
	}
	return c.t, errors.Join(c.faults...)
}

// decode reads what a tokenizer.json says, without a look at its meaning.
func decode(data []byte) (f file, err error) {
	if bytes.HasPrefix(data, []byte("version https://git-lfs")) {
		return f, errors.New("a pointer of Git LFS and not the file; git lfs pull fetches it")
	}
	err = json.Unmarshal(data, &f)
	wrong, isType := errors.AsType[*json.UnmarshalTypeError](err)
	torn, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case f.Model != nil && f.Model.Type == "Unigram":
		return f, errors.New("model.type: Unigram models are not supported; have BPE, WordPiece")
	case isType:
		return f, fmt.Errorf("%s: unexpected %s", cmp.Or(strings.ToLower(wrong.Field), "the file"), wrong.Value)
	case isSyntax:
		return f, fmt.Errorf("not JSON at byte %d: %w", torn.Offset, err)
	case err == nil && f.Model == nil:
		return f, errors.New("model: missing")
	}
	return f, err
}

func (c *compiler) fault(where, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(where+": "+format, args...))
}

// unsupported reports a step of an unknown type.
func (c *compiler) unsupported(where, kind string, have ...string) {
	c.fault(where+".type", "%q is not supported; have %s", kind, strings.Join(have, ", "))
}

// id takes note of the id of a token.
func (c *compiler) id(where string, id int32) {
	if id < 0 {
		c.fault(where, "a token has the id %d; want at least 0", id)
	}
	c.t.vocab = max(c.t.vocab, int(id)+1)
}

// given returns the value that p points to, or what holds without one.
func given[T any](p *T, without T) T {
	if p == nil {
		return without
	}
	return *p
}

func (c *compiler) normalizers(s *step, where string) {
	switch s.Type {
	case "Sequence":
		for i := range s.Normalizers {
			c.normalizers(&s.Normalizers[i], fmt.Sprintf("%s.normalizers[%d]", where, i))
		}
	case "NFC":
		c.t.normalize = append(c.t.normalize, norm.NFC.String)
	case "BertNormalizer":
		lower := given(s.Lowercase, true)
		c.t.normalize = append(c.t.normalize,
			bertNormalizer(given(s.CleanText, true), given(s.HandleChinese, true), given(s.StripAccents, lower), lower))
	default:
		c.unsupported(where, s.Type, "Sequence", "NFC", "BertNormalizer")
	}
}

func (c *compiler) cutters(s *step, where string) {
	if c.bytes {
		c.fault(where, "a step behind ByteLevel is not supported")
		return
	}
	switch s.Type {
	case "Sequence":
		for i := range s.PreTokenizers {
			c.cutters(&s.PreTokenizers[i], fmt.Sprintf("%s.pretokenizers[%d]", where, i))
		}
	case "Split":
		isolated := s.Behavior == "Isolated" && !s.Invert
		if !isolated && !(s.Behavior == "Removed" && s.Invert) {
			c.fault(where+".behavior", "%q, invert %t; want Isolated, or Removed and inverted", s.Behavior, s.Invert)
		}
		c.split(s.Pattern.Regex, isolated, where+".pattern")
	case "ByteLevel":
		c.bytes = true
		if given(s.AddPrefixSpace, true) {
			c.t.cut = append(c.t.cut, spaced)
		}
		if given(s.UseRegex, true) {
			c.split(gpt2Pattern, true, where)
		}
	case "BertPreTokenizer":
		c.t.cut = append(c.t.cut, bertWords)
	default:
		c.unsupported(where, s.Type, "Sequence", "Split", "ByteLevel", "BertPreTokenizer")
	}
}

// split cuts at the matches of a regular expression, which are words, or are all that
// is not thrown away.
func (c *compiler) split(expr string, isolated bool, where string) {
	c.t.lines = c.t.lines || slices.Contains(linePatterns, expr)
	if expr == "" {
		c.fault(where, `want {"Regex": "..."}, not empty`)
		return
	}
	p, err := newPattern(expr, isolated)
	if err != nil {
		c.fault(where+".Regex", "%w", err)
	}
	c.t.cut = append(c.t.cut, p.cut)
}

// surround finds what stands around texts.
func (c *compiler) surround(s *step, where string) {
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			c.surround(&s.Processors[i], fmt.Sprintf("%s.processors[%d]", where, i))
		}
	case "BertProcessing", "RobertaProcessing":
		c.t.before, c.t.after = []int32{int32(s.Cls)}, []int32{int32(s.Sep)}
	case "TemplateProcessing":
		c.template(s, where+".single")
	case "ByteLevel":
	default:
		c.unsupported(where, s.Type, "Sequence", "ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing")
	}
}

func (c *compiler) template(s *step, where string) {
	texts := 0
	var around [2][]int32
	for i, slot := range s.Single {
		at := fmt.Sprintf("%s[%d]", where, i)
		switch {
		case slot.SpecialToken != nil && slot.SpecialToken.Type == 0:
			token, ok := s.SpecialTokens[slot.SpecialToken.ID]
			if !ok {
				c.fault(at, "token %q is not in special_tokens", slot.SpecialToken.ID)
			}
			side := min(texts, 1)
			around[side] = append(around[side], token.IDs...)
		case slot.Sequence != nil && slot.Sequence.ID == "A" && slot.Sequence.Type == 0:
			texts++
		default:
			c.fault(at, `want {"SpecialToken": ...} or {"Sequence": {"id": "A"}} of the type_id 0`)
		}
	}
	if texts != 1 {
		c.fault(where, "the text A stands in it %d times, want 1", texts)
	}
	c.t.before, c.t.after = around[0], around[1]
}

// add adds the tokens outside the vocabulary, the longest first.
func (c *compiler) add(tokens []addedToken) {
	for i, a := range tokens {
		c.id(fmt.Sprintf("added_tokens[%d]", i), a.ID)
		if !a.Special && (a.SingleWord || a.LStrip || a.RStrip || a.Normalized && len(c.t.normalize) > 0) {
			c.fault(fmt.Sprintf("added_tokens[%d]", i), "%.40q is looked for otherwise than as it is written, which is not supported", a.Content)
		}
		if a.Content != "" {
			c.t.added = append(c.t.added, a)
		}
		c.t.lines = c.t.lines && !strings.Contains(a.Content, "\n")
	}
	slices.SortStableFunc(c.t.added, func(a, b addedToken) int { return cmp.Compare(len(b.Content), len(a.Content)) })
}

func (c *compiler) model(m *modelFile) {
	if len(m.Vocab) == 0 {
		c.fault("model.vocab", "missing or empty")
		return
	}
	for _, id := range m.Vocab {
		c.id("model.vocab", id)
	}
	switch {
	case m.Type == "BPE", m.Type == "" && m.Merges != nil:
		if !c.bytes {
			c.fault("pre_tokenizer", "want a step ByteLevel: BPE of characters, as SentencePiece has it, is not supported")
		}
		c.t.model = c.bpe(m)
	case m.Type == "WordPiece", m.Type == "" && m.MaxChars != nil:
		if c.bytes {
			c.fault("pre_tokenizer", "ByteLevel goes with BPE, not with WordPiece")
		}
		unknown, ok := m.Vocab[given(m.UnkToken, "[UNK]")]
		if !ok {
			c.fault("model.unk_token", "%.40q is not in model.vocab", given(m.UnkToken, "[UNK]"))
		}
		c.t.model = &wordPiece{vocab: m.Vocab, prefix: given(m.Prefix, "##"), chars: given(m.MaxChars, 100), unknown: unknown}
	default:
		c.unsupported("model", m.Type, "BPE", "WordPiece")
	}
}

func (c *compiler) bpe(m *modelFile) *bpe {
	if m.Dropout != 0 || given(m.Prefix, "") != "" || m.Suffix != "" {
		c.fault("model", "dropout %v, continuing_subword_prefix %q, end_of_word_suffix %q are not supported for BPE; want none",
			m.Dropout, given(m.Prefix, ""), m.Suffix)
	}
	b := &bpe{merges: make(map[pair]merge, len(m.Merges))}
	if m.IgnoreMerges {
		b.whole = m.Vocab
	}
	missing := ""
	id := func(token string) int32 {
		n, ok := m.Vocab[token]
		if !ok {
			missing, n = cmp.Or(missing, token), -1
		}
		return n
	}
	for i, r := range byteRunes {
		b.bytes[i] = -1
		if _, ok := m.Vocab[string(r)]; ok || i != 0xc0 && i != 0xc1 && i < 0xf5 { // the others are not in UTF-8
			b.bytes[i] = id(string(r))
		}
	}
	if missing != "" {
		c.fault("model.vocab", "no token for a byte, %q; without it some text would count as nothing", missing)
	}
	missing = ""
	for rank, m := range m.Merges {
		b.merges[pair{id(m[0]), id(m[1])}] = merge{int32(rank), id(m[0] + m[1])}
	}
	if missing != "" {
		c.fault("model.merges", "%.40q is not in model.vocab", missing)
	}
	return b
}
