package metrics

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// terms are what [FactualRecallSpec] compares: the values of a text in its order.
type terms struct {
	list []term
	// joined has each term between two spaces; at has where each begins in it.
	joined string
	at     []int
}

// A term is a word, a number, a time or a code, with its position in bytes.
type term struct {
	text       string // normalised, without white space
	start, end int
}

func newTerms(s string) terms {
	list := scanTerms(s)
	list = spellOut(s, list)
	list = tellTimes(s, list)
	list = slices.DeleteFunc(list, func(t term) bool { return t.text == "a" || t.text == "an" || t.text == "the" })
	t := terms{list: list, at: make([]int, len(list))}
	var b strings.Builder
	for i, w := range list {
		b.WriteByte(' ')
		t.at[i] = b.Len()
		b.WriteString(w.text)
	}
	b.WriteByte(' ')
	t.joined = b.String()
	return t
}

// find returns the ranges of terms that are a span, without overlaps; none for
// a span without terms.
func (t terms) find(span terms) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		n := len(span.list)
		if n == 0 {
			return
		}
		for at := 0; ; {
			i := strings.Index(t.joined[at:], span.joined)
			if i < 0 {
				return
			}
			from, _ := slices.BinarySearch(t.at, at+i+1)
			if !yield(from, from+n) {
				return
			}
			at += i + len(span.joined) - 1
		}
	}
}

// scanTerms splits a text into runs of letters and digits, numbers with the
// marks inside of them, and signs that stand for words.
func scanTerms(s string) []term {
	list := make([]term, 0, len(s)/5+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		end := i + size
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			end = runEnd(s, i)
			if digits := digitsEnd(s, i); digits == end {
				end = numberEnd(s, end)
			} else if digits > i && (strings.EqualFold(s[digits:end], "am") || strings.EqualFold(s[digits:end], "pm")) {
				list = append(list, term{s[i:digits], i, digits})
				i = digits
			}
			if text := fold(s[i:end]); text != "" {
				list = append(list, term{text, i, end})
			}
		case strings.ContainsRune("£$€%&", r):
			list = append(list, term{s[i:end], i, end})
		}
		i = end
	}
	return list
}

