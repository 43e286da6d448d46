package tree

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// An editor finds the edits of a request. It refuses what is not clear: a
// wrong edit is worse than none.
type editor struct {
	*reading
	items []*item
	notes []string
}

// refuse is an action that changes nothing and says why.
func (e *editor) refuse(format string, args ...any) treetask.Action {
	why := fmt.Sprintf(format, args...)
	e.notes = append(e.notes, "refused: "+why)
	return said(why, nil)
}

// edit answers a request for an edit.
func (e *editor) edit(ctx context.Context, rules *Rules) treetask.Action {
	switch e.op {
	case treetask.Delete:
		return e.delete(ctx, rules)
	case treetask.Create:
		return e.create()
	case treetask.Move:
		if e.rescheduled() {
			e.op = treetask.Update
			return e.update(ctx, rules)
		}
		return e.move()
	default:
		return e.update(ctx, rules)
	}
}

// rescheduled reports whether what is put as a move gives a new date or time:
// leaves have it, and no container does.
func (e *editor) rescheduled() bool {
	for _, p := range e.spans {
		at := e.wordAt(p.start)
		if at >= len(e.words) || !e.focus(at) || e.low(at-1) != "to" && e.low(at-2) != "to" {
			continue
		}
		for _, k := range e.v.leaves() {
			if f := k.field(p.kind); f != nil && (p.kind == kindTime || p.kind == kindDate && !e.datedAbove() && !p.week) {
				return true
			}
		}
	}
	return false
}

// done is the action of edits on nodes.
func (e *editor) done(answer string, nodes []string, edits ...treetask.ActionEdit) treetask.Action {
	for i := range edits {
		if edits[i].Fields == nil {
			edits[i].Fields = []treetask.ActionSetting{}
		}
	}
	return treetask.Action{Operation: e.op, Nodes: nodes, Answer: answer, Edits: edits}
}

// margin is by how much the best candidate has to be ahead of the second.
const margin = 0.12

// single returns the one of some items that words mean. The reason says why
// there is none.
func (e *editor) single(at []int, among []*item) (*item, string) {
	if rest := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return e.words[i].in("version") }); len(rest) > 0 {
		at = rest
	}
	words := e.stemsAt(at)
	worth := weights(words, among)
	if len(among) == 0 {
		return nil, "There is nothing like that."
	}
	if len(worth) == 0 {
		if len(among) == 1 && len(words) == 0 {
			return among[0], ""
		}
		return nil, "I could not tell what is meant."
	}
	var best, second *item
	top, next := -1.0, -1.0
	for _, it := range among {
		all, name := it.covered(worth)
		whole := 0.0
		for s := range it.name {
			if words[s] {
				whole += 1 / float64(len(it.name))
			}
		}
		score := all + 0.5*name + 0.5*whole
		switch {
		case score > top:
			best, second, top, next = it, best, score, top
		case score > next:
			second, next = it, score
		}
	}
	if second != nil && top-next < margin {
		return nil, fmt.Sprintf("I could not tell which is meant: %s or %s?", best.label, second.label)
	}
	missing := 0
	for w := range words {
		if !best.has(w) {
			missing++
		}
	}
	named := slices.ContainsFunc(slices.Collect(maps.Keys(best.name)), func(s string) bool { return words[s] })
	if 2*missing > len(words) && top-next < 0.4 || missing > 0 && !named {
		return nil, fmt.Sprintf("I could not tell whether %s is meant.", best.label)
	}
	return best, ""
}

// described returns the words that say what is to be edited: those of the
// clauses that want it, and where these only point back those of the others.
func (e *editor) described(skip func(i int) bool) []int {
	var in, out []int
	for _, i := range e.spareWords() {
		switch {
		case skip != nil && skip(i):
		case e.focus(i):
			in = append(in, i)
		default:
			out = append(out, i)
		}
	}
	if len(weights(e.stemsAt(in), e.items)) > 0 {
		return in
	}
	return append(e.knownOf(out), in...)
}

