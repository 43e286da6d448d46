package memory

import (
	"context"
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

const (
	joinedWords   = 30  // the most that a sentence and one that leans on it have together
	quotedWords   = 20  // of a question that is quoted; longer ones are cut in front
	foreignBytes  = 300 // of a sentence in another language
	foreignWord   = 5   // bytes of it that count as a word that informs
	foreignMost   = 4   // such words
	heldSentences = 2000
)

// A teller retells lines in order.
type teller struct {
	voices *voices
	out    []told
	asked  *Sentence // the question that the last line ended with
	asker  string
}

// retell puts what lines say in the third person, questions and chatter left
// out.
func (r *Rules) retell(ctx context.Context, lines []llm.Line) (*teller, error) {
	t := &teller{voices: voicesOf(lines)}
	for i, l := range lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(t.out) >= heldSentences {
			break
		}
		sentences, err := r.analyser.Sentences(l.Text, l.Time)
		if err != nil {
			return nil, err
		}
		first := len(t.out)
		t.line(nameOf(l), sentences)
		for k := first; k < len(t.out); k++ {
			t.out[k].line = i
		}
	}
	return t, nil
}

// line retells a line.
func (t *teller) line(speaker string, sentences []Sentence) {
	v := voice{speaker, t.voices.to(speaker)}
	asked, asker := t.asked, t.asker
	if asker == speaker {
		asked = nil
	}
	t.asked = nil
	first := len(t.out)
	for i := range sentences {
		s := &sentences[i]
		switch {
		case s.Remark:
			t.remark(first, v, s)
		case s.foreign():
			text := clip(s.source(), foreignBytes)
			t.out = append(t.out, told{text: speaker + ` said: "` + text + `"`, weight: float64(min(len(text)/foreignWord, foreignMost)), stems: stems(s.Words)})
		case s.Question:
			t.asked, t.asker = s, speaker
		default:
			if i == 0 && asked != nil {
				t.answer(speaker, asked, asker, s.Words)
			}
			if c := (clause{s, 0, len(s.Words)}).trim(t.voices); c.from < c.to {
				t.clause(first, v, asked, c)
			}
		}
	}
}

// clause retells one clause. What leans on the sentence before it in the same
// line is joined to it, and a fragment to the question that it answers.
func (t *teller) clause(first int, v voice, asked *Sentence, c clause) {
	s := c.tell(v, t.voices)
	if s.loose && (len(s.stems) == 0 || s.idle) {
		return
	}
	if n := len(t.out); s.loose && n > first {
		last := &t.out[n-1]
		if text, said := strings.CutPrefix(s.text, v.speaker+" said"); said && last.words()+s.words() <= joinedWords && !last.image {
			last.text += "; " + strings.TrimLeft(text, ": ")
			last.stems = append(last.stems, s.stems...)
			last.weight += float64(len(s.stems)) / 2
			return
		}
	} else if s.loose && asked != nil && !c.finite() && !polar(asked) {
		if about := stems(asked.Words); len(about) > 0 {
			s.text = "Asked " + quote(asked) + ", " + strings.Replace(s.text, " said: ", " said ", 1)
			s.stems = append(s.stems, about...)
			s.weight += 1 - fragmentWeight
		}
	}
	t.out = append(t.out, s)
}

// polar reports whether a question wants a yes or a no.
func polar(q *Sentence) bool {
	i := slices.IndexFunc(q.Words, func(w Word) bool { return !w.mark() && w.Kind != Filler && !openers[w.Low] })
	return i >= 0 && auxiliaries[q.Words[i].Low]
}

// answer tells of a yes or a no.
func (t *teller) answer(speaker string, asked *Sentence, asker string, words []Word) {
	about := stems(asked.Words)
	if len(about) == 0 || !polar(asked) {
		return
	}
	var said string
	for _, w := range words {
		switch {
		case affirmations[w.Low]:
			said = "yes"
		case denials[w.Low]:
			said = "no"
		case w.Kind == Filler || w.mark():
			continue
		}
		break
	}
	if said != "" {
		t.out = append(t.out, told{text: "Asked by " + asker + " " + quote(asked) + ", " + speaker + " said " + said, stems: about, weight: float64(len(about))})
	}
}

// quote is a question as it was said, its end where it is long.
func quote(q *Sentence) string {
	words := q.Words[max(0, len(q.Words)-quotedWords):]
	return `"` + q.Text[words[0].Start:words[len(words)-1].End] + `?"`
}

// remark tells what an image shows.
func (t *teller) remark(first int, v voice, s *Sentence) {
	informing := stems(s.Words)
	if len(informing) == 0 {
		return
	}
	text := clip(s.source(), foreignBytes)
	switch label := s.label(); {
	case strings.HasSuffix(label, "image") || strings.HasSuffix(label, "photo") || strings.HasSuffix(label, "caption"):
		t.out = append(t.out, told{
			text: v.speaker + " shared an image of " + text, image: true,
			stems: informing, weight: float64(len(informing)) + imageWeight,
		})
	case label != "" && len(t.out) > first && t.out[len(t.out)-1].image: // the words that found it
		t.out[len(t.out)-1].text += " (" + label + ": " + text + ")"
	default:
		t.out = append(t.out, told{text: v.speaker + " noted: " + text, stems: informing, weight: float64(len(informing))})
	}
}
