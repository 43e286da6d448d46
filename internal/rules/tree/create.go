package tree

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/engine/treetask"
)

// create answers a request to add something.
func (e *editor) create() treetask.Action {
	if f := e.object(); f != nil {
		return e.note(f)
	}
	k, named := e.newKind()
	name, used := e.newName(k)
	if !named {
		k = e.kindOfName(name, k)
	}
	if name == "" {
		return e.refuse("I could not tell what to add.")
	}
	d, ok, why := e.destination([]*kind{k})
	if why != "" {
		return e.refuse("%s", why)
	}
	if !ok {
		return e.refuse("I could not tell where %s should go.", name)
	}
	if strings.EqualFold(name, d.parent.label) {
		return e.refuse("I could not tell what to add to %s.", name)
	}
	settings := []treetask.ActionSetting{}
	if f := k.naming(); f != nil {
		settings = append(settings, treetask.ActionSetting{Name: f.name, Value: name})
	}
	settings = e.newFields(k, settings, used)
	pos := d.position(nil)
	if e.place[0] > 0 && d.sibling == nil {
		pos = e.place[0]
	} else if d.sibling == nil && !d.first {
		pos = e.byTime(k, d, settings)
	}
	edit := treetask.ActionEdit{Op: treetask.Create, Parent: d.parent.node.ID, Position: pos, Type: k.name, Fields: settings}
	return e.done(fmt.Sprintf("Added %s to %s.", name, d.parent.label), []string{d.parent.node.ID}, edit)
}

// note writes the text of a field that an order adds: what is quoted, or what
// stands behind a colon.
func (e *editor) note(f *field) treetask.Action {
	from, value := len(e.words), ""
	for _, p := range e.spans {
		if p.kind == kindName {
			from, value = e.wordAt(p.start), p.text
		}
	}
	for i := range e.words {
		if (e.low(i) == ":" || e.low(i) == "saying" || e.low(i) == "that") && value == "" && i+1 < len(e.words) {
			from, value = i, e.textOf(i+1, len(e.words))
		}
	}
	it, why := e.single(slices.DeleteFunc(e.spareWords(), func(i int) bool { return i >= from }), e.scoped(e.v.leaves(), nil, nil))
	switch {
	case it == nil:
		return e.refuse("%s", why)
	case value == "":
		return e.refuse("I could not tell what to write.")
	}
	if old, ok := it.node.Field(f.name); ok {
		value = old + "; " + value
	}
	e.op = treetask.Update
	return e.done(fmt.Sprintf("%s: %s %s.", it.label, f.name, value), []string{it.node.ID}, treetask.ActionEdit{
		Op: treetask.Update, Node: it.node.ID, Fields: []treetask.ActionSetting{{Name: f.name, Value: value}},
	})
}

// newKind returns the type of what is to be added: the one that is called new
// or by a name, else a leaf.
func (e *editor) newKind() (k *kind, named bool) {
	var leaf *kind
	for i := range e.words {
		k := e.kindAt(i)
		if k == nil || e.roles[i] != typed && e.roles[i] != placing {
			continue
		}
		if prev := e.low(i - 1); e.focus(i) && (prev == "new" || prev == "a" || prev == "an" || prev == "another" || e.low(i+1) == "called" || e.low(i+1) == "named") {
			return k, true
		}
		if k.leaf && leaf == nil {
			leaf = k
		}
	}
	if leaf != nil {
		return leaf, true
	}
	return e.kindOfName("", nil), false
}

// kindOfName returns the leaf that words of a name hint at, else the commonest.
func (e *editor) kindOfName(name string, best *kind) *kind {
	n := -1
	for _, k := range e.v.leaves() {
		score := len(pool(e.items, []*kind{k}))
		for s := range stemsOf(name) {
			if k.hints[s] {
				score += 10000
			}
		}
		if score > n {
			best, n = k, score
		}
	}
	return best
}

// newName returns the name of what is to be added, and to which word it
// reaches.
func (e *editor) newName(k *kind) (string, int) {
	for _, p := range e.spans {
		if p.kind == kindName {
			return strings.Trim(p.text, " .,"), e.wordAt(p.end)
		}
	}
	start := -1
	for i := range e.words {
		switch low := e.low(i); {
		case !e.focus(i):
		case low == "called" || low == "named" || low == "titled":
			start = i + 1
		case low == ":" && start < 0 && i > 0 && i+1 < len(e.words) && e.focus(i+1) && e.roles[i-1] != valued && e.spanAt(i+1) == nil:
			start = i + 1
		}
	}
	if start < 0 {
		for _, c := range e.parts {
			if c.op == treetask.Create && c.verb >= 0 && start < 0 {
				start = e.wordAt(c.words[c.verb].start) + 1
				for start < len(e.words) && (slices.Contains([]string{"in", "down", "up", "on", "a", "an", "the", "another", "some", "new", "also", "me", "for", "one", "more", "us", "of"}, e.low(start)) || e.kindAt(start) == k && k.nouns[e.words[start].stem] && start+1 < len(e.words) && !prepositions[e.low(start+1)] && content(e.words[start+1])) {
					start++
				}
			}
		}
	}
	if start < 0 || start >= len(e.words) {
		return "", 0
	}
	if e.words[start].in("pointing") {
		if start = e.toldBefore(start); start < 0 {
			return "", 0
		}
	}
	if (e.kindAt(start) != nil || e.general(start) || e.low(start) == "visit" || e.low(start) == "trip") && (e.low(start+1) == "to" || e.low(start+1) == "at" || e.low(start+1) == "in" || e.low(start+1) == "for") && start+2 < len(e.words) {
		start += 2
		if e.low(start) == "the" {
			start++
		}
	}
	end := start
	for end < len(e.words) {
		w := e.words[end]
		p := e.spanAt(end)
		if w.low == "at" && end > start && end+1 < len(e.words) && e.words[end+1].upper && e.roles[end+1] == spare {
			end++
			continue
		}
		if w.mark && w.low != "-" && w.low != "'" && w.low != "&" || end > start && prepositions[w.low] && w.low != "and" && w.low != "with" && w.low != "for" || w.low == "too" || end > start && w.in("pointing") ||
			end > start && (w.low == "for" || w.low == "with") && !e.partOfName(end) || p != nil && p.kind != kindNumber && end > start {
			break
		}
		end++
	}
	name := strings.Trim(e.text[e.words[start].start:e.words[max(start, end-1)].end], " .,:;")
	if end == start || name == "" {
		return "", 0
	}
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:], end
}