// knownOf returns the words that some item has: of a clause that is only told,
// most words are about something else.
func (e *editor) knownOf(at []int) []int {
	return slices.DeleteFunc(slices.Clone(at), func(i int) bool {
		return !slices.ContainsFunc(e.items, func(it *item) bool { return it.name[e.words[i].stem] || it.text[e.words[i].stem] })
	})
}

// scoped returns the items of the kinds that are asked for, in all scopes and
// ranges that are no new values.
func (e *editor) scoped(kinds []*kind, skipScope func(scope) bool, skipRange func(comparison) bool) []*item {
	r := *e.reading
	r.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool { return skipScope != nil && skipScope(s) })
	r.ranges = slices.DeleteFunc(slices.Clone(r.ranges), func(c comparison) bool { return skipRange != nil && skipRange(c) })
	return filter(pool(e.items, kinds), r.narrowed)
}

// many reports whether a request speaks of all nodes of a description.
func (e *editor) many() bool {
	for i, w := range e.words {
		if w.in("every") && e.focus(i) {
			return true
		}
	}
	return (len(e.ranges) > 0 || slices.Contains(e.excepted, true)) && e.plural
}

// delete answers a request to delete.
func (e *editor) delete(ctx context.Context, rules *Rules) treetask.Action {
	if f := e.object(); f != nil {
		return e.clear(f)
	}
	targets, why := e.targets(ctx, rules, nil, nil, nil)
	if why != "" {
		return e.refuse("%s", why)
	}
	if hidden(targets) {
		return e.refuse("I have not looked at that.")
	}
	var edits []treetask.ActionEdit
	var nodes, names []string
	for _, it := range targets {
		if it.parent() == nil {
			return e.refuse("I do not delete everything.")
		}
		edits = append(edits, treetask.ActionEdit{Op: treetask.Delete, Node: it.node.ID})
		nodes, names = append(nodes, it.node.ID), append(names, it.label)
	}
	return e.done("Deleted: "+strings.Join(names, "; ")+".", nodes, edits...)
}

// hidden reports whether some items were not found themselves, so that they
// cannot be edited.
func hidden(targets []*item) bool {
	return slices.ContainsFunc(targets, func(it *item) bool { return !it.shown })
}

// object returns the field of leaves that an order names as what it acts on:
// "remove the note from ...".
func (e *editor) object() *field {
	for _, c := range e.parts {
		if c.manner != order || c.verb < 0 {
			continue
		}
		at := e.wordAt(c.words[c.verb].start) + 1
		for at < len(e.words) && !content(e.words[at]) && !e.words[at].mark && e.low(at) != "note" {
			at++
		}
		if at >= len(e.words) {
			continue
		}
		for _, f := range e.asks {
			if f.stems[e.words[at].stem] && e.kindAt(at) == nil {
				return f
			}
		}
		// "Take Rafa off it" is about who does it, and not about the whole.
		if f := e.personField(); f != nil && e.words[at].upper && at+1 < len(e.words) && (e.low(at+1) == "from" || e.low(at+1) == "off") && e.person(f, at) != "" {
			return f
		}
	}
	return nil
}

// clear takes a field away.
func (e *editor) clear(f *field) treetask.Action {
	it, why := e.told(e.described(nil), e.scoped(e.v.leaves(), nil, nil), nil)
	if it == nil {
		return e.refuse("%s", why)
	}
	if _, ok := it.node.Field(f.name); !ok || hidden([]*item{it}) {
		return e.refuse("%s has no %s.", it.label, f.name)
	}
	e.op = treetask.Update
	return e.done(fmt.Sprintf("%s: no %s.", it.label, f.name), []string{it.node.ID}, treetask.ActionEdit{
		Op: treetask.Update, Node: it.node.ID, Fields: []treetask.ActionSetting{{Name: f.name}},
	})
}

