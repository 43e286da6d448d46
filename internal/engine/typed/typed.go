// Package typed finds values from closed lists in texts, so that an answer can be scored
// by what it names and not by its wording.
//
// A value has a [Kind]. Most kinds have a list, for example some 250 places; dates and
// numbers have rules. An [Expected] says which values an answer has to name, which it may
// name, and which show that a memory is out of date or has not forgotten.
package typed

import (
	_ "embed" // for the lists
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"recallbench/internal/calc/lists"
)

// A Kind is a kind of value.
type Kind string

// The kinds. Those above Date have a list.
const (
	Place   Kind = "place"
	Company Kind = "company"
	Street  Kind = "street"
	Title   Kind = "title"
	Dish    Kind = "dish"
	Pet     Kind = "pet"
	Person  Kind = "person"
	Date    Kind = "date"   // a day of a year's calendar, such as "14 March"
	Number  Kind = "number" // a whole number below a million, in decimal digits
)

// Kinds returns all kinds, those with a list first.
func Kinds() []Kind { return []Kind{Place, Company, Street, Title, Dish, Pet, Person, Date, Number} }

// Expected is what an answer is scored against. The lists have values of one kind
// as [Find] returns them; a value that is in none of them is wrong.
type Expected struct {
	Kind Kind `json:"kind"`
	// Required must all be in the answer; empty if the right answer is that
	// nothing is known.
	Required []string `json:"required,omitempty"`
	// Allowed neither help nor harm, such as values in the question.
	Allowed []string `json:"allowed,omitempty"`
	// Stale were true, or taken to be true, but no longer are when the question is asked.
	Stale []string `json:"stale,omitempty"`
	// Forgotten are what somebody asked to have forgotten.
	Forgotten []string `json:"forgotten,omitempty"`
	// Neighbour is set if the answer was stated together with something that was
	// to be forgotten.
	Neighbour bool `json:"neighbour,omitempty"`
	// Derived is set if no text contains the answer, as for a count.
	Derived bool `json:"derived,omitempty"`
}

// Check returns what is wrong with e; nil for nothing.
func (e *Expected) Check() error {
	if !slices.Contains(Kinds(), e.Kind) {
		return fmt.Errorf("kind is %q, want one of %q", e.Kind, Kinds())
	}
	for _, values := range [][]string{e.Required, e.Allowed, e.Stale, e.Forgotten} {
		for _, v := range values {
			if found := Find(e.Kind, v); !slices.Equal(found, []string{v}) {
				return fmt.Errorf("%q is not a known %s, or not in its normal form", v, e.Kind)
			}
		}
	}
	return nil
}

//go:embed values.txt
var file string

// valuesOf reads the file of values: the values of each kind in order.
var valuesOf = sync.OnceValue(func() map[Kind][]string {
	all := make(map[Kind][]string)
	for line := range strings.Lines(file) {
		kind, values, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(kind, "#") {
			continue
		}
		combined := []string{""}
		for factor := range strings.SplitSeq(values, " * ") {
			var longer []string
			for _, head := range combined {
				for value := range strings.SplitSeq(factor, ", ") {
					longer = append(longer, strings.TrimSpace(head+" "+value))
				}
			}
			combined = longer
		}
		all[Kind(kind)] = combined
	}
	return all
})

// Values returns the list of a kind, in order; nil for dates and numbers.
func Values(k Kind) []string { return slices.Clone(valuesOf()[k]) }

// A listed value, by its words in lowercase.
type listed struct {
	words []string
	value string
}

// indexes are the listed values of each kind by their first words, longest first.
var indexes = sync.OnceValue(func() map[Kind]map[string][]listed {
	all := make(map[Kind]map[string][]listed)
	for kind, values := range valuesOf() {
		index := make(map[string][]listed)
		for _, v := range values {
			words := wordsOf(v)
			index[words[0]] = append(index[words[0]], listed{words, v})
		}
		for _, l := range index {
			slices.SortStableFunc(l, func(a, b listed) int { return len(b.words) - len(a.words) })
		}
		all[kind] = index
	}
	return all
})

// wordsOf returns the runs of letters and digits of a text, in lowercase.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Find returns the distinct values of a kind that a text names, in order of their first
// mention. Case and the characters between words do not matter. Dates are written as "14
// March", whatever their year, and numbers in digits.
func Find(k Kind, text string) []string {
	switch k {
	case Date:
		found, _ := dates(text)
		return found
	case Number:
		return numbers(text)
	default:
	}
	index := indexes()[k]
	words := wordsOf(text)
	var found []string
	for i := 0; i < len(words); i++ {
		for _, l := range index[words[i]] {
			if i+len(l.words) <= len(words) && slices.Equal(l.words, words[i:i+len(l.words)]) {
				found = lists.AddNew(found, l.value)
				i += len(l.words) - 1
				break
			}
		}
	}
	return found
}

