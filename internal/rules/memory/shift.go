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
	for i := from; i < to; i++ {
		for len(times) > 0 && times[0].End <= s.Words[i].Start {
			times = times[1:]
		}
		if len(times) > 0 && s.Words[i].Start == times[0].Start && times[0].Resolved() && times[0].Relative {
			h.put(i, h.date(times[0], i, from))
			for i+1 < to && s.Words[i+1].End <= times[0].End {
				i++
			}
			h.end = s.Words[i].End
			continue
		}
		h.word(i, from, to)
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

// again are pronouns of the first person, and what stands for them once the
// speaker was named. "Yourself" is of nobody in particular as often as of the
// other one.
var again = map[string]string{
	"we": "they", "me": "them", "my": "their", "mine": "theirs", "us": "them", "our": "their", "ours": "theirs",
	"myself": "themselves", "ourselves": "themselves", "yourself": "themselves",
}

// word writes the word at i.
func (h *shifter) word(i, from, to int) {
	w := &h.s.Words[i]
	text := h.s.Text[w.Start:w.End]
	joined := i > from && (h.s.Words[i-1].Low == "and" || h.s.Words[i-1].Low == "or")
	switch {
	case i == h.next:
		text = adapt(h.s.Words, i, h.form)
	case w.Low == "i" || w.Low == "im":
		text = h.speaker
		form := third
		if h.named && !joined {
			text, form = "they", plural
		}
		h.named = true
		h.subject(i, to, form, joined)
	case w.Low == "we":
		text = h.oblique(w.Low)
		h.subject(i, to, plural, false)
	case w.Low == "you":
		text = h.other
		h.subject(i, to, third, joined)
	case strings.HasPrefix(w.Low, "your") && len(w.Low) < 6:
		text = possessive(h.other)
	case again[w.Low] != "":
		text = h.oblique(w.Low)
	default:
		if subjects[w.Low] || w.noun() && i+1 < to && h.s.Words[i+1].finite() && h.s.Words[i+1].Low != "do" {
			h.form = nil
		}
		// "I paint and sing": the second verb has the subject of the first.
		if h.form != nil && joined && w.Tag == "VBP" && !w.Upper && !auxiliaries[w.Low] {
			text = h.form(w)
		}
	}
	h.put(i, text)
}

// oblique returns what stands for a pronoun of the first person other than "I".
func (h *shifter) oblique(low string) string {
	text := again[low]
	if h.named || text == "themselves" {
		return text
	}
	h.named = true
	switch low {
	case "me":
		return h.speaker
	case "we", "us":
		return h.speaker + " and others"
	}
	return possessive(h.speaker)
}

// subject notes that word i is a subject, whose verb is then written in a form.
// With a subject joined to another nothing but "am" changes.
func (h *shifter) subject(i, to int, form func(*Word) string, joined bool) {
	if joined {
		form = plural
	}
	if i+1 < to && h.s.Words[i+1].Low == "and" {
		return
	}
	const reach = 3 // adverbs before the verb
	j := i + 1
	for j < to && j-i <= reach && h.s.Words[j].adverb() {
		j++
	}
	if j >= to {
		return
	}
	v := &h.s.Words[j]
	if i > 0 && h.s.Words[i].Low == "you" && h.s.Words[i-1].verb() && v.Tag == "VB" { // "let you know"
		return
	}
	if v.mark() || v.Kind == Function && !auxiliaries[v.Low] && !v.verb() || strings.HasPrefix(v.Tag, "JJ") && v.Low != "like" {
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
// it was said.
func (h *shifter) date(e timex.Expr, i, from int) string {
	if i > from && h.s.Words[i-1].Low == "the" {
		return strings.TrimPrefix(e.Phrase, "the ")
	}
	the := strings.HasPrefix(e.Phrase, "the ")
	switch owner := strings.ReplaceAll(h.s.Text[e.End:], "’", "'"); { // "yesterday's talk"
	case i > from && placing[h.s.Words[i-1].Low], e.Vague, strings.HasPrefix(owner, "'"):
	case e.Grain == timex.Day && (the || e.Phrase[0] <= '9'), the && e.Grain == timex.Weekend:
		return "on " + e.Phrase
	case e.Grain == timex.Season:
		return "in the " + e.Phrase
	case the, e.Grain != timex.Day && e.Grain != timex.Week && e.Grain != timex.Weekend:
		return "in " + e.Phrase
	}
	return e.Phrase
}
