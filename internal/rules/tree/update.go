package tree

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// A setting is a new value that a request gives, before it is known for which
// node.
type setting struct {
	kinds []fieldKind
	field *field // nil for the first of kinds
	from  int    // the words that say it
	to    int
	write func(f *field, n *tree.Node) (string, bool)
}

// example returns a value in whose manner others are written.
func example(f *field) string {
	if f == nil || len(f.values) == 0 {
		return ""
	}
	return f.values[0]
}

// dayOf returns the day of a number of quantity.
func dayOf(days float64) time.Time { return time.Unix(int64(days)*86400, 0).UTC() }

// update answers a request to change fields.
func (e *editor) update(ctx context.Context, rules *Rules) treetask.Action {
	settings := e.settings()
	if len(settings) == 0 {
		return e.refuse("I could not tell what to change.")
	}
	inside := func(i int) bool {
		return slices.ContainsFunc(settings, func(s setting) bool { return s.from <= i && i < s.to })
	}
	for _, s := range settings {
		for _, k := range e.v.kinds {
			if s.field != nil && !k.leaf && slices.Contains(k.fields, s.field) {
				e.kinds = []*kind{k}
			}
		}
	}
	targets, why := e.targets(ctx, rules, inside,
		func(s scope) bool { return inside(s.at) },
		func(c comparison) bool { return inside(e.wordAt(c.span.start)) })
	if why != "" {
		return e.refuse("%s", why)
	}
	if hidden(targets) {
		return e.refuse("I have not looked at that.")
	}
	var edits []treetask.ActionEdit
	var nodes, told []string
	for _, it := range targets {
		edit := treetask.ActionEdit{Op: treetask.Update, Node: it.node.ID}
		for _, s := range settings {
			f := s.fieldOf(e.v.kind(it.node.Type))
			if f == nil {
				return e.refuse("%s has nothing like that to change.", it.label)
			}
			value, ok := s.write(f, it.node)
			if !ok {
				return e.refuse("I could not tell what to change of %s.", it.label)
			}
			if slices.ContainsFunc(edit.Fields, func(o treetask.ActionSetting) bool { return o.Name == f.name }) {
				continue
			}
			edit.Fields = append(edit.Fields, treetask.ActionSetting{Name: f.name, Value: value})
			told = append(told, fmt.Sprintf("%s: %s %s", it.label, f.name, value))
		}
		edits = append(edits, edit)
		nodes = append(nodes, it.node.ID)
	}
	return e.done(strings.Join(told, "; ")+".", nodes, edits...)
}

// fieldOf returns the field of a type that a setting is for; nil for none.
func (s setting) fieldOf(k *kind) *field {
	if s.field == nil {
		return k.field(s.kinds...)
	}
	for _, f := range k.fields {
		if f.name == s.field.name {
			return f
		}
	}
	return nil
}

// settings reads the new values of a request.
func (e *editor) settings() []setting {
	var out []setting
	add := func(s ...setting) {
		for _, n := range s {
			if n.write != nil && !slices.ContainsFunc(out, func(o setting) bool { return n.from < o.to && o.from < n.to }) {
				out = append(out, n)
			}
		}
	}
	add(e.renamed()...)
	add(e.exchanged()...)
	add(e.shifted()...)
	add(e.timed()...)
	for i := range e.spans {
		add(e.valueSetting(&e.spans[i]))
	}
	add(e.stated()...)
	add(e.handed()...)
	if len(out) == 0 {
		add(e.assigned()...)
	}
	return out
}

// constant is a setting to one value for all nodes.
func constant(value string) func(*field, *tree.Node) (string, bool) {
	return func(*field, *tree.Node) (string, bool) { return value, value != "" }
}

// renamed reads a new name: "rename the mint to Spearmint".
func (e *editor) renamed() []setting {
	for i := range e.words {
		if !e.focus(i) || e.words[i].stem != stem("rename") && !(e.low(i) == "call" && (e.low(i+1) == "it" || e.low(i+1) == "that" || e.low(i+1) == "the")) && !(e.low(i) == "name" && e.roles[i] == fielded) {
			continue
		}
		end := e.sentenceEnd(i)
		at := -1
		for k := i + 1; k < end; k++ {
			if e.low(k) == "to" || e.low(k) == "as" {
				at = k + 1
			}
		}
		if at < 0 && e.low(i) == "call" {
			at = i + 2
		}
		for _, p := range e.spans {
			if p.kind == kindName && p.start > e.words[i].start {
				return []setting{{kinds: []fieldKind{kindName}, from: e.wordAt(p.start), to: e.wordAt(p.end), write: constant(p.text)}}
			}
		}
		if at < 0 || at >= end {
			return nil
		}
		return []setting{{kinds: []fieldKind{kindName}, from: at - 1, to: end, write: constant(e.textOf(at, end))}}
	}
	return nil
}

