package token

import (
	"errors"
	"fmt"
	"math"
)

// An Encoder turns texts into what a model reads: the ids of their tokens with
// the model's special tokens around them. It is safe for concurrent use.
//
// Unlike in Hugging Face's library the name of a special token that stands in
// a text is plain text, so that no text can end itself.
type Encoder struct {
	hf           *hf
	single, pair []part
	vocab        int
}

// An Encoding is what a model reads of a text or a pair of texts.
type Encoding struct {
	IDs   []int32
	Types []int32 // 1 for the second text of a pair, in models that tell them apart
	// Cut is the number of tokens that were left out for lack of free.
	Cut int
}

// A part of a template is a text, or special tokens.
type part struct {
	text  int // 1 or 2; 0 for special tokens
	ids   []int32
	types int32
}

// OpenEncoder reads a tokenizer.json, as [Open] does. A post_processor that
// says what stands around a text is understood when it is TemplateProcessing,
// BertProcessing or RobertaProcessing; without one nothing does.
func OpenEncoder(path string) (*Encoder, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	e, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n\t%s", path, err, layout)
	}
	return e, nil
}

// surround finds what stands around texts.
func (c *compiler) surround(s *step, where string, e *Encoder) {
	special := func(t namedToken, types int32) part { return part{ids: []int32{t.id}, types: types} }
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			c.surround(&s.Processors[i], fmt.Sprintf("%s.processors[%d]", where, i), e)
		}
		return
	case "BertProcessing":
		e.single = []part{special(s.Cls, 0), {text: 1}, special(s.Sep, 0)}
		e.pair = []part{special(s.Cls, 0), {text: 1}, special(s.Sep, 0), {text: 2, types: 1}, special(s.Sep, 1)}
	case "RobertaProcessing":
		e.single = []part{special(s.Cls, 0), {text: 1}, special(s.Sep, 0)}
		e.pair = []part{special(s.Cls, 0), {text: 1}, special(s.Sep, 0), special(s.Sep, 0), {text: 2}, special(s.Sep, 0)}
	case "TemplateProcessing":
		e.single = c.template(s, s.Single, where+".single")
		e.pair = nil
		if len(s.Pair) > 0 {
			e.pair = c.template(s, s.Pair, where+".pair")
		}
	case "ByteLevel":
		return
	default:
		c.unsupported(where, s.Type, "Sequence", "ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing")
		return
	}
	for _, p := range append(e.single, e.pair...) {
		for _, id := range p.ids {
			if id < 0 {
				c.fault(where, "a special token has the id %d, want at least 0", id)
			}
			e.vocab = max(e.vocab, int(id)+1)
		}
	}
}

func (c *compiler) template(s *step, slots []slot, where string) []part {
	var parts []part
	seen := [3]int{}
	for i, slot := range slots {
		at := fmt.Sprintf("%s[%d]", where, i)
		switch {
		case slot.SpecialToken != nil:
			token, ok := s.SpecialTokens[slot.SpecialToken.ID]
			if !ok {
				c.fault(at, "token %q is not in special_tokens", slot.SpecialToken.ID)
			}
			parts = append(parts, part{ids: token.IDs, types: slot.SpecialToken.Type})
		case slot.Sequence != nil && (slot.Sequence.ID == "A" || slot.Sequence.ID == "B"):
			text := 1 + int(slot.Sequence.ID[0]-'A')
			seen[text]++
			parts = append(parts, part{text: text, types: slot.Sequence.Type})
		default:
			c.fault(at, `want {"SpecialToken": ...} or {"Sequence": {"id": "A" or "B"}}`)
		}
	}
	if seen[1] != 1 || seen[2] > 1 {
		c.fault(where, "the texts A and B stand in it %d and %d times, want 1", seen[1], seen[2])
	}
	return parts
}

// Vocab is one more than the largest id that an encoding may hold.
func (e *Encoder) Vocab() int { return e.vocab }

// Encode encodes a text. Of a text that is too long for most tokens the end is
// left out; the special tokens stay. Most is at least 1, or 0 for no bound.
func (e *Encoder) Encode(text string, most int) Encoding {
	return fill(e.single, e.Tokens(text), nil, most)
}

// EncodePair encodes a pair of texts. Where it is too long the end of the first
// is left out, and of the second what still is too much, as zero-shot
// classifiers do. An encoder without a template for pairs is an error.
func (e *Encoder) EncodePair(first, second string, most int) (Encoding, error) {
	if e.pair == nil {
		return Encoding{}, errors.New("tokenizer.json: post_processor has no template for a pair of texts")
	}
	return fill(e.pair, e.Tokens(first), e.Tokens(second), most), nil
}

// Tokens returns the ids of a text's tokens, with nothing around them.
func (e *Encoder) Tokens(text string) (ids []int32) {
	e.hf.each(valid(text), func(_ string, id int32) { ids = append(ids, id) })
	return ids
}

// Surround puts the special tokens of a text around the ids of its tokens.
func (e *Encoder) Surround(ids []int32) Encoding { return fill(e.single, ids, nil, 0) }

// Before is the number of special tokens before a text.
func (e *Encoder) Before() (n int) {
	for _, p := range e.single {
		if p.text != 0 {
			break
		}
		n += len(p.ids)
	}
	return n
}

// fill puts texts into a template.
func fill(template []part, first, second []int32, most int) Encoding {
	if most <= 0 {
		most = math.MaxInt
	}
	special := 0
	for _, p := range template {
		special += len(p.ids)
	}
	free := max(0, most-special)
	whole := len(first) + len(second)
	second = second[:min(len(second), free)]
	first = first[:min(len(first), free-len(second))]
	e := Encoding{Cut: whole - len(first) - len(second)}
	for _, p := range template {
		ids := p.ids
		switch p.text {
		case 1:
			ids = first
		case 2:
			ids = second
		}
		e.IDs = append(e.IDs, ids...)
		for range ids {
			e.Types = append(e.Types, p.types)
		}
	}
	if len(e.IDs) > most { // not even the special tokens fit
		e.IDs, e.Types = e.IDs[:most], e.Types[:most]
	}
	return e
}
