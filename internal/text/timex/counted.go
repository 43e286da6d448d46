package timex

import "strings"

// counted reads numbers of units: "three weeks ago", "in two days", "for four
// years", "two years".
func (p *parser) counted() (Expr, int) {
	i := 0
	if p.low(0) == "in" || p.low(0) == "within" {
		i = p.skip(1, "about", "around", "just", "another")
	}
	ahead := i > 0
	n, words := p.count(i)
	if words == 0 {
		return Expr{}, 0
	}
	i += words
	if p.low(i) == "-" {
		i++
	}
	u, ok := unitOf(p.low(i))
	switch next := p.low(i + 1); {
	case next == "old", next == "-":
		return Expr{}, 0 // an age
	case shortUnit(p.low(i)):
		return Expr{Kind: Duration}, i + 1
	case !ok:
		return Expr{}, 0
	case next == "ago", next == "back":
		return Expr{Grain: u.grain}, i + 2
	case next == "since" && p.preceded("'s", "is", "been", "it's", "was", "s", "already", "now"):
		return Expr{Grain: u.grain}, i + 1 // "It's three years since I moved" is three years ago
	case next == "from" && (p.low(i+2) == "now" || p.low(i+2) == "today"):
		return Expr{Grain: u.grain}, i + 3
	case next == "before", next == "after":
		// "two weeks before 11 August 2023"
		if e, m := p.ahead(i+2, (*parser).date); m > 0 && e.Resolved() && e.Grain == Day {
			if next == "before" {
				n = -n
			}
			return away(e.From, n, u), i + 2 + m
		}
	}
	article := p.low(0) == "a" || p.low(0) == "an"
	switch {
	case ahead && p.low(0) == "in" && (n != 1 || p.low(i-1) == "a" || p.low(i-1) == "an" || p.low(i-1) == "one") && (p.future() || p.present()):
		// "in two weeks" looks ahead, unless the sentence is past ("I learned
		// it in two weeks"): then it is a length.
		return Expr{Grain: u.grain}, i + 1
	case article && n == 1 && !p.preceded("for", "about", "around", "over", "almost", "nearly", "took", "take", "takes", "lasted", "than", "been", "within"):
		return Expr{}, 0 // "a day" is mostly no length
	}
	return Expr{Kind: Duration}, i + 1
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

// frequency reads how often: "twice a week", "every day", "three times per
// month", "daily", "once in a while".
func (p *parser) frequency() (Expr, int) {
	e := Expr{Kind: Frequency}
	switch p.low(0) {
	case "daily", "weekly", "monthly", "yearly", "annually":
		return e, 1
	case "every", "each":
		i := p.skip(1, "single", "other", "few", "couple", "of")
		if _, words := p.count(i); words > 0 {
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
		_, words := p.count(i)
		if words == 0 {
			return Expr{}, 0
		}
		i += words
		if p.low(i) == "or" {
			if _, words := p.count(i + 1); words > 0 {
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
		if _, words := p.count(i); words > 0 {
			i += words
		}
		if _, ok := unitOf(p.low(i)); ok || shortUnit(p.low(i)) {
			return e, i + 1
		}
	}
	return Expr{}, 0
}
