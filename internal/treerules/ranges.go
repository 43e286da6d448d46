package treerules

import (
	"slices"
	"strings"
	"time"

	"recallbench/internal/llm"
)

// dayRun is a run of weekdays: "from Tuesday to Friday".
var dayRun = re(`\b(?:(?:from|between) )?(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?s? ?(?:to|till|until|through|thru|and|-|–|up to) ?(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?\b`)

// findDayRange looks for runs of weekdays in the names of containers. Two days
// joined by "and" are a run only behind "between".
func (r *reading) findDayRange(k *kind, f field) {
	for _, at := range dayRun.FindAllStringSubmatchIndex(r.text, 4) {
		said := strings.ToLower(r.text[at[0]:at[1]])
		if strings.Contains(said, " and ") && !strings.HasPrefix(said, "between ") || r.claimed(at[2], at[1]) {
			continue
		}
		from, ok1 := weekdays[strings.ToLower(r.text[at[2]:at[3]])[:3]]
		to, ok2 := weekdays[strings.ToLower(r.text[at[4]:at[5]])[:3]]
		if !ok1 || !ok2 {
			continue
		}
		var days []string
		for d := from; ; d = (d + 1) % 7 {
			days = append(days, r.daysNamed(f, d)...)
			if d == to {
				break
			}
		}
		i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= at[0] })
		if i < 0 || len(days) == 0 {
			continue
		}
		r.addScope(scope{kind: k.name, field: f.name, values: days, negated: r.negatedAt(i)})
		for m, w := range r.words {
			if w.start >= at[0] && w.end <= at[1] && r.used[m] == unused {
				r.used[m], r.scoped[m] = usedScope, k.name
			}
		}
	}
}

// daysNamed returns the values of a field that stand for a weekday; its name
// where none is known.
func (r *reading) daysNamed(f field, d time.Weekday) []string {
	var out []string
	for _, v := range f.values {
		if t, ok := dateOf(v, r.today); named(v, d) || ok && t.Weekday() == d {
			out = append(out, v)
		}
	}
	if len(f.values) == 0 {
		out = append(out, strings.ToLower(d.String()))
	}
	return out
}

// firstOf keeps the first value of each field.
func firstOf(all []llm.ActionSetting) []llm.ActionSetting {
	var out []llm.ActionSetting
	for _, s := range all {
		if !slices.ContainsFunc(out, func(o llm.ActionSetting) bool { return strings.EqualFold(o.Name, s.Name) }) {
			out = append(out, s)
		}
	}
	return out
}
