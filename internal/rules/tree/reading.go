package tree

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/treetask"
)

// A role is what a word of a request is for. Each word has one.
type role int

const (
	spare   role = iota // says what is meant, in words of its own
	idle                // says nothing by itself
	verbal              // names the operation
	typed               // names a type
	fielded             // names a field
	valued              // is part of a value: a date, an amount, a state
	placing             // an ordinal or a word of order
)

// A scope narrows a request to nodes with a value, or at places among their
// siblings.
type scope struct {
	kind     *kind
	field    *field
	values   []string
	from, to int // places, from 1 or from -1; 0 for none
	not      bool
	towards  bool // says where something goes
	at       int  // word
}

// A comparison narrows a request to nodes whose quantity is in a range.
type comparison struct {
	kind   fieldKind
	field  *field // nil for any of the kind
	lo, hi float64
	end    bool // of a time: when it ends
	span   span
}

// A ranking asks for the first nodes by a quantity.
type ranking struct {
	kind  fieldKind
	field *field
	below *kind // counted, of a container
	most  bool
	n     int
}

// A reading is what a request says in the words of a schema. All tasks read a
// request once, in one pass over its words.
type reading struct {
	text     string
	words    []word
	roles    []role
	v        *vocab
	op       treetask.Operation
	parts    []clause
	spans    []span
	kinds    []*kind // that are asked for
	scopes   []scope
	ranges   []comparison
	rank     *ranking
	whole    treetask.Operation // of the request, where the task is a part of it
	place    [2]int             // of what is asked for among its like, from 1 or -1
	placed   int                // word that says the place
	named    bool               // the rank counts a kind that is named
	overall  bool               // the place is one in the whole tree
	total    string             // count, sum or mean
	asks     []*field
	asked    []fieldKind // kinds of fields that are asked for
	denied   []bool      // words behind a negation
	excepted []bool      // words behind "except" and the like
	plural   bool        // more than one node may be meant
}

// read reads a request.
func read(text string, op treetask.Operation, v *vocab, today time.Time) *reading {
	r := &reading{text: clip(text), v: v, op: op}
	r.words = firstWords(scan(r.text))
	r.roles, r.denied, r.excepted = make([]role, len(r.words)), make([]bool, len(r.words)), make([]bool, len(r.words))
	r.whole, _ = operation(r.words)
	r.op = cmp.Or(r.op, r.whole)
	r.parts = clauses(r.words)
	r.spans = slices.DeleteFunc(spansOf(r.text, r.words, today), func(p span) bool {
		k := r.kindAt(slices.IndexFunc(r.words, func(w word) bool { return w.end >= p.end }))
		return p.kind == kindDuration && k != nil && !k.leaf // a number of containers
	})
	r.negations()
	for i := 0; i < len(r.words); {
		i += r.word(i)
	}
	r.settleKinds()
	r.settleScopes()
	return r
}

// focus reports whether a word stands in a clause that says what is wanted.
func (r *reading) focus(i int) bool {
	best, last := aside, 0
	for k, c := range r.parts {
		if c.manner == states {
			last = k
		}
		if c.manner > best && (c.op == r.op || c.manner == question || r.op == treetask.Restore) {
			best = c.manner
		}
	}
	at := r.words[i].start
	for k, c := range r.parts {
		if c.words[0].start <= at && at <= c.words[len(c.words)-1].start {
			if c.manner == states && best == states {
				return k == last // what is told before is why
			}
			return c.manner == best || c.manner == order || c.manner == question
		}
	}
	return false
}

// negations marks the words behind a negation, up to a mark or a contrast.
func (r *reading) negations() {
	on, except := false, false
	for i, w := range r.words {
		except = on && except || w.in("except")
		switch {
		case r.whole == treetask.Delete && !w.in("except") && w.in("not"):
		case w.in("not") || w.low == "apart" && r.low(i+1) == "from" || w.low == "except" || w.low == "without":
			on = true
		case on && !except && i > 0 && r.denied[i-1] && content(r.words[i-1]) && prepositions[w.low]:
			on = false
		case w.parts() || w.low == "but" || w.low == "and" && r.low(i+1) != "no":
			on = false
		}
		r.denied[i], r.excepted[i] = on, on && except
	}
}

