package tree

import (
	"math"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/text/timex"
)

var (
	moneyForm  = lazily(`(?i)(?:[$€£¥]|\b(?:usd|eur|gbp|cad|aud|chf|us\$)\s?)\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:[$€£¥]|(?:dollars?|bucks?|euros?|pounds?|quid|usd|eur|gbp|cad|aud|chf|francs?|kr|crowns?)\b)`)
	freeForm   = lazily(`(?i)^\W*(?:free|no charge|nothing|included|gratis|complimentary)\b`)
	numberForm = lazily(`\d[\d,]*(?:\.\d+)?`)
	clockForm  = lazily(`(?i)\b(\d{1,2})(?:[:.](\d\d))?\s?(am|pm|a\.m\.?|p\.m\.?)(?:\b|$|\s)|\b(\d{1,2}):(\d\d)\b|\b(noon|midday|midnight)\b|\b(half past|quarter past|quarter to|(?:five|ten|twenty|twenty-five) (?:past|to)) (\w+)\b|\b(\w+) (?:o['’]clock)|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -](fifteen|thirty|forty-five|forty five)\b|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s?(am|pm)\b`)
	rangeForm  = lazily(`(?i)\b(\d{1,2})(?:[:.](\d\d))?\s*(?:-|–|—|to|until|till)\s*(\d{1,2})(?:[:.](\d\d))?\s?(am|pm)\b`)
	lengthForm = lazily(`(?i)\b(one and a half|two and a half|three and a half|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|forty-five|sixty|ninety|half an?|a couple of|a quarter of an|three quarters of an|\d+(?:\.\d+)?)[ -]?(hours?|hrs?|h|minutes?|mins?|m|days?|weeks?|months?|years?)\b(?: and a half)?`)
	isoForm    = lazily(`\b(\d{4})-(\d\d)-(\d\d)\b`)
)

// money reads the first amount of money in a text; free is 0.
func money(s string) (float64, bool) {
	if freeForm().MatchString(s) {
		return 0, true
	}
	m := moneyForm().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	return parseNumber(m[1] + m[2])
}

func parseNumber(s string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// firstNumber reads the first number of a text.
func firstNumber(s string) (float64, bool) {
	m := numberForm().FindString(s)
	if m == "" {
		return 0, false
	}
	return parseNumber(m)
}

// A clock is a time of day in minutes, with whether it said morning or
// afternoon, and where it stands.
type clock struct {
	minutes    int
	certain    bool
	start, end int
}

// clocks reads the times of day in a text, in order. A time without "am" or
// "pm" takes that of the end of its range where it has one.
func clocks(s string) []clock {
	var out []clock
	covered := -1
	if at := rangeForm().FindStringSubmatchIndex(s); at != nil {
		sub := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return s[at[2*i]:at[2*i+1]]
		}
		end, _ := clockOf(sub(3), sub(4), sub(5))
		begin, _ := clockOf(sub(1), sub(2), sub(5))
		if begin > end {
			begin -= 12 * 60
		}
		if begin >= 0 {
			out = append(out, clock{begin, true, at[0], at[0] + 1}, clock{end, true, at[0] + 1, at[1]})
			covered = at[1]
		}
	}
	for _, at := range clockForm().FindAllStringSubmatchIndex(s, 16) {
		if covered >= 0 && at[0] < covered {
			continue
		}
		sub := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return strings.ToLower(s[at[2*i]:at[2*i+1]])
		}
		c := clock{start: at[0], end: at[1]}
		for c.end > c.start && s[c.end-1] == ' ' {
			c.end--
		}
		ok := true
		switch {
		case sub(1) != "":
			c.minutes, ok = clockOf(sub(1), sub(2), sub(3))
			c.certain = true
		case sub(4) != "":
			c.minutes, ok = clockOf(sub(4), sub(5), "")
			c.certain = c.minutes >= 13*60 || strings.HasPrefix(sub(4), "0")
		case sub(6) == "midnight":
			c.minutes, c.certain = 0, true
		case sub(6) != "":
			c.minutes, c.certain = 12*60, true
		case sub(7) != "":
			h, known := number(sub(8))
			if ok = known && h >= 1 && h <= 12; ok {
				c.minutes = h * 60
				f := strings.Fields(sub(7))
				step := map[string]int{"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}[f[0]]
				if f[1] == "to" {
					step = -step
				}
				c.minutes += step
			}
		case sub(9) != "":
			h, known := number(sub(9))
			ok = known && h >= 1 && h <= 12
			c.minutes = h * 60
		case sub(10) != "":
			c.minutes = cardinals[sub(10)]*60 + map[string]int{"fifteen": 15, "thirty": 30}[sub(11)]
			if strings.HasPrefix(sub(11), "forty") {
				c.minutes += 45
			}
		case sub(12) != "":
			c.minutes, ok = clockOf(strconv.Itoa(cardinals[sub(12)]), "", sub(13))
			c.certain = true
		}
		if ok {
			out = append(out, c)
		}
	}
	return out
}

