package timex

import (
	"strconv"
	"strings"
	"time"
)

// date reads a date that names its month: "7 May 2023", "May 7th, 2023",
// "7th of May", "May 2023", "May"; and "2023-05-07".
func (p *parser) date() (Expr, int) {
	if y, ok := p.yearAt(0); ok && p.low(1) == "-" && p.low(3) == "-" {
		m, err := strconv.Atoi(p.low(2))
		d, n := p.dayAt(4)
		if err == nil && n == 1 && validDay(y, time.Month(m), d) {
			return dayExpr(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)), 5
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
	if y, ok := p.yearAt(p.skip(i, ",", "of", "'")); ok {
		return monthExpr(time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)), p.skip(i, ",", "of", "'") + 1
	}
	if w := p.low(0); ambiguous[w] && !preceded(p, "in", "on", "of", "since", "by", "until", "till", "from", "during", "this", "last", "next", "early", "late", "mid", "for", "to", "around", "and", "between", "through") {
		return Expr{}, 0
	}
	return p.bareMonth(m, 0), 1
}

// preceded reports whether the word before the current one is one of words.
func preceded(p *parser, words ...string) bool {
	for _, w := range words {
		if p.low(-1) == w {
			return true
		}
	}
	return false
}

// dayOf finishes a day of a month; a year may follow at i.
func (p *parser) dayOf(m time.Month, d, i int) (Expr, int) {
	if y, ok := p.yearAt(p.skip(i, ",", "of")); ok {
		if !validDay(y, m, d) {
			return Expr{}, 0
		}
		return dayExpr(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), p.skip(i, ",", "of") + 1
	}
	if !validDay(2024, m, d) {
		return Expr{}, 0
	}
	e := Expr{Grain: Day, Phrase: strconv.Itoa(d) + " " + m.String()}
	if p.anchored() {
		t := p.nearest(p.today(), func(y int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) })
		e.From, e.To, e.Phrase = t, addDays(t, 1), FormatDay(t)
	}
	return e, i
}

// bareMonth is a month without a year, the one nearest to the anchor; shift
// is -1 for the last one, 1 for the next and 0 for the nearest.
func (p *parser) bareMonth(m time.Month, shift int) Expr {
	if !p.anchored() {
		return Expr{Grain: Month}
	}
	now := monthStart(p.today(), 0)
	var t time.Time
	switch {
	case shift < 0 && m >= now.Month():
		t = time.Date(now.Year()-1, m, 1, 0, 0, 0, 0, time.UTC)
	case shift > 0 && m <= now.Month():
		t = time.Date(now.Year()+1, m, 1, 0, 0, 0, 0, time.UTC)
	case shift != 0:
		t = time.Date(now.Year(), m, 1, 0, 0, 0, 0, time.UTC)
	default:
		t = p.nearest(now, func(y int) time.Time { return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC) })
	}
	return monthExpr(t)
}

// lookAhead is how far a date without a year may lie ahead when nothing in the
// sentence speaks of the future: people tell of the past more than of plans.
const lookAhead = 120 * 24 * time.Hour

// nearest returns the candidate of the years around t that is meant: the next
// one in a sentence about the future, else the last one, unless the next is
// near.
func (p *parser) nearest(t time.Time, of func(year int) time.Time) time.Time {
	next := of(t.Year())
	if next.Before(t) {
		next = of(t.Year() + 1)
	}
	last := of(next.Year() - 1)
	ahead := next.Sub(t)
	if p.future() || (ahead <= lookAhead && ahead <= t.Sub(last)) {
		return next
	}
	return last
}

// ordinalDay reads a day of the month alone, "on the 13th": the last such day,
// or the next in a sentence about the future.
func (p *parser) ordinalDay() (Expr, int) {
	if p.low(0) != "the" || !preceded(p, "on", "until", "till", "by", "since") {
		return Expr{}, 0
	}
	w := p.low(1)
	d, n := p.dayAt(1)
	if n == 0 || w[len(w)-1] <= '9' || !closing[p.low(1+n)] {
		return Expr{}, 0
	}
	n++
	e := Expr{Grain: Day, Relative: true}
	if !p.anchored() {
		return e, n
	}
	now := p.today()
	step := -1
	if p.future() {
		step = 1
	}
	for i := range 3 {
		first := monthStart(now, i*step)
		t := time.Date(first.Year(), first.Month(), d, 0, 0, 0, 0, time.UTC)
		if t.Month() == first.Month() && ((step < 0 && !t.After(now)) || (step > 0 && !t.Before(now))) {
			e = dayExpr(t)
			break
		}
	}
	e.Relative = true
	return e, n
}

// closing are the words and marks that may follow a day's number when no noun
// does.
var closing = map[string]bool{
	"": true, ".": true, ",": true, "!": true, "?": true, ";": true, "-": true, ")": true, "and": true, "but": true,
	"so": true, "with": true, "after": true, "before": true, "at": true, "in": true, "for": true, "to": true,
	"from": true, "because": true, "when": true, "i": true, "we": true, "they": true, "he": true, "she": true, "it": true,
}

