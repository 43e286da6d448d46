package reader

import "strings"

// venue finds the name of a place: words with capitals, or what stands where a
// name does, as behind "called" and "how about" or before "is a".
func venue(words []word, i int) (value, bool) {
	w := &words[i]
	if w.punct || w.class != content || !nameable(w) {
		return value{}, false
	}
	end, capitals, size := i, 0, 0
	for end < len(words) && end < i+8 {
		x := &words[end]
		if end > i && joining[x.low] {
			if next := end + 1; next < len(words) && (words[next].upper && w.upper && nameable(&words[next]) || venueNouns[words[next].low] || !w.upper && x.low != "and" && x.low != "from" && x.low != "by" && x.low != "in" && nameable(&words[next]) && !words[next].punct && words[next].class == content) {
				end++
				continue
			}
			break
		}
		kind := end > i && venueNouns[x.low]
		if x.punct || x.class != content || !kind && (!nameable(x) || w.upper && !x.upper) {
			break
		}
		if x.upper {
			capitals++
		}
		size++
		end++
	}
	if end < len(words) && words[end].low == "'s" && end+1 < len(words) && words[end+1].upper {
		return value{}, false
	}
	if end == i {
		return value{}, false
	}
	v := value{from: i, to: end, fit: unlikely}
	before, second, after := at(words, i-1), at(words, i-2), at(words, end)
	from := i
	if before == "the" {
		from, before, second = i-1, second, at(words, i-3)
	}
	switch {
	case before == "called" || before == "named":
		v.fit = sure
	case before == "at" && (capitals > 0 || behind(words, i, 6, bookings)), before == "about" && (second == "how" || second == "what"), suggesting[before]:
		v.fit = likely
	case (from == 0 || words[from-1].punct) && predicates[after] && (capitals > 0 || size > 1):
		v.fit = likely
	case w.text == strings.ToUpper(w.text) && len(w.text) > 5 && capitals == 1:
		return value{}, false // a code
	case capitals > 1, capitals == 1 && i > 0:
		v.fit = possible
	default:
		return value{}, false
	}
	if streets[after] && i > 0 {
		if _, digits, _ := makeup(words[i-1].text); digits > 0 {
			return value{}, false
		}
	}
	if capitals == 0 && size > 5 || streets[words[end-1].low] && before != "called" && (i > 0 && behind(words, i, 4, sitting)) {
		return value{}, false
	}
	if behind(words, i, 3, bookings) {
		v.fit += likely
	}
	return v, true
}

// nameable reports whether a word may be one of a name.
func nameable(w *word) bool {
	letters, digits, _ := makeup(w.text)
	if letters < 2 || digits > 0 && (letters < 4 || w.text == strings.ToUpper(w.text)) || clockDigits(w.low) || weekdays[w.low] || unnamed[w.low] || isPostcode(w.text) {
		return false
	}
	return w.upper || !strings.HasPrefix(w.tag, "VB") && w.tag != "RB" && w.tag != "CD" && !vague[w.low]
}

var (
	joining    = set("and & of the 's - in du la le from by")
	bookings   = set("booked book booking reservation reserved reserve table room stay staying")
	suggesting = set("recommend suggest recommending suggesting found try")
	predicates = set("is includes serves meets has offers would it 's matches fits located also which that was are")
	sitting    = set("located address on")
	venueNouns = set("restaurant hotel guesthouse guest house bar cafe inn lodge kitchen grill bistro pub hostel b&b bed breakfast brasserie tavern")
	// unnamed are words that services write with a capital and that are no names.
	unnamed = list("unnamed")
)
