package tree

import (
	"slices"
	"strings"
)

// A superlative asks for the nodes with the most or least of something.
type superlative struct {
	kind fieldKind
	noun string // stem of what is counted, for numbers
	max  bool
	n    int
	at   int // index of its first word
}

var superlatives = []struct {
	kind    fieldKind
	max     bool
	phrases []string
}{
	{kindMoney, false, []string{"cheapest", "least expensive", "lowest price", "lowest cost", "costs least", "costs the least", "cost the least", "cost least", "least costly", "easiest on the wallet", "best value", "most affordable", "smallest bill"}},
	{kindMoney, true, []string{"most expensive", "priciest", "dearest", "costliest", "highest price", "highest cost", "costs most", "costs the most", "cost the most", "cost most", "most costly", "biggest bill", "hardest on the wallet", "steepest"}},
	{kindDuration, true, []string{"longest", "slowest", "takes the longest", "takes longest", "take the longest", "take longest", "most time", "most time consuming", "biggest chunk of time", "most effort"}},
	{kindDuration, false, []string{"shortest", "quickest", "speediest", "fastest", "takes the least time", "least time", "done the quickest", "least effort", "least work"}},
	{kindPriority, true, []string{"most urgent", "most important", "most pressing", "highest priority", "top priority"}},
	{kindPriority, false, []string{"least urgent", "least important", "lowest priority"}},
	{kindDate, false, []string{"due first", "due soonest", "due next", "soonest due", "earliest deadline", "next deadline", "closest deadline", "nearest deadline", "earliest due", "most imminent", "soonest", "up next", "next due"}},
	{kindDate, true, []string{"due last", "latest deadline", "furthest off", "furthest away", "latest due", "most time left"}},
	{kindTime, false, []string{"earliest", "starts first", "start first", "kicks off first", "begins first"}},
	{kindTime, true, []string{"latest", "starts last", "start last", "ends last", "finishes last", "ends latest"}},
}

// findSuperlative looks for one superlative over a field.
func (r *reading) findSuperlative() {
	if r.best != nil {
		return
	}
	for _, s := range superlatives {
		for _, p := range longest(s.phrases) {
			at := r.claimPhrase(p)
			if at < 0 {
				continue
			}
			best := &superlative{kind: s.kind, max: s.max, n: 1, at: at}
			if best.kind == kindTime && !r.v.hasKind(kindTime) && r.v.hasKind(kindDate) {
				best.kind = kindDate
			}
			if n, ok := r.countBefore(at); ok {
				best.n = n
			}
			for k := range strings.Fields(p) {
				r.used[at+k] = usedSuper
			}
			r.best = best
			return
		}
	}
	for i, w := range r.words {
		if !r.main[i] || r.used[i] != unused || i+1 >= len(r.words) {
			continue
		}
		top := w.low == "most" || w.low == "highest" || w.low == "biggest" || w.low == "largest" || w.low == "richest"
		bottom := w.low == "least" || w.low == "fewest" || w.low == "lowest" || w.low == "smallest"
		if !top && !bottom {
			continue
		}
		for k := i + 1; k < min(i+4, len(r.words)); k++ {
			n := r.words[k]
			if n.mark {
				break
			}
			if closed[n.low] || n.low == "in" {
				continue
			}
			if f, ok := r.quantity(n.stem); ok {
				r.best = &superlative{kind: kindNumber, noun: f, max: top, n: 1, at: i}
				if c, ok := r.countBefore(i); ok {
					r.best.n = c
				}
				for m := i; m <= k; m++ {
					r.used[m] = usedSuper
				}
				return
			}
			break
		}
	}
	for i, w := range r.words {
		if !r.main[i] || r.used[i] != unused || !lightWords[w.low] && !heavyWords[w.low] {
			continue
		}
		if _, ok := r.fieldFor("calori"); ok {
			r.best = &superlative{kind: kindNumber, noun: stem("calories"), max: heavyWords[w.low], n: 1, at: i}
			r.used[i] = usedSuper
			return
		}
	}
}

// lightWords and heavyWords are said of food by what it holds.
var (
	lightWords = set(`lightest leanest slimmest`)
	heavyWords = set(`heaviest richest heartiest`)
)

// fieldFor returns the field that a stem names.
func (r *reading) fieldFor(stem string) (string, bool) {
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if slices.Contains(f.words, stem) {
				return f.name, true
			}
		}
	}
	return "", false
}

// quantity returns the field that a word names, where it holds numbers.
func (r *reading) quantity(stem string) (string, bool) {
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if slices.Contains(f.words, stem) && f.kind != kindText && f.kind != kindName && f.kind != kindPerson {
				return stem, true
			}
		}
	}
	if nutrients[stem] {
		return stem, true
	}
	return "", false
}

// nutrients are what is counted inside texts such as "31 g protein".
var nutrients = stems(`calories kcal protein carbs carbohydrates fat fibre fiber sugar salt sodium iron pages points credits kilometres miles minutes hours steps`)

func (v *vocab) hasKind(want fieldKind) bool {
	return slices.ContainsFunc(v.kinds, func(k *kind) bool {
		_, ok := k.byKind(want)
		return ok
	})
}

// countBefore reads how many are wanted: "the two cheapest".
func (r *reading) countBefore(at int) (int, bool) {
	if at == 0 {
		return 0, false
	}
	for k := at - 1; k >= max(0, at-6); k-- {
		if isStop(r.words[k]) {
			break
		}
		n, ok := r.cardinalAt(k)
		if ok && n > 0 && n < 50 && (k == at-1 || k > 0 && (r.words[k-1].low == "which" || r.words[k-1].low == "the" || r.words[k-1].low == "what")) {
			r.used[k] = usedSuper
			return n, true
		}
	}
	return 0, false
}
