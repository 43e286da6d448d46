package offline

import (
	"strings"
	"unicode"
)

// A value is a part of a sentence that has the shape of what is wanted.
type value struct {
	from, to int    // words, half open
	text     string // as the answer says it; empty for the words as they stand
	fit      float64
}

// The fits of values: how sure it is that the words mean what is wanted.
const (
	sure     = 2.0
	likely   = 1.0
	possible = 0.0
	unlikely = -1.5
)

// values finds what is wanted in a sentence.
func (d *demand) values(s *sentence) []value {
	var out []value
	find := d.finder()
	if find == nil {
		return nil
	}
	for i := 0; i < len(s.words); {
		v, ok := find(s.words, i)
		if !ok {
			i++
			continue
		}
		out = append(out, v)
		i = max(v.to, i+1)
	}
	return out
}

// A finder finds the value that starts at word i.
type finder func(words []word, i int) (value, bool)

func (d *demand) finder() finder {
	switch d.want {
	case wantReference:
		return reference
	case wantLine:
		return lineNumber
	case wantPhone:
		return phone
	case wantPostcode:
		return postcode
	case wantAddress:
		return address
	case wantStars:
		return stars
	case wantPeople:
		return people
	case wantNights:
		return nights
	case wantClock:
		return d.clock
	case wantDay:
		return weekday
	case wantPrice:
		return priceRange
	case wantFee:
		return fee
	case wantArea:
		return area
	case wantFood:
		return food
	case wantCar:
		return car
	case wantPlaceKind:
		return placeKind
	case wantGoal:
		return d.goal
	case wantName:
		return venue
	case wantNone:
	}
	return nil
}

// at returns word i in lower case, "" beyond the ends.
func at(words []word, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i].low
}

// behind reports whether one of the labels stands within n words before i, and
// no other value between.
func behind(words []word, i, n int, labels map[string]bool) bool {
	for j := i - 1; j >= max(0, i-n); j-- {
		if labels[words[j].low] {
			return true
		}
	}
	return false
}

// makeup counts the letters and digits of a word.
func makeup(s string) (letters, digits, others int) {
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		default:
			others++
		}
	}
	return letters, digits, others
}

var referenceLabels = set("reference confirmation ref booking number code")

// reference finds a code of letters and digits that is no number of a train: a
// letter behind a digit, or capitals behind a word for it.
func reference(words []word, i int) (value, bool) {
	w := &words[i]
	letters, digits, others := makeup(w.text)
	if w.punct || others > 0 || letters+digits < 5 || letters+digits > 16 {
		return value{}, false
	}
	labelled := behind(words, i, 5, referenceLabels)
	switch {
	case digits > 0 && letters > 0:
		if _, ok := lineNumber(words, i); ok || isPostcode(w.text) || clockDigits(w.low) {
			return value{}, false
		}
	case letters > 0:
		if !labelled || w.text != strings.ToUpper(w.text) {
			return value{}, false
		}
	case !labelled:
		return value{}, false
	}
	fit := likely
	if labelled {
		fit = sure
	}
	return value{from: i, to: i + 1, fit: fit}, true
}

// lineNumber finds letters and then digits: "TR0241", "LH 400".
func lineNumber(words []word, i int) (value, bool) {
	w := &words[i]
	head := strings.TrimRight(w.text, "0123456789")
	letters, digits, others := makeup(w.text)
	behindLetters, _, _ := makeup(head)
	if w.punct || others > 0 || letters == 0 || letters > 3 || digits < 2 || digits > 5 || behindLetters != letters || len(head)+digits != len(w.text) || isPostcode(w.text) {
		return value{}, false
	}
	return value{from: i, to: i + 1, fit: likely}, true
}

var phoneLabels = set("phone telephone number contact call reached tel")

