package reader

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
