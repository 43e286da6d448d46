package timex

import "time"

// named reads the days that have names: "yesterday", "last night", "today".
func (p *parser) named() (Expr, int) {
	n := 0
	switch p.low(0) {
	case "the":
		switch {
		case p.low(1) == "day" && p.low(2) == "before" && p.low(3) == "yesterday", p.low(1) == "day" && p.low(2) == "after" && p.low(3) == "tomorrow":
			n = 4
		case p.low(1) == "other" && (p.low(2) == "day" || p.low(2) == "night" || p.low(2) == "week"):
			n = 3
		}
	case "yesterday", "today", "tonight", "tomorrow":
		n = 1
	case "last":
		if p.low(1) == "night" || p.low(1) == "evening" {
			n = 2
		}
	case "this":
		switch p.low(1) {
		case "morning", "afternoon", "evening":
			n = 2
		}
	}
	return Expr{}, n
}

// shifted reads "last week", "this past weekend", "next Friday", "last
// summer", "over the weekend", "the last few weeks".
func (p *parser) shifted() (Expr, int) {
	i := p.skip(0, "the")
	past, this := false, false
	switch p.low(i) {
	case "last", "past", "previous":
		past = true
		i = p.skip(i+1, "past")
	case "next", "coming", "upcoming", "following":
		i++
	case "this":
		i++
		switch p.low(i) {
		case "past", "last":
			past = true
			i++
		case "coming", "upcoming", "next":
			i++
		default:
			this = true
		}
	case "weekend":
		if i == 0 || !p.preceded("over", "on", "during", "at", "for") {
			return Expr{}, 0
		}
		past = !p.future()
		this = !past
	default:
		return Expr{}, 0
	}
	if _, ok := weekdays[p.low(i)]; ok {
		return Expr{}, i + 1
	}
	if _, ok := p.monthAt(i); ok {
		return Expr{Grain: Month}, i + 1
	}
	if _, ok := seasons[p.low(i)]; ok {
		return Expr{Grain: Month}, i + 1
	}
	if _, words := p.count(i); words > 0 && !this {
		if u, ok := unitOf(p.low(i + words)); ok {
			return Expr{Grain: u.grain}, i + words + 1
		}
		return Expr{}, 0
	}
	u, ok := units[p.low(i)]
	if !ok || u.years == 10 || past && p.low(0) == "the" && p.low(i+1) == "before" {
		return Expr{}, 0
	}
	return Expr{Grain: u.grain}, i + 1
}

// weekday reads a day of the week, with "on" before it or alone.
func (p *parser) weekday() (Expr, int) {
	_, ok := weekdays[p.low(0)]
	if !ok || (ambiguous[p.low(0)] && !p.upper(0)) || p.preceded("every", "each") {
		return Expr{}, 0
	}
	return Expr{}, 1
}

// span reads "the week before 9 June 2023", "the Friday after July 1".
func (p *parser) span() (Expr, int) {
	i := p.skip(0, "the")
	day, isDay := weekdays[p.low(i)]
	u, isUnit := units[p.low(i)]
	if !isDay && !isUnit {
		return Expr{}, 0
	}
	shift := 0
	switch p.low(i + 1) {
	case "before":
		shift = -1
	case "after":
		shift = 1
	case "of":
	default:
		return Expr{}, 0
	}
	e, n := p.ahead(i+2, (*parser).date)
	if n == 0 || !e.Resolved() || e.Grain != Day {
		return Expr{}, 0
	}
	if isDay {
		return Expr{From: weekdayNear(e.From, day, shift)}, i + 2 + n
	}
	if u.years > 0 {
		u = yearUnit
	}
	return away(e.From, shift, u), i + 2 + n
}

// weekdayNear returns the last such day before t, the next after it, or that of its
// week, which begins on Monday.
func weekdayNear(t time.Time, day time.Weekday, shift int) time.Time {
	ahead := (int(day) - int(t.Weekday()) + 7) % 7
	switch {
	case shift == 0:
		return t.AddDate(0, 0, (int(day)+6)%7-(int(t.Weekday())+6)%7)
	case ahead == 0:
		return t.AddDate(0, 0, 7*shift)
	case shift < 0:
		ahead -= 7
	}
	return t.AddDate(0, 0, ahead)
}

// away is the point that lies n units from a day: before it where n is negative.
func away(t time.Time, n int, u unit) Expr {
	e := Expr{Grain: u.grain}
	switch u.grain {
	case Day, Week:
		e.From = t.AddDate(0, 0, n*u.days)
	case Month:
		e.From = date(t.Year(), t.Month()+time.Month(n), 1)
	case Year:
		e.From = date(t.Year()+n*u.years, 1, 1)
	}
	return e
}
