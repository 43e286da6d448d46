package reader

import (
	"strings"
)

// parts of a town.
var compass = map[string]string{
	"centre": "centre", "center": "centre", "central": "centre", "downtown": "downtown",
	"north": "north", "northern": "north", "south": "south", "southern": "south",
	"east": "east", "eastern": "east", "west": "west", "western": "west",
}

func area(words []word, i int) (value, bool) {
	text := compass[words[i].low]
	if text == "" {
		return value{}, false
	}
	v := value{from: i, to: i + 1, text: text, fit: possible}
	next, prev := at(words, i+1), at(words, i-1)
	switch {
	case next == "part" || next == "area" || next == "side" || next == "of" || next == "end" || next == "section":
		v.fit = sure
	case prev == "the" || prev == "in" || prev == "city" && at(words, i-2) == "the" || prev == "town":
		v.fit = likely
	}
	return v, true
}

// dishes are words that the kind of food stands before.
var dishes = set("food foods cuisine restaurant restaurants dishes fare meals meal place eatery cooking")

// food finds the words before "food", "restaurant" and their like, and what
// stands behind "serves".
func food(words []word, i int) (value, bool) {
	w := &words[i]
	if w.punct || !describes(w) || i > 0 && describes(&words[i-1]) && !words[i-1].punct {
		return value{}, false
	}
	end := i
	for end < len(words) && describes(&words[end]) && end < i+4 {
		end++
	}
	k := end
	for k < len(words) && vague[words[k].low] {
		k++
	}
	head := at(words, k)
	served := behind(words, i, 2, serving) || behind(words, i, 4, foodLabels) && at(words, i-1) == "is"
	switch {
	case head == "food" || head == "cuisine" || head == "foods" || served:
		return value{from: i, to: end, fit: sure}, true
	case dishes[head]:
		return value{from: i, to: end, fit: likely}, true
	case end == i+1 && strings.HasPrefix(w.tag, "JJ") && (at(words, i-1) == "is" || at(words, i-1) == "'s"):
		return value{from: i, to: end, fit: unlikely}, true
	}
	return value{}, false
}

var (
	serving    = set("serve serves served serving offer offers offering")
	foodLabels = set("cuisine food")
)

// vague are adjectives that say nothing about the kind of a thing.
var vague = list("vague")

// describes reports whether a word can say of what kind something is.
func describes(w *word) bool {
	if w.punct || w.class != content || vague[w.low] || dishes[w.low] || smallNumbers[w.low] || serving[w.low] {
		return false
	}
	return strings.HasPrefix(w.tag, "JJ") || isNoun(w.tag) || w.tag == "VBG" && w.upper
}

// colours are the colours that cars and the like are described with.
var (
	colours   = set("red blue green yellow purple pink orange black white brown gray grey gold silver beige")
	carLabels = set("car type taxi vehicle")
)

// car finds a colour and what has it: the make of a car.
func car(words []word, i int) (value, bool) {
	if !colours[words[i].low] {
		return value{}, false
	}
	end := i + 1
	for end < len(words) && end < i+4 && !words[end].punct && words[end].class == content && !strings.HasPrefix(words[end].tag, "VB") && words[end].low != "contact" {
		end++
	}
	v := value{from: i, to: end, fit: possible}
	if end > i+1 {
		v.fit = likely
	}
	if behind(words, i, 6, carLabels) {
		v.fit = sure
	}
	return v, true
}

// placeKind finds the noun phrase behind "is a", or behind a number: "two swimming
// pools".
func placeKind(words []word, i int) (value, bool) {
	w := &words[i]
	if describes(w) && (i == 0 || !describes(&words[i-1])) {
		end := i
		for end < len(words) && describes(&words[end]) && !siteNouns[words[end].low] && end < i+3 {
			end++
		}
		if end > i && siteNouns[at(words, end)] && !notKinds[words[end-1].low] {
			return value{from: i, to: end, fit: likely}, true
		}
	}
	if w.low == "category" && at(words, i+1) == "of" && i+2 < len(words) {
		return value{from: i + 2, to: i + 3, fit: sure}, true
	}
	_, _, number := isNumber(w)
	many := number || w.low == "many" || w.low == "several" || w.low == "multiple"
	if w.low != "a" && w.low != "an" && !many {
		return value{}, false
	}
	from, end := i+1, i+1
	for end < len(words) && end < i+7 && (isNoun(words[end].tag) || strings.HasPrefix(words[end].tag, "JJ") || words[end].tag == "VBG" || vague[words[end].low]) && !words[end].punct {
		end++
	}
	for from < end && vague[words[from].low] {
		from++
	}
	for end > from && vague[words[end-1].low] {
		end--
	}
	if from == end || !isNoun(words[end-1].tag) || notKinds[singular(words[end-1].low)] || notKinds[words[end-1].low] {
		return value{}, false
	}
	v := value{from: from, to: end, fit: possible}
	before := at(words, i-1)
	switch next := at(words, end); {
	case many:
		if w.low == "multiple" {
			v.from = i
		}
	case before == "is", before == "'s", before == "are", before == "was", next == "called", next == "named":
		v.fit = sure
	}
	return v, true
}

// siteNouns are what a word for the kind of a place stands before.
var siteNouns = set("attraction attractions venue venues site sites place places")

// notKinds are nouns behind "a" that say nothing of what kind something is.
var notKinds = list("notKinds")