// toldBefore returns the first word of what somebody has to do, as told before
// a word that points back to it; -1 for none.
func (e *editor) toldBefore(i int) int {
	for at := i - 1; at > 0; at-- {
		if e.low(at) == "to" && (e.low(at-1) == "has" || e.low(at-1) == "have" || e.low(at-1) == "need" || e.low(at-1) == "needs" || e.low(at-1) == "forgot") {
			return at + 1
		}
	}
	return -1
}

// partOfName reports whether what follows a preposition belongs to a name: it
// names no container, no person and no value.
func (e *editor) partOfName(i int) bool {
	for k := i + 1; k < min(i+4, len(e.words)); k++ {
		if e.roles[k] == valued || e.roles[k] == placing || e.roles[k] == typed {
			return false
		}
	}
	return i+1 < len(e.words) && e.low(i+1) != "the"
}

// wordAt returns the first word that begins at or behind an offset.
func (e *editor) wordAt(offset int) int {
	i := slices.IndexFunc(e.words, func(w word) bool { return w.start >= offset })
	if i < 0 {
		return len(e.words)
	}
	return i
}

// spanAt returns the value that begins at a word; nil for none.
func (e *editor) spanAt(i int) *span {
	for k := range e.spans {
		if p := &e.spans[k]; p.start <= e.words[i].start && e.words[i].start < p.end {
			return p
		}
	}
	return nil
}

// newFields adds the fields that a request to add gives.
func (e *editor) newFields(k *kind, out []treetask.ActionSetting, from int) []treetask.ActionSetting {
	set := func(f *field, value string) {
		if f != nil && value != "" && !slices.ContainsFunc(out, func(s treetask.ActionSetting) bool { return s.Name == f.name }) {
			out = append(out, treetask.ActionSetting{Name: f.name, Value: value})
		}
	}
	var times []span
	for _, p := range e.spans {
		switch p.kind {
		case kindTime:
			times = append(times, p)
		case kindMoney:
			set(k.field(kindMoney), writeMoney(k.field(kindMoney), p))
		case kindDate:
			if f := k.field(kindDate); f != nil && !p.week {
				set(f, writeDate(dayOf(p.lo), example(f)))
			}
		case kindDuration:
			f := e.namedField(k, p, kindDuration)
			set(f, rewriteNumberOf(f, p.in(f)))
		case kindNumber:
			if f := e.unitFieldOf(k, p); f != nil {
				set(f, rewriteNumberOf(f, p.lo))
			}
		default:
		}
	}
	if f := k.field(kindTime); f != nil && len(times) > 0 {
		if end := k.second(kindTime); end != nil {
			set(f, e.timeRange(times[:1], f, ""))
			if len(times) > 1 {
				set(end, e.timeRange(times[1:2], end, ""))
			}
		} else {
			set(f, e.timeRange(times, f, ""))
		}
	}
	for _, s := range e.scopes {
		if s.kind == k && len(s.values) > 0 && !s.not && s.at >= from {
			set(s.field, s.values[0])
		}
	}
	if f := k.field(kindMoney); f != nil && e.free() {
		set(f, writeMoney(f, span{}))
	}
	if f := k.field(kindPerson); f != nil {
		set(f, e.person(f, from))
	}
	if f := k.field(kindStatus); f != nil {
		if v, ok := f.state("open"); ok {
			set(f, v)
		}
	}
	return out
}

// free reports whether what is added costs nothing.
func (e *editor) free() bool {
	return slices.ContainsFunc(e.words, func(w word) bool { return w.low == "free" || w.low == "gratis" })
}

// byTime returns the place of what is added among its siblings by its time; 0
// is the end.
func (e *editor) byTime(k *kind, d destination, settings []treetask.ActionSetting) int {
	f := k.field(kindTime)
	if f == nil {
		return 0
	}
	at := slices.IndexFunc(settings, func(s treetask.ActionSetting) bool { return s.Name == f.name })
	if at < 0 {
		return 0
	}
	start := clocks(settings[at].Value)
	for i, c := range d.parent.node.Children {
		value, _ := c.Field(f.name)
		if other := clocks(value); len(start) > 0 && len(other) > 0 && other[0].minutes > start[0].minutes {
			return i + 1
		}
	}
	return 0
}