// phone finds seven digits and more, which spaces may part: "01999 555 010".
func phone(words []word, i int) (value, bool) {
	digits, end := 0, i
	for j := i; j < len(words) && j < i+6; j++ {
		w := &words[j]
		letters, n, _ := makeup(w.text)
		if w.punct && (w.text == "(" || w.text == ")" || w.text == "+" || w.text == "-") && (j == i) == (w.text == "(" || w.text == "+") {
			continue
		}
		if letters > 0 || n == 0 || strings.ContainsAny(w.text, ":.,") || digits >= 7 && words[j-1].end == w.start {
			break
		}
		digits += n
		end = j + 1
	}
	if digits < 7 || digits > 15 {
		return value{}, false
	}
	v := value{from: i, to: end, fit: likely}
	if behind(words, i, 6, phoneLabels) {
		v.fit = sure
	}
	if behind(words, i, 3, set("reference confirmation")) {
		v.fit = unlikely
	}
	return v, true
}

// isPostcode reports whether a word is a British postcode written as one: one or
// two letters, a digit, a digit or letter or none, a digit and two letters.
func isPostcode(s string) bool {
	n := len(s)
	return n >= 5 && n <= 7 && isInward(s[n-3:]) && isOutward(s[:n-3])
}

func isInward(s string) bool {
	return len(s) == 3 && isDigit(s[0]) && isLetter(s[1]) && isLetter(s[2])
}