// sentenceEnd returns where the sentence of a word ends, without its mark.
func (e *editor) sentenceEnd(i int) int {
	for i < len(e.words) && !isStop(e.words[i]) {
		i++
	}
	return i
}

// textOf returns the text of some words.
func (e *editor) textOf(from, to int) string {
	return strings.Trim(join(e.text, e.words[from:to]), " .,;\"'“”")
}

// exchanged reads a part of a list that another takes the place of: "oat milk
// instead of milk".
func (e *editor) exchanged() []setting {
	for i := range e.words {
		n := 0
		old, fresh := "", ""
		from, to := i, i
		switch {
		case !e.focus(i):
		case e.words[i].stem == stem("replace") || e.words[i].stem == stem("swap") || e.words[i].stem == stem("exchange"):
			for k := i + 1; k < e.sentenceEnd(i); k++ {
				if e.low(k) == "with" || e.low(k) == "by" || e.low(k) == "for" {
					from, to = i+1, k+1
					for to < len(e.words) && !e.words[to].parts() && !prepositions[e.low(to)] {
						to++
					}
					old, fresh = e.textOf(from, k), e.textOf(k+1, to)
					break
				}
			}
		case e.low(i) == "instead" && e.low(i+1) == "of", e.low(i) == "rather" && e.low(i+1) == "than":
			n = 2
		case e.low(i) == "in" && e.low(i+1) == "place" && e.low(i+2) == "of":
			n = 3
		}
		if n > 0 {
			for from > 0 && !e.words[from-1].mark && e.roles[from-1] == spare {
				from--
			}
			for to = i + n; to < len(e.words) && !e.words[to].mark; {
				to++
			}
			fresh, old = e.textOf(from, i), e.textOf(i+n, to)
			to = i + n
		}
		if fresh == "" || old == "" {
			continue
		}
		write := func(f *field, node *tree.Node) (string, bool) {
			for _, have := range node.Fields {
				if have.Name != f.name {
					continue
				}
				values := slices.Clone(have.Values)
				for k, v := range values {
					if covers(v, old) {
						values[k] = fresh
						return strings.Join(values, "; "), true
					}
				}
			}
			return "", false
		}
		for _, k := range e.v.kinds {
			for _, f := range k.fields {
				if f.list {
					return []setting{{field: f, from: from, to: to, write: write}}
				}
			}
		}
	}
	return nil
}

// covers reports whether a text has all words of another that say something.
func covers(text, part string) bool {
	have, want := stemsOf(text), stemsOf(part)
	for w := range want {
		if !have[w] {
			return false
		}
	}
	return len(want) > 0
}

// shifted reads a change by an amount: "push it back by three days".
func (e *editor) shifted() []setting {
	for k := range e.spans {
		p := &e.spans[k]
		i := e.wordAt(p.start)
		if p.kind != kindDuration && p.kind != kindMoney || i >= len(e.words) || !e.focus(i) {
			continue
		}
		sign, long := 0.0, false
		last := e.wordAt(p.end)
		for at := max(0, i-8); at < min(len(e.words), last+3); at++ {
			switch low := e.low(at); low {
			case "later", "back", "postpone", "delay", "raise", "increase", "off":
				sign = 1
			case "earlier", "forward", "reduce", "lower", "cheaper":
				sign = -1
			case "longer", "extend":
				sign, long = 1, true
			case "shorter", "shorten", "trim":
				sign, long = -1, true
			}
		}
		if sign == 0 || p.kind == kindMoney && e.low(i-1) != "by" {
			continue
		}
		delta := sign * p.lo
		from := i
		if e.low(i-1) == "by" {
			from--
		}
		write := func(f *field, n *tree.Node) (string, bool) {
			value, ok := n.Field(f.name)
			if !ok {
				return "", false
			}
			switch f.kind {
			case kindDate:
				d, ok := dateOf(value, e.v.today)
				return writeDate(d.AddDate(0, 0, int(math.Round(delta/1440))), value), ok && math.Abs(delta) >= 1440
			case kindTime:
				c := clocks(value)
				if len(c) == 0 || math.Abs(delta) >= 1440 {
					return "", false
				}
				begin := c[0].minutes
				if !long {
					begin += int(delta)
				}
				if len(c) == 1 {
					return writeClock(begin, value), !long
				}
				return writeClock(begin, value) + " - " + writeClock(c[1].minutes+int(delta), value), true
			default:
			}
			old, ok := quantity(f, n, e.v.today, f.kind)
			return rewriteNumber(value, old+delta), ok
		}
		kinds := []fieldKind{kindTime, kindDate, kindDuration}
		switch {
		case p.kind == kindMoney:
			kinds = []fieldKind{kindMoney}
		case p.lo >= 1440:
			kinds = []fieldKind{kindDate}
		case long:
			kinds = []fieldKind{kindDuration, kindTime}
		}
		return []setting{{kinds: kinds, from: from, to: last, write: write}}
	}
	return nil
}

