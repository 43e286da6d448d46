package metrics

import (
	"slices"
	"strconv"
	"strings"
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

// determiners make a pronoun of a "one" behind them.
var determiners = []string{"the", "this", "that", "which", "no", "any", "every", "each", "some", "another", "other", "only", "last", "next", "same"}

// spellOut puts numbers for words of numbers.
func spellOut(s string, list []term) []term {
	out := make([]term, 0, len(list))
	for i := 0; i < len(list); {
		text, n := numeral(s, list, i)
		switch {
		case n == 0:
			out = append(out, list[i])
			n = 1
		case n == 1 && list[i].text == "one" && i > 0 && slices.Contains(determiners, list[i-1].text) && joins(s, list[i-1], list[i]):
			out = append(out, list[i])
		default:
			out = append(out, term{text, list[i].start, list[i+n-1].end})
		}
		i += n
	}
	return out
}

// numeral reads the number in words at i; n is 0 for none.
func numeral(s string, list []term, i int) (text string, n int) {
	// next returns the word that follows the first n of the number.
	next := func(n int) string {
		if i+n >= len(list) || n > 0 && !joins(s, list[i+n-1], list[i+n]) {
			return ""
		}
		return list[i+n].text
	}
	// small reads a number below 100 behind the first n words.
	small := func(n int) (x, after int, ordinal bool) {
		w := next(n)
		if x, ok := cardinals[w]; ok {
			return x, n + 1, false
		}
		if x, ok := ordinals[w]; ok {
			return x, n + 1, true
		}
		x, ok := tens[w]
		if !ok {
			return 0, n, false
		}
		w = next(n + 1)
		if y := cardinals[w]; y > 0 && y < 10 {
			return x + y, n + 2, false
		}
		if y := ordinals[w]; y > 0 && y < 10 {
			return x + y, n + 2, true
		}
		return x, n + 1, false
	}
	x, n, ordinal := small(0)
	if n == 0 && next(0) == "a" && (next(1) == "hundred" || next(1) == "thousand") {
		x, n = 1, 1
	}
	if n > 0 && !ordinal && next(n) == "hundred" {
		x, n = x*100, n+1
		from := n
		if next(n) == "and" {
			from++
		}
		if y, after, nth := small(from); after > from {
			x, n, ordinal = x+y, after, nth
		}
	}
	if n > 0 && !ordinal && next(n) == "thousand" {
		x, n = x*1000, n+1
	}
	if n == 0 {
		return "", 0
	}
	if ordinal {
		return strconv.Itoa(x) + ending(x), n
	}
	return strconv.Itoa(x), n
}

// ending returns what stands behind the digits of an ordinal.
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

// plainNumber returns a number in the one way to write it: without commas,
// without zeros at the end of decimals and before a single digit.
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
