package memory

import "strings"

// third returns the form of a verb behind the name of one person, from the one
// behind "I" or "you".
func third(w *Word) string {
	low := w.Low
	switch low {
	case "am", "are", "'m", "'re":
		return "is"
	case "have", "'ve":
		return "has"
	case "were":
		return "was"
	case "'ll":
		return "will"
	case "do", "does":
		return "does"
	case "'d":
		return "would"
	case "wanna":
		return "wants to"
	case "gotta":
		return "has to"
	}
	if w.Tag == "VBD" || w.Tag == "VBZ" || w.Tag == "VBN" || w.Tag == "VBG" || modals[low] || irregularPast[low] ||
		strings.HasSuffix(low, "ed") || w.mark() || low == "gonna" {
		return w.Low
	}
	return singular(low)
}

// singular adds the ending of the third person to the base form of a verb.
func singular(low string) string {
	n := len(low)
	switch {
	case n < 2:
		return low
	case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "x"), strings.HasSuffix(low, "z"),
		strings.HasSuffix(low, "ch"), strings.HasSuffix(low, "sh"), strings.HasSuffix(low, "o"):
		return low + "es"
	case low[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(low[n-2])):
		return low[:n-1] + "ies"
	}
	return low + "s"
}

// many returns the form of a verb behind "they", from the one behind "I".
func many(w *Word) string {
	switch w.Low {
	case "am", "'m", "'re":
		return "are"
	case "was":
		return "were"
	case "'ve":
		return "have"
	case "'ll":
		return "will"
	case "'d":
		return "would"
	}
	return w.Low
}

// irregularPast are past forms that do not end in "ed". They take no ending.
var irregularPast = set(`
was were had did went got came saw took made gave found told knew thought felt left kept began wrote ran ate
drank drove flew grew met paid bought brought built caught chose drew fell fought forgot heard held hid hit hurt
led lost meant rode rose said sang sat sent set slept sold spent spoke stood stole swam taught threw understood
woke wore won became blew bent bit dealt dug fed froze hung laid lay lit sought shook shone shot sank slid stuck
struck swept tore wound wept knit
`)

// adapt writes the verb at i, which has its subject before it, in the form of
// another person. A "'d" is "had" before a participle.
func adapt(words []Word, i int, form func(*Word) string) string {
	w := &words[i]
	if w.Low == "'d" {
		j := i + 1
		for j < len(words) && words[j].adverb() {
			j++
		}
		if j < len(words) && (words[j].Low == "better" || words[j].Tag == "VBN" || words[j].Low == "been") {
			return "had"
		}
	}
	return form(w)
}
