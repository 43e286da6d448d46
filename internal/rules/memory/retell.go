package memory

import (
	"context"
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
	for _, l := range lines {
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
		t.line(nameOf(l), sentences)
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
			t.add(told{text: speaker + ` said: "` + text + `"`, weight: float64(min(len(text)/foreignWord, foreignMost)), stems: stemsOf(s.Words)})
		case s.Question:
			t.asked, t.asker = s, speaker
		default:
			for k, c := range clauses(s) {
				if i == 0 && k == 0 && asked != nil {
					t.answer(v, asked, asker, c)
				}
				if c = c.trim(t.voices); c.from == c.to {
					continue
				}
				t.clause(first, v, asked, c)
			}
		}
	}
}

func stemsOf(words []Word) (stems []uint64) {
	seen := make(map[uint64]bool, len(words))
	for i := range words {
		if w := &words[i]; w.informs() && !seen[w.Stem] {
			seen[w.Stem] = true
			stems = append(stems, w.Stem)
		}
	}
	return stems
}

func (t *teller) add(s told) {
	s.words = strings.Count(s.text, " ") + 1
	t.out = append(t.out, s)
}

// clause retells one clause. What leans on the sentence before it in the same
// line is joined to it.
func (t *teller) clause(first int, v voice, asked *Sentence, c clause) {
	s := c.tell(v, t.voices)
	if !s.loose {
		t.add(s)
		return
	}
	if len(s.stems) == 0 || s.idle {
		return
	}
	if n := len(t.out); n > first {
		last := &t.out[n-1]
		text := strings.TrimPrefix(s.text, v.speaker+" said")
		if last.words+s.words <= joinedWords && !last.image && text != s.text {
			last.text += "; " + strings.TrimLeft(text, ": ")
			last.words += s.words
			last.stems = append(last.stems, s.stems...)
			last.weight += float64(len(s.stems)) / 2
			return
		}
	} else if asked != nil && !c.finite() && !polar(asked) && len(stemsOf(asked.Words)) > 0 {
		s.text = "Asked " + quote(asked) + ", " + strings.Replace(s.text, " said: ", " said ", 1)
		s.stems = append(s.stems, stemsOf(asked.Words)...)
		s.weight += 1 - fragmentWeight
		s.loose = false
	}
	t.add(s)
}

// polar reports whether a question wants a yes or a no.
func polar(q *Sentence) bool {
	for i := range q.Words {
		w := &q.Words[i]
		if w.mark() || w.Kind == Filler || openers[w.Low] {
			continue
		}
		return auxiliaries[w.Low]
	}
	return false
}

// answer tells of a yes or a no.
func (t *teller) answer(v voice, asked *Sentence, asker string, c clause) {
	words := c.words()
	for len(words) > 0 && (words[0].mark() || words[0].Kind == Filler && !affirmations[words[0].Low] && !denials[words[0].Low]) {
		words = words[1:]
	}
	if len(words) == 0 || !polar(asked) {
		return
	}
	var said string
	switch {
	case affirmations[words[0].Low]:
		said = "yes"
	case denials[words[0].Low]:
		said = "no"
	default:
		return
	}
	stems := stemsOf(asked.Words)
	if len(stems) == 0 {
		return
	}
	t.add(told{
		text:  "Asked by " + asker + " " + quote(asked) + ", " + v.speaker + " said " + said,
		stems: stems, weight: float64(len(stems)),
	})
}

// quote is a question as it was said, its end where it is long.
func quote(q *Sentence) string {
	words := q.Words
	if len(words) > quotedWords {
		words = words[len(words)-quotedWords:]
	}
	return `"` + q.Text[words[0].Start:words[len(words)-1].End] + `?"`
}

// remark tells what an image shows.
func (t *teller) remark(first int, v voice, s *Sentence) {
	stems := stemsOf(s.Words)
	if len(stems) == 0 {
		return
	}
	text := clip(s.source(), foreignBytes)
	label := s.label()
	switch {
	case picture(label):
		t.add(told{
			text: v.speaker + " shared an image of " + text, image: true,
			stems: stems, weight: float64(len(stems)) + imageWeight,
		})
	case label != "" && len(t.out) > first && t.out[len(t.out)-1].image: // the words that found it
		last := &t.out[len(t.out)-1]
		last.text += " (" + label + ": " + text + ")"
	default:
		t.add(told{text: v.speaker + " noted: " + text, stems: stems, weight: float64(len(stems))})
	}
}

// picture reports whether a label says that a caption follows.
func picture(label string) bool {
	switch label {
	case "image", "images", "photo", "picture", "caption", "image caption", "photo caption", "shared image", "shared photo":
		return true
	}
	return false
}
