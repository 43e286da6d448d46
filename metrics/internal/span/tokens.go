package span

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

// A kind says what a token is.
type kind byte

const (
	word kind = iota
	number
	day // of a month
	month
	year
	clock
	kinds // how many there are
)

// A token is a content word, by its stem, or a value. Long answers have many, so it is
// small.
type token struct {
	text     string
	place    int32 // among all words of the text
	sentence int32
	clause   int32 // separated by commas, colons, brackets and dashes
	opening  int32 // a number for the first two words of its sentence
	ors      int32 // number of "or" in the text up to it
	denied   int32 // words back to the negation that governs it, 0 for none
	kind     kind
}

// A class is what a word may be, as bits.
type class uint16

const (
	function   class = 1 << iota // irrelevant to whether an answer is right
	negative                     // denies what follows
	contrast                     // ends the reach of a negation: "not in Rome but in Paris", "not until May"
	pronoun                      // begins another clause
	determiner                   // may begin one
	monthName
	numberWord
	synonym
)

// lexicon has the words that are more than their stems.
var lexicon = func() map[string]class {
	all := make(map[string]class)
	for c, words := range map[class]string{
		function: `a an the this that these those and or but nor so of in on at to for from by with
about into onto over after before during since until as than then there here is are was were be been being
am do does did doing done have has had having will would can could shall should may might must it its he
him his she her hers they them their theirs we us our i me my you your who whom whose which what when where
why how also just very too up out if while because s t re ve ll d m im any some such own same both each
during through per via etc e g`,
		negative: `not no never neither nor without cannot didnt doesnt dont isnt wasnt werent hasnt havent
hadnt wont wouldnt couldnt cant shouldnt arent nt`,
		contrast:   "but however though although whereas while instead only until till unless except besides because since",
		pronoun:    "i we you he she it they there this that these those who which",
		determiner: "a an the his her its their my our so as",
	} {
		for w := range strings.FieldsSeq(words) {
			all[w] |= c
		}
	}
	for w := range months {
		all[w] |= monthName
	}
	for w := range numberWords {
		all[w] |= numberWord
	}
	for w := range synonyms {
		all[w] |= synonym
	}
	return all
}()

var months = func() map[string]int {
	m := make(map[string]int)
	for i, name := range strings.Fields("january february march april may june july august september october november december") {
		m[name], m[name[:3]] = i+1, i+1
	}
	m["sept"] = 9
	return m
}()

// monthTexts are the texts of months as tokens, by their numbers.
var monthTexts = func() (texts [13]string) {
	for i := range texts {
		texts[i] = "month" + strconv.Itoa(i)
	}
	return texts
}()

var numberWords = func() map[string]int {
	m := make(map[string]int)
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		m[w] = i
	}
	for i, w := range strings.Fields("thirty forty fifty sixty seventy eighty ninety") {
		m[w] = 30 + 10*i
	}
	for i, w := range strings.Fields("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth") {
		m[w] = i + 3
	}
	m["first"], m["once"], m["twice"], m["thrice"], m["dozen"] = 1, 1, 2, 3, 12
	return m
}()

// synonyms are other ways to write one word.
var synonyms = map[string]string{
	"mom": "mother", "mum": "mother", "mommy": "mother", "dad": "father", "daddy": "father",
	"kid": "child", "kids": "child", "children": "child", "photo": "picture", "photograph": "picture", "pic": "picture",
	"tv": "television", "bike": "bicycle", "fridge": "refrigerator", "usa": "us", "u.s": "us",
	"men": "man", "women": "woman", "people": "person", "feet": "foot", "lives": "life", "wives": "wife",
	"went": "go", "gone": "go", "bought": "buy", "got": "get", "made": "make", "took": "take", "gave": "give", "given": "give",
	"saw": "see", "seen": "see", "told": "tell", "said": "say", "felt": "feel", "found": "find", "left": "leave", "lost": "lose",
	"won": "win", "ran": "run", "wrote": "write", "written": "write", "began": "begin", "met": "meet", "taught": "teach",
	"thought": "think", "brought": "bring", "kept": "keep", "held": "hold", "spent": "spend", "drew": "draw", "drawn": "draw",
	"ate": "eat", "eaten": "eat", "drove": "drive", "grew": "grow", "knew": "know", "known": "know", "became": "become", "chose": "choose", "chosen": "choose",
}

// A rawWord is a run of letters and digits.
type rawWord struct {
	text             string // in lowercase
	class            class
	capital          bool // it begins with one
	dollars          bool // "$" stands before it
	sentence, clause int32
}

func (w rawWord) is(c class) bool { return w.class&c != 0 }

// plain removes commas from numbers and apostrophes from words, and drops a
// possessive 's.
func plain(low string) string {
	low = strings.ReplaceAll(strings.ReplaceAll(low, "’", "'"), ",", "")
	return strings.ReplaceAll(strings.TrimSuffix(low, "'s"), "'", "")
}