// low returns a word in lower case; empty for none.
func (r *reading) low(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].low
}

// mark gives words a role.
func (r *reading) mark(from, n int, to role) int {
	for i := from; i < min(from+n, len(r.roles)); i++ {
		r.roles[i] = to
	}
	return n
}

// word reads what begins at a word and returns how many words that are.
func (r *reading) word(i int) int {
	w := r.words[i]
	if w.mark {
		return r.mark(i, 1, idle)
	}
	if n := r.placeAt(i); n > 0 {
		r.placed = i
		return r.mark(i, n, placing)
	}
	for k := range r.spans {
		if p := &r.spans[k]; p.start <= w.start && w.start < p.end && p.kind != kindNumber && (p.kind != kindName || r.op != treetask.Delete && r.op != treetask.Move) {
			n := 1
			for i+n < len(r.words) && r.words[i+n].start < p.end {
				n++
			}
			r.mark(i, n, valued)
			r.compare(i, n, p)
			return n
		}
	}
	if w.in("placing") && (r.op == treetask.Move || r.op == treetask.Create) {
		return r.mark(i, 1, placing)
	}
	if n := r.stateAt(i); n > 0 {
		return r.mark(i, n, valued)
	}
	if n := r.overdueAt(i); n > 0 {
		return r.mark(i, n, valued)
	}
	if r.op == treetask.Read && (w.low == "closes" || w.low == "opens" || w.low == "finishes") && r.low(i+1) == "the" {
		r.place = [2]int{1, 1}
		if w.low != "opens" {
			r.place = [2]int{-1, -1}
		}
		return r.mark(i, 1, placing)
	}
	if (w.low == "top" || w.low == "bottom") && r.op == treetask.Read && r.low(i-1) == "the" {
		r.place = [2]int{1, 1}
		if w.low == "bottom" {
			r.place = [2]int{-1, -1}
		}
		return r.mark(i, 1, placing)
	}
	if w.in("placing") && r.op != treetask.Read {
		return r.mark(i, 1, placing)
	}
	if n := r.valueAt(i); n > 0 {
		return r.mark(i, n, valued)
	}
	if n := r.rankAt(i); n > 0 {
		return n
	}
	for k := range r.spans {
		if p := &r.spans[k]; p.start == w.start && p.kind == kindNumber {
			r.mark(i, 1, valued)
			r.compare(i, 1, p)
			return 1
		}
	}
	if r.verbAt(i) {
		return r.mark(i, 1, verbal)
	}
	if n := r.askAt(i); n > 0 {
		return n
	}
	if k := r.kindAt(i); k != nil {
		r.kinds = append(r.kinds, k)
		return r.mark(i, 1, typed)
	}
	if f := r.fieldAt(i); f != nil && (w.low != "late" && w.low != "early") {
		if n := r.attributeAt(i, f); n {
			return r.mark(i, 1, valued)
		}
		r.asks = append(r.asks, f)
		return r.mark(i, 1, fielded)
	}
	if !content(w) {
		return r.mark(i, 1, idle)
	}
	return 1
}

// attributeAt reads the name of a field that says yes or no, or that a node
// lacks, as a scope.
func (r *reading) attributeAt(i int, f *field) bool {
	var k *kind
	for _, o := range r.v.kinds {
		if slices.Contains(o.fields, f) {
			k = o
		}
	}
	if len(f.values) > 0 && !slices.ContainsFunc(f.values, func(v string) bool { return !strings.EqualFold(v, "yes") && !strings.EqualFold(v, "no") }) && r.op != treetask.Update {
		r.scopes = append(r.scopes, scope{kind: k, field: f, values: []string{"yes"}, not: r.denied[i], at: i})
		return true
	}
	if before := r.low(i - 1); before == "no" || before == "without" {
		r.scopes = append(r.scopes, scope{kind: k, field: f, at: i})
		return true
	}
	return false
}

