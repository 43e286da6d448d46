package timex

import (
	"strconv"
	"time"
)

// named reads the days that have names: "yesterday", "last night", "today".
func (p *parser) named() (Expr, int) {
	shift, n := 0, 1
	switch p.low(0) {
	case "the":
		if p.low(1) == "day" && p.low(2) == "before" && p.low(3) == "yesterday" {
			shift, n = -2, 4
			break
		}
		if p.low(1) == "day" && p.low(2) == "after" && p.low(3) == "tomorrow" {
			shift, n = 2, 4
			break
		}
		if p.low(1) == "other" && (p.low(2) == "day" || p.low(2) == "night" || p.low(2) == "week") {
			return p.few("a few days before", -7, 0), 3
		}
		return Expr{}, 0
	case "yesterday":
		shift = -1
	case "today", "tonight":
	case "tomorrow":
		shift = 1
	case "last":
		if p.low(1) != "night" && p.low(1) != "evening" {
			return Expr{}, 0
		}
		shift, n = -1, 2
	case "this":
		switch p.low(1) {
		case "morning", "afternoon", "evening":
			n = 2
		default:
			return Expr{}, 0
		}
	default:
		return Expr{}, 0
	}
	if !p.anchored() {
		return Expr{Grain: Day, Relative: true}, n
	}
	e := dayExpr(addDays(p.today(), shift))
	e.Relative = true
	return e, n
}

// few is a vague range of days around the anchor.
func (p *parser) few(words string, from, to int) Expr {
	e := Expr{Grain: Day, Vague: true, Relative: true}
	if p.anchored() {
		e.From, e.To = addDays(p.today(), from), addDays(p.today(), to)
		e.Phrase = words + " " + FormatDay(p.anchor)
	}
	return e
}

// shifted reads "last week", "this past weekend", "next Friday", "last
// summer", "over the weekend", "the last few weeks".
func (p *parser) shifted() (Expr, int) {
	i := p.skip(0, "the")
	shift := 0
	switch p.low(i) {
	case "last", "past", "previous":
		shift = -1
		i = p.skip(i+1, "past")
	case "next", "coming", "upcoming", "following":
		shift = 1
		i++
	case "this":
		i++
		switch p.low(i) {
		case "past", "last":
			shift = -1
			i++
		case "coming", "upcoming", "next":
			shift = 1
			i++
		}
	case "weekend":
		// "over the weekend", "on the weekend": the one gone by, unless the
		// sentence looks ahead.
		if i == 0 || !preceded(p, "over", "on", "during", "at", "for") {
			return Expr{}, 0
		}
		if shift = -1; p.future() {
			shift = 0
		}
	default:
		return Expr{}, 0
	}
	if wd, ok := weekdays[p.low(i)]; ok {
		return p.onWeekday(wd, shift), i + 1
	}
	if m, ok := p.monthAt(i); ok {
		e := p.bareMonth(m, shift)
		e.Relative = true
		return e, i + 1
	}
	if _, ok := seasons[p.low(i)]; ok {
		return p.season(p.low(i), shift), i + 1
	}
	if n, words, vague := p.count(i); words > 0 && shift != 0 {
		if u, ok := unitOf(p.low(i + words)); ok {
			return p.stretch(n, u, vague, shift), i + words + 1
		}
		return Expr{}, 0
	}
	u, ok := units[p.low(i)]
	if !ok || u.name == "decade" {
		return Expr{}, 0
	}
	i++
	if shift < 0 && p.low(0) == "the" && p.low(i) == "before" {
		return Expr{}, 0
	}
	return p.unit(u, shift), i
}

// unit is the unit of the calendar that lies shift units from the anchor's.
func (p *parser) unit(u unit, shift int) Expr {
	e := Expr{Grain: u.grain, Relative: true}
	if !p.anchored() {
		return e
	}
	now, at := p.today(), FormatDay(p.anchor)
	word := [...]string{"before", "of", "after"}[shift+1]
	switch u.grain {
	case Day:
		e = dayExpr(addDays(now, shift))
	case Week:
		e.From = addDays(now, 7*shift)
		switch shift {
		case -1:
			e.To = now
		case 0:
			e.From, e.To = weekStart(now), addDays(weekStart(now), 7)
		default:
			e.From, e.To = addDays(now, 1), addDays(now, 14)
		}
		e.Phrase = "the week " + word + " " + at
	case Weekend:
		e.From = weekendBefore(now)
		if shift >= 0 {
			e.From = addDays(weekStart(now), 5)
		}
		if shift > 0 {
			e.From = addDays(e.From, 7)
		}
		e.To = addDays(e.From, 2)
		e.Phrase = "the weekend " + word + " " + at
	case Month:
		e = monthExpr(monthStart(now, shift))
	case Season, Year:
		e = yearExpr(now.Year() + shift)
	}
	e.Relative = true
	return e
}