// targets returns what is to be edited, or the reason why that is not clear.
func (e *editor) targets(ctx context.Context, rules *Rules, skip func(int) bool, skipScope func(scope) bool, skipRange func(comparison) bool) ([]*item, string) {
	at := e.described(skip)
	if e.many() || e.rank != nil || e.place != [2]int{} {
		r := *e.reading
		r.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool { return skipScope != nil && skipScope(s) })
		r.ranges = slices.DeleteFunc(slices.Clone(r.ranges), func(c comparison) bool { return skipRange != nil && skipRange(c) })
		r.roles = slices.Clone(r.roles)
		for i := range r.roles {
			if skip != nil && skip(i) {
				r.roles[i] = valued
			}
		}
		if !slices.ContainsFunc(r.kinds, func(k *kind) bool { return k.leaf }) {
			if got := filter(pool(e.items, r.kinds), r.narrowed); len(at) == 0 && len(got) > 0 && len(r.scopes)+len(r.ranges) > 0 {
				return got, ""
			}
			return nil, "I could not tell which are meant."
		}
		r.kinds = slices.DeleteFunc(slices.Clone(r.kinds), func(k *kind) bool { return !k.leaf })
		if why := e.unclear(&r); why != "" {
			return nil, why
		}
		got := rules.choose(ctx, &r, e.items)
		all := pool(e.items, r.kinds)
		unknown := 0
		for _, i := range at {
			if len(got) > 0 && !slices.ContainsFunc(got, func(it *item) bool { return it.has(e.words[i].stem) }) {
				unknown++
			}
		}
		switch {
		case len(got) == 0:
			return nil, "There is nothing like that."
		case len(got) != 2 && slices.ContainsFunc(e.words, func(w word) bool { return w.low == "both" }),
			len(got) == len(all) && len(all) > 1, unknown > 1 && 2*unknown > len(at) && len(r.ranges) == 0:
			return nil, "I could not tell which are meant."
		}
		return got, ""
	}
	among := e.scoped(e.kinds, skipScope, skipRange)
	if len(among) == 0 {
		// A value that is told beside it may be of something else.
		among = filter(pool(e.items, e.kinds), e.withinScopes)
	}
	if up := e.container(); up != nil && len(at) == 0 {
		return []*item{up}, ""
	}
	if len(at) == 0 && len(among) > 0 && len(among) < 4 && e.plural {
		return among, ""
	}
	if two, why := e.pair(at, among); two != nil || why != "" {
		return two, why
	}
	it, why := e.told(at, among, skip)
	if it == nil {
		return nil, why
	}
	return []*item{it}, ""
}

// told returns the one of some items that words mean, with what is told beside
// them where they alone are not clear.
func (e *editor) told(at []int, among []*item, skip func(int) bool) (*item, string) {
	it, why := e.single(at, among)
	if it != nil {
		return it, ""
	}
	var rest []int
	points := false
	for i, w := range e.words {
		points = points || e.focus(i) && w.in("pointing")
		if e.roles[i] == spare && !slices.Contains(at, i) && (skip == nil || !skip(i)) {
			rest = append(rest, i)
		}
	}
	if len(at) == 0 && !points {
		return nil, why
	}
	if it, _ = e.single(append(e.knownOf(at), e.knownOf(rest)...), among); it == nil {
		return nil, why
	}
	return it, ""
}

// container returns the container that is named by itself, with nothing below
// it; nil for none.
func (e *editor) container() *item {
	for _, s := range e.scopes {
		if s.kind.leaf || s.field == nil || s.field != s.kind.naming() || s.not || !e.focus(s.at) {
			continue
		}
		below := slices.ContainsFunc(e.kinds, func(k *kind) bool { return k.leaf })
		typed := slices.Contains(e.kinds, s.kind)
		if got := filter(pool(e.items, []*kind{s.kind}), s.meets); len(got) == 1 && (typed || !below) {
			return got[0]
		}
	}
	return nil
}