// verbAt reports whether a word names the operation of its clause.
func (r *reading) verbAt(i int) bool {
	for _, c := range r.parts {
		if c.verb >= 0 && c.verb < len(c.words) && c.words[c.verb].start == r.words[i].start {
			return c.op != "" && c.op != treetask.Read
		}
	}
	return false
}

// placeAt reads an ordinal with the type that it counts, or a type with a
// number: "the second lesson", "day 3", "weeks 2 to 3".
func (r *reading) placeAt(i int) int {
	w := r.words[i]
	if n, ok := ordinal(w.low); ok && isOrdinal(w.low) {
		used, to := 1, n
		if next, ok := number(r.low(i + 1)); ok && next > 0 && next < 20 {
			if used++; n < 0 {
				n, to = -next, -1
			} else {
				to = next
			}
		}
		k := r.kindAt(i + used)
		if k == nil && i+used+1 < len(r.words) && !r.words[i+used].mark && content(r.words[i+used]) {
			k = r.kindAt(i + used + 1)
			if k != nil && k.leaf {
				r.kinds = append(r.kinds, k)
				r.place = [2]int{n, to}
				return used
			}
			k = nil
		}
		switch {
		case k == nil && r.general(i+used):
			r.place, r.overall = [2]int{n, to}, true
			return used + 1
		case k == nil:
			scopes := len(r.scopes)
			if more := r.valueAt(i + used); more > 0 && len(r.scopes) > scopes && !r.scopes[scopes].kind.leaf {
				r.place = [2]int{n, to}
				return used + more
			}
			r.scopes = r.scopes[:scopes]
			if next := i + used; r.op == treetask.Read && i > 0 && (next >= len(r.words) || r.words[next].mark || r.words[next].in("closed")) && r.low(next) != "of" {
				r.place = [2]int{n, to}
				return used
			}
			return 0
		case k.leaf:
			r.kinds = append(r.kinds, k)
			r.place = [2]int{n, to}
		default:
			r.scopes = append(r.scopes, scope{kind: k, from: n, to: to, not: r.denied[i], at: i})
		}
		return used + 1
	}
	k := r.kindAt(i)
	if k == nil || k.leaf {
		return 0
	}
	n, ok := number(r.low(i + 1))
	if !ok || n < 1 || isOrdinal(r.low(i+1)) {
		return 0
	}
	used, to := 2, n
	if j := r.low(i + 2); j == "to" || j == "and" || j == "-" || j == "until" || j == "through" {
		at := i + 3
		if r.kindAt(at) == k {
			at++
		}
		if m, ok := number(r.low(at)); ok && m > 0 {
			if j == "and" && m != n+1 {
				r.scopes = append(r.scopes, scope{kind: k, from: m, to: m, not: r.denied[i], at: i})
			} else {
				to = m
			}
			used = at - i + 1
		}
	}
	r.scopes = append(r.scopes, scope{kind: k, from: n, to: to, not: r.denied[i], at: i})
	return used
}

// general reports whether a word stands for whatever a tree holds.
func (r *reading) general(i int) bool { return i < len(r.words) && r.words[i].in("general") }

// kindAt returns the type that a word names.
func (r *reading) kindAt(i int) *kind {
	if i < 0 || i >= len(r.words) || r.words[i].mark {
		return nil
	}
	var best *kind
	for _, k := range r.v.kinds {
		if k.nouns[r.words[i].stem] && k != r.v.root && (best == nil || k.leaf && !best.leaf) {
			best = k
		}
	}
	return best
}

// fieldAt returns the field that a word names.
func (r *reading) fieldAt(i int) *field {
	w := r.words[i]
	for _, leaf := range []bool{true, false} {
		for _, k := range r.v.kinds {
			for _, f := range k.fields {
				if k.leaf == leaf && f.stems[w.stem] && f.kind != kindName {
					return f
				}
			}
		}
	}
	return nil
}

