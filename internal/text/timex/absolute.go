package timex

import (
	"slices"
	"strconv"
	"time"
)

// date reads a date that names its month: "7 May 2023", "May 7th, 2023",
// "7th of May", "May 2023", "May"; and "2023-05-07".
func (p *parser) date() (Expr, int) {
	if y, ok := p.yearAt(0); ok && p.low(1) == "-" && p.low(3) == "-" {
		m, err := strconv.Atoi(p.low(2))
		d, n := p.dayAt(4)
		if err == nil && n == 1 && validDay(y, time.Month(m), d) {
			return Expr{From: date(y, time.Month(m), d)}, 5
		}
		return Expr{}, 0
	}
	i := p.skip(0, "the")
	if d, n := p.dayAt(i); n > 0 {
		j := p.skip(i+n, "of")
		m, ok := p.monthAt(j)
		if !ok {
			return Expr{}, 0
		}
		return p.dayOf(m, d, j+1)
	}
	m, ok := p.monthAt(0)
	if !ok {
		return Expr{}, 0
	}
	i = p.skip(1, ".")
	j := p.skip(i, "the")
	if d, n := p.dayAt(j); n > 0 {
		return p.dayOf(m, d, j+n)
	}
	i = p.skip(i, ",", "of", "'")
	if y, ok := p.yearAt(i); ok {
		return Expr{Grain: Month, From: date(y, m, 1)}, i + 1
	}
	if ambiguous[p.low(0)] && !p.preceded("in", "on", "of", "since", "by", "until", "till", "from", "during", "this", "last", "next", "early", "late", "mid", "for", "to", "around", "and", "between", "through") {
		return Expr{}, 0
	}
	return Expr{Grain: Month}, 1
}

// preceded reports whether the word before the current one is one of words.
func (p *parser) preceded(words ...string) bool { return slices.Contains(words, p.low(-1)) }

// dayOf finishes a day of a month; a year may follow at i.
func (p *parser) dayOf(m time.Month, d, i int) (Expr, int) {
	j := p.skip(i, ",", "of")
	if y, ok := p.yearAt(j); ok {
		if !validDay(y, m, d) {
			return Expr{}, 0
		}
		return Expr{From: date(y, m, d)}, j + 1
	}
	if !validDay(2024, m, d) {
		return Expr{}, 0
	}
	return Expr{}, i
}

// ordinalDay reads a day of the month alone, "on the 13th".
func (p *parser) ordinalDay() (Expr, int) {
	if p.low(0) != "the" || !p.preceded("on", "until", "till", "by", "since") {
		return Expr{}, 0
	}
	w := p.low(1)
	_, n := p.dayAt(1)
	if n == 0 || w[len(w)-1] <= '9' || !closing[p.low(1+n)] {
		return Expr{}, 0
	}
	return Expr{}, n + 1
}

// closing are the words and marks that may follow a day's number when no noun
// does.
var closing = map[string]bool{
	"": true, ".": true, ",": true, "!": true, "?": true, ";": true, "-": true, ")": true, "and": true, "but": true,
	"so": true, "with": true, "after": true, "before": true, "at": true, "in": true, "for": true, "to": true,
	"from": true, "because": true, "when": true, "i": true, "we": true, "they": true, "he": true, "she": true, "it": true,
}

func validDay(y int, m time.Month, d int) bool {
	return m >= 1 && m <= 12 && d >= 1 && date(y, m, d).Day() == d
}

// year reads a year that stands in a place for years: "in 2022", "since
// 2016", "summer 2022", "summer of 2022". A winter is named by the year it ends in.
func (p *parser) year() (Expr, int) {
	if m, ok := seasons[p.low(0)]; ok {
		i := p.skip(1, "of", ",", "in")
		y, ok := p.yearAt(i)
		if !ok {
			return Expr{}, 0
		}
		if p.low(0) == "winter" {
			y--
		}
		return Expr{Grain: Month, From: date(y, m, 1)}, i + 1
	}
	if len(p.words) == 1 || p.preceded("in", "since", "of", "from", "until", "till", "by", "during", "around", "early", "late", "before", "after", "year", "about", "and", "to", "mid") {
		return p.plainYear()
	}
	return Expr{}, 0
}

// plainYear reads a year wherever it stands.
func (p *parser) plainYear() (Expr, int) {
	if y, ok := p.yearAt(0); ok {
		return Expr{Grain: Year, From: date(y, 1, 1)}, 1
	}
	return Expr{}, 0
}

// ordinalPart reads a part of a month or year: "first weekend of August",
// "the beginning of November 2022", "late July", "mid-2021".
func (p *parser) ordinalPart() (Expr, int) {
	start := p.skip(0, "the")
	switch w := p.low(start); w {
	case "early", "late", "mid":
		return p.part(w, unit{}, p.skip(start+1, "-", "in", "the"))
	case "beginning", "start", "middle", "end":
		if p.low(start+1) != "of" {
			return Expr{}, 0
		}
		return p.part(w, unit{}, p.skip(start+2, "the"))
	default:
		u, ok := unitOf(p.low(start + 1))
		if ordinals[w] == 0 || !ok || (p.low(start+2) != "of" && p.low(start+2) != "in") {
			return Expr{}, 0
		}
		return p.part(w, u, p.skip(start+3, "the"))
	}
}

// part finishes ordinalPart at the month or year that word i names.
func (p *parser) part(name string, u unit, i int) (Expr, int) {
	e, n := p.ahead(i, (*parser).date, (*parser).plainYear, (*parser).shifted)
	if n == 0 || e.Grain < Month {
		return Expr{}, 0
	}
	e.Vague = true
	if !e.Resolved() {
		return e, i + n
	}
	end := e.From.AddDate(1, 0, 0)
	if e.Grain == Month {
		end = e.From.AddDate(0, 1, 0)
	}
	length := end.Sub(e.From)
	switch name {
	case "late", "end":
		e.From = end.Add(-length / 3).Truncate(24 * time.Hour)
	case "mid", "middle":
		e.From = e.From.Add(length / 3).Truncate(24 * time.Hour)
	}
	if u.days > 0 && e.Grain == Month {
		e.Grain = u.grain
		if e.From = e.From.AddDate(0, 0, u.days*(ordinals[name]-1)); name == "last" {
			e.From = end.AddDate(0, 0, -u.days)
		}
	}
	return e, i + n
}

// ahead reads with the first production that finds something at word i.
func (p *parser) ahead(i int, productions ...func(*parser) (Expr, int)) (Expr, int) {
	p.at += i
	defer func() { p.at -= i }()
	for _, production := range productions {
		if e, n := production(p); n > 0 {
			return e, n
		}
	}
	return Expr{}, 0
}
