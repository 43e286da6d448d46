package token

import (
	"fmt"
	"math"
)

// An Encoder turns texts into what a model reads: the ids of their tokens with
// the model's special tokens around them. It is safe for concurrent use.
//
// Unlike in Hugging Face's library the name of a special token that stands in
// a text is plain text, so that no text can end itself.
type Encoder struct {
	hf     *hf
	single []part
	vocab  int
}

// An Encoding is what a model reads of a text or a pair of texts.
type Encoding struct {
	IDs   []int32
	Types []int32 // 1 for the second text of a pair, in models that tell them apart
	// Cut is the number of tokens that were left out for lack of free.
	Cut int
}

// A part of a template is the text, or special tokens.
type part struct {
	text  bool
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
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			c.surround(&s.Processors[i], fmt.Sprintf("%s.processors[%d]", where, i), e)
		}
		return
	case "BertProcessing", "RobertaProcessing":
		e.single = []part{{ids: []int32{s.Cls.id}}, {text: true}, {ids: []int32{s.Sep.id}}}
	case "TemplateProcessing":
		e.single = c.template(s, s.Single, where+".single")
	case "ByteLevel":
		return
	default:
		c.unsupported(where, s.Type, "Sequence", "ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing")
		return
	}
	for _, p := range e.single {
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
	texts := 0
	for i, slot := range slots {
		at := fmt.Sprintf("%s[%d]", where, i)
		switch {
		case slot.SpecialToken != nil:
			token, ok := s.SpecialTokens[slot.SpecialToken.ID]
			if !ok {
				c.fault(at, "token %q is not in special_tokens", slot.SpecialToken.ID)
			}
			parts = append(parts, part{ids: token.IDs, types: slot.SpecialToken.Type})
		case slot.Sequence != nil && slot.Sequence.ID == "A":
			texts++
			parts = append(parts, part{text: true, types: slot.Sequence.Type})
		default:
			c.fault(at, `want {"SpecialToken": ...} or {"Sequence": {"id": "A"}}`)
		}
	}
	if texts != 1 {
		c.fault(where, "the text A stands in it %d times, want 1", texts)
	}
	return parts
}

// Vocab is one more than the largest id that an encoding may hold.
func (e *Encoder) Vocab() int { return e.vocab }

// Encode encodes a text. Of a text that is too long for most tokens the end is
// left out; the special tokens stay. Most is at least 1, or 0 for no bound.
func (e *Encoder) Encode(text string, most int) Encoding {
	return e.fill(e.Tokens(text), most)
}

// Tokens returns the ids of a text's tokens, with nothing around them.
func (e *Encoder) Tokens(text string) (ids []int32) {
	e.hf.each(valid(text), func(_ string, id int32) { ids = append(ids, id) })
	return ids
}

// Surround puts the special tokens of a text around the ids of its tokens.
func (e *Encoder) Surround(ids []int32) Encoding { return e.fill(ids, 0) }

// Before is the number of special tokens before a text.
func (e *Encoder) Before() (n int) {
	for _, p := range e.single {
		if p.text {
			break
		}
		n += len(p.ids)
	}
	return n
}

// fill puts a text into the template.
func (e *Encoder) fill(text []int32, most int) Encoding {
	if most <= 0 {
		most = math.MaxInt
	}
	special := 0
	for _, p := range e.single {
		special += len(p.ids)
	}
	kept := text[:min(len(text), max(0, most-special))]
	out := Encoding{Cut: len(text) - len(kept)}
	for _, p := range e.single {
		ids := p.ids
		if p.text {
			ids = kept
		}
		out.IDs = append(out.IDs, ids...)
		for range ids {
			out.Types = append(out.Types, p.types)
		}
	}
	if len(out.IDs) > most { // not even the special tokens fit
		out.IDs, out.Types = out.IDs[:most], out.Types[:most]
	}
	return out
}
