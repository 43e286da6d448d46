package timex

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ambiguous are names of days and months that are other words too, with the spelling
// that they have in tokens.line where the text has a capital. Alone they are names
// only with a capital.
var ambiguous = map[string]string{
	"sat": "Sat", "mon": "Mon", "wed": "Wed", "may": "May", "march": "March", "mar": "Mar", "jun": "Jun", "dec": "Dec",
}

// parts are named parts of patterns, each of which may use those before it. Every word
// has a blank behind it.
var parts = [][2]string{
	{"YEAR", `(?:19|20)\d\d `},
	{"MONTH", `(?:january|jan|february|feb|March|Mar|april|apr|May|june|Jun|july|jul|august|aug|september|sep|sept|october|oct|november|nov|december|Dec) `},
	{"NTH", `(?:twenty - (?:` + strings.Join(ordinals[:9], "|") + `)|thirty - first|` + strings.Join(ordinals, "|") + `|thirtieth|(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)) `},
	{"DAY", `(?:<NTH>|(?:0?[1-9]|[12]\d|3[01]) )`},
	{"ISO", `<YEAR>- \d+ - <DAY>`},
	{"NAMED", `(?:(?:the ){0,3}<DAY>(?:of ){0,3}<MONTH>|<MONTH>(?:\. ){0,3}(?:the ){0,3}<DAY>)`},
	{"DATE", `(?:<ISO>|<NAMED>(?:(?:, |of ){0,3}<YEAR>)?)`},
	{"DATED", `(?:<ISO>|<NAMED>(?:, |of ){0,3}<YEAR>)`},
	{"MONTHDATE", `(?:<MONTH>(?:\. ){0,3}(?:[,'] |of ){0,3}<YEAR>|(?P<alone><MONTH>))`},
	{"WEEKDAY", `(?:sunday|monday|Mon|mon|tuesday|tue|tues|wednesday|Wed|wed|thursday|thurs|thur|thu|friday|fri|saturday|Sat|sat)`},
	{"SEASON", `(?:spring|summer|fall|autumn|winter) `},
	{"UNIT", `(?:day|night|week|wk|fortnight|weekend|month|year|yr|decade)`},
	{"SHORT", `(?:hour|hr|minute|min|second|sec)`},
	{"ONES", `one|two|three|four|five|six|seven|eight|nine`},
	{"TENS", `twenty|thirty|forty|fifty|sixty`},
	{"NUMBER", `(?:<TENS>) - (?:<ONES>) |(?:<TENS>|<ONES>|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|\d{1,4}) `},
	{"COUNT", `(?:(?:an? )?couple (?:of ){0,3}|(?:a )?few |an? |several |many |<NUMBER>)`},
	{"PAST", `(?:this (?:past|last) |(?:last|past|previous) (?:past ){0,3})`},
	{"NEXT", `(?:this (?:coming|upcoming|next) |(?:next|coming|upcoming|following) )`},
	{"LONG", `(?:the ){0,3}(?:(?:<PAST>|<NEXT>|this )(?:<MONTH>|<SEASON>|(?:month|year|yr) )|(?:<PAST>|<NEXT>)<COUNT>(?:month|year|yr|decade)s? )`},
}

// openers returns the words with which an expression can begin, besides those of
// digits: most words of a text need not be matched against the grammar.
var openers = sync.OnceValue(func() map[string]bool {
	parts := []string{"MONTH", "NTH", "WEEKDAY", "SEASON", "UNIT", "COUNT", "PAST", "NEXT"}
	pattern := expand("<"+strings.Join(parts, "><")+">") +
		"the early late mid beginning start middle end at in within once twice every each daily weekly monthly yearly annually yesterday today tonight tomorrow"
	return set(regexp.MustCompile(`[A-Za-z]+`).FindAllString(pattern, -1)...)
})

// expand writes the parts of a pattern out.
func expand(pattern string) string {
	for _, part := range slices.Backward(parts) {
		pattern = strings.ReplaceAll(pattern, "<"+part[0]+">", part[1])
	}
	return pattern
}

func compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`^(?P<all>` + expand(pattern) + `)`)
}

// A production reads one kind of expression.
type production struct {
	pattern *regexp.Regexp
	// before are the words of which one has to stand before the expression or, with
	// not, none; nil for any.
	before    map[string]bool
	not       bool
	frequency bool
	check     func(match) (Expr, bool) // nil takes what the pattern matches
}

