package timex

import (
	"strconv"
	"strings"
)

// counted reads numbers of units: "three weeks ago", "in two days", "for four
// years", "two years".
func (p *parser) counted() (Expr, int) {
	i := 0
	if p.low(0) == "in" || p.low(0) == "within" {
		i = p.skip(1, "about", "around", "just", "another")
	}
	ahead := i > 0
	n, words, vague := p.count(i)
	if words == 0 {
		return Expr{}, 0
	}
	i += words
	if p.low(i) == "-" {
		i++
	}
	if shortUnit(p.low(i)) {
		return p.length(Expr{}, ahead, i)
	}
	u, ok := unitOf(p.low(i))
	if !ok {
		return Expr{}, 0
	}
	switch p.low(i + 1) {
	case "old", "-":
		return Expr{}, 0 // an age
	case "ago", "back":
		return p.away(n, u, vague, -1), i + 2
	case "since":
		// "It's three years since I moved" is three years ago.
		if preceded(p, "'s", "is", "been", "it's", "was", "s", "already", "now") {
			return p.away(n, u, vague, -1), i + 1
		}
	case "earlier", "before":
		if j := i + 2; p.low(i+1) == "before" {
			// "two weeks before 11 August 2023"
			if e, m := p.relativeTo(n, u, j, -1); m > 0 {
				return e, m
			}
		}
	case "after", "later", "from":
		if p.low(i+1) == "from" && (p.low(i+2) == "now" || p.low(i+2) == "today") {
			return p.away(n, u, vague, 1), i + 3
		}
		if e, m := p.relativeTo(n, u, i+2, 1); m > 0 && p.low(i+1) == "after" {
			return e, m
		}
	}
	if ahead && p.low(0) == "in" && !(n == 1 && p.low(i-1) != "a" && p.low(i-1) != "an" && p.low(i-1) != "one") {
		// "in two weeks" looks ahead, unless the sentence is past ("I learned
		// it in two weeks"): then it is a length.
		if p.future() || p.present() {
			return p.away(n, u, vague, 1), i + 1
		}
	}
	e := Expr{Years: n * u.years, Months: n * u.months, Days: n * u.days}
	if vague {
		e.Years, e.Months, e.Days = 0, 0, 0
	}
	if (p.low(0) == "a" || p.low(0) == "an") && n == 1 && !preceded(p, "for", "about", "around", "over", "almost", "nearly", "took", "take", "takes", "lasted", "than", "been", "within") {
		return Expr{}, 0 // "a day" is mostly no length
	}
	return p.length(e, ahead, i)
}

// length finishes a duration whose unit is word i; skipped leading "in".
func (p *parser) length(e Expr, ahead bool, i int) (Expr, int) {
	if p.low(i+1) == "old" || p.low(i+1) == "-" {
		return Expr{}, 0
	}
	if p.at+i >= len(p.words) {
		return Expr{}, 0
	}
	from := p.words[p.at].start
	if ahead {
		from = p.words[p.at+1].start
	}
	e.Kind = Duration
	e.Phrase = p.text[from:p.words[p.at+i].end]
	return e, i + 1
}

// present reports whether the words before this one hold no past verb that is
// easily known.
func (p *parser) present() bool {
	for i := -1; i >= -25; i-- {
		w := p.low(i)
		switch {
		case w == "" || w == "." || w == "!" || w == "?":
			return true
		case w == "was" || w == "were" || w == "had" || w == "did" || w == "in" || strings.HasSuffix(w, "ed"):
			return false
		}
	}
	return true
}

// relativeTo is the time n units from the date that word i begins.
func (p *parser) relativeTo(n int, u unit, i, sign int) (Expr, int) {
	at := p.at
	p.at += i
	e, m := p.date()
	p.at = at
	if m == 0 || !e.Resolved() || e.Grain != Day {
		return Expr{}, 0
	}
	q := parser{anchor: e.From}
	return q.away(n, u, false, sign), i + m
}

// span reads "the week before 9 June 2023", "the weekend of July 1".
func (p *parser) span() (Expr, int) {
	i := p.skip(0, "the")
	w := p.low(i)
	wd, isDay := weekdays[w]
	u, isUnit := units[w]
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
	at := p.at
	p.at += i + 2
	e, m := p.date()
	p.at = at
	if m == 0 || !e.Resolved() || e.Grain != Day {
		return Expr{}, 0
	}
	q := parser{anchor: e.From}
	if isDay {
		return q.onWeekday(wd, shift), i + 2 + m
	}
	return q.unit(u, shift), i + 2 + m
}