// unclear returns why a description of several nodes cannot be compared with
// them: it has a comparison, an exception or a place that was not understood.
func (e *editor) unclear(r *reading) string {
	excepted := make(map[string]bool)
	for i, w := range e.words {
		switch {
		case !e.focus(i) && !e.excepted[i]:
		case w.low == "there" && !slices.ContainsFunc(r.scopes, func(s scope) bool { return !s.kind.leaf || s.field.kind == kindPlace }),
			(w.low == "more" || w.low == "less" || w.low == "over" || w.low == "fewer") && len(r.ranges) == 0 && len(e.ranges) == 0 && r.rank == nil:
			return "I could not tell which are meant."
		case e.excepted[i] && e.roles[i] == spare:
			excepted[w.stem] = true
		}
	}
	if len(excepted) > 0 && len(weights(excepted, filter(pool(e.items, r.kinds), r.narrowed))) == 0 {
		return "I could not tell what to leave out."
	}
	return ""
}

// pair returns the two items that are named with "and" between them; none
// where one item has the words on both sides.
func (e *editor) pair(at []int, among []*item) ([]*item, string) {
	for i, w := range e.words {
		if w.low != "and" || !e.focus(i) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(at), func(k int) bool { return k > i })
		right := slices.DeleteFunc(slices.Clone(at), func(k int) bool { return k < i })
		if len(left) == 0 || len(right) == 0 || slices.ContainsFunc(among, func(it *item) bool {
			return slices.ContainsFunc(left, func(k int) bool { return it.has(e.words[k].stem) }) && slices.ContainsFunc(right, func(k int) bool { return it.has(e.words[k].stem) })
		}) {
			continue
		}
		a, _ := e.single(left, among)
		b, _ := e.single(right, among)
		if a != nil && b != nil && a != b {
			return []*item{a, b}, ""
		}
		if len(weights(e.stemsAt(right), among)) > 0 && len(weights(e.stemsAt(left), among)) > 0 {
			return nil, "I could not tell which two are meant."
		}
	}
	return nil, ""
}

// restored answers a request to put back what an earlier version has.
func (rules *Rules) restored(r *reading, items []*item, change *treetask.Change) treetask.Action {
	among := pool(items, r.kinds)
	if touched := touched(items, change); len(touched) > 0 {
		if len(touched) == 1 {
			among = touched
		} else if len(touched) > 1 {
			worth := weights(r.stemsAt(r.spareWords()), touched)
			best := 0.0
			for _, it := range touched {
				c, _ := it.covered(worth)
				best = max(best, c)
			}
			among = filter(touched, func(it *item) bool { c, _ := it.covered(worth); return c == best })
			return back(among)
		}
	}
	if len(among) == 1 {
		return back(among)
	}
	e := editor{reading: r, items: items}
	narrowed := filter(among, r.narrowed)
	if len(narrowed) == 0 {
		narrowed = among
	}
	it, why := e.told(e.described(nil), narrowed, nil)
	if it == nil {
		return e.refuse("%s", why)
	}
	return back([]*item{it})
}

// back is the action that puts nodes back.
func back(nodes []*item) treetask.Action {
	a := said("It is as it was: "+nodes[0].label+".", nodes)
	a.Operation = treetask.Restore
	return a
}

// A destination is where something goes.
type destination struct {
	parent   *item
	sibling  *item // that it goes beside
	after    bool
	first    bool
	from, to int // words that say it
}

