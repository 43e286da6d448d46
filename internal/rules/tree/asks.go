package tree

import "slices"

// owing asks what somebody has to pay or to spend in all, for whatever is
// named.
var owing = re(`\bhow (?:much|many \w+)(?: \w+)? (?:do|would|will|does|did|must|should|have|has|am|are|is) (?:i|we|he|she|they|it all|that|this|everything)\b.{0,60}\b(?:need|pay|owe|spend|cost|come to|amount to|add up|set aside|bring|budget)|\bwhat (?:do|would|will|does|did) (?:i|we|he|she|they|it all|that) .{0,40}\b(?:owe|come to|amount to)\b`)

// whenDated lets a question for when be one for a date, where nothing has a
// time of day.
func (r *reading) whenDated() {
	if slices.Contains(r.asks, kindTime) && !r.v.hasKind(kindTime) && r.v.hasKind(kindDate) && !slices.Contains(r.asks, kindDate) {
		r.asks = append(r.asks, kindDate)
	}
}

// comesNext is what is due first from today on.
var comesNext = re(`\b(?:when|where|what|which|who)\b[^.!?]*\bnext\W*$`)

// findNext reads a question for what comes next, where the leaves have dates.
func (r *reading) findNext() {
	if r.today.IsZero() || r.v.dateless() || r.best != nil || len(r.compares) > 0 || !comesNext.MatchString(r.text) {
		return
	}
	day := float64(r.today.Unix() / 86400)
	r.compares = append(r.compares, compare{kind: kindDate, relation: atLeast, lo: day, hi: day})
	r.best = &superlative{kind: kindDate, n: 1}
}

// asksWho reports whether persons, places or states are asked for and no
// amount, so that "in all" adds nothing up.
func (r *reading) asksWho() bool {
	who := false
	for _, k := range r.asks {
		who = who || k == kindPerson || k == kindPlace || k == kindStatus || k == kindPriority
	}
	return who && !slices.Contains(r.asks, kindMoney) && !slices.Contains(r.asks, kindDuration) && !r.amount
}