func clockOf(hour, minute, half string) (int, bool) {
	h, err := strconv.Atoi(hour)
	if err != nil || h > 24 {
		return 0, false
	}
	m := 0
	if minute != "" {
		if m, err = strconv.Atoi(minute); err != nil || m > 59 {
			return 0, false
		}
	}
	switch {
	case strings.HasPrefix(strings.ToLower(half), "p") && h < 12:
		h += 12
	case strings.HasPrefix(strings.ToLower(half), "a") && h == 12:
		h = 0
	}
	return h*60 + m, true
}

// length reads a length of time in minutes.
func length(s string) (minutes float64, at []int, ok bool) {
	m := lengthForm().FindStringSubmatchIndex(s)
	if m == nil {
		return 0, nil, false
	}
	count := strings.ToLower(s[m[2]:m[3]])
	n := 0.0
	switch {
	case strings.HasPrefix(count, "half"):
		n = 0.5
	case count == "a" || count == "an":
		n = 1
	case strings.HasSuffix(count, " and a half"):
		n = float64(cardinals[strings.Fields(count)[0]]) + 0.5
	case count == "a couple of":
		n = 2
	case count == "a quarter of an":
		n = 0.25
	case count == "three quarters of an":
		n = 0.75
	case count == "forty-five":
		n = 45
	case count == "ninety":
		n = 90
	default:
		if c, known := cardinals[count]; known {
			n = float64(c)
		} else if v, known := parseNumber(count); known {
			n = v
		}
	}
	if strings.HasSuffix(s[m[0]:m[1]], "and a half") {
		n += 0.5
	}
	switch unit := strings.ToLower(s[m[4]:m[5]]); unit[0] {
	case 'h':
		n *= 60
		// "1 h 30 min"
		if rest := lengthForm().FindStringSubmatchIndex(s[m[1]:]); rest != nil && rest[0] <= 5 && strings.HasPrefix(strings.ToLower(s[m[1]+rest[4]:]), "m") {
			if extra, known := parseNumber(s[m[1]+rest[2] : m[1]+rest[3]]); known {
				n += extra
				m[1] += rest[1]
			}
		}
	case 'd':
		n *= 24 * 60
	case 'w':
		n *= 7 * 24 * 60
	case 'y':
		n *= 365 * 24 * 60
	case 'm':
		if strings.HasPrefix(unit, "mo") {
			n *= 30 * 24 * 60
		}
	}
	return n, m[:2], true
}

// A period is a range of days, half open, and where it stands.
type period struct {
	from, to   time.Time
	start, end int
	week       bool // names a week, month or other span, not a day
}

var weekdays = map[string]time.Weekday{
	"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	"sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6,
	"sundays": 0, "mondays": 1, "tuesdays": 2, "wednesdays": 3, "thursdays": 4, "fridays": 5, "saturdays": 6,
}

