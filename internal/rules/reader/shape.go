package reader

import (
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
	case wantOrigin:
		return origin
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

// behind reports whether one of the labels stands within n words before i.
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