// grammar returns the productions in the order in which they are tried.
var grammar = sync.OnceValue(func() []production {
	return []production{
		// "the first weekend of August", "the end of November 2022", "late July", "mid-2021"
		{pattern: compile(`(?:the ){0,3}(?:(?:early|late|mid) (?:(?:-|in|the) ){0,3}|(?:beginning|start|middle|end) of (?:the ){0,3}|(?:first|second|third|fourth|fifth|last) <UNIT>s? (?:of|in) (?:the ){0,3})(?:(?P<date><DATE>)|<MONTHDATE>|<YEAR>|<LONG>)`), check: part},
		// "7 May 2023", "May 7th", "2023-05-07", "May 2023", "May"
		{pattern: compile(`<DATE>|<MONTHDATE>`), check: dated},
		// "on the 13th"
		{pattern: compile(`the <NTH>)(?:[.,!?;)-] |(?:and|but|so|with|after|before|at|in|for|to|from|because|when|i|we|they|he|she|it) |$`), before: set("on", "until", "till", "by", "since")},
		// "the week before 9 June 2023"
		{pattern: compile(`(?:the ){0,3}(?:<WEEKDAY>|<UNIT>) (?:before|after|of) <DATED>`)},
		// "daily", "every other week", "three times a month", "once in a while"
		{frequency: true, pattern: compile(`(?:daily|weekly|monthly|yearly|annually) `)},
		{frequency: true, pattern: compile(`(?:every|each) (?:(?:single|other|few|couple|of) ){0,3}(?:<COUNT>)?(?:<UNIT>s?|<WEEKDAY>s?|morning|evening|afternoon|summer|winter|spring|fall|hour) `)},
		{frequency: true, pattern: compile(`(?:at (?:least|most) )?(?:(?:once|twice) (?:or twice )?|<COUNT>(?:or <COUNT>)?(?:times?|days) )(?:in a while |(?:an?|per|every|each) (?:(?:single|other) ){0,3}(?:<COUNT>)?(?:<UNIT>|<SHORT>)s? )`)},
		// "yesterday", "the other day", "this morning"
		{pattern: compile(`(?:the day before yesterday|the day after tomorrow|the other (?:day|night|week)|yesterday|today|tonight|tomorrow|last (?:night|evening)|this (?:morning|afternoon|evening)) `)},
		// "over the weekend", "this past weekend", "next Friday", "the last few weeks"
		{pattern: compile(`(?P<past>(?:the ){1,3}weekend )`), before: set("over", "on", "during", "at", "for"), check: notBefore},
		{pattern: compile(`(?:the ){0,3}(?:(?:<PAST>|<NEXT>|this )(?:<WEEKDAY> |<MONTH>|<SEASON>)|(?:<PAST>|<NEXT>)<COUNT><UNIT>s? )`)},
		{pattern: compile(`(?:the ){0,3}(?:(?P<past><PAST>)|<NEXT>|this )(?:day|night|week|wk|fortnight|weekend|month|year|yr) `), check: notBefore},
		// "two days ago", "in two weeks", "for four years", "two weeks before 11 August 2023"
		{pattern: compile(`(?:(?:in|within) (?:(?:about|around|just|another) ){0,3})?(?P<count><COUNT>)(?:- )?(?:(?P<short><SHORT>s? )|<UNIT>s? (?P<anchor>(?:ago|back) |from (?:now|today) |(?:before|after) <DATED>)?)`), check: counted},
		// "Tuesday"
		{pattern: compile(`(?:sunday|monday|Mon|tuesday|tues?|wednesday|Wed|thursday|thurs?|thu|friday|fri|saturday|Sat) `), before: set("every", "each"), not: true},
		// "summer of 2021", "in 2019"
		{pattern: compile(`(?P<season><SEASON>)(?:(?:of|,|in) ){0,3}<YEAR>`), check: dated},
		{pattern: compile(`<YEAR>`), check: dated, before: set("in", "since", "of", "from", "until", "till", "by", "during", "around", "early", "late", "before", "after", "year", "about", "and", "to", "mid")},
		{pattern: compile(`<YEAR>$`), check: dated, before: map[string]bool{"": true}},
	}
})

func set(words ...string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range words {
		m[w] = true
	}
	return m
}

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
		return Expr{}, monthly[m.wordBefore(at)]
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
var monthly = set(
	"in", "on", "of", "since", "by", "until", "till", "from", "during", "this", "last", "next", "early", "late", "mid", "for",
	"to", "around", "and", "between", "through",
)

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
		case slices.Contains(ordinals, w):
			day += slices.Index(ordinals, w) + 1
		case len(w) >= 3 && strings.Contains(monthNames, strings.ToLower(w[:3])):
			month = time.Month(strings.Index(monthNames, strings.ToLower(w[:3]))/4 + 1)
		}
	}
	return year, month, day
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec"

// ordinals are the days of a month as words, from the first to the twentieth.
var ordinals = []string{
	"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth",
	"fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
}
