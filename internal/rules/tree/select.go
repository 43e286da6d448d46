package tree

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// A candidate is a node that may be meant, with the nodes that lead to it.
type candidate struct {
	path  []*tree.Node
	index int     // in document order of what was found
	score float64 // how far it meets the conditions in words
	bonus float64 // for being called so
	found float64 // its score in retrieval
}

func (c candidate) node() *tree.Node { return c.path[len(c.path)-1] }

// A judge tells which of the nodes that were found a reading means. It looks
// at what was found and, of the nodes that lead there, at their own fields.
type judge struct {
	score  func(texts []string, condition string) ([]float64, error)
	all    []candidate
	today  time.Time
	spoken *spoken // nil where the request speaks of no change
	memo   map[[2]string]float64
	held   map[string]float64 // the best that containers hold, by scope
}

// maxNodes bounds the nodes that are looked at.
const maxNodes = 20000

// newJudge spreads what was found out into its nodes.
func newJudge(ctx context.Context, rules *Rules, found []treetask.Found, today time.Time) *judge {
	j := &judge{score: func(texts []string, condition string) ([]float64, error) {
		return rules.relevance(ctx, texts, condition)
	}, today: today, memo: map[[2]string]float64{}}
	seen := map[string]bool{}
	var walk func(path []*tree.Node, score float64)
	walk = func(path []*tree.Node, score float64) {
		n := path[len(path)-1]
		if len(j.all) >= maxNodes || len(path) > 200 {
			return
		}
		if !seen[n.ID] || n.ID == "" {
			seen[n.ID] = true
			j.all = append(j.all, candidate{path: path, found: score})
		}
		for _, c := range n.Children {
			walk(append(slices.Clip(path), c), score)
		}
	}
	for _, f := range found {
		if len(f.Path) == 0 || slices.Contains(f.Path, nil) {
			continue
		}
		walk(f.Path, f.Score)
	}
	// Document order: by the places of nodes among their siblings, as far as
	// the nodes above show them, else as found.
	slices.SortStableFunc(j.all, func(a, b candidate) int { return comparePaths(a.path, b.path) })
	for i := range j.all {
		j.all[i].index = i
	}
	return j
}

// comparePaths orders two places of a tree in document order.
func comparePaths(a, b []*tree.Node) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] || a[i].ID == b[i].ID {
			continue
		}
		if i == 0 {
			return 0
		}
		for _, c := range a[i-1].Children {
			switch {
			case c == a[i] || c.ID == a[i].ID:
				return -1
			case c == b[i] || c.ID == b[i].ID:
				return 1
			}
		}
		return 0
	}
	return cmp.Compare(len(a), len(b))
}