// nextWord returns where the first word of a text begins and ends: a run of letters, digits
// and marks, with apostrophes between letters, and points, commas and colons between digits.
// Both are the length of the text if there is none.
func nextWord(s string) (start, end int) {
	start = strings.IndexFunc(s, inWord)
	if start < 0 {
		return len(s), len(s)
	}
	var last rune
	for end = start; end < len(s); {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !inWord(r) {
			next, _ := utf8.DecodeRuneInString(s[end+size:])
			letters := (r == '\'' || r == '’') && unicode.IsLetter(last) && unicode.IsLetter(next)
			digits := (r == '.' || r == ',' || r == ':') && unicode.IsDigit(last) && unicode.IsDigit(next)
			if !letters && !digits {
				return start, end
			}
		}
		last, end = r, end+size
	}
	return start, end
}

// inWord reports whether a character is of a word wherever it is.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// split cuts a text into words.
func split(s string) []rawWord {
	words := make([]rawWord, 0, len(s)/5+1)
	sentence, clause := int32(0), int32(0)
	for {
		start, end := nextWord(s)
		if start == len(s) {
			return words
		}
		gap := s[:start]
		for _, r := range gap {
			switch r {
			case '.', '!', '?', '\n', ';':
				sentence++
				clause++
			case ',', ':', '(', ')', '—':
				clause++
			}
		}
		words = append(words, newWord(s[start:end], strings.HasSuffix(gap, "$"), sentence, clause))
		s = s[end:]
	}
}

func newWord(text string, dollars bool, sentence, clause int32) rawWord {
	first, _ := utf8.DecodeRuneInString(text)
	low := plain(strings.ToLower(text))
	return rawWord{low, lexicon[low], unicode.IsUpper(first), dollars, sentence, clause}
}

// parse returns the tokens of a text.
func parse(s string) []token {
	words := split(isoDates(s))
	if len(words) == 0 {
		return nil
	}
	size := make([]int32, words[len(words)-1].clause+1) // words of clauses
	for _, w := range words {
		size[w.clause]++
	}
	tokens := make([]token, 0, 2*len(words)/3+1)
	opening, ors, denied := int32(0), int32(0), negation{at: -1}
	openings := make(map[[2]string]int32)
	add := func(i int, text string, k kind) {
		w := words[i]
		tokens = append(tokens, token{
			text: text, kind: k, place: int32(i), sentence: w.sentence, clause: w.clause, opening: opening, ors: ors,
			denied: denied.back(i),
		})
	}
	for i := 0; i < len(words); i++ {
		w := words[i].text
		if i == 0 || words[i-1].sentence != words[i].sentence {
			key := [2]string{w}
			if i+1 < len(words) {
				key[1] = words[i+1].text
			}
			if _, ok := openings[key]; !ok {
				openings[key] = int32(len(openings))
			}
			opening = openings[key]
		}
		if denied.at >= 0 && denied.ends(words[i-1], words[i], size[words[i].clause]) {
			denied.at = -1
		}
		switch {
		case words[i].is(negative):
			if w == "no" || w == "never" {
				if denied.at != i-1 {
					denied.at = -1
				}
				add(i, w, word)
			}
			denied = negation{i, w == "without"}
			continue
		case w == "or":
			ors++
			continue
		case isMonth(words, i):
			add(i, monthTexts[months[w]], month)
			continue
		case words[i].is(function):
			continue
		}
		if t, ok := clockTime(words, i); ok {
			add(i, t, clock)
			continue
		}
		if n, used, ok := readNumber(words, i); ok {
			text, whole := strconv.FormatFloat(n, 'f', -1, 64), n == math.Trunc(n) && used == 1
			switch {
			case whole && n >= 1900 && n < 2100:
				add(i, text, year)
			case whole && n >= 1 && n <= 31 && (isMonth(words, i-1) || isMonth(words, i+1) || i+1 < len(words) && words[i+1].text == "of" && isMonth(words, i+2)):
				add(i, "day"+text, day)
			default:
				add(i, text, number)
			}
			i += used - 1
			continue
		}
		if words[i].is(synonym) {
			w = synonyms[w]
		}
		add(i, pytext.Stem(w), word)
	}
	return tokens
}

// isMonth reports whether there is a word at i that names a month; may and mar are also
// words, unless a number is next to them or they are capitalized within a sentence.
func isMonth(words []rawWord, i int) bool {
	if i < 0 || i >= len(words) || !words[i].is(monthName) {
		return false
	}
	w := words[i].text
	if w != "may" && w != "march" && w != "mar" && w != "sep" && w != "dec" && w != "jan" {
		return true
	}
	beside := func(j int) bool {
		return j >= 0 && j < len(words) && words[j].text[0] >= '0' && words[j].text[0] <= '9'
	}
	return words[i].capital && (beside(i-1) || beside(i+1) || beside(i-2) || beside(i+2) || i > 0 && words[i-1].sentence == words[i].sentence) || len(words) == 1
}