// timed reads new times of day.
func (e *editor) timed() []setting {
	var times []span
	for _, p := range e.spans {
		if i := e.wordAt(p.start); p.kind == kindTime && i < len(e.words) && e.focus(i) && !slices.ContainsFunc(e.ranges, func(c comparison) bool { return c.span.start == p.start && e.many() && c.lo != c.hi }) {
			times = append(times, p)
		}
	}
	if len(times) == 0 {
		return nil
	}
	first, last := times[0], times[len(times)-1]
	from := e.wordAt(first.start)
	end := false
	for at := max(0, from-5); at < from; at++ {
		end = end || e.low(at) == "end" || e.low(at) == "ends" || e.low(at) == "finish" || e.low(at) == "finishes" || e.low(at) == "until" || e.low(at) == "till"
	}
	write := func(f *field, n *tree.Node) (string, bool) {
		old, _ := n.Field(f.name)
		c := clocks(old)
		if end && len(times) == 1 && len(c) > 1 {
			return writeClock(c[0].minutes, old) + " - " + writeClock(nearest(first, c[1].minutes), old), true
		}
		return e.timeRange(times, f, old), true
	}
	for _, k := range e.v.leaves() {
		begin, second := k.field(kindTime), k.second(kindTime)
		if second == nil {
			continue
		}
		one := func(p span) func(*field, *tree.Node) (string, bool) {
			return func(f *field, n *tree.Node) (string, bool) {
				old, _ := n.Field(f.name)
				return e.timeRange([]span{p}, f, old), true
			}
		}
		if len(times) == 1 && end {
			begin = second
		}
		out := []setting{{field: begin, from: from, to: e.wordAt(first.end), write: one(first)}}
		if len(times) > 1 {
			out = append(out, setting{field: second, from: e.wordAt(last.start), to: e.wordAt(last.end), write: one(last)})
		}
		return out
	}
	return []setting{{kinds: []fieldKind{kindTime}, from: from, to: e.wordAt(last.end), write: write}}
}

// nearest returns a time that does not say whether it is in the morning as the
// one nearest to another.
func nearest(p span, old int) int {
	at := int(p.lo)
	if !p.certain && at < 12*60 && abs(at+12*60-old) < abs(at-old) {
		return at + 12*60
	}
	return at
}

func abs(n int) int { return max(n, -n) }

// timeRange writes times in the manner of an old value, whose length a new
// beginning keeps.
func (e *editor) timeRange(times []span, f *field, old string) string {
	style := old
	if style == "" {
		style = example(f)
	}
	had := clocks(old)
	begin := int(times[0].lo)
	switch {
	case len(had) > 0:
		begin = nearest(times[0], had[0].minutes)
	case !times[0].certain && begin < 8*60 && !(len(times) > 1 && times[1].certain && times[1].lo < 12*60):
		begin += 12 * 60
	}
	if len(times) > 1 {
		end := int(times[1].lo)
		if !times[1].certain && end < begin {
			end += 12 * 60
		}
		return writeClock(begin, style) + " - " + writeClock(end, style)
	}
	if len(had) > 1 {
		return writeClock(begin, style) + " - " + writeClock(begin+had[1].minutes-had[0].minutes, style)
	}
	return writeClock(begin, style)
}

