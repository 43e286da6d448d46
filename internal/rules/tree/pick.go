package tree

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// placed reports whether a node is at one of the places of a scope among its
// like, or has the place as its number.
func (s scope) placed(n, parent *tree.Node) bool {
	var like []*tree.Node
	for _, c := range parent.Children {
		if c.Type == n.Type {
			like = append(like, c)
		}
	}
	at := slices.Index(like, n) + 1
	if f := s.kind.field(kindOrder); f != nil {
		if v, ok := n.Field(f.name); ok {
			if number, ok := firstNumber(v); ok && s.from > 0 {
				at = int(number)
			}
		}
	}
	from, to := s.from, s.to
	if from < 0 {
		from += len(like) + 1
	}
	if to < 0 {
		to += len(like) + 1
	}
	return from <= at && at <= to
}

// meets reports whether an item is in a scope, whatever its denial.
func (s scope) meets(it *item) bool {
	for i, n := range it.path {
		if n.Type != s.kind.name {
			continue
		}
		if s.from != 0 {
			return i > 0 && s.placed(n, it.path[i-1])
		}
	}
	if s.from != 0 {
		return false
	}
	if s.values == nil {
		v, _ := it.node.Field(s.field.name)
		return v == ""
	}
	for _, n := range it.path {
		if v, ok := n.Field(s.field.name); ok && (n.Type == s.kind.name || s.kind.leaf) {
			if slices.ContainsFunc(s.values, func(want string) bool { return strings.EqualFold(want, v) }) {
				return true
			}
		}
	}
	return false
}

// within reports whether an item or what it stands in has a quantity in a
// range; known is false where neither has the quantity.
func (c comparison) within(r *reading, it *item) (in, known bool) {
	for _, n := range slices.Backward(it.path) {
		k := r.v.kind(n.Type)
		if k == nil {
			continue
		}
		for _, f := range k.fields {
			if c.field != nil && c.field.name != f.name || c.field == nil && f.kind != c.kind && !(c.kind == kindDuration && f.kind == kindTime && k.field(kindDuration) == nil) {
				continue
			}
			v, ok := quantity(f, n, r.v.today, c.kind)
			if !ok {
				continue
			}
			if c.kind == kindTime {
				value, _ := n.Field(f.name)
				if all := clocks(value); c.end && len(all) > 1 {
					v = float64(all[1].minutes)
				}
				if !c.span.certain && c.span.lo < 12*60 && c.lo == c.hi && v >= 12*60 {
					v -= 12 * 60
				}
			}
			if c.span.weekday > 0 && c.lo == c.hi && !k.leaf {
				return int(dayOf(v).Weekday())+1 == c.span.weekday, true
			}
			return c.lo <= v && v <= c.hi, true
		}
	}
	return false, false
}

// narrowed reports whether an item is in all scopes and ranges of a reading.
func (r *reading) narrowed(it *item) bool {
	for _, s := range r.scopes {
		if s.meets(it) == s.not {
			return false
		}
	}
	for _, c := range r.ranges {
		if in, _ := c.within(r, it); !in {
			return false
		}
	}
	return true
}

// weights returns what each word is worth: the less, the more items have it. A
// word that no item has is worth nothing.
func weights(words map[string]bool, items []*item) map[string]float64 {
	out := make(map[string]float64)
	for w := range words {
		n := 0
		for _, it := range items {
			if it.has(w) {
				n++
			}
		}
		if n > 0 {
			out[w] = math.Log(1+float64(len(items))/float64(n)) + 0.1
		}
	}
	return out
}

// has reports whether a stem is one of an item's words or of those above.
func (it *item) has(w string) bool { return it.text[w] || it.name[w] || it.above[w] }

// covered returns how much of some words an item has, from 0 to 1, and how much
// of it in its name.
func (it *item) covered(worth map[string]float64) (all, name float64) {
	sum, have, named := 0.0, 0.0, 0.0
	for w, x := range worth {
		sum += x
		if it.text[w] || it.name[w] {
			have += x
		} else if it.above[w] {
			have += 0.8 * x
		}
		if it.name[w] {
			named += x
		}
	}
	if sum == 0 {
		return 0, 0
	}
	return have / sum, named / sum
}

