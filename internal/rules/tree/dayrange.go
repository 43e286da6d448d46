package tree

import (
	"slices"
	"strings"
	"time"
)

const (
	dayName = `(mon|tues|wednes|thurs|fri|satur|sun)day`
	theDay  = `(?:the |on |on the )?`
)

// Ranges of weekdays, by how they are put.
var (
	dayToDay  = re(`\b(?:from |between )?` + theDay + dayName + `(?: (?:to|through|thru|till|until|up to)(?: and including)? | ?[-–—] ?)` + theDay + dayName + `\b`)
	dayAndDay = re(`\bbetween ` + theDay + dayName + ` and ` + theDay + dayName + `\b`)
	dayOn     = re(`\b(?:from|starting|beginning|starting from|as of|since) ` + theDay + dayName + ` on(?:wards?)?\b|\b` + dayName + ` (?:and|or) (?:later|after|the days after)\b|\b(?:starting|as of|starting from) ` + theDay + dayName + `\b`)
	dayAfter  = re(`\b(?:any (?:day|time) )?(?:after|later than|past) ` + dayName + `\b`)
	dayBefore = re(`\b(?:any (?:day|time) )?(?:before|earlier than|ahead of) ` + dayName + `\b`)
	dayUntil  = re(`\b(?:until|till|up to|through|up until|no later than)(?: and including)? ` + theDay + dayName + `\b|\b` + dayName + ` (?:and|or) (?:earlier|before)\b`)
)

// findDayRanges looks for ranges of weekdays, such as "from Friday on", among
// the days that containers stand for. Where their values are not known, only a
// range with two ends is one: of the others all days are kept.
func (r *reading) findDayRanges(k *kind, f field, at func(value string) (time.Weekday, bool)) {
	if !r.v.dateless() {
		return
	}
	weekday := func(m []int, g int) (time.Weekday, bool) {
		if 2*g+1 >= len(m) || m[2*g] < 0 {
			return 0, false
		}
		wd, ok := weekdays[strings.ToLower(r.text[m[2*g]:m[2*g+1]])+"day"]
		return wd, ok
	}
	add := func(m []int, from, to int) {
		if from < 0 || to > len(f.values) || from >= to {
			if len(f.values) > 0 {
				return
			}
		}
		if len(f.values) > 0 {
			r.addScope(scope{kind: k.name, field: f.name, values: slices.Clone(f.values[from:to])})
		}
		for n, w := range r.words {
			if w.start >= m[0] && w.end <= m[1] && r.used[n] == unused {
				r.used[n], r.scoped[n] = usedScope, k.name
			}
		}
	}
	index := func(wd time.Weekday) int {
		return slices.IndexFunc(f.values, func(v string) bool { d, ok := at(v); return ok && d == wd })
	}
	for _, p := range []struct {
		form     interface{ FindStringSubmatchIndex(string) []int }
		from, to bool // whether the day named is its first, its last
		skip     int
	}{{dayToDay, true, true, 0}, {dayAndDay, true, true, 0}, {dayOn, true, false, 0}, {dayAfter, true, false, 1}, {dayBefore, false, true, 1}, {dayUntil, false, true, 0}} {
		m := p.form.FindStringSubmatchIndex(r.text)
		if m == nil {
			continue
		}
		var found []time.Weekday
		for g := 1; 2*g+1 < len(m); g++ {
			if wd, ok := weekday(m, g); ok {
				found = append(found, wd)
			}
		}
		if len(found) == 0 || r.claimed(m[0], m[1]) {
			continue
		}
		a, b := found[0], found[len(found)-1]
		switch {
		case p.from && p.to && len(f.values) == 0:
			for d := a; ; d = (d + 1) % 7 {
				r.addScope(scope{kind: k.name, field: f.name, values: []string{strings.ToLower(d.String())}})
				if d == b {
					break
				}
			}
			add(m, 0, 0)
		case p.from && p.to:
			add(m, index(a), index(b)+1)
		case len(f.values) == 0:
			add(m, 0, 0)
		case p.from:
			if i := index(a); i >= 0 {
				add(m, i+p.skip, len(f.values))
			}
		default:
			if i := index(a); i >= 0 {
				add(m, 0, i+1-p.skip)
			}
		}
	}
}
