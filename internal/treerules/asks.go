package treerules

import "slices"

// owing asks what somebody has to pay or to spend in all, for whatever is
// named.
var owing = re(`\bhow (?:much|many \w+)(?: \w+)? (?:do|would|will|does|did|must|should|have|has|am|are|is) (?:i|we|he|she|they|it all|that|this|everything)\b.{0,60}\b(?:need|pay|owe|spend|cost|come to|amount to|add up|set aside|bring|budget)|\bwhat (?:do|would|will|does|did) (?:i|we|he|she|they|it all|that) .{0,40}\b(?:owe|come to|amount to)\b`)

// asksWho reports whether persons, places or states are asked for and no
// amount, so that "in all" adds nothing up.
func (r *reading) asksWho() bool {
	who := false
	for _, k := range r.asks {
		switch k {
		case kindPerson, kindPlace, kindStatus, kindPriority:
			who = true
		}
	}
	return who && !slices.Contains(r.asks, kindMoney) && !slices.Contains(r.asks, kindDuration) && !r.amount
}