// stemsAt returns the stems of words.
func (r *reading) stemsAt(at []int) map[string]bool {
	m := make(map[string]bool)
	for _, i := range at {
		m[r.words[i].stem] = true
	}
	return m
}

// pool returns the items of some kinds.
func pool(items []*item, kinds []*kind) []*item {
	return filter(items, func(it *item) bool {
		return slices.ContainsFunc(kinds, func(k *kind) bool { return k.name == it.node.Type })
	})
}

func filter(items []*item, keep func(*item) bool) []*item {
	var out []*item
	for _, it := range items {
		if keep(it) {
			out = append(out, it)
		}
	}
	return out
}

// choose returns the items that a reading asks for.
func (rules *Rules) choose(ctx context.Context, r *reading, items []*item) []*item {
	kinds := r.kinds
	above := len(kinds) == 1 && !kinds[0].leaf
	if above {
		kinds = r.v.leaves()
	}
	all := pool(items, kinds)
	if got, ok := r.beside(all); ok {
		return got
	}
	if r.place != [2]int{} {
		// What is asked about the one at a place does not choose it.
		r.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool { return s.kind.leaf && s.at > r.placed+3 })
	}
	if denied := r.deniedStems(); above && len(weights(denied, all)) > 0 {
		worth := weights(denied, all)
		without := filter(all, func(it *item) bool { c, _ := it.covered(worth); return c > 0.6 })
		return filter(r.containers(pool(items, r.kinds), all, all), func(up *item) bool {
			return !slices.ContainsFunc(without, func(it *item) bool { return slices.Contains(it.path, up.node) })
		})
	}
	if sides := r.sides(); above && sides != nil {
		got := pool(items, r.kinds)
		for _, side := range sides {
			met := rules.byWords(ctx, side, filter(all, side.narrowed), all)
			got = filter(got, func(up *item) bool {
				return slices.ContainsFunc(met, func(it *item) bool { return slices.Contains(it.path, up.node) })
			})
		}
		return got
	}
	got := filter(all, r.narrowed)
	got = rules.byWords(ctx, r, got, all)
	if above {
		return r.containers(pool(items, r.kinds), all, got)
	}
	return r.ranked(r.atPlace(got))
}

// sides parts a question with "both ... and ..." into one for each condition;
// nil where there are none.
func (r *reading) sides() []*reading {
	both := slices.IndexFunc(r.words, func(w word) bool { return w.low == "both" })
	and := slices.IndexFunc(r.words, func(w word) bool { return w.low == "and" })
	if both < 0 || and < both {
		return nil
	}
	var out []*reading
	for _, off := range [][2]int{{and, len(r.words)}, {both, and}} {
		side := *r
		side.roles, side.plural = slices.Clone(r.roles), true
		side.mark(off[0], off[1]-off[0], idle)
		away := func(start int) bool { return r.words[off[0]].start <= start && start <= r.words[off[1]-1].start }
		side.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool { return away(r.words[s.at].start) })
		side.ranges = slices.DeleteFunc(slices.Clone(r.ranges), func(c comparison) bool { return away(c.span.start) })
		out = append(out, &side)
	}
	return out
}