// stateAt reads words for a state such as "not started" or "urgent".
func (r *reading) stateAt(i int) int {
	best, used := scope{}, 0
	for _, s := range stateNames {
		for _, p := range phrases("state." + s) {
			n := r.phraseAt(i, p)
			if n <= used {
				continue
			}
			for _, k := range r.v.kinds {
				for _, f := range k.fields {
					if f.kind != kindStatus && f.kind != kindPriority {
						continue
					}
					if s == "unfinished" {
						if v, ok := f.state("done"); ok && f.kind == kindStatus {
							best, used = scope{kind: k, field: f, values: []string{v}, not: !r.denied[i], at: i}, n
						}
					} else if v, ok := f.state(s); ok {
						best, used = scope{kind: k, field: f, values: []string{v}, not: r.denied[i], at: i}, n
					}
				}
			}
		}
	}
	if used == 0 {
		return 0
	}
	if r.words[i].in("not") && used > 1 {
		before := i > 0 && r.denied[i-1]
		best.not = before != lists()["state.unfinished"][strings.Join(lows(join(r.text, r.words[i:i+used])), " ")]
	}
	if best.field.kind == kindPriority {
		best = r.levels(best)
	}
	r.scopes = append(r.scopes, best)
	return used
}

// levels widens a priority to those above or below it: "above low".
func (r *reading) levels(s scope) scope {
	up := hasForm(r.words[max(0, s.at-3):s.at], "above/over/exceeding $", "higher/more than $")
	down := hasForm(r.words[max(0, s.at-3):s.at], "below/under $", "lower/less than $")
	if !up && !down {
		return s
	}
	levels := []string{"low", "medium", "high"}
	at := slices.IndexFunc(levels, func(l string) bool { v, _ := s.field.state(l); return v == s.values[0] })
	s.values = nil
	for i, l := range levels {
		if v, ok := s.field.state(l); ok && (up && i > at || down && i < at) {
			s.values = append(s.values, v)
		}
	}
	return s
}

// overdueAt reads words for what should be done by now.
func (r *reading) overdueAt(i int) int {
	n := 0
	switch {
	case r.low(i) == "overdue" || r.low(i) == "late" && r.op == treetask.Read:
		n = 1
	case r.low(i) == "should" && r.low(i+1) == "have" && r.low(i+2) == "been":
		n = 3
	}
	if n == 0 || r.v.today.IsZero() {
		return 0
	}
	for _, k := range r.v.leaves() {
		if f := k.field(kindStatus); f != nil && k.field(kindDate) != nil {
			if v, ok := f.state("done"); ok {
				r.scopes = append(r.scopes, scope{kind: k, field: f, values: []string{v}, not: true, at: i})
				r.ranges = append(r.ranges, comparison{kind: kindDate, field: k.field(kindDate), lo: -1e9, hi: float64(r.v.today.Unix()/86400 - 1)})
				if n == 3 {
					n = 4 // with the verb
				}
				return n
			}
		}
	}
	return 0
}

// phraseAt returns how many words a phrase has that stands at a word; 0 where
// it does not.
func (r *reading) phraseAt(i int, phrase string) int {
	n := 0
	for p := range strings.FieldsSeq(phrase) {
		if r.low(i+n) == "-" {
			n++
		}
		if r.low(i+n) != p {
			return 0
		}
		n++
	}
	return n
}

// valueAt reads a value that a field with few values has: a weekday, a role, a
// meal.
func (r *reading) valueAt(i int) int {
	best, used := scope{}, 0
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if len(f.values) > 60 || f.kind == kindTime || f.kind == kindMoney || f.kind == kindDuration || f.kind == kindNumber || f.kind == kindOrder || k.leaf && (f.kind == kindName || f.list || f.kind == kindText && len(f.values) > 12) {
				continue
			}
			for _, v := range f.values {
				n := r.valueLength(i, f, v)
				if n == 1 && used == 1 && best.field == f && f.kind == kindPerson {
					best.values = append(best.values, v)
				}
				if n > used || n == used && n > 0 && !k.leaf && best.kind.leaf {
					best, used = scope{kind: k, field: f, values: []string{v}, not: r.denied[i], at: i}, n
				}
			}
		}
	}
	if used == 0 || used == 1 && (!content(r.words[i]) || digits(r.low(i))) {
		return 0
	}
	for j := range r.scopes {
		if o := &r.scopes[j]; o.field == best.field && o.not == best.not && (r.op == treetask.Read || best.field.kind != kindPerson || i < o.at+5) {
			o.values = append(o.values, best.values...)
			return used
		}
	}
	r.scopes = append(r.scopes, best)
	return used
}