const month = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// monthsInOrder are the first three letters of each.
const monthsInOrder = "janfebmaraprmayjunjulaugsepoctnovdec"

// datePattern matches a day before its month, behind it, and in ISO 8601, with a year.
var datePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? ` + month + `|` + month + `\.? (\d{1,2})(?:st|nd|rd|th)?|\d{4}-(\d\d)-(\d\d))\b(?:,? \d{4}\b)?`)
})

// DateValue writes a day as a value.
func DateValue(t time.Time) string { return t.Format("2 January") }

// dates returns the days that a text names, and the text without them.
func dates(text string) (found []string, rest string) {
	rest = datePattern().ReplaceAllStringFunc(text, func(match string) string {
		m := datePattern().FindStringSubmatch(match)
		day, _ := strconv.Atoi(m[1] + m[4] + m[6])
		number, _ := strconv.Atoi(m[5])
		if name := m[2] + m[3]; name != "" {
			number = strings.Index(monthsInOrder, strings.ToLower(name[:3]))/3 + 1
		}
		if number < 1 || number > 12 || day < 1 || day > 31 {
			return match
		}
		found = lists.AddNew(found, fmt.Sprintf("%d %s", day, time.Month(number)))
		return " "
	})
	return found, rest
}

// numberWords are the numbers that people write in words.
var numberWords = map[string]int{
	"zero": 0, "once": 1, "one": 1, "twice": 2, "two": 2, "thrice": 3, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
	"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// digits match a number of up to six digits, with commas between thousands or without.
var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d{1,3}(?:,\d{3})\b|\b\d{1,6}\b|\pL+`) })

// numbers returns the numbers that a text names except those of dates: in digits, and in
// words up to 999.
func numbers(text string) []string {
	_, text = dates(text)
	var found []string
	value, open := 0, false // of an unfinished number in words
	end := func() {
		if open {
			found = lists.AddNew(found, strconv.Itoa(value))
		}
		value, open = 0, false
	}
	for _, word := range digits().FindAllString(text, -1) {
		word = strings.ToLower(word)
		n, isWord := numberWords[word]
		switch {
		case word[0] >= '0' && word[0] <= '9':
			end()
			n, _ := strconv.Atoi(strings.ReplaceAll(word, ",", ""))
			found = lists.AddNew(found, strconv.Itoa(n))
		case word == "hundred" && open && value < 10:
			value *= 100
		case word == "and" && open && value >= 100 && value%100 == 0:
		case isWord && open && continues(value, n):
			value += n
		case isWord:
			end()
			value, open = n, true
		default:
			end()
		}
	}
	end()
	return found
}

// continues reports whether a number in words continues with n: "twenty" with "four",
// "three hundred" with "twelve".
func continues(value, n int) bool {
	return n > 0 && (value >= 100 && value%100 == 0 && n < 100 || value >= 20 && value%10 == 0 && value%100 != 0 && n < 10)
}

// A Planted is a value that a conversation states about somebody, as it is at its end.
type Planted struct {
	Kind  Kind
	Value string
	// Forgotten is set if somebody asked to have it forgotten.
	Forgotten bool
}

// Holdings count the planted values that stored items contain.
type Holdings struct {
	Planted, Held     int // values that hold, and those that any item names
	Items, Noise      int // items, and those that name no planted value of either sort
	Doubles           int // items whose text another item has before them
	Forgotten, Leaked int // values to be forgotten, and those that any item names
}

// Hold looks for planted values in items.
func Hold(planted []Planted, items []string) Holdings {
	h := Holdings{Items: len(items)}
	kinds := lists.Distinct(planted, func(p Planted) Kind { return p.Kind })
	named, seen := make(map[Planted]bool), make(map[string]bool)
	for _, text := range items {
		if seen[text] {
			h.Doubles++
		}
		seen[text] = true
		holds := false
		for _, kind := range kinds {
			for _, v := range Find(kind, text) {
				for _, forgotten := range []bool{false, true} {
					if p := (Planted{kind, v, forgotten}); slices.Contains(planted, p) {
						named[p], holds = true, true
					}
				}
			}
		}
		if !holds {
			h.Noise++
		}
	}
	for _, p := range planted {
		switch {
		case p.Forgotten && named[p]:
			h.Leaked++
			fallthrough
		case p.Forgotten:
			h.Forgotten++
		case named[p]:
			h.Held++
			fallthrough
		default:
			h.Planted++
		}
	}
	return h
}

// Numbers returns the holdings by name, as the record of a memory's ingest keeps them.
func (h Holdings) Numbers() map[string]float64 {
	return map[string]float64{
		"planted": float64(h.Planted), "planted-held": float64(h.Held),
		"stored-items": float64(h.Items), "stored-noise": float64(h.Noise), "stored-doubles": float64(h.Doubles),
		"forgotten": float64(h.Forgotten), "forgotten-held": float64(h.Leaked),
	}
}