// beside returns what comes before or after something that is named: the
// nearest sibling, or all on that side.
func (r *reading) beside(all []*item) ([]*item, bool) {
	if r.op != treetask.Read {
		return nil, false
	}
	for i := range r.words {
		low := r.low(i)
		after := low == "after" || low == "following" || low == "afterwards" || low == "behind"
		if !after && low != "before" || !r.focus(i) || r.rank != nil || hasForm(r.words[i:], "i/we", "-ed", "was/were/got/had") {
			continue
		}
		nearest := false
		for at := max(0, i-2); at < i; at++ {
			nearest = nearest || r.words[at].in("adjacent")
		}
		var at []int
		for k := range r.words {
			if (k > i && r.focus(k) || low == "afterwards" && k < i && !r.focus(k)) && r.roles[k] == spare {
				at = append(at, k)
			}
		}
		e := editor{reading: r, items: all}
		it, _ := e.single(e.knownOf(at), filter(all, func(it *item) bool { return len(at) > 0 && r.withinScopes(it) }))
		if it == nil {
			continue
		}
		var out []*item
		for _, o := range all {
			if o.parent() == it.parent() && (after && o.place > it.place || !after && o.place < it.place) {
				out = append(out, o)
			}
		}
		if nearest && after && len(out) > 0 {
			out = out[:1]
		} else if nearest && len(out) > 0 {
			out = out[len(out)-1:]
		}
		return out, true
	}
	return nil, false
}

// withinScopes reports whether an item is in the containers that are named.
func (r *reading) withinScopes(it *item) bool {
	return !slices.ContainsFunc(r.scopes, func(s scope) bool { return !s.kind.leaf && s.meets(it) == s.not })
}

// byWords keeps the items that have the most of the words that say what is
// meant, and leaves out those with what is denied.
func (rules *Rules) byWords(ctx context.Context, r *reading, got, all []*item) []*item {
	if worth := weights(r.deniedStems(), all); len(worth) > 0 && r.op != treetask.Update {
		most := 0.0
		for _, it := range got {
			c, _ := it.covered(worth)
			most = max(most, c)
		}
		if most == 0 || !slices.Contains(r.excepted, true) {
			most = 0.6
		}
		got = filter(got, func(it *item) bool { c, _ := it.covered(worth); return c < min(most, 0.6) })
	}
	spares := r.spareWords()
	worth := weights(r.stemsAt(spares), got)
	if len(spares) == 0 || len(got) == 0 {
		return got
	}
	best, named := 0.0, 0.0
	score := make(map[*item]float64)
	names := make(map[*item]float64)
	for _, it := range got {
		score[it], names[it] = it.covered(worth)
		best = max(best, score[it])
	}
	if phrase := r.phrase(spares); best < 0.9 || r.plural {
		texts := make([]string, len(got))
		for i, it := range got {
			texts[i] = plain(it.node)
		}
		if scores, err := rules.relevance(ctx, texts, phrase); err == nil {
			for i, it := range got {
				if len(worth) == 0 || scores[i] > 0.8 {
					score[it] = max(score[it], scores[i])
				}
				best = max(best, score[it])
			}
		}
	}
	if best == 0 {
		return got
	}
	got = filter(got, func(it *item) bool { return score[it] > best-0.05 })
	for _, it := range got {
		named = max(named, names[it])
	}
	if named > 0.6 && !r.plural && r.total == "" {
		got = filter(got, func(it *item) bool { return names[it] > named-0.05 })
	}
	return got
}

// deniedStems returns the stems of the words that say what is not meant.
func (r *reading) deniedStems() map[string]bool {
	denied := make(map[string]bool)
	for i, w := range r.words {
		if r.denied[i] && r.roles[i] == spare && (r.focus(i) || r.excepted[i]) {
			denied[w.stem] = true
		}
	}
	return denied
}

// phrase writes the words at some places.
func (r *reading) phrase(at []int) string {
	var out []string
	for _, i := range at {
		out = append(out, r.text[r.words[i].start:r.words[i].end])
	}
	return strings.Join(out, " ")
}

// plain writes the fields of a node as text.
func plain(n *tree.Node) string {
	var out []string
	for _, f := range n.Fields {
		out = append(out, f.Value())
	}
	return strings.Join(append(out, n.Text), ". ")
}

