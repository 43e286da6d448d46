package timex

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"
)

// ambiguous are names of days and months that are other words too, with the spelling
// that they have in tokens.line where the text has a capital. Alone they are names
// only with a capital.
var ambiguous = map[string]string{
	"sat": "Sat", "mon": "Mon", "wed": "Wed", "may": "May", "march": "March", "mar": "Mar", "jun": "Jun", "dec": "Dec",
}

//go:embed grammar.yaml
var patterns []byte

// A grammar is what grammar.yaml holds.
type grammar struct {
	Parts       [][2]string // names and patterns
	Productions []*production
}

// A production reads one kind of expression.
type production struct {
	Pattern   string
	Before    []string
	Not       bool
	Frequency bool
	Check     string // names the entry of checks; empty takes what the pattern matches
	compiled  *regexp.Regexp
}

// checks refuse what a pattern matches, or place it in the calendar.
var checks = map[string]func(match) (Expr, bool){"part": part, "dated": dated, "notBefore": notBefore, "counted": counted}

var english = sync.OnceValue(func() (g grammar) {
	if err := yaml.Unmarshal(patterns, &g); err != nil {
		panic(err) // the file is part of the program
	}
	for _, p := range g.Productions {
		p.compiled = regexp.MustCompile(`^(?P<all>` + g.expand(p.Pattern) + `)`)
	}
	return g
})

// expand writes the parts of a pattern out.
func (g grammar) expand(pattern string) string {
	for _, part := range slices.Backward(g.Parts) {
		pattern = strings.ReplaceAll(pattern, "<"+part[0]+">", part[1])
	}
	return pattern
}

// openers returns the words with which an expression can begin, besides those of
// digits: most words of a text need not be matched against the grammar.
var openers = sync.OnceValue(func() map[string]bool {
	pattern := english().expand("<MONTH><NTH><WEEKDAY><SEASON><UNIT><COUNT><PAST><NEXT>") +
		"the early late mid beginning start middle end at in within once twice every each daily weekly monthly yearly annually yesterday today tonight tomorrow"
	words := make(map[string]bool)
	for _, w := range regexp.MustCompile(`[A-Za-z]+`).FindAllString(pattern, -1) {
		words[w] = true
	}
	return words
})

// ordinals are the days of a month as words, from the first to the twentieth.
var ordinals = sync.OnceValue(func() []string { return strings.Split(english().expand("<ORDINAL>"), "|") })

// A match is what a pattern matches at an offset of a line.
type match struct {
	line   string
	start  int
	groups []int
	names  []string
}

// group returns what a group matches, or "".
func (m match) group(name string) string {
	i := 2 * slices.Index(m.names, name)
	if i < 0 || m.groups[i] < 0 {
		return ""
	}
	return m.line[m.start+m.groups[i] : m.start+m.groups[i+1]]
}

// wordBefore returns the word that ends before an offset of the line, or "".
func (m match) wordBefore(at int) string {
	line := strings.TrimSuffix(m.line[:at], " ")
	return line[strings.LastIndexByte(line, ' ')+1:]
}

// wordAt returns the word at an offset of the line, or "".
func (m match) wordAt(at int) string {
	word, _, _ := strings.Cut(m.line[at:], " ")
	return word
}

// next returns the word after the match, or "".
func (m match) next() string { return m.wordAt(m.start + m.groups[1]) }

// notBefore refuses "the week" of "the last week before".
func notBefore(m match) (Expr, bool) {
	return Expr{}, m.group("past") == "" || m.next() != "before" || !strings.HasPrefix(m.group("all"), "the ")
}

// counted refuses ages, and "a day", which is mostly no length.
func counted(m match) (Expr, bool) {
	next, before := m.next(), m.wordBefore(m.start)
	switch count := m.group("count"); {
	case next == "old" || next == "-":
		return Expr{}, false
	case m.group("short") != "" || m.group("anchor") != "":
	case next == "since" && slices.Contains([]string{"'s", "is", "been", "it's", "was", "s", "already", "now"}, before):
	case (count == "a " || count == "an ") && strings.HasPrefix(m.group("all"), count):
		return Expr{}, slices.Contains([]string{
			"for", "about", "around", "over", "almost", "nearly", "took", "take", "takes", "lasted", "than", "been", "within",
		}, before)
	}
	return Expr{}, true
}

// part reads a part of a month or year, which is placed where that begins.
func part(m match) (Expr, bool) {
	if m.group("date") != "" {
		return Expr{}, false
	}
	year, month, _ := calendar(strings.Fields(m.group("all")))
	e, ok := dated(m)
	if ok && year > 0 {
		e = Expr{From: time.Date(year, max(month, 1), 1, 0, 0, 0, 0, time.UTC)}
	}
	return e, ok
}

// dated reads where a date, month, season or year begins. A winter is named by the
// year it ends in.
func dated(m match) (Expr, bool) {
	if alone := m.group("alone"); ambiguous[strings.ToLower(strings.TrimSpace(alone))] != "" {
		at := m.start + m.groups[2*slices.Index(m.names, "alone")]
		return Expr{}, slices.Contains(monthly, m.wordBefore(at))
	}
	year, month, day := calendar(strings.Fields(m.group("all")))
	if season := strings.TrimSpace(m.group("season")); season != "" {
		if month = seasons[season]; season == "winter" {
			year--
		}
	}
	from := time.Date(cmp.Or(year, 2024), max(month, 1), max(day, 1), 0, 0, 0, 0, time.UTC)
	switch {
	case month > 12 || day > 0 && from.Day() != day:
		return Expr{}, false // 31 June
	case year == 0:
		return Expr{}, true
	}
	return Expr{From: from, Day: day > 0}, true
}

var seasons = map[string]time.Month{"spring": time.March, "summer": time.June, "fall": time.September, "autumn": time.September, "winter": time.December}

// monthly are the words that make a month of a name that is another word too.
var monthly = []string{
	"in", "on", "of", "since", "by", "until", "till", "from", "during", "this", "last", "next", "early", "late", "mid", "for",
	"to", "around", "and", "between", "through",
}

// calendar reads year, month and day off the words of a date; 0 for what they do not
// name.
func calendar(words []string) (year int, month time.Month, day int) {
	if len(words) == 5 && words[1] == "-" && words[3] == "-" { // 2023-05-07
		year, _ = strconv.Atoi(words[0])
		n, _ := strconv.Atoi(words[2])
		month, words = time.Month(n), words[4:]
	}
	for _, w := range words {
		digits := strings.TrimRight(w, "stndrh")
		switch n, err := strconv.Atoi(digits); {
		case err == nil && len(digits) == 4:
			year = n
		case err == nil:
			day = n
		case w == "twenty":
			day += 20
		case w == "thirty" || w == "thirtieth":
			day += 30
		case slices.Contains(ordinals(), w):
			day += slices.Index(ordinals(), w) + 1
		case len(w) >= 3 && strings.Contains(monthNames, strings.ToLower(w[:3])):
			month = time.Month(strings.Index(monthNames, strings.ToLower(w[:3]))/4 + 1)
		}
	}
	return year, month, day
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec"