var spanForm = lazily(`(?i)\b(?:(this|next|the coming|coming|last|past) (week|weekend|month|fortnight)|(the end of|end of) (?:the |this )?(week|month)|(?:the )?(?:next|coming) (\w+) (days|weeks)|(today|tonight|tomorrow|yesterday|the day after tomorrow)|(?:(this|next|coming|the coming|last) )?(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|(in|within) (an?|one|two|three|four|five|six|seven|ten|\d+) (days?|weeks?|months?)(?: time)?|(an?|one|two|three|four|\d+) (days?|weeks?) from (?:today|now))`)

// periods reads the dates of a text that plans ahead: a weekday is the next
// one, today included.
func periods(s string, today time.Time) []period {
	var out []period
	anchored := !today.IsZero()
	today = time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	add := func(from time.Time, days int, at []int, week bool) {
		out = append(out, period{from, from.AddDate(0, 0, days), at[0], at[1], week})
	}
	free := func(a, b int) bool {
		for _, p := range out {
			if a < p.end && p.start < b {
				return false
			}
		}
		return true
	}
	for _, at := range isoForm().FindAllStringSubmatchIndex(s, 8) {
		if t, err := time.Parse(time.DateOnly, s[at[0]:at[1]]); err == nil {
			add(t, 1, at, false)
		}
	}
	for _, e := range timex.Find(s, today) {
		if e.Resolved() && !e.Relative && !e.Vague && free(e.Start, e.End) && (numberForm().MatchString(s[e.Start:e.End]) || partMonth().MatchString(s[e.Start:e.End])) && e.Grain == timex.Day {
			at := []int{e.Start, e.End}
			from := e.From
			if anchored && !yearForm().MatchString(s[e.Start:e.End]) {
				// A day without a year lies in the year around today.
				from = time.Date(today.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC)
				if from.Before(today.AddDate(0, -6, 0)) {
					from = from.AddDate(1, 0, 0)
				}
			}
			add(from, 1, at, false)
		}
	}
	if !anchored {
		return out
	}
	for _, at := range partMonth().FindAllStringSubmatchIndex(s, 4) {
		if !free(at[0], at[1]) {
			continue
		}
		m := monthOf(s[at[4]:at[5]])
		first := time.Date(today.Year(), m, 1, 0, 0, 0, 0, time.UTC)
		if first.AddDate(0, 1, 0).Before(today) {
			first = first.AddDate(1, 0, 0)
		}
		days := first.AddDate(0, 1, -1).Day()
		switch {
		case at[2] < 0:
			add(first, days, at, true)
		case strings.Contains(strings.ToLower(s[at[2]:at[3]]), "end"):
			add(first.AddDate(0, 0, days-1), 1, at, false)
		case strings.Contains(strings.ToLower(s[at[2]:at[3]]), "mid"):
			add(first.AddDate(0, 0, 14), 1, at, false)
		default:
			add(first, 1, at, false)
		}
	}
	for _, at := range spanForm().FindAllStringSubmatchIndex(s, 16) {
		if !free(at[0], at[1]) {
			continue
		}
		sub := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return strings.ToLower(s[at[2*i]:at[2*i+1]])
		}
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
		switch {
		case sub(2) != "":
			past, next := sub(1) == "last" || sub(1) == "past", strings.HasSuffix(sub(1), "next") || strings.HasSuffix(sub(1), "coming")
			shift := 0
			if past {
				shift = -1
			} else if next {
				shift = 1
			}
			switch sub(2) {
			case "week":
				add(monday.AddDate(0, 0, 7*shift), 7, at, true)
			case "weekend":
				add(monday.AddDate(0, 0, 7*shift+5), 2, at, true)
			case "fortnight":
				add(today, 14, at, true)
			default:
				first := time.Date(today.Year(), today.Month()+time.Month(shift), 1, 0, 0, 0, 0, time.UTC)
				add(first, first.AddDate(0, 1, -1).Day(), at, true)
			}
		case sub(4) == "week":
			add(monday.AddDate(0, 0, 4), 3, at, true)
		case sub(4) == "month":
			first := time.Date(today.Year(), today.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			add(first.AddDate(0, 0, -1), 1, at, false)
		case sub(6) != "":
			if n, ok := number(sub(5)); ok && n < 1000 {
				if sub(6) == "weeks" {
					n *= 7
				}
				add(today, n+1, at, true)
			}
		case sub(7) != "":
			shift := map[string]int{"tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2}[sub(7)]
			add(today.AddDate(0, 0, shift), 1, at, false)
		case sub(9) != "":
			day := weekdays[sub(9)[:3]]
			ahead := (int(day) - int(today.Weekday()) + 7) % 7
			switch {
			case sub(8) == "last":
				ahead -= 7
			case sub(8) == "next":
				// The weekday of the week that comes, as people mostly mean it.
				ahead = (int(day)+6)%7 + 7 - (int(today.Weekday())+6)%7
			}
			add(today.AddDate(0, 0, ahead), 1, at, false)
		case sub(12) != "" || sub(14) != "":
			count, unit := sub(11)+sub(13), sub(12)+sub(14)
			n, ok := number(count)
			if count == "a" || count == "an" {
				n, ok = 1, true
			}
			if !ok || n > 1000 {
				continue
			}
			t := today.AddDate(0, 0, n)
			switch unit[0] {
			case 'w':
				t = today.AddDate(0, 0, 7*n)
			case 'm':
				t = today.AddDate(0, n, 0)
			}
			if sub(10) == "within" {
				out = append(out, period{today, t.AddDate(0, 0, 1), at[0], at[1], true})
			} else {
				add(t, 1, at, false)
			}
		}
	}
	return out
}

var partMonth = lazily(`(?:\b((?i)(?:the )?(?:end|middle|beginning|start) of|mid|early|late)[ -])?\b(January|February|March|April|May|June|July|August|September|October|November|December)\b`)

func monthOf(s string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), s) {
			return m
		}
	}
	return time.January
}