// runEnd returns where the run of letters, digits and marks at i ends.
func runEnd(s string, i int) int {
	n := strings.IndexFunc(s[i:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	if n < 0 {
		return len(s)
	}
	return i + n
}

func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// numberEnd returns where a number ends whose first digits end at i: it
// continues after a colon, a period, a slash, or a comma before thousands.
func numberEnd(s string, i int) int {
	for i+1 < len(s) && strings.IndexByte(":./,", s[i]) >= 0 {
		end := digitsEnd(s, i+1)
		if end == i+1 || s[i] == ',' && end != i+4 {
			break
		}
		i = end
	}
	return i
}

// fold returns a word without case, accents and white space.
func fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// joins reports whether only spaces and hyphens stand between two terms.
func joins(s string, a, b term) bool {
	return strings.Trim(s[a.end:b.start], " -\u2010\u2011\u00a0") == ""
}

// The words of numbers with their values.
var (
	cardinals = numbered(0, 1, "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens      = numbered(20, 10, "twenty thirty forty fifty sixty seventy eighty ninety")
	ordinals  = numbered(1, 1, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
)

func numbered(from, step int, list string) map[string]int {
	m := make(map[string]int)
	for w := range strings.FieldsSeq(list) {
		m[w] = from + step*len(m)
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

// tellTimes replaces terms that tell a clock time with hh:mm, and writes
// numbers, amounts of money and telephone numbers in one way.
func tellTimes(s string, list []term) []term {
	out := make([]term, 0, len(list))
	l := newLine(s, list)
	for i := 0; i < len(list); {
		if text, n := l.time(i); n > 0 {
			out = append(out, term{text, list[i].start, list[i+n-1].end})
			i += n
			continue
		}
		t := list[i]
		i++
		numeric := t.text[0] >= '0' && t.text[0] <= '9'
		switch {
		case numeric && t.text[0] == '0' && len(t.text) > 2 && isNumber(t.text):
			for i < len(list) && len(list[i].text) > 2 && len(t.text)+len(list[i].text) <= maxPhone && isNumber(list[i].text) && strings.Trim(s[t.end:list[i].start], " -()") == "" {
				t.text, t.end = t.text+list[i].text, list[i].end
				i++
			}
		case numeric:
			t.text = plainNumber(t.text)
		case currencies[t.text] != "" && i < len(list) && isAmount(list[i].text) && joins(s, t, list[i]):
			amount := list[i]
			i++
			amount.text, amount.start = plainNumber(amount.text), t.start
			out = append(out, amount)
			t.text = currencies[t.text]
		case unitsOfMoney[t.text] != "" && i > 1 && isAmount(list[i-2].text) && joins(s, list[i-2], t):
			t.text = unitsOfMoney[t.text]
		case t.text == "%":
			t.text = "percent"
		case t.text == "per" && i < len(list) && list[i].text == "cent" && joins(s, t, list[i]):
			t = term{"percent", t.start, list[i].end}
			i++
		case t.text == "&":
			t.text = "and"
		}
		out = append(out, t)
	}
	return out
}

// maxPhone is the largest number of digits of a telephone number by E.164.
const maxPhone = 15

var currencies = map[string]string{"£": "pounds", "$": "dollars", "€": "euros", "gbp": "pounds"}

var unitsOfMoney = map[string]string{"pound": "pounds", "gbp": "pounds", "dollar": "dollars", "euro": "euros"}

// isAmount reports whether a term is a number, possibly with decimals.
func isAmount(text string) bool { return text != "" && strings.Trim(text, "0123456789.,") == "" }

// A line has terms and the text between them, so that patterns can find times: a mark
// of the gap before each term, a semicolon after it.
type line struct {
	text string
	at   []int // where each term begins in it
}

func newLine(s string, list []term) line {
	var b strings.Builder
	var l line
	end := 0
	for _, t := range list {
		l.at = append(l.at, b.Len())
		switch gap := s[end:t.start]; {
		case strings.Trim(gap, " -\u00a0") == "":
			b.WriteByte(' ')
		case strings.Trim(gap, " -\u2010\u2011\u00a0") == "":
			b.WriteByte('-')
		case strings.TrimSpace(gap) == ".":
			b.WriteByte('.')
		default:
			b.WriteByte('|')
		}
		b.WriteString(t.text)
		b.WriteByte(';')
		end = t.end
	}
	l.text = b.String()
	return l
}

// timeForms are the ways to tell a time in a line. A half of the day is "pm", "a.m." or
// "in the evening".
var timeForms = func() (forms []*regexp.Regexp) {
	const (
		hour   = `(?P<hour>[0-9]{1,2})`
		minute = `(?P<minute>[0-9]{2});`
		clock  = `(?:[ -]o;.clock;)`
		half   = `(?P<half> [ap]m;| [ap];\.m;| in;[ -]the;[ -](?:morning|afternoon|evening);| at;[ -]night;)`
	)
	for _, form := range []string{
		`(?:12;[ -])?(?P<noon>noon|midday|midnight);`,
		`(?P<past>half;[ -]past|quarter;[ -]past|quarter;[ -]to);[ -]` + hour + `;` + clock + `?` + half + `?`,
		hour + `:` + minute + clock + `?` + half + `?`,
		hour + `\.` + minute + clock + half + `?`, // otherwise it is a decimal
		hour + `\.` + minute + half,
		hour + `;[ -]` + minute + half,
		hour + `;` + clock + half + `?`,
		hour + `;` + half,
	} {
		forms = append(forms, regexp.MustCompile("^."+form))
	}
	return forms
}()

var timeBegins = regexp.MustCompile(`^.(?:[0-9]|noon|midday|midnight|half|quarter)`)

// time reads the time at term i as hh:mm; n is the number of its terms, or 0.
func (l line) time(i int) (text string, n int) {
	if !timeBegins.MatchString(l.text[l.at[i]:]) {
		return "", 0
	}
	for _, form := range timeForms {
		m := form.FindStringSubmatch(l.text[l.at[i]:])
		if m == nil {
			continue
		}
		found := make(map[string]string)
		for k, name := range form.SubexpNames() {
			found[name] += m[k]
		}
		if text = clockTime(found); text == "" {
			return "", 0
		}
		return text, strings.Count(m[0], ";")
	}
	return "", 0
}

// clockTime writes a time by its parts, as [timeForms] names them. It is empty if there is
// no such hour or minute.
func clockTime(of map[string]string) string {
	switch of["noon"] {
	case "noon", "midday":
		return "12:00"
	case "midnight":
		return "00:00"
	}
	h, _ := strconv.Atoi(of["hour"])
	m, _ := strconv.Atoi(of["minute"]) // 0 for none
	past, half := of["past"], of["half"]
	if strings.HasSuffix(past, "to") && h == 0 {
		h = 24
	}
	night := strings.Contains(half, "night")
	morning := strings.HasPrefix(half, " a") && !night || strings.Contains(half, "morning")
	afternoon := half != "" && !morning && !night
	switch {
	case h > 24 || m > 59 || afternoon && h == 0:
		return ""
	case night && h >= 5 && h < 12, afternoon && h < 12:
		h += 12
	case (morning || night) && h == 12:
		h = 0
	}
	switch {
	case strings.HasPrefix(past, "half"):
		m = 30
	case strings.HasSuffix(past, "past"):
		m = 15
	case past != "":
		h, m = h+23, 45
	}
	return fmt.Sprintf("%02d:%02d", h%24, m)
}