// valueLength returns how many words from a word on are a value of a field; a
// person may go by one name.
func (r *reading) valueLength(i int, f *field, value string) int {
	n := 0
	if i >= len(r.words) {
		return 0
	}
	for _, p := range scan(value) {
		if r.low(i+n) == "" || p.stem != r.words[i+n].stem && !r.words[i+n].in("alias."+p.low) {
			n = 0
			break
		}
		n++
	}
	if w := r.words[i]; n == 0 && f.kind == kindPerson && w.upper && len(w.low) > 2 && content(w) && stemsOf(value)[w.stem] {
		return 1
	}
	return n
}

// rankAt reads a superlative and what it is by.
func (r *reading) rankAt(i int) int {
	w := r.words[i]
	most, least := w.in("superlative.max"), w.in("superlative.min")
	if !most && !least || r.rank != nil || r.low(i-1) == "at" || w.low == "most" && r.low(i+1) == "of" {
		return 0
	}
	rank := &ranking{most: most, n: 1}
	used := 1
	switch {
	case w.in("money"):
		rank.kind = kindMoney
	case w.low == "longest" || w.low == "shortest" || w.low == "quickest" || w.low == "fastest" || w.low == "slowest":
		rank.kind = kindDuration
	case w.low == "latest" || w.low == "earliest" || w.low == "soonest":
		rank.kind = kindTime
		if !slices.ContainsFunc(r.v.kinds, func(k *kind) bool { return k.field(kindTime) != nil }) {
			rank.kind = kindDate
		}
	default:
		for at := i + 1; at < min(i+4, len(r.words)); at++ {
			next := r.words[at]
			if next.in("money") {
				rank.kind, used = kindMoney, at-i+1
			} else if next.in("priority") {
				rank.kind, used = kindPriority, at-i+1
			} else if f := r.fieldAt(at); f != nil {
				rank.field, rank.kind, used = f, f.kind, at-i+1
			} else if k := r.kindAt(at); k != nil && (w.low == "most" || w.low == "fewest" || w.low == "least") {
				rank.below, r.named, used = k, true, at-i+1
			} else if next.low == "time" && w.low == "most" {
				rank.kind, used = kindDuration, at-i+1
			} else {
				continue
			}
			break
		}
		if rank.kind == "" && rank.below == nil && w.low != "most" && w.low != "fewest" {
			return 0
		}
	}
	for at := range r.words {
		if n, ok := cardinals[r.low(at)]; ok && n > 1 && (at == i-1 || at == i+used || r.kindAt(at+1) != nil && r.kindAt(at+1).leaf) {
			rank.n = n
		}
	}
	r.rank = rank
	return r.mark(i, used, placing)
}

