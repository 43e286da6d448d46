package memory

import (
	"strings"

	"recallbench/internal/text/english"
)

// thirds are verbs behind "I" or "you" that change by no rule behind the name of
// one person, plurals those that change behind "they".
var (
	thirds = map[string]string{
		"am": "is", "are": "is", "'m": "is", "'re": "is", "have": "has", "'ve": "has", "were": "was", "'ll": "will",
		"do": "does", "does": "does", "'d": "would", "wanna": "wants to", "gotta": "has to", "gonna": "gonna",
	}
	plurals = map[string]string{"am": "are", "'m": "are", "'re": "are", "was": "were", "'ve": "have", "'ll": "will", "'d": "would"}
)

// third returns the form of a verb behind the name of one person, from the one
// behind "I" or "you".
func third(w *Word) string {
	low := w.Low
	if form := thirds[low]; form != "" {
		return form
	}
	if w.Tag == "VBD" || w.Tag == "VBZ" || w.Tag == "VBN" || w.Tag == "VBG" || modals[low] || english.Past(low) || strings.HasSuffix(low, "ed") || w.mark() {
		return low
	}
	return english.Third(low)
}

// plural returns the form of a verb behind "they", from the one behind "I".
func plural(w *Word) string {
	if form := plurals[w.Low]; form != "" {
		return form
	}
	return w.Low
}

// adapt writes the verb at i, which has its subject before it, in the form of
// another person. A "'d" is "had" before a participle.
func adapt(words []Word, i int, form func(*Word) string) string {
	if words[i].Low == "'d" && i+1 < len(words) && words[i+1].Tag == "VBN" {
		return "had"
	}
	return form(&words[i])
}
