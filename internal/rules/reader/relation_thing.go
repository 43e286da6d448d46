package reader

import (
	"slices"
	"strings"
)

// occupations are what people work as.
var occupations = list("occupations")

// animals are what people keep.
var animals = union(members[hash(stem("pet"))], set("chick monkey puppy kitten bunny duckling lizard pig mouse rat tarantula lamb"))

// numerals are the words of ages.
var numerals = list("numerals")

// What speaks for a value that a line tells of somebody.
const (
	worthHolder  = 2.0 // said by the one asked about
	worthHeld    = 1.5 // in a sentence that names that one
	worthHearer  = 1.0 // said to whoever listens by somebody who talks with that one
	worthPattern = 1.5
	worthOwned   = -1.0
	leastThing   = 1.0
)

// things weighs what one has or is, or where one lives.
func (k *kinship) things(m *matcher) {
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		x := c.early()
		mentioned := c.speaksOf(k.name)
		switch {
		case k.says(c.line):
			x += worthHolder
		case mentioned:
			x += worthHeld
		case k.beside(c.line) && (s.second() || k.tie == tieTitle):
			x += worthHearer
		default:
			continue
		}
		for i := range s.words {
			n, fit := k.value(s.words, i)
			if n.to == 0 || x+fit < leastThing {
				continue
			}
			k.add(n.text(c.line, s), x+fit, c)
		}
	}
}

// speaksOf reports whether a sentence has a name, or "she" and the like behind one
// that has.
func (c candidate) speaksOf(name []string) bool {
	if c.sentence().has(name) {
		return true
	}
	return c.at > 0 && c.sentence().tells(thirdPerson) &&
		slices.ContainsFunc(c.line.sentences[:c.at], func(s sentence) bool { return s.has(name) })
}

// value finds a value of the type asked for at word i, and how sure that is; the
// name is empty for none.
func (k *kinship) value(words []word, i int) (called, float64) {
	if k.tie == tieTitle {
		return occupation(words, i)
	}
	if k.tie == tieAge {
		return age(words, i)
	}
	if k.tie == tiePlace {
		return location(words, i)
	}
	if k.tie == tieGroup {
		return group(words, i)
	}
	if k.tie == tieWork {
		return workplace(words, i)
	}
	if k.tie == tieSchool {
		return school(words, i)
	}
	if k.tie == tiePet && animals[words[i].low] {
		return called{from: i, to: i + 1}, worthPattern * indicator(owners[at(words, i-1)])
	}
	return called{}, 0
}

// owners are the words by which people have something.
var owners = set("my your our his her their")

// occupation finds what somebody works as: surely behind "a" and a form of "be",
// hardly behind "my", for "my lawyer" is another.
func occupation(words []word, i int) (called, float64) {
	if !occupations[words[i].low] {
		return called{}, 0
	}
	one, before := called{from: i, to: i + 1}, at(words, i-1)
	if owners[before] {
		return one, worthOwned
	}
	if articles[before] {
		return one, worthPattern * indicator(behind(words, i, 5, copulas))
	}
	return one, 0
}

var (
	articles = set("a an the as")
	copulas  = set("'m am 're are is 's was be being as became become")
)

// age finds "31 years old", "a thirtieth birthday", "I'm twelve".
func age(words []word, i int) (called, float64) {
	low := words[i].low
	tens, _, _ := strings.Cut(low, "-")
	if !numerals[tens] && !digits(low) {
		return called{}, 0
	}
	one, next := called{from: i, to: i + 1}, at(words, i+1)
	switch {
	case (next == "years" || next == "year") && at(words, i+2) == "old", next == "birthday":
		return one, worthPattern
	case being[at(words, i-1)] && next != "percent":
		return one, worthPattern / 2
	}
	return called{}, 0
}

var being = set("'m 're turning turn turned still")

// location finds a name behind a preposition of place, or a place that is known.
func location(words []word, i int) (called, float64) {
	if !capital(words, i) || i > 1 && capital(words, i-1) {
		return called{}, 0
	}
	one := called{from: i, to: i + 1}
	for one.to < len(words) && capital(words, one.to) {
		one.to++
	}
	known := places[words[one.to-1].low]
	if i == 0 {
		if known && one.to == len(words) {
			return one, 0
		}
		return called{}, 0
	}
	before := at(words, i-1)
	if located[before] || before == "the" && located[at(words, i-2)] {
		return one, worthPattern * (1 + indicator(known)) / 2
	}
	if known {
		return one, 0
	}
	return called{}, 0
}

// workplace finds a common noun of a place behind "at the", else an organisation.
func workplace(words []word, i int) (called, float64) {
	low, from := words[i].low, i
	if !workplaces[low] || words[i].upper {
		return group(words, i)
	}
	if i > 0 && words[i-1].class == content && isNoun(words[i-1].tag) {
		from-- // "the pizza place"
	}
	return called{from: from, to: i + 1}, worthPattern / 2 * indicator(behind(words, from, 2, located))
}

// school finds a name of a school.
func school(words []word, i int) (called, float64) {
	if !schools[words[i].low] || i == 0 || !words[i-1].upper {
		return group(words, i)
	}
	from := i
	for from > 0 && words[from-1].upper && words[from-1].class == content {
		from--
	}
	return called{from: from, to: i + 1}, worthPattern
}

var (
	workplaces = union(list("placeNouns"), set("coffeehouse place company firm agency factory bank lab laboratory police boutique salon spa"))
	schools    = set("school college university academy institute high")
)

// group finds a name behind a preposition that joins.
func group(words []word, i int) (called, float64) {
	before := at(words, i-1)
	if i == 0 || !capital(words, i) || places[words[i].low] || !grouped[before] && (before != "the" || !grouped[at(words, i-2)]) {
		return called{}, 0
	}
	one := called{from: i, to: i + 1}
	for one.to < len(words) && (words[one.to].upper && !words[one.to].punct || words[one.to].low == "'s" && one.to+1 < len(words) && words[one.to+1].upper) {
		one.to++
	}
	return one, worthPattern / 2
}

// capital reports whether a word with a capital may be one of a name.
func capital(words []word, i int) bool {
	w := &words[i]
	return w.upper && !w.punct && w.class == content && !greetings[w.low] && !weekdays[w.low]
}

var (
	located = set("in to from at near")
	grouped = set("at for with of in from joined join")
)

// digits reports whether a word is a number of at most three digits.
func digits(low string) bool {
	return len(low) <= 3 && strings.Trim(low, "0123456789") == "" && low != ""
}
