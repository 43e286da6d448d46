package reader

import "strings"

// maxSpan bounds an answer taken from one sentence, in words.
const maxSpan = 14

// A span is a part of a sentence that may be the answer.
type span struct {
	candidate
	from, to int // words of the sentence, half open
	score    float64
}

// spans lists the parts of a sentence that could be an answer: they begin and
// end at the borders of phrases.
func spans(s *sentence, yield func(from, to int)) {
	for i := range s.words {
		if !starts(s.words, i) {
			continue
		}
		n := 0
		for j := i; j < len(s.words) && n < maxSpan; j++ {
			w := &s.words[j]
			if w.punct {
				if breaks(w.low) {
					break
				}
				continue
			}
			n++
			if ends(s.words, j) {
				yield(i, j+1)
			}
		}
	}
}

// breaks reports whether no answer runs across the mark.
func breaks(mark string) bool {
	switch mark {
	case ",", "-", "'", `"`, "“", "”", "’", "&", "/", "–", "$", "%", "#", ":", ".":
		return false
	}
	return true
}

// starts reports whether a phrase may begin at word i.
func starts(words []word, i int) bool {
	w := &words[i]
	if w.punct || w.low[0] == '\'' || w.low == "n't" {
		return false
	}
	var prev *word
	if i > 0 {
		prev = &words[i-1]
	}
	switch {
	case w.tag == "IN" && w.low != "like" && w.low != "by" && w.low != "because" && w.low != "as":
		return false
	case w.tag == "CC", w.tag == "MD", w.tag == "EX", w.tag == "UH", w.tag == "POS":
		return false
	case w.class == filler:
		return prev != nil && prev.tag == "DT"
	case auxiliaries[w.low], w.low == "be", w.low == "been", w.low == "am":
		return false
	case w.tag == "PRP":
		return w.low != "i" && w.low != "we" && w.low != "you" && w.low != "me" && w.low != "us"
	case isNoun(w.tag) && prev != nil && (isNoun(prev.tag) || prev.tag == "POS" || prev.low == "'s") && !prev.punct:
		return false
	case strings.HasPrefix(w.tag, "JJ") && prev != nil && strings.HasPrefix(prev.tag, "RB"):
		return w.class == content
	}
	return true
}

// ends reports whether a phrase may end with word j.
func ends(words []word, j int) bool {
	w := &words[j]
	var next *word
	if j+1 < len(words) {
		next = &words[j+1]
	}
	switch {
	case w.punct, w.tag == "DT", w.tag == "IN", w.tag == "TO", w.tag == "CC", w.tag == "PRP$", w.tag == "MD", w.tag == "WDT", w.tag == "WP", w.tag == "WRB", w.tag == "PDT":
		return false
	case w.low == "i" || w.low == "we" || w.low == "so" || w.low == "very" || w.low == "really" || w.low == "just":
		return false
	case auxiliaries[w.low], w.low == "be", w.low == "been", w.low == "'m", w.low == "'re", w.low == "'ve", w.low == "'ll", w.low == "'d", w.low == "n't":
		return false
	case w.low == "'s":
		return false
	}
	if next == nil || next.punct {
		return true
	}
	if next.low == "'s" || next.low == "n't" {
		return false
	}
	nominal := isNoun(w.tag) || strings.HasPrefix(w.tag, "JJ") || w.tag == "CD" || w.tag == "VBN" || w.tag == "RBS" || w.tag == "RBR"
	if nominal && isNoun(next.tag) {
		return false
	}
	if strings.HasPrefix(w.tag, "JJ") && strings.HasPrefix(next.tag, "JJ") {
		return false
	}
	return true
}

// render writes a span as an answer: marks at its ends are dropped and words of
// the first person put into the third.
func (q *query) render(p span) string {
	words := p.sentence().words
	var b strings.Builder
	subject := false // the last word was a subject put into the third person
	for i := p.from; i < p.to; i++ {
		w := &words[i]
		text := w.text
		if !w.punct {
			text = q.third(w, subject)
			subject = w.low == "i" || w.low == "we"
		}
		if b.Len() > 0 && words[i-1].end < w.start {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	text := strings.Trim(strings.TrimSpace(b.String()), ",-–:.'\"“”’& ")
	if text != "" && quotation(words, p.from, p.to) {
		text = `"` + text + `"` // a title keeps its marks
	}
	return text
}

// third turns a word of the first person into the third, with the gender that
// the question uses, if it does. A verb behind the subject follows it.
func (q *query) third(w *word, afterSubject bool) string {
	switch w.low {
	case "my", "our":
		return q.possessive
	case "i", "we":
		return q.nominative
	case "me", "us":
		return q.objective
	}
	if !afterSubject {
		return w.text
	}
	plural := q.nominative == "they"
	switch {
	case (w.low == "'m" || w.low == "am") && plural:
		return map[bool]string{true: "'re", false: "are"}[w.low == "'m"]
	case w.low == "'m":
		return "'s"
	case w.low == "am":
		return "is"
	case plural || w.tag != "VBP":
		return w.text
	case w.low == "have" || w.low == "'ve":
		return map[bool]string{true: "has", false: "'s"}[w.low == "have"]
	case w.low == "are" || w.low == "'re":
		return map[bool]string{true: "is", false: "'s"}[w.low == "are"]
	}
	return singularVerb(w.text)
}

// singularVerb adds the ending of the third person.
func singularVerb(verb string) string {
	for _, end := range []string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(verb, end) {
			return verb + "es"
		}
	}
	if n := len(verb); n > 2 && verb[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(verb[n-2])) {
		return verb[:n-1] + "ies"
	}
	return verb + "s"
}