func isOutward(s string) bool {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	if n < 1 || n > 2 || len(s)-n < 1 || len(s)-n > 2 || !isDigit(s[n]) {
		return false
	}
	return len(s)-n == 1 || isDigit(s[n+1]) || isLetter(s[n+1])
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var postcodeLabels = set("postcode postcodes postal code zip zipcode")

// postcode finds British postcodes, in one word or two, and five digits behind a
// word for them.
func postcode(words []word, i int) (value, bool) {
	w := &words[i]
	switch labelled := behind(words, i, 6, postcodeLabels); {
	case w.punct:
	case isPostcode(w.text):
		return value{from: i, to: i + 1, fit: sure}, true
	case isOutward(w.text) && i+1 < len(words) && isInward(words[i+1].text):
		return value{from: i, to: i + 2, fit: sure}, true
	case isOutward(w.text) && i+2 < len(words) && words[i+1].low == "," && isInward(words[i+2].text):
		return value{from: i, to: i + 3, text: w.text + " " + words[i+2].text, fit: sure}, true
	case labelled:
		letters, digits, others := makeup(w.text)
		if others == 0 && digits >= 2 && (letters == 0 && digits == 5 || letters >= 2 && letters+digits >= 5 && letters+digits <= 8) {
			return value{from: i, to: i + 1, fit: likely}, true
		}
	}
	return value{}, false
}

var (
	streets = set(`street st road rd avenue ave lane ln way close drive dr square hill row court terrace parade
place crescent gardens walk bridge highway park centre center market passage yard mews`)
)

// address finds a house number with a name behind it, a name that ends with a
// word for a street behind "on" and its like, or what stands behind "address is".
func address(words []word, i int) (value, bool) {
	w := &words[i]
	_, digits, _ := makeup(w.text)
	numbered := digits > 0 && digits <= 5 || digits > 0 && strings.Contains(w.text, "-")
	stated, placed := addressStated(words, i), placing[at(words, i-1)]
	if w.punct || w.class != content || clockDigits(w.low) || isPostcode(w.text) || !numbered && !stated && !placed {
		return value{}, false
	}
	end, street, names := i, false, 0
	for j := i; j < len(words) && j < i+14; j++ {
		x := &words[j]
		if x.punct {
			if (x.text == "," || x.text == "-" || x.text == "." && len(at(words, j-1)) <= 2) && j+1 < len(words) && addressWord(&words[j+1]) {
				continue
			}
			break
		}
		if !addressWord(x) || j > i && isOutward(x.text) {
			break
		}
		if letters, _, _ := makeup(x.text); letters > 1 && !vague[x.low] {
			names++
		}
		street = street || streets[x.low] && names > 1
		end = j + 1
		if placed && !numbered && street && (j+1 == len(words) || !words[j+1].upper) {
			break
		}
	}
	for end > i && (words[end-1].low == "the" || words[end-1].low == "of" || words[end-1].punct) {
		end--
	}
	v := value{from: i, to: end, fit: likely}
	switch {
	case names == 0 || end == i:
		return value{}, false
	case stated && !placed, street && behind(words, i, 8, addressLabels):
		v.fit = sure
	case !street:
		return value{}, false
	}
	return v, true
}

var (
	placing       = set("on at in")
	addressLabels = set("address located location")
)

// addressStated reports whether word i stands behind "address is" and its like.
func addressStated(words []word, i int) bool {
	switch at(words, i-1) {
	case "is", ":", "'s", "of":
		return at(words, i-2) == "address" || at(words, i-3) == "address" || behind(words, i, 8, set("address")) && at(words, i-1) == "is"
	case "address":
		return words[i].class == content
	}
	return false
}

// addressWord reports whether a word may be one of an address.
func addressWord(w *word) bool {
	switch w.low {
	case "the", "of", "'s":
		return true
	case "phone", "postcode", "post", "telephone", "number", "reference", "you", "it":
		return false
	}
	return w.class == content && !w.punct && !strings.HasPrefix(w.tag, "VB") || w.upper && w.class == content
}

// stars finds a number of stars.
func stars(words []word, i int) (value, bool) {
	n, joined, ok := isNumber(&words[i])
	if !ok {
		return value{}, false
	}
	next := at(words, i+1)
	if next == "-" {
		next = at(words, i+2)
	}
	v := value{from: i, to: i + 1, text: n, fit: sure}
	switch {
	case joined == "star" || joined == "stars", next == "star" || next == "stars" || next == "starred":
		return v, true
	case behind(words, i, 3, set("star stars rating rated")) && joined == "" && next != "nights" && next != "people":
		v.fit = likely
		return v, true
	}
	return value{}, false
}

// counted are nouns that a number before them counts, so that it is neither a
// number of people nor of nights.
var counted = set(`star stars pound pounds minute minutes hour hours am pm o'clock day days week weeks
option options restaurant restaurants hotel hotels guesthouse guesthouses place places train trains result
results choice choices attraction attractions museum museums college colleges mile miles`)

// people finds a number of people.
func people(words []word, i int) (value, bool) {
	w := &words[i]
	if w.low == "myself" || w.low == "me" && at(words, i-1) == "just" {
		return value{from: i, to: i + 1, text: "1", fit: likely}, true
	}
	n, joined, ok := isNumber(w)
	if !ok || joined != "" && !peopleNouns[singularOrSame(joined)] {
		return value{}, false
	}
	v := value{from: i, to: i + 1, text: n, fit: possible}
	next, prev := at(words, i+1), at(words, i-1)
	switch {
	case joined != "", peopleNouns[next], next == "of" && at(words, i+2) == "us", next == "more" && peopleNouns[at(words, i+2)], peopleNouns[at(words, i+2)] && i+1 < len(words) && words[i+1].class == content && !words[i+1].punct && !nightNouns[next]:
		v.fit = sure
	case prev == "of" && (at(words, i-2) == "party" || at(words, i-2) == "group" || at(words, i-2) == "table" || at(words, i-2) == "us"):
		v.fit = sure
	case nightNouns[next], counted[next], prev == "at" || prev == "by" || prev == "after" || prev == "£" || prev == "$":
		return value{}, false
	case prev == "for" || prev == "be" || prev == "just" || prev == "only" || i == 0:
		v.fit = likely
		if w.low == "one" {
			v.fit = possible
		}
	default:
		return value{}, false
	}
	return v, true
}

func singularOrSame(low string) string {
	if peopleNouns[low] {
		return low
	}
	return singular(low)
}

// nights finds a number of nights.
func nights(words []word, i int) (value, bool) {
	n, joined, ok := isNumber(&words[i])
	if !ok {
		return value{}, false
	}
	next := at(words, i+1)
	v := value{from: i, to: i + 1, text: n}
	switch {
	case nightNouns[joined], nightNouns[next]:
		v.fit = sure
	case next == "day" || next == "days" || joined == "day":
		v.fit = likely
	case at(words, i-1) == "for" && !peopleNouns[next] && !counted[next] && next != ":":
		v.fit = unlikely
	default:
		return value{}, false
	}
	return v, true
}

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
	end := i
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

// levels are words for how dear something is.
var levels = map[string]string{
	"cheap": "cheap", "cheaply": "cheap", "cheaper": "cheap", "inexpensive": "inexpensive", "budget": "budget",
	"moderate": "moderate", "moderately": "moderate", "mid-range": "mid-range", "affordable": "affordable",
	"expensive": "expensive", "pricey": "pricey", "upscale": "upscale", "luxury": "luxury",
}

func priceRange(words []word, i int) (value, bool) {
	level := levels[words[i].low]
	if level == "" {
		return value{}, false
	}
	return value{from: i, to: i + 1, text: level, fit: likely}, true
}

var (
	moneyWords = set("pound pounds gbp dollar dollars euro euros quid pence usd eur")
	moneySigns = set("£ $ €")
	extras     = set("parking wifi wi-fi internet breakfast time")
	entering   = set("enter visit get see access go explore")
	notFree    = set("feel for has have offers offer with includes")
	feeLabels  = set("fee fees admission entrance entry cost costs price charge charges pay free enter")
)

// fee finds an amount of money, or that something is free.
func fee(words []word, i int) (value, bool) {
	w := &words[i]
	v := value{from: i, to: i + 1, fit: likely}
	if behind(words, i, 6, feeLabels) || feeLabels[at(words, i+2)] || feeLabels[at(words, i+3)] {
		v.fit = sure
	}
	_, digits, _ := makeup(w.low)
	switch next := at(words, i+1); {
	case w.low == "free":
		entry := next == "admission" || next == "entrance" || next == "entry" || next == "to" && entering[at(words, i+2)]
		if next == "to" && !entry || extras[next] || !entry && behind(words, i, 2, notFree) {
			return value{}, false
		}
		return v, true
	case w.low == "no" && (feeLabels[next] || feeLabels[at(words, i+2)]), w.low == "not" && next == "charge":
		v.text = "free"
		return v, true
	case moneySigns[w.low] && i+1 < len(words):
		if _, n, _ := makeup(next); n == 0 {
			return value{}, false
		}
		v.to = i + 2
	case moneyWords[next] && (digits > 0 || smallNumbers[w.low]):
		v.to = i + 2
	default:
		return value{}, false
	}
	if low := at(words, v.to); (low == "per" || low == "a" || low == "each") && at(words, v.to+1) != "" && !words[min(v.to+1, len(words)-1)].punct {
		v.to += 2 // per person
	}
	return v, true
}

// parts of a town.
var compass = map[string]string{
	"centre": "centre", "center": "centre", "central": "centre", "downtown": "downtown",
	"north": "north", "northern": "north", "south": "south", "southern": "south",
	"east": "east", "eastern": "east", "west": "west", "western": "west",
}

func area(words []word, i int) (value, bool) {
	text := compass[words[i].low]
	if text == "" {
		return value{}, false
	}
	v := value{from: i, to: i + 1, text: text, fit: possible}
	next, prev := at(words, i+1), at(words, i-1)
	switch {
	case next == "part" || next == "area" || next == "side" || next == "of" || next == "end" || next == "section":
		v.fit = sure
	case prev == "the" || prev == "in" || prev == "city" && at(words, i-2) == "the" || prev == "town":
		v.fit = likely
	}
	return v, true
}

// dishes are words that the kind of food stands before.
var dishes = set("food foods cuisine restaurant restaurants dishes fare meals meal place eatery cooking")

// food finds the words before "food", "restaurant" and their like, and what
// stands behind "serves".
func food(words []word, i int) (value, bool) {
	w := &words[i]
	if w.punct || !describes(w) || i > 0 && describes(&words[i-1]) && !words[i-1].punct {
		return value{}, false
	}
	end := i
	for end < len(words) && describes(&words[end]) && end < i+4 {
		end++
	}
	k := end
	for k < len(words) && vague[words[k].low] {
		k++
	}
	head := at(words, k)
	served := behind(words, i, 2, serving) || behind(words, i, 4, set("cuisine food")) && at(words, i-1) == "is"
	switch {
	case head == "food" || head == "cuisine" || head == "foods" || served:
		return value{from: i, to: end, fit: sure}, true
	case dishes[head]:
		return value{from: i, to: end, fit: likely}, true
	case end == i+1 && strings.HasPrefix(w.tag, "JJ") && (at(words, i-1) == "is" || at(words, i-1) == "'s"):
		return value{from: i, to: end, fit: unlikely}, true
	}
	return value{}, false
}

var serving = set("serve serves served serving offer offers offering")

// vague are adjectives that say nothing about the kind of a thing.
var vague = set(`nice good great lovely excellent wonderful popular fantastic delicious fine best local nearby
particular certain different new other cheap cheaper inexpensive moderate moderately expensive priced pricey
upscale affordable budget reasonable reasonably centrally located available perfect beautiful interesting fun free
north south east west centre center central northern southern eastern western town city type kind sort star tasty
highly rated recommended only several many few more same similar small large big open possible following`)

// describes reports whether a word can say of what kind something is.
func describes(w *word) bool {
	if w.punct || w.class != content || vague[w.low] || dishes[w.low] || smallNumbers[w.low] || serving[w.low] {
		return false
	}
	return strings.HasPrefix(w.tag, "JJ") || isNoun(w.tag) || w.tag == "VBG" && w.upper
}

// colours are the colours that cars and the like are described with.
var colours = set("red blue green yellow purple pink orange black white brown gray grey gold silver beige")

// car finds a colour and what has it: the make of a car.
func car(words []word, i int) (value, bool) {
	if !colours[words[i].low] {
		return value{}, false
	}
	end := i + 1
	for end < len(words) && end < i+4 && !words[end].punct && words[end].class == content && !strings.HasPrefix(words[end].tag, "VB") && words[end].low != "contact" {
		end++
	}
	v := value{from: i, to: end, fit: possible}
	if end > i+1 {
		v.fit = likely
	}
	if behind(words, i, 6, set("car type taxi vehicle")) {
		v.fit = sure
	}
	return v, true
}

// placeKind finds the noun phrase behind "is a", or behind a number: "two swimming
// pools".
func placeKind(words []word, i int) (value, bool) {
	w := &words[i]
	if describes(w) && (i == 0 || !describes(&words[i-1])) {
		end := i
		for end < len(words) && describes(&words[end]) && !siteNouns[words[end].low] && end < i+3 {
			end++
		}
		if end > i && siteNouns[at(words, end)] && !notKinds[words[end-1].low] {
			return value{from: i, to: end, fit: likely}, true
		}
	}
	if w.low == "category" && at(words, i+1) == "of" && i+2 < len(words) {
		return value{from: i + 2, to: i + 3, fit: sure}, true
	}
	_, _, number := isNumber(w)
	many := number || w.low == "many" || w.low == "several" || w.low == "multiple"
	if w.low != "a" && w.low != "an" && !many {
		return value{}, false
	}
	from, end := i+1, i+1
	for end < len(words) && end < i+7 && (isNoun(words[end].tag) || strings.HasPrefix(words[end].tag, "JJ") || words[end].tag == "VBG" || vague[words[end].low]) && !words[end].punct {
		end++
	}
	for from < end && vague[words[from].low] {
		from++
	}
	for end > from && vague[words[end-1].low] {
		end--
	}
	if from == end || !isNoun(words[end-1].tag) || notKinds[singular(words[end-1].low)] || notKinds[words[end-1].low] {
		return value{}, false
	}
	v := value{from: from, to: end, fit: possible}
	before := at(words, i-1)
	switch next := at(words, end); {
	case many:
		if w.low == "multiple" {
			v.from = i
		}
	case before == "is", before == "'s", before == "are", before == "was", next == "called", next == "named":
		v.fit = sure
	}
	return v, true
}

// siteNouns are what a word for the kind of a place stands before.
var siteNouns = set("attraction attractions venue venues site sites place places")

// notKinds are nouns behind "a" that say nothing of what kind something is.
var notKinds = set(`option result choice attraction place preference listing match pound person people fee minute
number postcode phone reference taxi train reservation booking table room area variety lot couple few favorite
favourite one star night day ticket call moment entrance address`)