// weekendBefore returns the Saturday of the last weekend that began before t's
// day and is not t's own.
func weekendBefore(t time.Time) time.Time {
	back := (int(t.Weekday()) + 1) % 7 // days since Saturday
	if back <= 1 {                     // a weekend now: the one before it
		back += 7
	}
	return addDays(t, -back)
}

// stretch is "the last three weeks" or "the next few days": a vague range that
// touches the anchor.
func (p *parser) stretch(n int, u unit, vague bool, shift int) Expr {
	e := Expr{Grain: u.grain, Vague: true, Relative: true}
	if !p.anchored() {
		return e
	}
	now := p.today()
	other := now.AddDate(shift*n*u.years, shift*n*u.months, shift*n*u.days)
	e.From, e.To = other, addDays(now, 1)
	word := "before"
	if shift > 0 {
		e.From, e.To = now, addDays(other, 1)
		word = "after"
	}
	e.Phrase = "the " + amount(n, u, vague) + " " + word + " " + FormatDay(now)
	return e
}

// amount writes a number of units, such as "two weeks" or "few days".
func amount(n int, u unit, vague bool) string {
	switch {
	case vague && n == 3:
		return "few " + u.name + "s"
	case vague && n == 4:
		return "several " + u.name + "s"
	case vague:
		return "many " + u.name + "s"
	case n == 1:
		return u.name
	}
	return spell(n) + " " + u.name + "s"
}

// spell writes small numbers as words, as people do.
func spell(n int) string {
	small := [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n >= 0 && n < len(small) {
		return small[n]
	}
	return strconv.Itoa(n)
}

// season is the season of the given name: the last that began before the
// anchor's, this year's, or the next.
func (p *parser) season(name string, shift int) Expr {
	if !p.anchored() {
		return Expr{Grain: Season, Relative: true}
	}
	now := p.today()
	e := seasonExpr(name, now.Year())
	switch {
	case shift < 0 && !e.To.Before(now), shift == 0 && name == "winter" && now.Month() < 3:
		if shift < 0 {
			e = seasonExpr(name, now.Year()-1)
		}
	case shift > 0 && !e.From.After(now), shift == 0 && name == "winter" && now.Month() > 8:
		e = seasonExpr(name, now.Year()+1)
	}
	e.Relative = true
	return e
}

// weekday reads a day of the week, with "on" before it or alone.
func (p *parser) weekday() (Expr, int) {
	wd, ok := weekdays[p.low(0)]
	if !ok || (ambiguous[p.low(0)] && !p.upper(0)) || preceded(p, "every", "each") {
		return Expr{}, 0
	}
	shift := -1
	if p.future() {
		shift = 1
	}
	return p.onWeekday(wd, shift), 1
}

// onWeekday is the nearest such day before, after or in the week of the
// anchor.
func (p *parser) onWeekday(wd time.Weekday, shift int) Expr {
	e := Expr{Grain: Day, Relative: true}
	if !p.anchored() {
		return e
	}
	now := p.today()
	word := "before"
	switch shift {
	case -1:
		back := (int(now.Weekday()) - int(wd) + 7) % 7
		if back == 0 {
			back = 7
		}
		e.From = addDays(now, -back)
	case 1:
		ahead := (int(wd) - int(now.Weekday()) + 7) % 7
		if ahead == 0 {
			ahead = 7
		}
		e.From = addDays(now, ahead)
		word = "after"
	default:
		e.From = addDays(weekStart(now), (int(wd)+6)%7)
		if e.From.After(now) {
			word = "after"
		}
	}
	e.To = addDays(e.From, 1)
	e.Phrase = "the " + wd.String() + " " + word + " " + FormatDay(now)
	if e.From.Equal(now) {
		e.Phrase = FormatDay(now)
	}
	return e
}
