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
	if s := c.file.PostProcessor; s != nil {
		h.special = c.special(s, "post_processor")
	}
	if len(c.faults) == 0 {
		plain = c.add(h) && plain
	}
	h.lines = plain && c.lines && len(h.cut) == 1
	switch m := c.file.Model; {
	case m.Type == "BPE", m.Type == "" && m.Merges != nil:
		bpe := c.bpe(m)
		if bpe.chars != nil && bpe.whole == nil && apart(m, mark) {
			h.cut = append(h.cut, cutMarks(mark))
		}
		h.model = bpe
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

// add puts the added tokens in the trees of h. It reports whether they are
// found line by line.
func (c *compiler) add(h *hf) bool {
	lines := true
	for _, t := range c.file.AddedTokens {
		if strings.Contains(t.Content, "\n") || t.LStrip || t.RStrip {
			lines = false
		}
		tree := &h.raw
		if t.Normalized {
			tree = &h.normal
			content := span{text: t.Content, first: true}
			for _, normalize := range h.normalize {
				content = normalize(content)
			}
			t.Content = content.text
		}
		if t.Content != "" {
			tree.add(&t)
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
		return []normalizer{form(norm.NFC)}
	case "NFD":
		return []normalizer{form(norm.NFD)}
	case "NFKC":
		return []normalizer{form(norm.NFKC)}
	case "NFKD":
		return []normalizer{form(norm.NFKD)}
	case "Lowercase":
		return []normalizer{characters(lower)}
	case "StripAccents":
		return []normalizer{drop(unicode.IsMark)}
	case "Strip":
		return []normalizer{strip(given(s.StripLeft, true), given(s.StripRight, true))}
	case "Prepend":
		return []normalizer{prepend(s.Prepend)}
	case "Replace":
		find, _ := c.pattern(s, where)
		return []normalizer{replace(find, s.Content)}
	case "BertNormalizer":
		var all []normalizer
		if given(s.CleanText, true) {
			all = append(all, characters(clean))
		}
		if given(s.HandleChinese, true) {
			all = append(all, pad)
		}
		lowercase := given(s.Lowercase, true)
		if given(s.StripAccents, lowercase) {
			all = append(all, form(norm.NFD), drop(func(r rune) bool { return unicode.Is(unicode.Mn, r) }))
		}
		if lowercase {
			all = append(all, characters(lower))
		}
		return all
	}
	c.unsupported(where, s.Type, "Sequence", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents",
		"Strip", "Prepend", "Replace", "BertNormalizer")
	return nil
}

// pattern returns what finds the pattern of a step, and the pattern when it is
// a regular expression.
func (c *compiler) pattern(s *step, where string) (finder, string) {
	switch p := s.Pattern; {
	case p.String != nil && *p.String != "":
		return literal(*p.String), ""
	case p.Regex != nil && *p.Regex != "":
		find, err := expression(*p.Regex)
		if err != nil {
			c.fault(where+".pattern.Regex", "%w", err)
		}
		return find, *p.Regex
	}
	c.fault(where+".pattern", `want {"Regex": "..."} or {"String": "..."}, not empty`)
	return nil, ""
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
		find, pattern := c.pattern(s, where)
		c.behavior(s.Behavior, where)
		// These patterns leave nothing between their matches.
		if s.Behavior == isolated && !s.Invert || s.Behavior == removed && s.Invert {
			c.lines = slices.Contains(byLine, pattern)
			if word, ok := scanners[pattern]; ok {
				return []cutter{scan(word)}
			}
		}
		return []cutter{split(find, s.Behavior, s.Invert)}
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
	case "Metaspace":
		if s.Replacement == "" {
			c.fault(where+".replacement", "empty, want %q", mark)
			return nil
		}
		scheme := "always"
		if !given(s.AddPrefixSpace, true) {
			scheme = "never"
		}
		scheme = given(s.PrependScheme, scheme)
		if have := []string{"always", "first", "never"}; !slices.Contains(have, scheme) {
			c.fault(where+".prepend_scheme", "unknown %q; have %s", scheme, strings.Join(have, ", "))
		}
		return []cutter{metaspace(s.Replacement, scheme == "always", scheme == "first", given(s.Split, true))}
	case "WhitespaceSplit":
		return []cutter{split(each(unicode.IsSpace), removed, false)}
	case "Whitespace":
		return []cutter{split(each(unicode.IsSpace), removed, false), split(each(wordCharacter), contiguous, false)}
	case "BertPreTokenizer":
		return []cutter{split(each(unicode.IsSpace), removed, false), split(each(punctuation), isolated, false)}
	case "Punctuation":
		behavior := s.Behavior
		if behavior == "" {
			behavior = isolated
		}
		c.behavior(behavior, where)
		return []cutter{split(each(punctuation), behavior, false)}
	case "Digits":
		if s.IndividualDigits {
			return []cutter{split(each(unicode.IsNumber), isolated, false)}
		}
		return []cutter{split(each(unicode.IsNumber), contiguous, false)}
	}
	c.unsupported(where, s.Type, "Sequence", "Split", "ByteLevel", "Metaspace", "Whitespace", "WhitespaceSplit",
		"BertPreTokenizer", "Punctuation", "Digits")
	return nil
}

func (c *compiler) behavior(behavior, where string) {
	if !slices.Contains(behaviors, behavior) {
		c.fault(where+".behavior", "unknown %q; have %s", behavior, strings.Join(behaviors, ", "))
	}
}

// special returns how many tokens a step adds to a single text.
func (c *compiler) special(s *step, where string) int {
	switch s.Type {
	case "Sequence":
		n := 0
		for i := range s.Processors {
			n += c.special(&s.Processors[i], fmt.Sprintf("%s.processors[%d]", where, i))
		}
		return n
	case "ByteLevel":
		return 0
	case "BertProcessing", "RobertaProcessing":
		return 2 // one before and one behind
	case "TemplateProcessing":
		n, texts := 0, 0
		for i, slot := range s.Single {
			if slot.SpecialToken == nil {
				texts++
				continue
			}
			token, ok := s.SpecialTokens[slot.SpecialToken.ID]
			if !ok {
				c.fault(fmt.Sprintf("%s.single[%d]", where, i), "token %q is not in special_tokens", slot.SpecialToken.ID)
			}
			n += len(token.IDs)
		}
		if texts != 1 {
			c.fault(where+".single", "%d places for the text, want 1", texts)
		}
		return n
	}
	c.unsupported(where, s.Type, "Sequence", "ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing")
	return 0
}