// valueSetting reads a date, an amount or a number as a new value.
func (e *editor) valueSetting(p *span) setting {
	i := e.wordAt(p.start)
	if i >= len(e.words) || !e.focus(i) {
		return setting{}
	}
	s := setting{from: i, to: e.wordAt(p.end)}
	if slices.ContainsFunc(e.ranges, func(c comparison) bool { return c.span.start == p.start && c.lo != c.hi && e.many() }) {
		return setting{}
	}
	switch p.kind {
	case kindMoney:
		s.kinds = []fieldKind{kindMoney}
		s.write = func(f *field, _ *tree.Node) (string, bool) { return writeMoney(f, *p), true }
	case kindDate:
		if e.datedAbove() || p.week || slices.Contains([]string{"on", "'s"}, e.low(i-1)) && len(e.spans) > 1 || e.low(s.to) == "'s" {
			return setting{}
		}
		s.kinds = []fieldKind{kindDate}
		s.write = func(f *field, n *tree.Node) (string, bool) {
			style, ok := n.Field(f.name)
			if !ok {
				style = example(f)
			}
			return writeDate(dayOf(p.lo), style), true
		}
	case kindDuration:
		s.kinds = []fieldKind{kindDuration}
		s.write = func(f *field, _ *tree.Node) (string, bool) { return rewriteNumberOf(f, p.in(f)), true }
	case kindNumber:
		var f *field
		for _, k := range e.v.kinds {
			if f == nil {
				f = e.unitFieldOf(k, *p)
			}
		}
		if f == nil {
			for _, a := range e.asks {
				if a.kind == kindNumber || a.kind == kindMoney || a.kind == kindDuration {
					f = a
				}
			}
		}
		before := e.low(i - 1)
		if !digits(e.low(i)[:1]) && before != "to" && before != "is" && before != "at" && !e.unit(p) {
			return setting{}
		}
		if f == nil && (before == "to" || before == "is" || before == "at" || before == "costs" || before == "now") {
			for _, k := range e.v.leaves() {
				if f == nil {
					f = k.field(kindMoney)
				}
			}
		}
		if f == nil || e.kindAt(i-1) != nil || e.kindAt(i+1) != nil {
			return setting{}
		}
		s.field = f
		s.write = func(f *field, n *tree.Node) (string, bool) {
			if old, ok := n.Field(f.name); ok && numberForm().MatchString(old) {
				return rewriteNumber(old, p.lo), true
			}
			return rewriteNumberOf(f, p.lo), true
		}
	case kindName:
		for _, a := range e.asks {
			if e.op == treetask.Update {
				s.field, s.write = a, constant(p.text)
			}
		}
	default:
	}
	return s
}

// writeMoney writes an amount in the manner of a field.
func writeMoney(f *field, p span) string {
	for _, v := range f.examples() {
		if numberForm().MatchString(v) {
			if p.lo == 0 {
				return "Free"
			}
			return rewriteNumber(v, p.lo)
		}
	}
	return p.text
}

func (f *field) examples() []string {
	if f == nil {
		return nil
	}
	return f.values
}

// rewriteNumberOf writes a number in the manner of a field's values.
func rewriteNumberOf(f *field, n float64) string {
	for _, v := range f.examples() {
		if numberForm().MatchString(v) {
			return rewriteNumber(v, n)
		}
	}
	return amount(n)
}

// unitFieldOf returns the field of a type that a number with a unit is for.
func (e *editor) unitFieldOf(k *kind, p span) *field {
	i := e.wordAt(p.start)
	for _, at := range []int{i + 1, i - 1, i + 2} {
		if at < 0 || at >= len(e.words) || e.words[at].mark {
			continue
		}
		if f := e.unitField(e.words[at]); f != nil && slices.ContainsFunc(k.fields, func(o *field) bool { return o.name == f.name }) {
			return f
		}
	}
	return nil
}

// unit reports whether a number has a word for what it counts.
func (e *editor) unit(p *span) bool {
	i := e.wordAt(p.end)
	return i < len(e.words) && (e.words[i].in("unit") || e.unitField(e.words[i]) != nil)
}

// namedField returns the field of a kind of values that words around a value
// name, else the first.
func (e *editor) namedField(k *kind, p span, want fieldKind) *field {
	if f := e.unitFieldOf(k, p); f != nil {
		return f
	}
	return k.field(want)
}