func validDay(y int, m time.Month, d int) bool {
	return m >= 1 && m <= 12 && d >= 1 && time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Day() == d
}

func dayExpr(t time.Time) Expr {
	return Expr{Grain: Day, From: t, To: addDays(t, 1), Phrase: FormatDay(t)}
}

func monthExpr(t time.Time) Expr {
	return Expr{Grain: Month, From: t, To: monthStart(t, 1), Phrase: FormatMonth(t)}
}

func yearExpr(y int) Expr {
	return Expr{Grain: Year, From: yearStart(y), To: yearStart(y + 1), Phrase: strconv.Itoa(y)}
}

// seasonExpr is a season by the year of its first month, except winter, which
// is named by the year it ends in.
func seasonExpr(name string, y int) Expr {
	m := seasons[name]
	from := time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	if name == "winter" {
		from = from.AddDate(-1, 0, 0)
	}
	return Expr{Grain: Season, From: from, To: monthStart(from, 3), Phrase: name + " of " + strconv.Itoa(y)}
}

// year reads a year that stands in a place for years: "in 2022", "since
// 2016", "summer 2022", "summer of 2022", "'s 2022" not.
func (p *parser) year() (Expr, int) {
	if _, ok := seasons[p.low(0)]; ok {
		i := p.skip(1, "of", ",", "in")
		if y, ok := p.yearAt(i); ok {
			return seasonExpr(p.low(0), y), i + 1
		}
		return Expr{}, 0
	}
	y, ok := p.yearAt(0)
	if !ok {
		return Expr{}, 0
	}
	alone := len(p.words) == 1
	if alone || preceded(p, "in", "since", "of", "from", "until", "till", "by", "during", "around", "early", "late", "before", "after", "year", "about", "and", "to", "mid") {
		return yearExpr(y), 1
	}
	return Expr{}, 0
}

// ordinalPart reads a part of a month or year: "first weekend of August",
// "the beginning of November 2022", "late July", "mid-2021".
func (p *parser) ordinalPart() (Expr, int) {
	start := p.skip(0, "the")
	switch w := p.low(start); w {
	case "early", "late", "mid":
		return p.part(w, 0, unit{}, p.skip(start+1, "-", "in", "the"))
	case "beginning", "start", "middle", "end":
		if p.low(start+1) != "of" {
			return Expr{}, 0
		}
		return p.part(w, 0, unit{}, p.skip(start+2, "the"))
	default:
		ord, ok := ordinals[w]
		if !ok {
			return Expr{}, 0
		}
		u, ok := unitOf(p.low(start + 1))
		if !ok || (p.low(start+2) != "of" && p.low(start+2) != "in") {
			return Expr{}, 0
		}
		return p.part(w+" "+u.name, ord, u, p.skip(start+3, "the"))
	}
}

// part finishes ordinalPart at the month or year that word i names.
func (p *parser) part(name string, ord int, u unit, i int) (Expr, int) {
	at := p.at
	p.at += i
	whole, n := p.date()
	if n == 0 {
		whole, n = p.yearPlain()
	}
	if n == 0 {
		whole, n = p.shifted()
	}
	p.at = at
	if n == 0 || whole.Grain < Month {
		return Expr{}, 0
	}
	e := Expr{Grain: whole.Grain, From: whole.From, To: whole.To, Vague: true}
	joint := " of "
	if name == "early" || name == "late" || name == "mid" {
		joint = " "
	}
	e.Phrase = name + joint + whole.Phrase
	if !whole.Resolved() {
		return e, i + n
	}
	length := whole.To.Sub(whole.From)
	switch strings.Fields(name)[0] {
	case "early", "beginning", "start":
		e.To = whole.From.Add(length / 3)
	case "late", "end":
		e.From = whole.To.Add(-length / 3)
	case "mid", "middle":
		e.From, e.To = whole.From.Add(length/3), whole.To.Add(-length/3)
	}
	e.From, e.To = day(e.From), day(e.To)
	if ord != 0 && u.grain < Month && whole.Grain == Month {
		e.Grain = u.grain
		e.From, e.To = nthIn(whole.From, whole.To, ord, u.grain)
	}
	return e, i + n
}

// yearPlain reads a year wherever it stands.
func (p *parser) yearPlain() (Expr, int) {
	if y, ok := p.yearAt(0); ok {
		return yearExpr(y), 1
	}
	return Expr{}, 0
}

// nthIn returns the n-th day, week or weekend of a month, the last for -1.
func nthIn(from, to time.Time, n int, g Grain) (start, end time.Time) {
	length, step := 7, 7
	switch g {
	case Day:
		length, step = 1, 1
	case Weekend:
		length = 2
		from = addDays(from, (6-int(from.Weekday()))%7) // the first Saturday
	case Week, Month, Season, Year:
	}
	start = addDays(from, step*(n-1))
	if n < 0 {
		start = addDays(to, -length)
		if g == Weekend {
			start = addDays(start, -((int(start.Weekday()) + 1) % 7)) // back to a Saturday
		}
	}
	return start, addDays(start, length)
}