// destination reads where something goes. The words before it say what. It is
// false where nothing is said; the reason says why what is said is not clear.
func (e *editor) destination(kinds []*kind) (d destination, ok bool, why string) {
	d.from = len(e.words)
	aim := e.focus
	for i := range e.words {
		if e.low(i) == "there" && e.focus(i) {
			aim = func(int) bool { return true } // told before
		}
	}
	for i := range e.words {
		if !aim(i) || e.roles[i] == valued {
			continue
		}
		low, next := e.low(i), e.low(i+1)
		n := 0
		after := false
		switch {
		case low == "after" || low == "behind" || low == "following" || low == "below":
			n, after = 1, true
		case low == "before" || low == "above" || low == "preceding":
			n = 1
		case low == "ahead" && next == "of":
			n = 2
		case low == "in" && next == "front" && e.low(i+2) == "of":
			n = 3
		case low == "between":
			n, after = 1, true
		case low == "next" && next == "to":
			n, after = 2, true
		}
		if n == 0 || next == "that" || next == "all" {
			continue
		}
		var at []int
		end := i + n
		for end < len(e.words) && !(e.words[end].mark && e.low(end) != "-" && e.low(end) != "'") && !(low == "between" && e.low(end) == "and") && e.low(end) != "to" && e.low(end) != "for" && e.low(end) != "as" {
			if content(e.words[end]) || e.roles[end] != idle {
				at = append(at, end)
			}
			end++
		}
		if len(at) == 0 {
			continue
		}
		among := e.narrowBy(pool(e.items, e.v.leaves()), i+n, end)
		it, reason := e.single(at, among)
		if it == nil {
			if it, reason = e.single(at, filter(among, e.narrowedAbove)); it == nil {
				reason = cmp.Or(reason, "I could not tell where it should go.")
			}
		}
		if it == nil {
			return d, false, reason
		}
		if low == "between" && e.low(end) == "and" {
			for end < len(e.words) && (!e.words[end].mark || e.low(end) == "-") {
				end++
			}
		}
		d.sibling, d.after, d.from, d.to = it, after, i, end
		for at := i - 1; at >= 0 && aim(at); at-- {
			if e.low(at) == "to" || e.low(at) == "into" || e.low(at) == "onto" {
				d.from = at
				break
			}
		}
		for _, p := range e.items {
			if p.node == it.parent() {
				d.parent = p
			}
		}
		return d, d.parent != nil, ""
	}
	for i := range e.words {
		low, next := e.low(i), e.low(i+1)
		if e.focus(i) && (low == "top" || low == "first" || low == "beginning" || low == "front" || low == "start" && next == "of" || low == "opening") && e.roles[i] != typed {
			if k := e.kindAt(i + 1); k == nil {
				d.first = true
			}
		}
	}
	up := e.parentKinds(kinds)
	among := pool(e.items, up)
	for i := range e.words {
		low := e.low(i)
		if !e.focus(i) || low != "to" && low != "into" && low != "onto" && low != "in" && low != "on" && low != "under" && low != "for" && low != "among" && low != "at" && low != "of" && low != "over" {
			continue
		}
		end := i + 1
		for end < len(e.words) && !e.words[end].mark && (end == i+1 || !prepositions[e.low(end)]) {
			end++
		}
		for end < len(e.words) && (e.low(end) == "of" || e.low(end-1) != "of" && !e.words[end].mark && !prepositions[e.low(end)]) {
			end++
		}
		got := e.narrowBy(among, i+1, end)
		if len(got) > 1 && len(got) < len(among) {
			got = e.besides(got, i+1, end)
		}
		var at []int
		for k := i + 1; k < end; k++ {
			if e.roles[k] == spare {
				at = append(at, k)
			}
		}
		scoped := len(got) < len(among)
		if worth := weights(e.stemsAt(at), got); len(worth) > 0 {
			it, _ := e.single(at, got)
			if it != nil {
				got, scoped = []*item{it}, true
			} else if !scoped {
				continue
			}
		}
		if scoped && len(got) == 1 {
			d.parent, d.from, d.to = got[0], min(d.from, i), end
			return d, true, ""
		}
	}
	// What is said anywhere names the container.
	if got := filter(among, e.narrowedAbove); len(got) == 1 && len(among) > 1 {
		d.parent = got[0]
		return d, true, ""
	}
	if len(among) == 1 {
		d.parent = among[0]
		return d, true, ""
	}
	return d, false, ""
}

var prepositions = exactly("to into onto in on under for at from with before after until and so as by which that straight right because")

// exactly reads words separated by white space.
func exactly(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// narrowedAbove is narrowed by the scopes and dates of containers alone.
func (e *editor) narrowedAbove(it *item) bool {
	r := *e.reading
	r.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool { return s.kind.leaf })
	r.ranges = slices.DeleteFunc(slices.Clone(r.ranges), func(c comparison) bool { return c.kind != kindDate || !e.datedAbove() })
	return r.narrowed(it)
}

// datedAbove reports whether containers have dates, and leaves have none.
func (e *editor) datedAbove() bool {
	above := false
	for _, k := range e.v.kinds {
		f := k.field(kindDate)
		if f != nil && k.leaf {
			return false
		}
		above = above || f != nil
	}
	return above
}

