package timex

import (
	"strings"
	"time"
)

// A word is a token of the text: letters, digits and inner apostrophes, or
// one mark of punctuation.
type word struct {
	start, end int
	low        string // lower case; straight apostrophes
	upper      bool   // begins with a capital
}

// scan splits text into words. It drops white space; any mark that is neither
// letter nor digit is a word of its own, so that dates keep their commas.
func scan(text string) []word {
	words := make([]word, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case letter(c) || digit(c):
			j := i + 1
			for j < len(text) && (letter(text[j]) || digit(text[j]) || (text[j] == '\'' && j+1 < len(text) && letter(text[j+1]))) {
				// A date glued together, such as "21January", is two words.
				if digit(text[j-1]) && letter(text[j]) && !ordinalAt(text, j) {
					break
				}
				j++
			}
			words = append(words, word{i, j, strings.ToLower(text[i:j]), c >= 'A' && c <= 'Z'})
			i = j
		default:
			j := i + 1
			for j < len(text) && text[j] >= 0x80 && text[j] < 0xC0 {
				j++ // the rest of one UTF-8 sequence
			}
			words = append(words, word{i, j, text[i:j], false})
			i = j
		}
	}
	return words
}

// ordinalAt reports whether the letters at i are the ending of an ordinal.
func ordinalAt(text string, i int) bool {
	if i+2 > len(text) || (i+2 < len(text) && letter(text[i+2])) {
		return false
	}
	switch strings.ToLower(text[i : i+2]) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

var months = map[string]time.Month{
	"january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4,
	"may": 5, "june": 6, "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8,
	"september": 9, "sep": 9, "sept": 9, "october": 10, "oct": 10, "november": 11, "nov": 11,
	"december": 12, "dec": 12,
}

var weekdays = map[string]time.Weekday{
	"sunday": 0, "monday": 1, "mon": 1, "tuesday": 2, "tue": 2, "tues": 2,
	"wednesday": 3, "wed": 3, "thursday": 4, "thu": 4, "thur": 4, "thurs": 4,
	"friday": 5, "fri": 5, "saturday": 6, "sat": 6,
}

// Short names that are words of their own and need more than themselves.
var ambiguous = map[string]bool{"sat": true, "mon": true, "wed": true, "may": true, "march": true, "mar": true, "jun": true, "dec": true}

// seasons maps a season to its first month; winter begins in December of the
// year before.
var seasons = map[string]time.Month{"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}

var numbers = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
	"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
	"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
}

// dayWords are the days of a month as words; "twenty-first" and the like are
// put together from two.
var dayWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
	"ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
	"fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
	"twentieth": 20, "thirtieth": 30,
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1,
}

// A unit is a unit of length: so many days, months or years.
type unit struct {
	days, months, years int
	grain               Grain
}

var (
	dayUnit  = unit{1, 0, 0, Day}
	weekUnit = unit{7, 0, 0, Week}
	yearUnit = unit{0, 0, 1, Year}
)

var units = map[string]unit{
	"day": dayUnit, "night": dayUnit, "week": weekUnit, "wk": weekUnit, "fortnight": {14, 0, 0, Week},
	"weekend": weekUnit, "month": {0, 1, 0, Month}, "year": yearUnit, "yr": yearUnit, "decade": {0, 0, 10, Year},
}

// Units shorter than a day have a length but no place in the calendar.
var short = map[string]bool{"hour": true, "hr": true, "minute": true, "min": true, "second": true, "sec": true}

// unitOf looks a unit up, singular or plural.
func unitOf(w string) (unit, bool) {
	u, ok := units[w]
	if !ok {
		u, ok = units[strings.TrimSuffix(w, "s")]
	}
	return u, ok
}

func shortUnit(w string) bool {
	return short[w] || short[strings.TrimSuffix(w, "s")]
}
