package tree

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A span is a value that stands in a request, by the offsets of its text.
type span struct {
	kind       fieldKind // money, time, date, duration, number, or name for a quotation
	start, end int
	lo, hi     float64 // in the unit of quantity; of a date the days, ends included
	text       string
	weekday    int  // of a date that is a weekday alone, from 1 for Sunday; else 0
	certain    bool // of a time: morning or afternoon is said
	week       bool // of a date: a week or a month, not a day
	unit       string
}

// spansOf finds the values in a text, in order and without overlaps.
func spansOf(s string, words []word, today time.Time) []span {
	var all []span
	free := func(a, b int) bool {
		return !slices.ContainsFunc(all, func(p span) bool { return a < p.end && p.start < b })
	}
	add := func(p span) {
		if p.end > p.start && free(p.start, p.end) {
			p.text = strings.TrimSpace(s[p.start:p.end])
			all = append(all, p)
		}
	}
	for _, q := range quotations(s) {
		add(span{kind: kindName, start: q[0], end: q[1]})
	}
	for _, at := range moneyForm().FindAllStringIndex(s, 8) {
		n, _ := money(s[at[0]:at[1]])
		add(span{kind: kindMoney, start: at[0], end: at[1], lo: n, hi: n})
	}
	for _, p := range periods(s, today) {
		d := span{kind: kindDate, start: p.start, end: p.end, lo: float64(p.from.Unix() / 86400), hi: float64(p.to.Unix()/86400 - 1), week: p.week}
		if day, ok := weekdays[strings.ToLower(s[p.start:p.end])]; ok {
			d.weekday = int(day) + 1
		}
		add(d)
	}
	for i, w := range words {
		if n, ok := ordinal(w.low); ok && isOrdinal(w.low) && w.low[0] <= '9' && i > 0 && words[i-1].low == "the" && n <= 31 && !today.IsZero() && (i+1 == len(words) || words[i+1].in("closed") || words[i+1].mark) {
			day := time.Date(today.Year(), today.Month(), n, 0, 0, 0, 0, time.UTC)
			if day.Before(today) {
				day = day.AddDate(0, 1, 0)
			}
			at := float64(day.Unix() / 86400)
			add(span{kind: kindDate, start: w.start, end: w.end, lo: at, hi: at})
		}
	}
	for _, c := range clocks(s) {
		add(span{kind: kindTime, start: c.start, end: c.end, lo: float64(c.minutes), hi: float64(c.minutes), certain: c.certain})
	}
	for from := 0; from < len(s); {
		n, at, ok := length(s[from:])
		if !ok {
			break
		}
		add(span{kind: kindDuration, start: from + at[0], end: from + at[1], lo: n, hi: n})
		from += at[1]
	}
	for i, w := range words {
		n, ok := cardinals[w.low]
		value := float64(n)
		if !ok {
			if !digits(strings.ReplaceAll(strings.ReplaceAll(w.low, ",", ""), ".", "")) {
				continue
			}
			if value, ok = parseNumber(w.low); !ok {
				continue
			}
		}
		p := span{kind: kindNumber, start: w.start, end: w.end, lo: value, hi: value}
		if i+1 < len(words) && !words[i+1].mark {
			p.unit = words[i+1].stem
		}
		add(p)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return all
}

// in returns a length of time in the unit of a field.
func (p *span) in(f *field) float64 {
	if f != nil && f.stems["hour"] {
		return p.lo / 60
	}
	return p.lo
}

// quotations returns where texts in quotes stand, without the quotes.
func quotations(s string) [][2]int {
	var all [][2]int
	for _, q := range [][2]string{{`"`, `"`}, {"“", "”"}, {"‘", "’"}, {" '", "'"}} {
		for from := 0; from < len(s); {
			i := strings.Index(s[from:], q[0])
			if i < 0 {
				break
			}
			begin := from + i + len(q[0])
			k := strings.Index(s[begin:], q[1])
			for k >= 0 && q[1] != `"` && begin+k+len(q[1]) < len(s) && letter(rune(s[begin+k+len(q[1])])) {
				next := strings.Index(s[begin+k+len(q[1]):], q[1])
				if next < 0 {
					k = -1
					break
				}
				k += len(q[1]) + next
			}
			if k <= 0 || k > 120 {
				break
			}
			all = append(all, [2]int{begin, begin + k})
			from = begin + k + len(q[1])
		}
	}
	return all
}