// readNumber reads a number in digits or words at i, and returns how many words it takes.
func readNumber(words []rawWord, i int) (n float64, used int, ok bool) {
	w := words[i].text
	if w[0] >= '0' && w[0] <= '9' {
		digits := strings.TrimRight(w, "stndrhkm")
		x, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return 0, 0, false
		}
		switch w[len(digits):] {
		case "", "st", "nd", "rd", "th":
		case "k":
			x *= 1000
		case "m":
			if words[i].dollars {
				x *= 1e6
			}
		default:
			return 0, 0, false
		}
		if i+1 < len(words) && words[i+1].text == "million" {
			return x * 1e6, 2, true
		}
		return x, 1, true
	}
	if !words[i].is(numberWord) {
		return 0, 0, false
	}
	x := numberWords[w]
	n, used = float64(x), 1
	if x >= 20 && x%10 == 0 && i+1 < len(words) && words[i+1].clause == words[i].clause {
		if y, ok := numberWords[words[i+1].text]; ok && y > 0 && y < 10 {
			n, used = n+float64(y), 2
		}
	}
	if i+used < len(words) {
		switch words[i+used].text {
		case "hundred":
			n, used = n*100, used+1
		case "thousand":
			n, used = n*1000, used+1
		}
	}
	return n, used, true
}

// clockForm is 7, 7:30, 7pm or 19:00.
var clockForm = regexp.MustCompile(`^([0-9]+)(:[0-9]+)?(am|pm)?$`)

// clockTime reads 7:30, 7 pm, 19:00.
func clockTime(words []rawWord, i int) (string, bool) {
	m := clockForm.FindStringSubmatch(words[i].text)
	if m == nil {
		return "", false
	}
	half := m[3]
	if half == "" && i+1 < len(words) && (words[i+1].text == "am" || words[i+1].text == "pm") {
		half = words[i+1].text
	}
	if half == "" && m[2] == "" {
		return "", false
	}
	h, err := strconv.Atoi(m[1])
	minutes, _ := strconv.Atoi(strings.TrimPrefix(m[2], ":")) // 0 for none
	if err != nil || h > 24 || minutes > 59 {
		return "", false
	}
	if half == "pm" && h < 12 {
		h += 12
	}
	if half == "am" && h == 12 {
		h = 0
	}
	return "clock" + strconv.Itoa(h*60+minutes), true
}

// isoDates writes 2023-05-07 as 7 May 2023.
func isoDates(s string) string {
	digit := func(i int) bool { return i >= 0 && i < len(s) && '0' <= s[i] && s[i] <= '9' }
	for i := 0; i+10 <= len(s); i++ {
		if s[i+4] != '-' || s[i+7] != '-' || digit(i-1) || digit(i+10) {
			continue
		}
		if day, err := time.Parse(time.DateOnly, s[i:i+10]); err == nil {
			date := day.Format("2 January 2006")
			s = s[:i] + date + s[i+10:]
			i += len(date) - 1
		}
	}
	return s
}

const (
	// negationReach is the least number of words that a negation governs, if its clause
	// is that long; it governs more if the gold answer is longer.
	negationReach = 10
	// shortClause is the largest number of words of a list item that begins as a clause
	// could.
	shortClause = 3
)

// A negation governs the words after it up to the end of its clause. Its place is -1
// if there is none.
type negation struct {
	at      int
	without bool // governs no list after a comma
}

// back is how many words before the one at i the negation stands, or 0.
func (n negation) back(i int) int32 {
	if n.at < 0 {
		return 0
	}
	return int32(i - n.at)
}

// ends reports whether a negation before a word does not govern it: a sentence or a
// contrast begins there or, after a comma, a clause that is not an item of a list ("not
// painting, hiking, running"). size is the number of words in the clause.
func (n negation) ends(before, w rawWord, size int32) bool {
	switch {
	case w.is(contrast), before.sentence != w.sentence:
		return true
	case before.text == "and":
		return w.is(pronoun)
	case before.clause == w.clause:
		return false
	}
	return n.without || before.is(negative) || w.is(pronoun|determiner) ||
		strings.HasSuffix(w.text, "ing") && size > shortClause
}

// reachOver is how many words a negation reaches over when a gold answer is searched
// for: none for one that is itself negated.
func reachOver(gold []rawWord) int {
	if slices.ContainsFunc(gold, func(w rawWord) bool { return w.is(negative) }) {
		return 0
	}
	return max(negationReach, len(gold)+2)
}

// denies reports whether a token is governed by a negation that reaches some words.
func denies(t token, reach int) bool { return t.denied > 0 && int(t.denied) <= reach }
