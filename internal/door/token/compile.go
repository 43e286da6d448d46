package token

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A compiler makes a tokenizer of a file and collects the file's faults.
type compiler struct {
	file   file
	faults []error

	bytes bool // the words' bytes are what the model splits, not their characters
	lines bool // the words are those of a pattern that is matched line by line
}

func (c *compiler) fault(where, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(where+": "+format, args...))
}

// unsupported says that a step is of a type that is not known.
func (c *compiler) unsupported(where, kind string, have ...string) {
	c.fault(where+".type", "%q is not supported; have %s", kind, strings.Join(have, ", "))
}

func (c *compiler) compile() *hf {
	h := new(hf)
	plain := c.file.Normalizer == nil || c.file.Normalizer.Type == "NFC"
	if s := c.file.Normalizer; s != nil {
		h.normalize = c.normalizers(s, "normalizer")
	}
	if s := c.file.PreTokenizer; s != nil {
		h.cut = c.cutters(s, "pre_tokenizer")
	}
	plain = c.add(h) && plain
	h.lines = plain && c.lines && len(h.cut) == 1
	switch m := c.file.Model; {
	case m.Type == "BPE", m.Type == "" && m.Merges != nil:
		if !c.bytes {
			c.fault("pre_tokenizer", "want a step ByteLevel: BPE of characters, as SentencePiece has it, is not supported")
		}
		h.model = c.bpe(m)
	case m.Type == "WordPiece", m.Type == "" && m.MaxChars != nil:
		if c.bytes {
			c.fault("pre_tokenizer", "ByteLevel goes with BPE, not with WordPiece")
		}
		h.model = c.wordPiece(m)
	default:
		c.unsupported("model", m.Type, "BPE", "WordPiece")
	}
	return h
}

// add puts the added tokens in the tree of h. It reports whether they are found line
// by line.
func (c *compiler) add(h *hf) bool {
	lines := true
	for i, t := range c.file.AddedTokens {
		if !t.Special && (t.SingleWord || t.LStrip || t.RStrip || t.Normalized && len(h.normalize) > 0) {
			c.fault(fmt.Sprintf("added_tokens[%d]", i), "%.40q is looked for otherwise than as it is written, which is not supported", t.Content)
		}
		if strings.Contains(t.Content, "\n") {
			lines = false
		}
		if t.Content != "" {
			h.added.add(&t)
		}
	}
	return lines
}

// given returns the value that p points to, or what holds without one.
func given[T any](p *T, without T) T {
	if p == nil {
		return without
	}
	return *p
}

func (c *compiler) normalizers(s *step, where string) []normalizer {
	switch s.Type {
	case "Sequence":
		var all []normalizer
		for i := range s.Normalizers {
			all = append(all, c.normalizers(&s.Normalizers[i], fmt.Sprintf("%s.normalizers[%d]", where, i))...)
		}
		return all
	case "NFC":
		return []normalizer{norm.NFC.String}
	case "BertNormalizer":
		var all []normalizer
		if given(s.CleanText, true) {
			all = append(all, characters(clean))
		}
		if given(s.HandleChinese, true) {
			all = append(all, characters(pad))
		}
		lowercase := given(s.Lowercase, true)
		if given(s.StripAccents, lowercase) {
			all = append(all, norm.NFD.String, characters(unmarked))
		}
		if lowercase {
			all = append(all, characters(lower))
		}
		return all
	}
	c.unsupported(where, s.Type, "Sequence", "NFC", "BertNormalizer")
	return nil
}

func (c *compiler) cutters(s *step, where string) []cutter {
	if c.bytes {
		c.fault(where, "a step behind ByteLevel is not supported")
		return nil
	}
	switch s.Type {
	case "Sequence":
		var all []cutter
		for i := range s.PreTokenizers {
			all = append(all, c.cutters(&s.PreTokenizers[i], fmt.Sprintf("%s.pretokenizers[%d]", where, i))...)
		}
		return all
	case "Split":
		return c.split(s, where)
	case "ByteLevel":
		c.bytes = true
		var all []cutter
		if given(s.AddPrefixSpace, true) {
			all = append(all, spaced)
		}
		if given(s.UseRegex, true) {
			all = append(all, scan(gpt2Word))
		}
		return all
	case "BertPreTokenizer":
		return []cutter{split(each(unicode.IsSpace), false, true), split(each(punctuation), true, true)}
	}
	c.unsupported(where, s.Type, "Sequence", "Split", "ByteLevel", "BertPreTokenizer")
	return nil
}

// split cuts at the matches of a regular expression, which are words, or are all that
// is not thrown away.
func (c *compiler) split(s *step, where string) []cutter {
	pattern := given(s.Pattern.Regex, "")
	if pattern == "" {
		c.fault(where+".pattern", `want {"Regex": "..."}, not empty`)
		return nil
	}
	isolated := s.Behavior == "Isolated" && !s.Invert
	if !isolated && !(s.Behavior == "Removed" && s.Invert) {
		c.fault(where+".behavior", "%q, invert %t; want Isolated, or Removed and inverted", s.Behavior, s.Invert)
	}
	// These patterns leave nothing between their matches.
	c.lines = slices.Contains(byLine, pattern)
	if word, ok := scanners[pattern]; ok {
		return []cutter{scan(word)}
	}
	find, err := expression(pattern)
	if err != nil {
		c.fault(where+".pattern.Regex", "%w", err)
	}
	return []cutter{split(find, true, isolated)}
}