// nodes returns all nodes that were found or lead to what was found.
func (j *judge) nodes() []*tree.Node {
	var out []*tree.Node
	seen := map[*tree.Node]bool{}
	for _, c := range j.all {
		for _, n := range c.path {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// place returns the position of a node among the siblings of its type, from 1
// and from the end; 0 where it is not known.
func position(path []*tree.Node) (from, back int) {
	if len(path) < 2 {
		return 0, 0
	}
	n, up := path[len(path)-1], path[len(path)-2]
	same := 0
	for _, c := range up.Children {
		if c.Type == n.Type {
			same++
			if c == n || c.ID == n.ID {
				from = same
			}
		}
	}
	if from == 0 {
		return 0, 0
	}
	return from, same - from + 1
}

// among returns the position among all siblings of the given types.
func among(path []*tree.Node, types []*kind) (from, back int) {
	if len(path) < 2 {
		return 0, 0
	}
	n, up := path[len(path)-1], path[len(path)-2]
	count := 0
	for _, c := range up.Children {
		if isOf(c, types) {
			count++
			if c == n || c.ID == n.ID {
				from = count
			}
		}
	}
	if from == 0 {
		return 0, 0
	}
	return from, count - from + 1
}

func isOf(n *tree.Node, types []*kind) bool {
	return slices.ContainsFunc(types, func(k *kind) bool { return strings.EqualFold(k.name, n.Type) })
}

// pick returns the nodes that a reading means, in document order.
func (j *judge) pick(r *reading, op treetask.Operation) []candidate {
	if r.group != nil {
		return j.pickGroups(r)
	}
	var pool []candidate
	for _, c := range j.all {
		if isOf(c.node(), r.targets) && j.inScopes(c.path, r) {
			pool = append(pool, c)
		}
	}
	if len(pool) == 0 && len(r.scopes) == 0 {
		for _, c := range j.all {
			if len(c.path) > 1 {
				pool = append(pool, c)
			}
		}
	}
	if len(pool) == 0 && !slices.ContainsFunc(r.scopes, func(s scope) bool { return !s.partial }) {
		for _, c := range j.all {
			if isOf(c.node(), r.targets) {
				pool = append(pool, c)
			}
		}
	}
	pool = j.compareAll(pool, r)
	pool = j.weigh(pool, r, op)
	if r.from != 0 {
		pool = ordinalsOf(pool, r)
	}
	if r.best != nil {
		pool = j.extreme(pool, r.best)
	}
	return pool
}

// inScopes reports whether a place lies in all scopes of a reading.
func (j *judge) inScopes(path []*tree.Node, r *reading) bool {
	// Several scopes on one kind of container are alternatives: "days 2 and 5".
	byKind := map[string][]scope{}
	var order []string
	for _, s := range r.scopes {
		key := s.kind + "\x00" + s.field
		if s.class != "" {
			key += s.class
		}
		if s.negated {
			key += "\x00not"
		}
		if byKind[key] == nil {
			order = append(order, key)
		}
		byKind[key] = append(byKind[key], s)
	}
	classes := map[string][2]bool{}
	for _, key := range order {
		ok, applies, class := false, false, ""
		for _, s := range byKind[key] {
			fits, is := j.inScope(path, s, r)
			applies = applies || is
			ok = ok || fits
			if s.class != "" && !s.negated {
				class = s.kind + s.field
			}
		}
		if !applies {
			continue
		}
		if class != "" {
			// Several states of one field are alternatives too.
			old := classes[class]
			classes[class] = [2]bool{true, old[1] || ok}
			continue
		}
		if !ok {
			return false
		}
	}
	for _, c := range classes {
		if !c[1] {
			return false
		}
	}
	return true
}

// inScope reports whether a place lies in a scope, and whether the scope
// speaks of a node on the path.
func (j *judge) inScope(path []*tree.Node, s scope, r *reading) (ok, applies bool) {
	for i, n := range path {
		if !strings.EqualFold(n.Type, s.kind) {
			continue
		}
		if s.holds != nil {
			return j.holds(path[:i+1], s) != s.negated, true
		}
		if s.field == "" {
			from, back := position(path[:i+1])
			if key := r.v.kind(s.kind).key; key != "" {
				if v, has := n.Field(key); has && digits(strings.TrimSpace(v)) && s.from > 0 {
					from, _ = ordinal(strings.TrimSpace(v))
				}
			}
			if from == 0 {
				return true, false
			}
			in := s.from > 0 && from >= s.from && from <= s.to || s.from < 0 && back <= -s.from && back >= -s.to
			return in != s.negated, true
		}
		v, _ := n.Field(s.field)
		in := false
		if s.empty {
			return (strings.TrimSpace(v) == "") != s.negated, true
		}
		if s.class != "" {
			k := r.v.kind(s.kind)
			for _, f := range k.fields {
				if strings.EqualFold(f.name, s.field) {
					c := classOf(v, f.kind)
					in = c == s.class || s.unfinished && c == "cancelled"
				}
			}
		} else {
			in = slices.ContainsFunc(s.values, func(w string) bool { return strings.EqualFold(w, v) || fuzzyDay(v, w) })
		}
		return in != s.negated, true
	}
	// A scope on something deeper than the node: whether it has such a node is
	// for groupings to say.
	return true, false
}

// holds reports whether a container holds what a scope says: as well as any
// other that was found or leads to what was.
func (j *judge) holds(path []*tree.Node, s scope) bool {
	best := func(n *tree.Node) float64 {
		top := j.meetsWords(n, *s.holds)
		for _, below := range tree.Walk(n) {
			if below != n {
				top = max(top, j.meetsWords(below, *s.holds)+0.05*nameShare(below, s.holds.stems))
			}
		}
		return top
	}
	if j.held == nil {
		j.held = map[string]float64{}
	}
	key := s.kind + s.holds.text
	if _, ok := j.held[key]; !ok {
		seen := map[*tree.Node]bool{}
		for _, c := range j.all {
			for _, n := range c.path {
				if strings.EqualFold(n.Type, s.kind) && !seen[n] {
					seen[n] = true
					j.held[key] = max(j.held[key], best(n))
				}
			}
		}
	}
	got := best(path[len(path)-1])
	return got >= good && got >= 0.97*j.held[key]
}

// fuzzyDay reports whether a value names the weekday that is wanted.
func fuzzyDay(value, want string) bool {
	wd, ok := weekdays[strings.ToLower(want)]
	return ok && named(value, wd)
}

// compareAll drops nodes that fail a comparison. A node without a value that
// could be compared fails.
func (j *judge) compareAll(pool []candidate, r *reading) []candidate {
	for _, c := range r.compares {
		var kept []candidate
		for _, p := range pool {
			if ok, known := j.meets(p.node(), c); known && ok != c.negated {
				kept = append(kept, p)
			}
		}
		if len(kept) > 0 || !j.anyKnown(pool, c) {
			if len(kept) == 0 {
				continue
			}
			pool = kept
			continue
		}
		pool = nil
	}
	return pool
}

func (j *judge) anyKnown(pool []candidate, c compare) bool {
	return slices.ContainsFunc(pool, func(p candidate) bool { _, known := j.meets(p.node(), c); return known })
}

// meets reports whether a node meets a comparison, and whether it has a value
// for it.
func (j *judge) meets(n *tree.Node, c compare) (ok, known bool) {
	if c.kind == kindPriority {
		for _, f := range n.Fields {
			if newField(f.Name, false, nil).kind == kindPriority {
				return slices.Contains(c.class, classOf(f.Value(), kindPriority)), true
			}
		}
		return false, false
	}
	v, known := j.value(n, c.kind, c.noun, c.end || c.kind == kindTime && (c.relation == under || c.relation == atMost) && c.end)
	if !known {
		return false, false
	}
	switch c.relation {
	case over:
		if c.kind == kindTime {
			return v >= c.lo, true
		}
		if c.kind == kindDate {
			return v > c.hi, true
		}
		return v > c.lo, true
	case atLeast:
		return v >= c.lo, true
	case under:
		return v < c.lo, true
	case atMost:
		return v <= c.hi, true
	case within:
		return v >= c.lo && v <= c.hi, true
	case exactly:
		if c.kind == kindTime {
			return math.Abs(v-c.lo) < 0.5 || math.Abs(v-c.lo-12*60) < 0.5, true
		}
		return v == c.lo, true
	}
	return v >= c.lo && v <= c.hi, true
}

// value reads a typed value of a node: minutes of the day, days since 1970,
// minutes, money, rank or a number with a noun.
func (j *judge) value(n *tree.Node, kind fieldKind, noun string, end bool) (float64, bool) {
	for _, f := range n.Fields {
		v := f.Value()
		fk := newField(f.Name, len(f.Values) > 1, []string{v})
		switch kind {
		case kindTime:
			if fk.kind != kindTime || end && !fk.endsIt() && slices.ContainsFunc(n.Fields, func(o tree.Field) bool { return newField(o.Name, false, []string{o.Value()}).endsIt() }) {
				continue
			}
			if c := clocks(v); len(c) > 0 {
				if end {
					return float64(c[len(c)-1].minutes), true
				}
				return float64(c[0].minutes), true
			}
		case kindDate:
			if fk.kind == kindDate {
				if t, ok := dateOf(v, j.today); ok {
					return float64(t.Unix() / 86400), true
				}
			}
		case kindMoney:
			if fk.kind == kindMoney {
				if m, ok := money(v); ok {
					return m, true
				}
				if m, ok := firstNumber(v); ok {
					return m, true
				}
			}
		case kindDuration:
			if fk.kind == kindDuration {
				if m, _, ok := length(v); ok {
					return m, true
				}
				if m, ok := firstNumber(v); ok {
					return m * fk.minutes(), true
				}
			}
		case kindPriority:
			if fk.kind == kindPriority {
				switch classOf(v, kindPriority) {
				case "high":
					return 3, true
				case "medium":
					return 2, true
				case "low":
					return 1, true
				}
			}
		case kindNumber:
			if slices.Contains(fk.words, noun) {
				if m, ok := firstNumber(v); ok {
					return m, true
				}
			}
		default:
		}
	}
	switch kind {
	case kindDuration:
		// The length of a block of time.
		for _, f := range n.Fields {
			if c := clocks(f.Value()); len(c) == 2 {
				d := c[1].minutes - c[0].minutes
				if d < 0 {
					d += 24 * 60
				}
				return float64(d), true
			}
		}
	case kindNumber:
		if v, ok := counted(n, noun); ok {
			return v, true
		}
	default:
	}
	if len(n.Children) == 0 {
		return 0, false
	}
	// Of a container: what is in it added up, or where it begins or ends.
	sum, known := 0.0, false
	for _, c := range n.Children {
		v, ok := j.value(c, kind, noun, end)
		if !ok {
			continue
		}
		switch kind {
		case kindTime, kindDate:
			if !known || !end && v < sum || end && v > sum {
				sum = v
			}
		case kindPriority:
			sum = max(sum, v)
		default:
			sum += v
		}
		known = true
	}
	return sum, known
}

// calories are counted as kcal, too.
var calories = stem("calories")

// counted reads how much of something a node's text tells: "31 g protein",
// "two hundred steps".
func counted(n *tree.Node, noun string) (float64, bool) {
	if noun == "" {
		return 0, false
	}
	best, ok := 0.0, false
	for _, f := range n.Fields {
		words := scan(f.Value())
		for i, w := range words {
			if w.stem != noun && !(noun == calories && (w.low == "kcal" || w.low == "cal")) {
				continue
			}
			for k := i - 1; k >= max(0, i-3); k-- {
				if m, is := parseWords(words[k].low); is {
					best, ok = max(best, m), true
					break
				}
			}
		}
	}
	return best, ok
}

// extreme returns the nodes with the most or least of something; equal ones
// stay together.
func (j *judge) extreme(pool []candidate, s *superlative) []candidate {
	type valued struct {
		c candidate
		v float64
	}
	var with []valued
	for _, c := range pool {
		if v, ok := j.value(c.node(), s.kind, s.noun, false); ok {
			with = append(with, valued{c, v})
		}
	}
	if len(with) == 0 {
		return pool
	}
	slices.SortStableFunc(with, func(a, b valued) int {
		if s.max {
			return cmp.Compare(b.v, a.v)
		}
		return cmp.Compare(a.v, b.v)
	})
	n := min(s.n, len(with))
	var out []candidate
	for i, w := range with {
		if i < n || w.v == with[n-1].v {
			out = append(out, w.c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	return out
}

// ordinalsOf applies "the second" to what is left: within each parent where
// nodes come from several and the request asks for it in each, else over all.
func ordinalsOf(pool []candidate, r *reading) []candidate {
	n := len(pool)
	if len(r.conds) == 0 && len(r.compares) == 0 && !r.overall() {
		// Plain positions are those among siblings.
		var out []candidate
		known := false
		for _, c := range pool {
			from, back := among(c.path, r.targets)
			known = known || from > 0
			if in(r.from, r.to, from, back) {
				out = append(out, c)
			}
		}
		if known {
			return out
		}
	}
	var out []candidate
	for i, c := range pool {
		if in(r.from, r.to, i+1, n-i) {
			out = append(out, c)
		}
	}
	return out
}

func in(from, to, at, back int) bool {
	if from > 0 {
		return at >= from && at <= to
	}
	return back > 0 && back <= -from && back >= -to
}
