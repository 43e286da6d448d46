package memory

import (
	"strings"

	"recallbench/internal/text/timex"
)

// A voice is who says something to whom.
type voice struct {
	speaker string
	other   string // whom "you" stands for
}

// A shifter writes a clause in the third person.
type shifter struct {
	voice
	s     *Sentence
	out   []byte
	end   int  // offset of what was last written, to keep the spaces of the text
	named bool // the speaker was named in this clause
	// form is how the verb of the last subject is written; nil for subjects
	// that keep it. next is the place of that verb, -1 for none.
	form func(*Word) string
	next int
}

// run writes the words from..to of a sentence for somebody who was not there:
// the first person becomes the speaker, the second the one spoken to, and times
// become dates. Once the speaker is named, words of the first person are "they".
func (h *shifter) run(s *Sentence, from, to int) string {
	h.s, h.out, h.end, h.next = s, make([]byte, 0, 160), -1, -1
	times := s.Times
	for i := from; i < to; {
		for len(times) > 0 && times[0].End <= s.Words[i].Start {
			times = times[1:]
		}
		if len(times) > 0 && s.Words[i].Start == times[0].Start {
			if text, ok := h.date(times[0], i, from); ok {
				last := i
				for last+1 < to && s.Words[last+1].End <= times[0].End {
					last++
				}
				h.put(i, text)
				h.end = s.Words[last].End
				i = last + 1
				continue
			}
		}
		i = h.word(i, from, to)
	}
	return string(h.out)
}

// put writes a text in place of word i. An ending that became a word of its own
// ("'m", "is") gets a space.
func (h *shifter) put(i int, text string) {
	w := &h.s.Words[i]
	grown := strings.HasPrefix(w.Low, "'") && !w.mark() && !strings.HasPrefix(text, "'") && !strings.HasPrefix(text, "’")
	if len(h.out) > 0 && (w.Start > h.end || grown) {
		h.out = append(h.out, ' ')
	}
	h.out = append(h.out, text...)
	h.end = w.End
}

// word writes the word at i and returns the next place to go on from.
func (h *shifter) word(i, from, to int) int {
	w := &h.s.Words[i]
	text := h.s.Text[w.Start:w.End]
	if i == h.next {
		h.next = -1
		h.put(i, adapt(h.s.Words, i, h.form))
		return i + 1
	}
	joined := i > from && (h.s.Words[i-1].Low == "and" || h.s.Words[i-1].Low == "or")
	switch w.Low {
	case "i", "im":
		who, form := h.first(joined)
		h.put(i, who)
		h.subject(i, to, form, joined)
	case "me":
		h.put(i, h.pick("them", h.speaker))
	case "my":
		h.put(i, h.pick("their", possessive(h.speaker)))
	case "mine":
		h.put(i, h.pick("theirs", possessive(h.speaker)))
	case "myself", "ourselves":
		h.put(i, "themselves")
	case "we":
		h.put(i, h.pick("they", h.speaker+" and others"))
		h.subject(i, to, many, false)
	case "us":
		h.put(i, h.pick("them", h.speaker+" and others"))
	case "our":
		h.put(i, h.pick("their", possessive(h.speaker)))
	case "ours":
		h.put(i, h.pick("theirs", possessive(h.speaker)))
	case "you":
		h.put(i, h.other)
		h.subject(i, to, third, joined)
	case "your":
		h.put(i, possessive(h.other))
	case "yours":
		h.put(i, possessive(h.other))
	case "yourself": // of nobody in particular, as often as of the other one
		h.put(i, "themselves")
	default:
		if subjects[w.Low] || (w.noun() && i+1 < to && h.s.Words[i+1].finite() && h.s.Words[i+1].Low != "do") {
			h.form = nil
		}
		// "I paint and sing": the second verb has the subject of the first.
		if h.form != nil && joined && w.Tag == "VBP" && !w.Upper && !auxiliaries[w.Low] {
			text = h.form(w)
		}
		h.put(i, text)
	}
	return i + 1
}

// first names the speaker, or says "they" where that was done.
func (h *shifter) first(joined bool) (string, func(*Word) string) {
	if h.named && !joined {
		return "they", many
	}
	h.named = true
	return h.speaker, third
}

// pick returns again where the speaker was named, else the name.
func (h *shifter) pick(again, name string) string {
	if h.named {
		return again
	}
	h.named = true
	return name
}

// subject notes that word i is a subject, whose verb is then written in a form.
// With a subject joined to another nothing but "am" changes.
func (h *shifter) subject(i, to int, form func(*Word) string, joined bool) {
	if joined {
		form = many
	}
	if i+1 < to && h.s.Words[i+1].Low == "and" && !h.s.Words[i+1].verb() {
		return
	}
	const reach = 3 // adverbs before the verb
	j := i + 1
	for j < to && j-i <= reach && h.s.Words[j].adverb() && !h.s.Words[j].verb() {
		j++
	}
	if j >= to {
		return
	}
	v := &h.s.Words[j]
	if i > 0 && h.s.Words[i].Low == "you" && h.s.Words[i-1].verb() && v.Tag == "VB" { // "let you know"
		return
	}
	if v.mark() || (v.Kind == Function && !auxiliaries[v.Low] && !v.verb()) || strings.HasPrefix(v.Tag, "JJ") && v.Low != "like" {
		return
	}
	h.form, h.next = form, j
}

// possessive returns whose.
func possessive(name string) string {
	if strings.HasSuffix(name, "s") {
		return name + "'"
	}
	return name + "'s"
}

// date writes a relative expression of time for somebody who does not know when
// it was said. ok is false for what stays as it is.
func (h *shifter) date(e timex.Expr, i, from int) (string, bool) {
	if !e.Resolved() || !e.Relative {
		return "", false
	}
	// "Yesterday's talk" is about as good as "the talk of yesterday".
	if e.End < len(h.s.Text) && (h.s.Text[e.End] == '\'' || strings.HasPrefix(h.s.Text[e.End:], "’")) {
		return e.Phrase, true
	}
	if i > from && placing[h.s.Words[i-1].Low] {
		if h.s.Words[i-1].Low == "the" {
			return strings.TrimPrefix(e.Phrase, "the "), true
		}
		return e.Phrase, true
	}
	return preposition(e) + e.Phrase, true
}

// preposition is what stands before the phrase of a time; empty where the
// phrase does without.
func preposition(e timex.Expr) string {
	switch {
	case e.Vague:
		return ""
	case strings.HasPrefix(e.Phrase, "the "):
		if e.Grain == timex.Day || e.Grain == timex.Weekend {
			return "on "
		}
		return "in "
	case e.Grain == timex.Day:
		if c := e.Phrase[0]; c >= '0' && c <= '9' {
			return "on "
		}
		return ""
	case e.Grain == timex.Week, e.Grain == timex.Weekend:
		return ""
	case e.Grain == timex.Season:
		return "in the "
	}
	return "in "
}
