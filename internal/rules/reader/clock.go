package reader

import (
	"strings"
)

// clockDigits reports whether a word is a time of day in digits.
func clockDigits(low string) bool {
	low = strings.TrimRight(low, "amp.")
	h, m, ok := strings.Cut(low, ":")
	return ok && len(h) >= 1 && len(h) <= 2 && len(m) == 2 && isDigit(h[0]) && isDigit(h[len(h)-1]) && isDigit(m[0]) && isDigit(m[1])
}

// halves of the day, and what else makes a number a time.
var halves = set("am pm a.m p.m a.m. p.m. o'clock")

// clock finds a time of day. It fits when what stands before it says that it is
// the time wanted: to leave, to arrive, or for a booking neither.
func (d *demand) clock(words []word, i int) (value, bool) {
	w := &words[i]
	var end int
	_, digits, _ := makeup(w.low)
	switch {
	case clockDigits(w.low):
		end = i + 1
		if halves[at(words, i+1)] {
			end++
		}
	case w.low == "noon" || w.low == "midnight" || w.low == "midday":
		end = i + 1
	case digits > 0 && digits <= 2 && (strings.HasSuffix(w.low, "am") || strings.HasSuffix(w.low, "pm")):
		end = i + 1
	case (digits > 0 && digits <= 2 && digits == len(w.low) || smallNumbers[w.low]) && (halves[at(words, i+1)] || at(words, i+1) == "o" && at(words, i+2) == "'"):
		end = i + 2
	default:
		return value{}, false
	}
	v := value{from: i, to: end, fit: likely}
	switch said := senseAt(words, i); {
	case d.sense == said:
		v.fit = sure
	case d.sense == anyTime || said == anyTime:
		v.fit = possible
		if d.sense != anyTime {
			v.fit = likely
		}
	default:
		v.fit = 2 * unlikely
	}
	return v, true
}

// senseAt tells of which of two times of a journey word i is, by the nearest
// word before it that tells; by the next behind it where none does.
func senseAt(words []word, i int) sense {
	bound := anyTime // by a preposition, where no verb tells
	for j := i - 1; j >= max(0, i-10); j-- {
		low := words[j].low
		switch {
		case clockDigits(low), words[j].punct && low != ",":
			j = -1
		case low == "after" && bound == anyTime:
			bound = leaving
		case (low == "by" || low == "until" || low == "before") && bound == anyTime:
			bound = arriving
		case leaveWords[low]:
			return leaving
		case arriveWords[low] || low == "there" && (at(words, j-1) == "get" || at(words, j-1) == "be"):
			return arriving
		}
	}
	if bound != anyTime {
		return bound
	}
	return senseBehind(words, i)
}

// bounded reports whether word i is a limit and not a time itself: "after 9:00".
func bounded(words []word, i int) bool {
	switch at(words, i-1) {
	case "after", "before", "by", "around", "until", "to", "than":
		return true
	}
	return false
}

func senseBehind(words []word, i int) sense {
	for j := i + 1; j < min(len(words), i+4); j++ {
		switch low := words[j].low; {
		case clockDigits(low), words[j].punct, low == "and":
			return anyTime
		case leaveWords[low] || vehicles[low]:
			return leaving
		case arriveWords[low]:
			return arriving
		}
	}
	return anyTime
}

var weekdays = set("monday tuesday wednesday thursday friday saturday sunday today tomorrow")

func weekday(words []word, i int) (value, bool) {
	if !weekdays[words[i].low] {
		return value{}, false
	}
	v := value{from: i, to: i + 1, fit: likely}
	switch at(words, i-1) {
	case "on", "for", "from", "starting", "beginning", "arriving":
		v.fit = sure
	}
	return v, true
}