// stated reads a new state or another value of a field with few values.
func (e *editor) stated() []setting {
	var out []setting
	for _, s := range e.scopes {
		if s.field == nil || s.from != 0 || s.values == nil || !s.kind.leaf && e.low(s.at-1) != "to" || !e.focus(s.at) {
			continue
		}
		end := s.at + 1
		for end < len(e.words) && e.roles[end] == valued {
			end++
		}
		before := e.low(s.at - 1)
		describes := e.kindAt(end) != nil && e.low(end-1) != "as" || before == "every" || before == "all" || before == "that" || before == "whose" ||
			(before == "is" || before == "are") && (e.low(s.at-2) == "state" || e.low(s.at-2) == "status" || e.low(s.at-2) == "that")
		if e.kindAt(end) == nil && end < len(e.words) && e.fieldAt(end) == s.field {
			describes = false
		}
		if describes {
			continue
		}
		value := s.values[len(s.values)-1]
		if s.not {
			continue
		}
		out = append(out, setting{field: s.field, from: s.at, to: end, write: constant(value)})
	}
	if len(out) > 0 {
		return out[:1]
	}
	for _, c := range e.parts {
		name := ""
		switch {
		case c.op != treetask.Update:
		case c.manner == states && hasForm(c.words, "i/we/he/she/they/'ve/^Name just/have/has/already/finally/'ve? just/already/finally? ~finishing", "^ ~filler* ~finishing", "is/are/was/were/been/'s now/already/finally/all? done/finished/complete/completed/sorted"):
			name = "done"
		case c.manner == order && hasForm(c.words, "finish/complete .. by"): // when, and not that
		case c.manner == order && hasForm(c.words, "tick/check/cross .. off", "finish/complete", "mark/tick/flag .. done/finished/complete/completed/off"):
			name = "done"
		}
		for _, k := range e.v.leaves() {
			if f := k.field(kindStatus); f != nil && name != "" {
				if v, ok := f.state(name); ok {
					return []setting{{field: f, from: 0, to: 0, write: constant(v)}}
				}
			}
		}
	}
	return nil
}

// handed reads a new person: "Ines takes over", "give it to Ines".
func (e *editor) handed() []setting {
	if len(e.asks) > 0 && !slices.ContainsFunc(e.asks, func(f *field) bool { return f.kind == kindPerson }) {
		return nil
	}
	for i := range e.words {
		w := e.words[i]
		if !w.upper || !e.focus(i) || !content(w) || e.roles[i] == typed || e.roles[i] == valued && !slices.ContainsFunc(e.scopes, func(s scope) bool { return s.at == i && s.field != nil && s.field.kind == kindPerson }) {
			continue
		}
		end := i + 1
		for end < len(e.words) && e.words[end].upper && !e.words[end].mark {
			end++
		}
		to := kindPerson
		if end < len(e.words) && digits(e.low(end)) {
			to, end = kindPlace, end+1 // "Room 4"
		}
		behind := e.low(end) == "takes" && e.low(end+1) == "over" || e.low(end) == "will" && (e.low(end+1) == "do" || e.low(end+1) == "take") || e.low(end) == "can" && (e.low(end+1) == "do" || e.low(end+1) == "take")
		behind = behind || (e.low(end) == "will" || e.low(end) == "handles" || e.low(end) == "takes" || e.low(end) == "looks") && e.person(e.personField(), i) != ""
		ahead := e.low(i-1) == "to" && hasForm(e.words, "give/assign/hand/pass .. to", "goes/go to", "set/change .. to") || e.low(i-1) == "assign" || e.low(i-1) == "by"
		if !behind && !ahead {
			continue
		}
		for _, k := range e.v.leaves() {
			f := k.field(to)
			for _, a := range e.asks {
				if a.kind == to && slices.Contains(k.fields, a) {
					f = a
				}
			}
			if f == nil {
				continue
			}
			name := e.textOf(i, end)
			for _, v := range f.values {
				if covers(v, name) {
					name = v
				}
			}
			return []setting{{field: f, from: i, to: end, write: constant(name)}}
		}
	}
	return nil
}

// personField returns the first field of persons of leaves; nil for none.
func (e *editor) personField() *field {
	for _, k := range e.v.leaves() {
		if f := k.field(kindPerson); f != nil {
			return f
		}
	}
	return nil
}

// person returns a value of a field of persons that is named behind a word.
func (e *editor) person(f *field, from int) string {
	for i := from; f != nil && i < len(e.words); i++ {
		if !e.words[i].upper {
			continue
		}
		for _, v := range f.values {
			if stemsOf(v)[e.words[i].stem] {
				return v
			}
		}
	}
	return ""
}

// assigned reads the new value of a field that is named: "change the room of the
// talk to Elm".
func (e *editor) assigned() []setting {
	for _, f := range e.asks {
		for i := range e.words {
			if (e.low(i) != "to" && e.low(i) != "is" && e.low(i) != ":") || !e.focus(i) || i+1 >= len(e.words) {
				continue
			}
			named := slices.ContainsFunc(e.words[:i], func(w word) bool { return f.stems[w.stem] })
			end := e.sentenceEnd(i)
			for k := i + 1; k < end; k++ {
				if e.words[k].mark && e.low(k) != "-" && e.low(k) != "'" {
					end = k
				}
			}
			if value := e.textOf(i+1, end); named && value != "" {
				return []setting{{field: f, from: i, to: end, write: constant(value)}}
			}
		}
	}
	return nil
}
