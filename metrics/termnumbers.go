package metrics

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var cardinals = words(0, "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")

var tens = map[string]int{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var ordinals = words(1, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")

func words(from int, list string) map[string]int {
	m := make(map[string]int)
	for w := range strings.FieldsSeq(list) {
		m[w] = from + len(m)
	}
	return m
}

// determiners make a pronoun of a "one" after them.
var determiners = []string{"the", "this", "that", "which", "no", "any", "every", "each", "some", "another", "other", "only", "last", "next", "same"}

// numberForm is a number in words at the beginning of a line: "first", "twenty-one", "two
// hundred and fifth", "three thousand".
var numberForm = func() *regexp.Regexp {
	one, first := anyOf(cardinals), anyOf(ordinals)
	decade := anyOf(tens)
	ordinal := "(?:" + decade + ";[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth);|" + first + ";)"
	cardinal := "(?:" + decade + ";(?:[ -](?:one|two|three|four|five|six|seven|eight|nine);)?|" + one + ";)"
	hundreds := "[ -]hundred;"
	more := "[ -](?:and;[ -])?"
	return regexp.MustCompile("^.(?:" + ordinal +
		"|(?:" + cardinal + "|a;)" + hundreds + more + ordinal +
		"|(?:" + cardinal + "|a;)" + hundreds + "(?:" + more + cardinal + ")?(?:[ -]thousand;)?" +
		"|a;[ -]thousand;|" + cardinal + "(?:[ -]thousand;)?)")
}()

// anyOf is a pattern of one of the words.
func anyOf(words map[string]int) string {
	return "(?:" + strings.Join(slices.Sorted(maps.Keys(words)), "|") + ")"
}

// spellOut replaces number words with numbers.
func spellOut(s string, list []term) []term {
	out := make([]term, 0, len(list))
	l := newLine(s, list)
	for i := 0; i < len(list); {
		found := numberForm.FindString(l.text[l.at[i]:])
		n := strings.Count(found, ";")
		switch {
		case n == 0:
			out = append(out, list[i])
			n = 1
		case n == 1 && list[i].text == "one" && i > 0 && slices.Contains(determiners, list[i-1].text) && joins(s, list[i-1], list[i]):
			out = append(out, list[i])
		default:
			out = append(out, term{numeral(found), list[i].start, list[i+n-1].end})
		}
		i += n
	}
	return out
}

// numeral writes the number of a line in digits.
func numeral(line string) string {
	x, suffix := 0, ""
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch w {
		case "a":
			x = 1
		case "hundred":
			x *= 100
		case "thousand":
			x *= 1000
		default: // "and" is none of these
			x += cardinals[w] + tens[w] + ordinals[w]
			if ordinals[w] > 0 {
				suffix = ending(x)
			}
		}
	}
	return strconv.Itoa(x) + suffix
}

// ending returns the letters after the digits of an ordinal.
func ending(x int) string {
	if x%100/10 != 1 {
		switch x % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// plainNumber returns a number in its one normal form: without commas, without
// zeros at the end of decimals and before a single digit.
func plainNumber(text string) string {
	text = strings.ReplaceAll(text, ",", "")
	switch {
	case strings.Count(text, ".") == 1 && !strings.ContainsAny(text, ":/"):
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	case len(text) == 2 && text[0] == '0' && isNumber(text):
		return text[1:]
	}
	return text
}

// isNumber reports whether a term is digits alone.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