// atPlace keeps the items at the places that a reading names, counted below
// each parent.
func (r *reading) atPlace(got []*item) []*item {
	if r.place == [2]int{} || len(got) == 0 {
		return got
	}
	groups := make(map[*tree.Node][]*item)
	group := func(it *item) *tree.Node {
		if r.overall {
			return it.path[0]
		}
		return it.parent()
	}
	for _, it := range got {
		groups[group(it)] = append(groups[group(it)], it)
	}
	var out []*item
	for _, it := range got {
		group := groups[group(it)]
		from, to := r.place[0], r.place[1]
		if from < 0 {
			from += len(group) + 1
		}
		if to < 0 {
			to += len(group) + 1
		}
		if at := slices.Index(group, it) + 1; from <= at && at <= to {
			out = append(out, it)
		}
	}
	return out
}

// ranked keeps the first items by the quantity of a superlative, with those
// that are equal to the last of them.
func (r *reading) ranked(got []*item) []*item {
	if r.rank == nil || r.rank.below != nil {
		return got
	}
	value := func(it *item) (float64, bool) {
		k := r.v.kind(it.node.Type)
		f := r.rank.field
		if f == nil || !slices.Contains(k.fields, f) {
			f = k.field(r.rank.kind)
			if f == nil && r.rank.kind == kindDuration {
				f = k.field(kindTime)
			}
			if r.rank.field != nil {
				for _, o := range k.fields {
					if o.name == r.rank.field.name {
						f = o
					}
				}
			}
		}
		if f == nil {
			return 0, false
		}
		return quantity(f, it.node, r.v.today, r.rank.kind)
	}
	got = filter(got, func(it *item) bool { _, ok := value(it); return ok })
	sorted := slices.Clone(got)
	slices.SortStableFunc(sorted, func(a, b *item) int {
		x, _ := value(a)
		y, _ := value(b)
		if r.rank.most {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
	if len(sorted) <= r.rank.n {
		return got
	}
	last, _ := value(sorted[r.rank.n-1])
	return filter(got, func(it *item) bool {
		v, _ := value(it)
		return r.rank.most && v >= last || !r.rank.most && v <= last
	})
}

// containers returns those of some containers that are meant by what is below
// them: the most, the fewest, all or any.
func (r *reading) containers(above, leaves, got []*item) []*item {
	count := func(list []*item, up *item) (n int) {
		for _, it := range list {
			if slices.Contains(it.path, up.node) {
				n++
			}
		}
		return n
	}
	above = filter(above, func(up *item) bool {
		return !slices.ContainsFunc(r.scopes, func(s scope) bool {
			return !s.kind.leaf && s.kind.depth <= r.kinds[0].depth && s.meets(up) == s.not
		}) &&
			!slices.ContainsFunc(r.ranges, func(c comparison) bool { in, known := c.within(r, up); return known && !in })
	})
	if len(above) == 0 {
		return nil
	}
	if r.rank != nil && r.rank.below != nil {
		best := -1
		got := filter(got, func(it *item) bool { return !r.rank.below.leaf || it.node.Type == r.rank.below.name || !r.named })
		for _, up := range above {
			if n := count(got, up); best < 0 || r.rank.most && n > best || !r.rank.most && n < best {
				best = n
			}
		}
		return filter(above, func(up *item) bool { return count(got, up) == best })
	}
	if r.rank != nil {
		sum := func(up *item) (total float64) {
			for _, it := range got {
				if k := r.v.kind(it.node.Type); slices.Contains(it.path, up.node) && k.field(r.rank.kind) != nil {
					v, _ := quantity(k.field(r.rank.kind), it.node, r.v.today, r.rank.kind)
					total += v
				}
			}
			return total
		}
		best := sum(above[0])
		for _, up := range above {
			if v := sum(up); r.rank.most == (v > best) && v != best {
				best = v
			}
		}
		return filter(above, func(up *item) bool { return sum(up) == best })
	}
	every := slices.ContainsFunc(r.words, func(w word) bool { return w.low == "every" || w.low == "all" || w.low == "everything" })
	if len(got) == len(leaves) {
		return filter(above, r.narrowed)
	}
	return filter(above, func(up *item) bool {
		n := count(got, up)
		return n > 0 && (!every || n == count(leaves, up))
	})
}
