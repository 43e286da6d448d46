package external

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/door/token"
	"recallbench/internal/external/wire"
	"recallbench/methods"
	"recallbench/methods/internal/transcript"
)

// evidence cuts a result to the run's k and token budget, and makes evidence of the
// rest.
func (m *memory) evidence(r result) (all []methods.Evidence, _ methods.Step) {
	blocks := r.blocks
	texts := make([]string, len(blocks))
	sizes := make([]int, len(blocks))
	for i, b := range blocks {
		texts[i] = transcript.Text(line(b))
		sizes[i] = m.env.Tokens.Count(texts[i])
	}
	kept, cutTo := wire.Cut(sizes, m.o.K, m.o.Tokens)
	if cutTo > 0 {
		texts[0] = m.cut(texts[0], cutTo)
		sizes[0] = m.env.Tokens.Count(texts[0])
	}
	tokens, unknown := 0, 0
	ids := wire.BlockIDs(blocks)
	for i, b := range blocks[:kept] {
		e := methods.Evidence{ID: ids[i], Score: b.Score, Text: texts[i]}
		for _, source := range b.Sources {
			if turn, ok := m.turns[source]; ok {
				e.Sources = append(e.Sources, turn)
			} else {
				unknown++
			}
		}
		if len(b.Sources) == 0 {
			for _, source := range m.sources.Of(b.Text) {
				e.Sources = append(e.Sources, m.turns[source])
			}
			e.Estimated = true
		}
		tokens += sizes[i]
		all = append(all, e)
	}
	data := map[string]any{"returned": len(blocks), "kept": kept, "tokens": tokens, "asked_k": m.o.K}
	if cutTo > 0 {
		data["cut_to"] = m.o.Tokens
	}
	if unknown > 0 {
		data["unknown_sources"] = unknown
	}
	return all, methods.Step{Name: "search", Note: strings.Join(r.notes, "; "), Data: data}
}

// line writes a block as the line that the reader sees: with its time in front,
// unless its text already names the day.
func line(b wire.Block) transcript.Line {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(b.Text, "\uFFFD")), " ")
	if b.Time.IsZero() || slices.ContainsFunc(dayForms(b.Time.Time), func(day string) bool { return strings.Contains(text, day) }) {
		return transcript.Line{Text: text}
	}
	return transcript.Line{Time: b.Time.Time, Text: text}
}

// cut cuts a text to a number of tokens, at a token and between characters.
func (m *memory) cut(text string, tokens int) string {
	if codec, ok := m.env.Tokens.(token.Codec); ok {
		parts := codec.Split(text)
		text = strings.Join(parts[:min(tokens, len(parts))], "")
	} else {
		for m.env.Tokens.Count(text) > tokens {
			text = text[:len(text)*3/4]
		}
	}
	for text != "" && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// turnOf returns a turn as datasets have it.
func turnOf(t wire.Turn) datasets.Turn {
	out := datasets.Turn{ID: t.ID, Speaker: t.Speaker, Text: t.Text, Time: t.Time.Time}
	if t.Image != nil {
		out.Image = &datasets.Image{Caption: t.Image.Caption, Query: t.Image.Query}
	}
	return out
}

// dayForms returns the ways in which texts write a day.
func dayForms(t time.Time) (days []string) {
	for _, form := range []string{"2 January 2006", time.DateOnly, "January 2, 2006", "2006/01/02"} {
		days = append(days, t.Format(form))
	}
	return days
}