// askAt reads words that ask for a kind of field, or for a count or a sum.
func (r *reading) askAt(i int) int {
	w := r.words[i]
	pair := w.low + " " + r.low(i+1)
	switch pair {
	case "how many", "how often":
		r.total = "count"
		if i+2 < len(r.words) && w.low == "how" && r.low(i+1) == "many" {
			if f := r.unitField(r.words[i+2]); f != nil {
				r.total, r.asks = "sum", append(r.asks, f)
				return r.mark(i, 3, fielded)
			}
			if unit := r.words[i+2].stem; unit == "hour" || unit == stem("minutes") {
				r.total, r.asked = "sum", append(r.asked, kindDuration)
				return r.mark(i, 3, fielded)
			}
		}
		return r.mark(i, 2, idle)
	case "how much":
		r.asked = append(r.asked, kindMoney)
		return r.mark(i, 2, idle)
	case "how long":
		r.asked = append(r.asked, kindDuration)
		return r.mark(i, 2, idle)
	case "add up", "in total", "all together", "come to", "comes to", "sum up":
		r.total = "sum"
		return r.mark(i, 2, idle)
	case "how urgent", "how important":
		r.asked = append(r.asked, kindPriority)
		return r.mark(i, 2, idle)
	case "how far":
		r.asked = append(r.asked, kindStatus)
		return r.mark(i, 3, idle)
	}
	switch w.low {
	case "total", "altogether", "sum", "totals":
		r.total = cmp.Or(r.total, "sum")
		return r.mark(i, 1, idle)
	case "average", "mean":
		if r.op == treetask.Read && w.low == "average" {
			r.total = "mean"
			return r.mark(i, 1, idle)
		}
	case "number":
		if r.low(i+1) == "of" {
			r.total = "count"
			return r.mark(i, 1, idle)
		}
	case "when":
		if r.op == treetask.Read {
			r.asked = append(r.asked, kindTime, kindDate)
			return r.mark(i, 1, idle)
		}
	case "nobody", "unassigned", "noone":
		for _, k := range r.v.leaves() {
			if f := k.field(kindPerson); f != nil && r.op == treetask.Read {
				r.scopes = append(r.scopes, scope{kind: k, field: f, at: i})
				return r.mark(i, 1, valued)
			}
		}
	case "free", "gratis", "nothing":
		if w.low == "nothing" && r.low(i-1) != "cost" && r.low(i-1) != "costs" {
			return 0
		}
		if slices.ContainsFunc(r.v.leaves(), func(k *kind) bool { return k.field(kindMoney) != nil }) && r.op == treetask.Read && r.low(i+1) != "again" {
			r.ranges = append(r.ranges, comparison{kind: kindMoney, span: span{start: w.start}})
			return r.mark(i, 1, valued)
		}
	case "where":
		r.asked = append(r.asked, kindPlace)
		return r.mark(i, 1, idle)
	case "who", "whom", "whose":
		if r.op == treetask.Read {
			r.asked = append(r.asked, kindPerson)
		}
		return r.mark(i, 1, idle)
	}
	for _, k := range []fieldKind{kindMoney, kindDate, kindTime, kindStatus, kindPriority, kindDuration} {
		if w.in(string(k)) && r.fieldAt(i) == nil && slices.ContainsFunc(r.v.kinds, func(t *kind) bool { return t.field(k) != nil }) {
			if k != kindTime || w.low == "time" || w.low == "clock" {
				r.asked = append(r.asked, k)
			}
			return r.mark(i, 1, fielded)
		}
	}
	return 0
}

