package reader

import (
	"strings"
)

var streets = list("streets")

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
			if (x.text == "," || x.text == "-" || x.text == "." && len(at(words, j-1)) <= 2) && j+1 < len(words) && words[j+1].class == content && addressWord(&words[j+1]) {
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
	addressWords  = set("address")
)

// addressStated reports whether word i stands behind "address is" and its like.
func addressStated(words []word, i int) bool {
	switch at(words, i-1) {
	case "is", ":", "'s", "of":
		return at(words, i-2) == "address" || at(words, i-3) == "address" || at(words, i-1) == "is" && behind(words, i, 8, addressWords)
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
	verb := strings.HasPrefix(w.tag, "VB") && w.tag != "VBG" && !w.upper
	return w.class == content && !w.punct && !verb
}