// narrowBy keeps the items in the scopes and at the dates that some words name.
func (e *editor) narrowBy(among []*item, from, to int) []*item {
	r := *e.reading
	r.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool { return s.at < from || s.at >= to || s.kind.leaf || s.not })
	r.ranges = slices.DeleteFunc(slices.Clone(r.ranges), func(c comparison) bool {
		return c.kind != kindDate || !e.datedAbove() || c.span.start < e.words[from].start || to < len(e.words) && c.span.start >= e.words[to].start
	})
	return filter(among, r.narrowed)
}

// besides keeps the items in the containers that are named elsewhere, of kinds
// that the words do not name.
func (e *editor) besides(among []*item, from, to int) []*item {
	r := *e.reading
	r.ranges = nil
	r.scopes = slices.DeleteFunc(slices.Clone(r.scopes), func(s scope) bool {
		return s.kind.leaf || s.at >= from && s.at < to || slices.ContainsFunc(e.scopes, func(o scope) bool { return o.kind == s.kind && o.at >= from && o.at < to })
	})
	if got := filter(among, r.narrowed); len(got) > 0 {
		return got
	}
	return among
}

// parentKinds returns the kinds below which some kinds stand.
func (e *editor) parentKinds(kinds []*kind) []*kind {
	var up []*kind
	for _, k := range kinds {
		for _, u := range k.up {
			if !slices.Contains(up, u) {
				up = append(up, u)
			}
		}
	}
	return up
}

// position returns the place among the children of the parent, without a node
// that moves; 0 is the end.
func (d destination) position(moving *tree.Node) int {
	children := slices.DeleteFunc(slices.Clone(d.parent.node.Children), func(n *tree.Node) bool { return n == moving })
	if d.first {
		return 1
	}
	if d.sibling == nil {
		return 0
	}
	at := slices.Index(children, d.sibling.node)
	if at < 0 {
		return 0
	}
	if d.after {
		at++
	}
	if at == len(children) {
		return 0
	}
	return at + 1
}

// move answers a request to move.
func (e *editor) move() treetask.Action {
	leaves := slices.DeleteFunc(slices.Clone(e.kinds), func(k *kind) bool { return !k.leaf })
	d, ok, why := e.destination(leaves)
	if why != "" {
		return e.refuse("%s", why)
	}
	at := e.described(func(i int) bool { return d.from <= i && i < d.to })
	among := pool(e.items, leaves)
	if d.from < len(e.words) {
		among = e.narrowBy(among, 0, d.from)
		if d.to < len(e.words) {
			among = e.narrowBy(among, d.to, len(e.words))
		}
	}
	among = filter(among, func(it *item) bool {
		return d.sibling != it && !slices.ContainsFunc(e.scopes, func(s scope) bool { return s.kind.leaf && (s.at < d.from || s.at >= d.to) && s.meets(it) == s.not })
	})
	it, why := e.told(at, among, func(i int) bool { return d.from <= i && i < d.to })
	if it == nil {
		return e.refuse("%s", why)
	}
	last := slices.ContainsFunc(e.words, func(w word) bool { return w.low == "last" || w.low == "end" || w.low == "bottom" || w.low == "final" })
	if !ok || d.parent == nil {
		if !d.first && !last {
			return e.refuse("I could not tell where %s should go.", it.label)
		}
		for _, p := range e.items {
			if p.node == it.parent() {
				d.parent = p
			}
		}
	}
	if d.parent == nil || hidden([]*item{it}) {
		return e.refuse("I could not tell where %s should go.", it.label)
	}
	if d.parent.node == it.parent() && d.sibling == nil && !d.first && !last {
		return e.refuse("%s is there already.", it.label)
	}
	edit := treetask.ActionEdit{Op: treetask.Move, Node: it.node.ID, Parent: d.parent.node.ID, Position: d.position(it.node)}
	return e.done(fmt.Sprintf("Moved %s to %s.", it.label, d.parent.label), []string{it.node.ID}, edit)
}