// away is the point n units before or after the anchor.
func (p *parser) away(n int, u unit, vague bool, sign int) Expr {
	e := Expr{Grain: u.grain, Vague: vague, Relative: true}
	if !p.anchored() {
		return e
	}
	now := p.today()
	t := now.AddDate(sign*n*u.years, sign*n*u.months, sign*n*u.days)
	word := "before"
	if sign > 0 {
		word = "after"
	}
	phrase := amount(n, u, vague) + " " + word + " " + FormatDay(now)
	if vague {
		// Take the words as anything from half to twice the number.
		near := now.AddDate(sign*((n+1)/2)*u.years, sign*((n+1)/2)*u.months, sign*((n+1)/2)*u.days)
		far := now.AddDate(sign*2*n*u.years, sign*2*n*u.months, sign*2*n*u.days)
		if sign > 0 {
			near, far = far, near
		}
		e.From, e.To = far, addDays(near, 1)
		e.Phrase = "a " + phrase
		if n != 3 {
			e.Phrase = phrase
		}
		if u.grain == Year {
			e.Phrase = "a few years " + word + " " + strconv.Itoa(now.Year())
		}
		return e
	}
	switch u.grain {
	case Day:
		e = dayExpr(t)
	case Week:
		e.From, e.To = addDays(t, -3), addDays(t, 4)
		if n == 1 {
			phrase = "the " + phrase
		}
		e.Phrase = phrase
	case Weekend:
		s := weekendBefore(now)
		if sign > 0 {
			s = addDays(weekStart(now), -2)
		}
		e.From = addDays(s, sign*7*(n-1))
		if sign > 0 {
			e.From = addDays(s, 7*n)
		}
		e.To = addDays(e.From, 2)
		e.Phrase = phrase
	case Month:
		e = monthExpr(monthStart(now, sign*n))
	case Season, Year:
		e = yearExpr(now.Year() + sign*n*u.years)
	}
	e.Relative = true
	return e
}

// frequency reads how often: "twice a week", "every day", "three times per
// month", "daily", "once in a while".
func (p *parser) frequency() (Expr, int) {
	e := Expr{Kind: Frequency}
	switch p.low(0) {
	case "daily", "weekly", "monthly", "yearly", "annually":
		return e, 1
	case "every", "each":
		i := p.skip(1, "single", "other", "few", "couple", "of")
		if _, words, _ := p.count(i); words > 0 {
			i += words
		}
		if _, ok := unitOf(p.low(i)); ok {
			return e, i + 1
		}
		if _, ok := weekdays[strings.TrimSuffix(p.low(i), "s")]; ok {
			return e, i + 1
		}
		switch p.low(i) {
		case "morning", "evening", "afternoon", "summer", "winter", "spring", "fall", "hour":
			return e, i + 1
		}
		return Expr{}, 0
	}
	i := 0
	if p.low(0) == "at" && (p.low(1) == "least" || p.low(1) == "most") {
		i = 2
	}
	switch p.low(i) {
	case "once", "twice":
		i++
		if p.low(i) == "or" && p.low(i+1) == "twice" {
			i += 2
		}
	default:
		_, words, _ := p.count(i)
		if words == 0 {
			return Expr{}, 0
		}
		i += words
		if p.low(i) == "or" {
			if _, words, _ := p.count(i + 1); words > 0 {
				i += 1 + words
			}
		}
		if p.low(i) != "times" && p.low(i) != "days" && p.low(i) != "time" {
			return Expr{}, 0
		}
		i++
	}
	if p.low(i) == "in" && p.low(i+1) == "a" && p.low(i+2) == "while" {
		return e, i + 3
	}
	switch p.low(i) {
	case "a", "per", "every", "each", "an":
		i = p.skip(i+1, "single", "other")
		if _, words, _ := p.count(i); words > 0 {
			i += words
		}
		if _, ok := unitOf(p.low(i)); ok || shortUnit(p.low(i)) {
			return e, i + 1
		}
	}
	return Expr{}, 0
}