// compare makes a comparison of a value and the words before and behind it.
func (r *reading) compare(i, n int, p *span) {
	if p.kind == kindName {
		return
	}
	c := comparison{kind: p.kind, lo: p.lo, hi: p.hi, span: *p}
	const far = 1e9
	sign := 0
	for at := i - 1; at >= max(0, i-4); at-- {
		low := r.low(at)
		stop := false
		switch {
		case p.kind == kindDate && (r.low(i+n) == "'s" || r.op != treetask.Read && low == "from"):
			stop = true
		case low == "least" && r.low(at-1) == "at", low == "from" || low == "since":
			sign, stop = 2, true
		case low == "most" && r.low(at-1) == "at", low == "by" || low == "until" || low == "till" || low == "within":
			sign, stop = -2, true
		case r.words[at].in("more"):
			sign, stop = 1, true
		case r.words[at].in("less"):
			sign, stop = -1, true
		case low == "between":
			sign, stop = 3, true
		case r.words[at].parts(), content(r.words[at]):
			stop = true
		}
		if stop {
			break
		}
	}
	switch next, then := r.low(i+n), r.low(i+n+1); {
	case (next == "or" || next == "and") && r.words[min(i+n+1, len(r.words)-1)].in("more"):
		sign = 2
	case next == "or" && (then == "less" || then == "fewer" || then == "under" || then == "earlier" || then == "cheaper"):
		sign = -2
	case next == "at" && then == "most" || next == "max":
		sign = -2
	case next == "at" && then == "least" || next == "upwards":
		sign = 2
	}
	neg := r.denied[i] && i > 0 && (r.low(i-1) != "not")
	if neg {
		sign = -sign
	}
	switch sign {
	case 1:
		c.lo, c.hi = p.hi+0.5, far
		if p.kind == kindMoney || p.kind == kindNumber {
			c.lo = p.hi + 1e-6
		}
	case 2:
		c.hi = far
	case -1:
		c.lo, c.hi = -far, p.lo-1e-6
	case -2:
		c.lo = -far
	case 3:
		for k := range r.spans {
			if q := &r.spans[k]; q.start > p.start && q.kind == p.kind {
				c.hi = q.hi
				break
			}
		}
	case 0:
		if len(r.ranges) > 0 {
			last := &r.ranges[len(r.ranges)-1]
			if last.kind == p.kind && (last.span.lo < last.hi && last.hi == p.hi || last.hi == far && (r.low(i-1) == "to" || r.low(i-1) == "-" || r.low(i-1) == "and")) {
				last.hi = p.hi
				return
			}
		}
	}
	if p.kind == kindTime {
		for at := i - 1; at >= max(0, i-5); at-- {
			if r.words[at].stem == stem("end") || r.words[at].stem == stem("finish") || r.words[at].stem == stem("over") && r.low(at) == "over" {
				c.end = true
			}
		}
	}
	if p.kind == kindDuration {
		if f := r.unitField(r.words[min(i+n, len(r.words))-1]); f != nil && (f.stems["hour"] || f.stems["minut"]) {
			c.field = f
			if f.stems["hour"] {
				c.lo, c.hi = c.lo/60, c.hi/60
			}
			c.kind = f.kind
			if c.kind == kindDuration && f.stems["hour"] {
				c.kind = kindNumber
			}
		}
	}
	if p.kind == kindNumber {
		for at := i + n; at < min(i+n+3, len(r.words)) && c.field == nil; at++ {
			if !r.words[at].mark {
				c.field = r.unitField(r.words[at])
			}
		}
		if c.field == nil && len(r.asks) > 0 && sign != 0 {
			c.field = r.asks[len(r.asks)-1]
		}
		if c.field == nil {
			if sign == 0 || !slices.ContainsFunc(r.v.kinds, func(k *kind) bool { return k.field(kindMoney) != nil }) {
				return
			}
			c.kind = kindMoney
		} else {
			c.kind = c.field.kind
		}
	}
	r.ranges = append(r.ranges, c)
}

// unitField returns the field of numbers that a word names by its name or by
// the unit of its values.
func (r *reading) unitField(w word) *field {
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if f.kind != kindNumber && f.kind != kindDuration && f.kind != kindMoney {
				continue
			}
			if f.stems[w.stem] {
				return f
			}
			for _, v := range f.values[:min(3, len(f.values))] {
				if stemsOf(v)[w.stem] && !digits(w.low) {
					return f
				}
			}
		}
	}
	if w.low == "kcal" || w.stem == stem("calories") {
		for _, k := range r.v.kinds {
			for _, f := range k.fields {
				if f.stems[stem("calories")] || f.stems["kcal"] {
					return f
				}
			}
		}
	}
	return nil
}