var yearForm = lazily(`\b(?:19|20)\d\d\b`)

// dateOf reads a field's value as a day.
func dateOf(value string, today time.Time) (time.Time, bool) {
	for _, p := range periods(value, today) {
		if !p.week {
			return p.from, true
		}
	}
	return time.Time{}, false
}

// writeClock writes a time of day in the manner of an example: "7:30 PM" or
// "19:30".
func writeClock(minutes int, example string) string {
	minutes = ((minutes % (24 * 60)) + 24*60) % (24 * 60)
	h, m := minutes/60, minutes%60
	low := strings.ToLower(example)
	switch {
	case strings.Contains(low, "am") || strings.Contains(low, "pm"):
		half := "AM"
		if h >= 12 {
			half = "PM"
		}
		if !strings.Contains(example, "AM") && !strings.Contains(example, "PM") {
			half = strings.ToLower(half)
		}
		h = (h+11)%12 + 1
		blank := ""
		if strings.Contains(low, " am") || strings.Contains(low, " pm") {
			blank = " "
		}
		return strconv.Itoa(h) + ":" + two(m) + blank + half
	case len(example) > 4 && example[0] == '0' || strings.Contains(example, " 0"):
		return two(h) + ":" + two(m)
	}
	return two(h) + ":" + two(m)
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// writeDate writes a day in the manner of an example.
func writeDate(t time.Time, example string) string {
	if isoForm().MatchString(example) || example == "" {
		return t.Format(time.DateOnly)
	}
	layouts := []string{
		"Monday, 2 January 2006", "Monday 2 January 2006", "Monday, January 2, 2006", "2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006",
		"Monday, 2 January", "Monday 2 January", "Mon 2 Jan", "Mon, 2 Jan", "2 January", "January 2", "2 Jan", "Jan 2", "02/01/2006", "02.01.2006", "Monday", "Mon",
	}
	for _, l := range layouts {
		if _, err := time.Parse(l, example); err == nil {
			return t.Format(l)
		}
	}
	return t.Format(time.DateOnly)
}
