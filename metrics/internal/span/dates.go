package span

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// relativeDate matches a gold answer that gives a day relative to another: "the week
// before 9 June 2023".
var relativeDate = regexp.MustCompile(`(?i)^\W*(?:the |a |an |in |on |around |about |during )*(?:(few|two|three|2|3) )?` +
	`(day|night|evening|week|weekend|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thurs?|fri|sat|sun)s? ` +
	`(before|after|prior to|preceding|following) (.*)$`)

const (
	// nearDays is how many days a date may be off from the days that are meant and still
	// get half the score: such gold answers count weeks loosely.
	nearDays = 2
	// halfRight is the score of a near date, or of its month alone, and baseDay that of
	// the day from which the gold answer counts.
	halfRight, baseDay = 0.5, 0.25
)

// A date has 0 for each part that the text leaves out.
type date struct{ day, month, year int }

func (d date) time() time.Time {
	return time.Date(d.year, time.Month(d.month), max(1, d.day), 12, 0, 0, 0, time.UTC)
}

// dates returns the dates of a text: months, with the day next to them and the year after
// them.
func dates(tokens []token) []date {
	value := func(t token, prefix string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(t.text, prefix))
		if err != nil {
			return 0
		}
		return n
	}
	var all []date
	for i, t := range tokens {
		if t.kind != month {
			continue
		}
		d := date{month: value(t, "month")}
		if i > 0 && tokens[i-1].kind == day && tokens[i-1].place >= t.place-2 {
			d.day = value(tokens[i-1], "day")
		}
		next := i + 1
		if d.day == 0 && next < len(tokens) && tokens[next].kind == day {
			d.day = value(tokens[next], "day")
			next++
		}
		for ; next < len(tokens) && next <= i+2; next++ {
			if tokens[next].kind == year {
				d.year = value(tokens[next], "")
				break
			}
		}
		all = append(all, d)
	}
	return all
}

// relative scores an answer to a gold answer that gives a day relative to another; ok is
// false for other gold answers.
func relative(answer, gold string, said []token) (score float64, ok bool) {
	m := relativeDate.FindStringSubmatch(gold)
	if m == nil {
		return 0, false
	}
	told := dates(parse(m[4]))
	if len(told) != 1 || told[0].day == 0 || told[0].year == 0 {
		return 0, false
	}
	base, unit, direction := told[0], strings.ToLower(m[2]), strings.ToLower(m[3])
	sign := -1
	if direction == "after" || direction == "following" {
		sign = 1
	}
	n := map[string]int{"two": 2, "2": 2, "three": 3, "3": 3, "few": 3}[strings.ToLower(m[1])]
	from, to := daysMeant(base.time(), unit, max(1, n), sign)

	low := strings.ToLower(answer)
	sameWords := strings.Contains(low, direction) || sign < 0 && strings.Contains(low, "prior")
	said = slices.DeleteFunc(slices.Clone(said), func(t token) bool { return denies(t, negationReach) })
	named := unit == "day"
	for _, t := range said {
		named = named || strings.HasPrefix(t.text, unit[:3])
	}
	others := make(map[date]bool)
	for _, d := range dates(said) {
		d.year = cmp.Or(d.year, from.Year())
		at := d.time()
		switch {
		case d == base && sameWords && named,
			d.day > 0 && !at.Before(from) && !at.After(to),
			d.day == 0 && unit == "month" && at.Year() == from.Year() && at.Month() == from.Month():
			score = 1
		case d == base:
			score = max(score, baseDay)
		case d.day == 0:
			if at.Month() == from.Month() && at.Year() == from.Year() || at.Month() == to.Month() && at.Year() == to.Year() {
				score = max(score, halfRight)
			}
		default:
			others[d] = true
			if !at.Before(from.AddDate(0, 0, -nearDays)) && !at.After(to.AddDate(0, 0, nearDays)) {
				score = max(score, halfRight)
			}
		}
	}
	return score / float64(1+len(others)/(spareValues+1)), true
}

// daysMeant returns the first and the last day that are meant by n units before or after
// a day.
func daysMeant(base time.Time, unit string, n, sign int) (from, to time.Time) {
	add := func(days int) time.Time { return base.AddDate(0, 0, days) }
	switch unit {
	case "day", "night", "evening":
		return add(sign * n), add(sign * n)
	case "week":
		if n == 1 && sign < 0 {
			return add(-10), add(-1)
		}
		return add(sign*7*n - 3), add(sign*7*n + 3)
	case "month":
		first := time.Date(base.Year(), base.Month(), 1, 12, 0, 0, 0, time.UTC).AddDate(0, sign*n, 0)
		return first, first.AddDate(0, 1, -1)
	case "weekend":
		at := add(sign)
		for at.Weekday() != time.Saturday && at.Weekday() != time.Sunday {
			at = at.AddDate(0, 0, sign)
		}
		return at.AddDate(0, 0, -1), at.AddDate(0, 0, 1)
	}
	at := add(sign)
	for !strings.HasPrefix(strings.ToLower(at.Weekday().String()), unit[:3]) {
		at = at.AddDate(0, 0, sign)
	}
	at = at.AddDate(0, 0, 7*sign*(n-1))
	return at, at
}