// settleKinds turns types that are named beside others into what is asked for:
// the leaves where one is named, else containers that a question word asks for.
func (r *reading) settleKinds() {
	var leaves, above []*kind
	for _, k := range r.kinds {
		if k.leaf && !slices.Contains(leaves, k) {
			leaves = append(leaves, k)
		} else if !k.leaf && !slices.Contains(above, k) {
			above = append(above, k)
		}
	}
	var wanted *kind
	for i, w := range r.words {
		if r.roles[i] != typed {
			continue
		}
		k := r.kindAt(i)
		for at := i - 1; at >= max(0, i-3) && !r.words[at].mark; at-- {
			if low := r.low(at); (low == "which" || low == "what" || low == "many" || low == "whichever") && k != nil && wanted == nil && (!k.leaf) {
				wanted = k
			}
			if content(r.words[at]) && r.roles[at] == typed {
				break
			}
		}
		if strings.HasSuffix(w.low, "s") && k != nil {
			r.plural = true
		}
	}
	for _, w := range r.words {
		r.plural = r.plural || w.in("all")
	}
	switch {
	case wanted != nil && r.op == treetask.Read && r.place == [2]int{}:
		r.kinds = []*kind{wanted}
		if r.rank != nil && r.rank.below == nil && r.rank.kind == "" {
			r.rank.below = r.v.leaves()[0]
		}
		return
	case len(leaves) > 0:
		r.kinds = leaves
	default:
		r.kinds = r.v.leaves()
		if r.op != treetask.Read {
			r.kinds = append(above, r.kinds...)
		}
	}
	if r.rank != nil && r.rank.kind == "" && r.rank.below == nil {
		r.rank = nil
	}
}

// settleScopes drops persons that are told of beside what is wanted, and marks
// the scopes that say where something goes.
func (r *reading) settleScopes() {
	points, person, inside := false, false, false
	for i, w := range r.words {
		points = points || r.focus(i) && w.in("pointing")
		person = person || r.focus(i) && r.op != treetask.Read && (w.low == "he" || w.low == "she")
	}
	for _, s := range r.scopes {
		inside = inside || r.focus(s.at)
	}
	r.scopes = slices.DeleteFunc(r.scopes, func(s scope) bool {
		return s.field != nil && s.kind.leaf && !r.focus(s.at) && (s.field.kind != kindPerson || !person) && (s.field.kind == kindPerson || r.op != treetask.Read && s.field.kind != kindPlace || inside && !points)
	})
	r.ranges = slices.DeleteFunc(r.ranges, func(c comparison) bool {
		at := slices.IndexFunc(r.words, func(w word) bool { return w.start >= c.span.start })
		return at >= 0 && c.span.end > 0 && !r.focus(at) && (!points || r.op != treetask.Read && c.kind != kindDate)
	})
	if slices.ContainsFunc(r.scopes, func(s scope) bool { return !s.kind.leaf }) {
		r.overall = false
	}
	for i := range r.ranges {
		for _, f := range r.asks {
			if c := &r.ranges[i]; c.kind == kindDate && f.kind == kindDate && c.field == nil && r.op == treetask.Read {
				c.field = f
			}
		}
	}
	for i := range r.scopes {
		s := &r.scopes[i]
		for at := s.at - 1; at >= max(0, s.at-4); at-- {
			if low := r.low(at); low == "to" || low == "into" || low == "onto" || low == "under" || low == "on" || low == "in" {
				s.towards = true
			} else if content(r.words[at]) && r.roles[at] != placing && r.roles[at] != valued {
				break
			}
		}
	}
}

// spareWords returns the words that say what is meant in words of their own:
// those of the clauses that want something. Where these have none, or only
// point back, the nearest clause before them says it.
func (r *reading) spareWords() []int {
	var in []int
	first, points := len(r.words), false
	for i, w := range r.words {
		if !r.focus(i) {
			continue
		}
		first = min(first, i)
		points = points || w.in("pointing")
		if r.roles[i] == spare && !r.denied[i] {
			in = append(in, i)
		}
	}
	narrow := len(r.scopes)+len(r.ranges) > 0 || r.rank != nil || r.place != [2]int{}
	if len(in) > 0 && !points || len(in) == 0 && narrow && !points {
		return in
	}
	for _, v := range slices.Backward(r.parts) {
		var out []int
		for i := range r.words {
			c := v.words
			if i < first && r.roles[i] == spare && !r.denied[i] && c[0].start <= r.words[i].start && r.words[i].start <= c[len(c)-1].start {
				out = append(out, i)
			}
		}
		if len(out) > 0 {
			return append(out, in...)
		}
	}
	return in
}
