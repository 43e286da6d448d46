package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Part is a piece of a message: a text, or a block of the request's evidence. In
// JSON it is the text's index, or {"block": index}.
type Part struct {
	Text  int
	Block *int // nil for a text
}

// MarshalJSON implements [json.Marshaler].
func (p Part) MarshalJSON() ([]byte, error) {
	if p.Block != nil {
		return json.Marshal(map[string]int{"block": *p.Block})
	}
	return json.Marshal(p.Text)
}

// shortest is the least length, in characters, of a block that is referred to.
const shortest = 40

// longBlocks returns the indexes of the blocks that are looked for, the longest first.
func longBlocks(texts []string) (all []int) {
	for i, text := range texts {
		if utf8.RuneCountInString(text) >= shortest {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(len(texts[j]), len(texts[i])) })
	return all
}

// A span is a block in a text.
type span struct{ start, end, block int }

// parts cuts a text at the blocks that stand in it verbatim, without overlap.
func (b *builder) parts(text string) []Part {
	var spans []span
	for _, i := range b.long {
		for from := 0; ; {
			at := strings.Index(text[from:], b.blocks[i])
			if at < 0 {
				break
			}
			s := span{from + at, from + at + len(b.blocks[i]), i}
			from = s.end
			if !slices.ContainsFunc(spans, func(o span) bool { return s.start < o.end && o.start < s.end }) {
				spans = append(spans, s)
			}
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.start, y.start) })
	parts := []Part{}
	from := 0
	for _, s := range spans {
		if s.start > from {
			parts = append(parts, b.text(text[from:s.start]))
		}
		parts = append(parts, Part{Block: &s.block})
		from = s.end
	}
	if from < len(text) {
		parts = append(parts, b.text(text[from:]))
	}
	return parts
}

// text is a part that refers to a text, which is added where it is new.
func (b *builder) text(text string) Part {
	i, ok := b.texts[text]
	if !ok {
		i = len(b.out.Texts)
		b.out.Texts = append(b.out.Texts, text)
		b.texts[text] = i
	}
	return Part{Text: i}
}
