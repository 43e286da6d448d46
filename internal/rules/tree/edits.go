package tree

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

func (o *order) actUpdate(j *judge) treetask.Action {
	if a, ok := o.trade(j); ok {
		return a
	}
	meant := o.meant(j)
	if len(meant) == 0 {
		return treetask.Action{Operation: treetask.Read, Answer: nothingFound}
	}
	a := treetask.Action{Operation: treetask.Update, Nodes: ids(meant)}
	var told []string
	for _, c := range meant {
		fields := o.changes(c.node(), j.today)
		if len(fields) == 0 {
			continue
		}
		a.Edits = append(a.Edits, treetask.ActionEdit{Op: treetask.Update, Node: c.node().ID, Fields: fields})
		var says []string
		for _, f := range fields {
			says = append(says, f.Name+" "+f.Value)
		}
		told = append(told, nameOf(c.path)+": "+strings.Join(says, ", "))
	}
	if len(a.Edits) == 0 {
		return treetask.Action{Operation: treetask.Read, Nodes: a.Nodes, Answer: "I could not tell what to change about " + and(names(meant)) + "."}
	}
	a.Answer = "Changed " + strings.Join(told, "; ") + "."
	return a
}

// changes returns the new values of a node's fields.
func (o *order) changes(n *tree.Node, today time.Time) []treetask.ActionSetting {
	var out []treetask.ActionSetting
	put := func(name, value string) {
		if name == "" || value == "" {
			return
		}
		for i := range out {
			if out[i].Name == name {
				out[i].Value = value
				return
			}
		}
		out = append(out, treetask.ActionSetting{Name: name, Value: value})
	}
	k := o.v.kind(n.Type)
	if k == nil {
		return nil
	}
	o.fromUnits(k)
	for _, s := range o.settings {
		if pair, ok := k.twoTimes(s, n, func(name string) string { return valueOf(n, name) }); ok {
			for _, f := range pair {
				put(f.Name, f.Value)
			}
			continue
		}
		if s.field != "" && !k.hasField(s.field) {
			continue
		}
		if s.kind == kindText && s.field != "" {
			put(s.field, s.value)
			continue
		}
		if s.kind == kindNumber && s.field != "" {
			old, _ := n.Field(s.field)
			put(s.field, likeNumber(s.value, old))
			continue
		}
		f, ok := k.byKind(s.kind)
		for _, own := range n.Fields {
			if newField(own.Name, false, []string{own.Value()}).kind == s.kind {
				f, ok = newField(own.Name, false, []string{own.Value()}), true
				break
			}
		}
		if !ok {
			continue
		}
		old, _ := n.Field(f.name)
		if s.field == "" && o.field != "" {
			if own, has := k.field(o.field); has && own.kind == s.kind {
				f = own
				old, _ = n.Field(f.name)
			}
		}
		put(f.name, s.write(old, o.withSeen(k, f)))
	}
	if o.shift != nil {
		name, value := o.shifted(n, today)
		put(name, value)
	}
	if name, value, ok := o.exchanged(n); ok {
		return append(out, treetask.ActionSetting{Name: name, Value: value})
	}
	if o.value != "" {
		name := o.field
		if !k.hasField(name) || name == "" {
			name = k.nameField()
			if f, ok := o.fieldOfValue(k, o.value); ok && o.field == "" {
				name = f
			} else if f, ok := o.fieldByShape(k, o.value); ok && o.field == "" && strings.ContainsAny(o.value, "0123456789") {
				name = f
			}
		}
		value := strings.Trim(o.value, " .,;:!?")
		if strings.EqualFold(name, k.nameField()) {
			value = sentenceCase(article.ReplaceAllString(value, ""))
		}
		if old, _ := n.Field(name); o.append && old != "" {
			value = strings.TrimRight(old, " .") + "; " + value
		}
		put(name, value)
	}
	return out
}

var (
	inPlaceOf = re(`([\w' -]+?)\s+(?:in place of|instead of|rather than)\s+(?:the )?([\w' -]+)`)
	withFor   = re(`\b(?:replace|swap|substitute|exchange|switch)\s+(?:the |out the |out )?([\w' -]+?)\s+(?:with|by|for|to)\s+(?:the |some )?([\w' -]+)`)
)

// getsInstead gives something in place of what is named elsewhere.
var getsInstead = re(`\b(?:gets?|has|have|takes?|use|uses|with|contains?|made of|put in|comes? with)\s+(?:the |some )?([^,.;:!?]{2,40}?)\s+(?:instead|this time)\b`)

// useOf is what stands before a new value.
var useOf = re(`^.*\b(?:use|take|have|put|do|eat|add|get|want|wants|prefer|be|with|include|in) `)

// exchanged returns a list with one of its values exchanged for another.
func (o *order) exchanged(n *tree.Node) (name, value string, ok bool) {
	type pair struct{ old, fresh string }
	var pairs []pair
	for _, m := range inPlaceOf.FindAllStringSubmatch(o.text, 4) {
		pairs = append(pairs, pair{m[2], useOf.ReplaceAllString(m[1], "")})
	}
	for _, m := range withFor.FindAllStringSubmatch(o.text, 4) {
		pairs = append(pairs, pair{m[1], m[2]})
	}
	if m := getsInstead.FindStringSubmatch(o.text); m != nil && len(pairs) == 0 {
		for _, w := range scan(o.text) {
			if content(w) {
				pairs = append(pairs, pair{strings.Join(lows(o.text[w.start:]), " "), m[1]})
			}
		}
	}
	for _, f := range n.Fields {
		if len(f.Values) < 2 {
			continue
		}
		for _, p := range pairs {
			values := slices.Clone(f.Values)
			// The longest beginning of the words that is one of the values.
			words := strings.Fields(strings.ToLower(p.old))
			for i := len(words); i > 0; i-- {
				at := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, strings.Join(words[:i], " ")) })
				if at < 0 {
					continue
				}
				values[at] = strings.TrimSpace(nameEnd.ReplaceAllString(article.ReplaceAllString(strings.TrimSpace(p.fresh), ""), ""))
				return f.Name, strings.Join(values, "; "), true
			}
		}
	}
	return "", "", false
}

// likeNumber writes an amount with the unit that the old one has, where it
// says none.
func likeNumber(value, old string) string {
	value = strings.TrimSpace(value)
	at := numberForm.FindStringIndex(old)
	if at == nil || strings.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		return value
	}
	return value + old[at[1]:]
}

// write writes a new value in the manner of the old one.
func (s setting) write(old string, f field) string {
	switch s.kind {
	case kindTime:
		return s.writeTime(old)
	case kindDate:
		return writeDate(time.Unix(int64(s.lo)*86400, 0).UTC(), old)
	case kindMoney:
		if s.lo == 0 {
			// What costs nothing is put as the tree puts it elsewhere.
			for _, v := range f.values {
				if freeForm.MatchString(v) {
					return v
				}
			}
		}
		return writeMoney(s.lo, old, s.value)
	case kindStatus, kindPriority:
		for _, v := range f.values {
			if classOf(v, s.kind) == s.value {
				return v
			}
		}
		for _, c := range valueClasses {
			if c.name == s.value && c.kind == s.kind {
				return c.words[0]
			}
		}
		return s.value
	case kindDuration:
		if bare := f.bareLength(s.lo, old); bare != "" {
			return bare
		}
		unit := strings.TrimSpace(numberForm.ReplaceAllString(old, ""))
		if unit == "" || !strings.HasPrefix(strings.ToLower(unit), "m") && !strings.HasPrefix(strings.ToLower(unit), "h") {
			unit = "min"
		}
		n := s.lo
		if strings.HasPrefix(strings.ToLower(unit), "h") {
			n /= 60
		}
		return strconv.FormatFloat(n, 'f', -1, 64) + " " + unit
	default:
		return s.value
	}
}

// writeTime writes a time or a block of time in the manner of the old one: a
// new start keeps the length, a new end the start.
func (s setting) writeTime(old string) string {
	had := clocks(old)
	lo, hi := int(s.lo), int(s.hi)
	example := old
	if example == "" {
		example = "1:00 PM"
	}
	half := func(m, near int) int {
		// A bare hour is the one of the day nearer to the old time.
		if m < 12*60 && near >= 0 && math.Abs(float64(m+12*60-near)) < math.Abs(float64(m-near)) && !meridiem.MatchString(s.value) && !strings.HasPrefix(s.value, "0") {
			return m + 12*60
		}
		return m
	}
	near := -1
	if len(had) > 0 {
		near = had[0].minutes
	}
	if hi >= 0 {
		return writeClock(half(lo, near), example) + dash(old) + writeClock(half(hi, near), example)
	}
	switch {
	case len(had) == 2 && s.end:
		return writeClock(had[0].minutes, old) + dash(old) + writeClock(half(lo, had[1].minutes), old)
	case len(had) == 2:
		start := half(lo, near)
		return writeClock(start, old) + dash(old) + writeClock(start+had[1].minutes-had[0].minutes, old)
	}
	return writeClock(half(lo, near), example)
}

var meridiem = re(`\d\s*(?:am|pm|a\.m|p\.m)|noon|midnight|midday`)

// dash is what stands between the two times of a block.
func dash(old string) string {
	for _, d := range [...]string{" – ", " — ", "–", " to ", " - ", "-"} {
		if strings.Contains(old, d) {
			return d
		}
	}
	return " - "
}

// writeMoney writes an amount in the manner of the old one.
func writeMoney(n float64, old, said string) string {
	s := strconv.FormatFloat(n, 'f', -1, 64)
	if n != math.Trunc(n) {
		s = strconv.FormatFloat(n, 'f', 2, 64)
	}
	if n == 0 && (freeForm.MatchString(old) || old == "" || said == "Free") {
		return "Free"
	}
	if at := numberForm.FindStringIndex(old); at != nil && strings.ContainsAny(old, "$€£¥") {
		return old[:at[0]] + s + tailOf(old[at[1]:])
	}
	if at := numberForm.FindStringIndex(old); at != nil {
		return old[:at[0]] + s + old[at[1]:]
	}
	low := strings.ToLower(said)
	switch {
	case strings.ContainsAny(said, "€") || strings.Contains(low, "eur"):
		return "€" + s
	case strings.ContainsAny(said, "£") || strings.Contains(low, "pound") || strings.Contains(low, "quid"):
		return "£" + s
	}
	return "$" + s
}

// tailOf keeps what stands behind an amount unless it belonged to a range.
func tailOf(s string) string {
	if strings.HasPrefix(strings.TrimSpace(s), "-") || strings.HasPrefix(strings.TrimSpace(s), "–") {
		return ""
	}
	return s
}

// shifted returns the field that a shift changes, with its new value.
func (o *order) shifted(n *tree.Node, today time.Time) (name, value string) {
	if o.shift.shiftsNumber() {
		name, value, _ = o.shift.counted(n)
		return name, value
	}
	for _, f := range n.Fields {
		old := f.Value()
		fk := newField(f.Name, false, []string{old})
		if fk.kind != o.shift.kind || o.otherField(n, f.Name, fk.kind) {
			continue
		}
		switch fk.kind {
		case kindTime:
			c := clocks(old)
			by := int(o.shift.by)
			switch {
			case len(c) == 2 && extendForm.MatchString(o.text):
				return f.Name, writeClock(c[0].minutes, old) + dash(old) + writeClock(c[1].minutes+by, old)
			case len(c) == 2:
				return f.Name, writeClock(c[0].minutes+by, old) + dash(old) + writeClock(c[1].minutes+by, old)
			case len(c) == 1:
				return f.Name, writeClock(c[0].minutes+by, old)
			}
		case kindDate:
			if t, ok := dateOf(old, today); ok {
				days := int(o.shift.by / (24 * 60))
				if monthShift.MatchString(o.text) {
					months := int(math.Round(o.shift.by / (30 * 24 * 60)))
					return f.Name, writeDate(t.AddDate(0, months, 0), old)
				}
				return f.Name, writeDate(t.AddDate(0, 0, days), old)
			}
		case kindDuration:
			m, _, ok := length(old)
			if !ok {
				m, ok = firstNumber(old)
				m *= fk.minutes()
			}
			if ok {
				return f.Name, setting{kind: kindDuration, lo: m + o.shift.by}.write(old, fk)
			}
		case kindMoney:
			if m, ok := money(old); ok && o.shift.percent {
				return f.Name, writeMoney(math.Round(m*(100+o.shift.by))/100, old, old)
			}
		case kindPriority:
			ranks := []string{"low", "medium", "high"}
			at := slices.Index(ranks, classOf(old, kindPriority))
			if at < 0 {
				continue
			}
			at = max(0, min(2, at+int(o.shift.by)))
			s := setting{kind: kindPriority, value: ranks[at]}
			k := o.v.kind(n.Type)
			known, _ := k.byKind(kindPriority)
			return f.Name, s.write(old, known)
		default:
		}
	}
	if o.shift.kind == kindDuration {
		// What has no length but a block of time ends later or earlier.
		for _, f := range n.Fields {
			if c := clocks(f.Value()); len(c) == 2 && newField(f.Name, false, []string{f.Value()}).kind == kindTime {
				return f.Name, writeClock(c[0].minutes, f.Value()) + dash(f.Value()) + writeClock(c[1].minutes+int(o.shift.by), f.Value())
			}
		}
	}
	return "", ""
}

// otherField reports whether a node's field of a kind is another one than an
// order names.
func (o *order) otherField(n *tree.Node, name string, kind fieldKind) bool {
	if o.field == "" || strings.EqualFold(o.field, name) {
		return false
	}
	v, ok := n.Field(o.field)
	return ok && newField(o.field, false, []string{v}).kind == kind
}

var (
	extendForm = re(`\b(?:extend|prolong|shorten|longer|shorter|stay)\b`)
	monthShift = re(`\bmonths?\b`)
)

func (o *order) actMove(j *judge) treetask.Action {
	if a, ok := o.trade(j); ok {
		return a
	}
	meant := o.meant(j)
	if len(meant) == 0 {
		return treetask.Action{Operation: treetask.Read, Answer: nothingFound}
	}
	if len(meant) > 1 && !o.what.plural {
		meant = meant[:1]
	}
	if a, ok := o.refile(j, meant); ok {
		return a
	}
	target, ok := o.target(j, meant)
	if !ok {
		// No container is named that it could go to: a new value of a field.
		u := *o
		u.op = treetask.Update
		u.settings, u.shift, u.value = nil, nil, ""
		u.readUpdate()
		u.what = o.what
		return u.actUpdate(j)
	}
	return o.moveTo(j, meant, target)
}

// refile sets the field that a destination names, where it is no container:
// "move it to room 4".
func (o *order) refile(j *judge, meant []candidate) (treetask.Action, bool) {
	k := o.v.kind(meant[0].node().Type)
	if k == nil || len(o.where.scopes) > 0 || o.place.first || o.place.last || o.place.after+o.place.before != "" {
		return treetask.Action{}, false
	}
	u := *o
	u.op, u.settings = treetask.Update, nil
	if len(u.readBeside(o.dest, []*kind{k})) == 0 {
		words := strings.Trim(destination.ReplaceAllString(o.dest, ""), " .,;:!?")
		f, ok := o.fieldOfValue(k, words)
		if !ok || slices.ContainsFunc(j.all, func(c candidate) bool { return strings.EqualFold(c.node().Name(), words) }) {
			return treetask.Action{}, false
		}
		u.settings = []setting{{kind: kindText, field: f, value: words}}
	}
	a := treetask.Action{Operation: treetask.Update, Nodes: ids(meant), Answer: "Changed " + and(names(meant)) + "."}
	for _, c := range meant {
		a.Edits = append(a.Edits, treetask.ActionEdit{Op: treetask.Update, Node: c.node().ID, Fields: u.changes(c.node(), j.today)})
	}
	return a, true
}

// moveTo moves nodes to a container.
func (o *order) moveTo(j *judge, meant []candidate, target candidate) treetask.Action {
	a := treetask.Action{Operation: treetask.Move, Nodes: ids(meant)}
	at := o.positionIn(j, target, meant, meant[0].node())
	for i, c := range meant {
		p := at
		if p > 0 {
			p += i
		}
		e := treetask.ActionEdit{Op: treetask.Move, Node: c.node().ID, Parent: target.node().ID, Position: p}
		a.Edits = append(a.Edits, e)
	}
	a.Answer = "Moved " + and(names(meant)) + " to " + nameOf(target.path) + "."
	return a
}

// target returns the container that something goes to.
func (o *order) target(j *judge, moved []candidate) (candidate, bool) {
	parentTypes := map[string]bool{}
	if k := o.v.kind(o.create); k != nil {
		for _, p := range k.parents {
			parentTypes[p] = true
		}
	}
	if len(moved) > 0 {
		if k := o.v.kind(moved[0].node().Type); k != nil {
			parentTypes = map[string]bool{}
			for _, p := range k.parents {
				parentTypes[p] = true
			}
		}
	}
	var pool []candidate
	seen := map[string]bool{}
	for _, c := range j.all {
		for i := range c.path {
			n := c.path[i]
			if parentTypes[n.Type] && !seen[n.ID] {
				seen[n.ID] = true
				pool = append(pool, candidate{path: c.path[:i+1], index: len(pool), found: c.found})
			}
		}
	}
	if len(pool) == 0 {
		return candidate{}, false
	}
	r := o.where
	explicit := false
	var fit []candidate
	for _, c := range pool {
		if j.inOwn(c.path, r) {
			fit = append(fit, c)
		}
	}
	for _, s := range r.scopes {
		if k := o.v.kind(s.kind); k != nil && !k.leaf {
			explicit = true
		}
	}
	if len(fit) > 0 {
		pool = fit
	}
	if len(moved) > 0 && len(pool) > 1 && explicit && o.manyValued() {
		// Of two days that are named, one is where it comes from.
		if away := slices.DeleteFunc(slices.Clone(pool), func(c candidate) bool { return sharesScope(c.path, moved[0].path, r) }); len(away) > 0 {
			pool = away
		}
	}
	if len(pool) == 1 && explicit {
		return pool[0], true
	}
	if len(moved) > 0 && len(pool) > 1 && explicit {
		pool = likeliest(pool, moved[0].path)
	}
	if len(moved) > 0 && len(moved[0].path) > 1 {
		// Of siblings that are called alike the one beside what moves is meant.
		up := moved[0].path[len(moved[0].path)-2].ID
		slices.SortStableFunc(pool, func(a, b candidate) int {
			switch {
			case a.node().ID == up && b.node().ID != up:
				return -1
			case b.node().ID == up && a.node().ID != up:
				return 1
			}
			return 0
		})
	}
	// A sibling that is named says which container.
	for _, anchor := range [...]string{o.place.after, o.place.before} {
		if anchor == "" {
			continue
		}
		if sib, ok := o.sibling(j, anchor, pool, moved); ok {
			for _, c := range pool {
				if c.node().ID == sib.path[len(sib.path)-2].ID {
					return c, true
				}
			}
		}
	}
	if r.group != nil || explicit && len(fit) > 0 || len(r.conds) > 0 {
		if best, ok := o.bestContainer(j, pool, r); ok {
			return best, true
		}
	}
	if len(moved) > 0 && !explicit {
		if o.place.first || o.place.last || o.place.after != "" || o.place.before != "" {
			up := moved[0].path[:len(moved[0].path)-1]
			return candidate{path: up}, len(up) > 0
		}
		return candidate{}, false
	}
	if len(moved) == 0 {
		slices.SortStableFunc(pool, func(a, b candidate) int {
			switch {
			case a.found > b.found:
				return -1
			case a.found < b.found:
				return 1
			}
			return 0
		})
	}
	return pool[0], true
}

// manyValued reports whether where something goes is named by several values
// of one field.
func (o *order) manyValued() bool {
	return slices.ContainsFunc(o.where.scopes, func(s scope) bool { return len(s.values) > 1 && !s.negated })
}

// sharesScope reports whether two places lie in the same one of several
// containers that a reading names.
func sharesScope(a, b []*tree.Node, r *reading) bool {
	for _, s := range r.scopes {
		if len(s.values) < 2 {
			continue
		}
		for i := range min(len(a), len(b)) {
			if strings.EqualFold(a[i].Type, s.kind) && a[i].ID == b[i].ID {
				return true
			}
		}
	}
	return false
}

// likeliest returns the places that have most in common with another one: the
// same person on another day.
func likeliest(pool []candidate, from []*tree.Node) []candidate {
	best := -1
	var out []candidate
	for _, c := range pool {
		n := 0
		for i := 1; i < len(c.path) && i < len(from); i++ {
			if c.path[i].Type == from[i].Type && sameName(c.path[i], from[i]) {
				n++
			}
		}
		if n > best {
			best, out = n, nil
		}
		if n == best {
			out = append(out, c)
		}
	}
	return out
}

// sameName reports whether two nodes are called the same; those without a
// name are by their first field.
func sameName(a, b *tree.Node) bool {
	if a.Name() != a.Type || b.Name() != b.Type {
		return a.Name() == b.Name()
	}
	return len(a.Fields) > 0 && len(b.Fields) > 0 && a.Fields[0].Value() == b.Fields[0].Value()
}

// bestContainer returns the container that the words of a request fit best: by
// its name, or by what is in it.
func (o *order) bestContainer(j *judge, pool []candidate, r *reading) (candidate, bool) {
	best, score := candidate{}, 0.0
	packed := mostForm.MatchString(r.text)
	for _, c := range pool {
		s := 0.0
		for _, w := range r.conds {
			m := 1.5 * nameCovers(c.node(), w.stems)
			m = max(m, j.meetsWords(c.node(), w))
			hits := 0.0
			for _, child := range c.node().Children {
				h := j.meetsWords(child, w)
				if h >= good {
					hits++
				}
				if !packed {
					m = max(m, h)
				}
			}
			if packed {
				m = hits
			}
			s += m
		}
		if s > score {
			best, score = c, s
		}
	}
	return best, score > 0.3
}

// sibling returns the child that words name, of the containers of a pool.
func (o *order) sibling(j *judge, words string, pool, not []candidate) (candidate, bool) {
	r := o.v.read(words, o.today)
	conds := r.conds
	if r.from != 0 && len(conds) == 0 {
		for _, p := range pool {
			n := len(p.node().Children)
			at := r.from - 1
			if r.from < 0 {
				at = n + r.from
			}
			if at >= 0 && at < n {
				return candidate{path: append(slices.Clip(p.path), p.node().Children[at])}, true
			}
		}
	}
	if len(conds) == 0 {
		conds = []cond{{text: clean(words), stems: contentStems(words)}}
	}
	said := stemsOf(o.text)
	best, score := candidate{}, 0.3
	for _, p := range pool {
		for _, child := range p.node().Children {
			if slices.ContainsFunc(not, func(c candidate) bool { return c.node().ID == child.ID }) {
				continue
			}
			s := 0.0
			for _, c := range conds {
				s += j.meetsWords(child, c) + 0.1*covers(child, c.stems)
			}
			s += 0.02 * spokenShare(child, said)
			if s /= float64(len(conds)); s > score {
				best, score = candidate{path: append(slices.Clip(p.path), child)}, s
			}
		}
	}
	if score <= 0.3 {
		// A word of the same family: "the payment" is "Pay the rent".
		most := 0
		for _, p := range pool {
			for _, child := range p.node().Children {
				if n := kindred(words, child.Name()); n > most && !slices.ContainsFunc(not, func(c candidate) bool { return c.node().ID == child.ID }) {
					best, most = candidate{path: append(slices.Clip(p.path), child)}, n
				}
			}
		}
		return best, most > 0
	}
	return best, true
}

// kindred counts the words of a text that begin like a word of a name.
func kindred(text, name string) int {
	n := 0
	for _, a := range contentStems(text) {
		for _, b := range contentStems(name) {
			if k := min(len(a), len(b), 6); k >= 4 && a[:k] == b[:k] {
				n++
				break
			}
		}
	}
	return n
}

// spokenShare is the share of the words of a node's name that a text has.
func spokenShare(n *tree.Node, said map[string]bool) float64 {
	name := stemsOf(n.Name())
	hit := 0
	for s := range name {
		if said[s] {
			hit++
		}
	}
	return float64(hit) / float64(max(1, len(name)))
}

func contentStems(s string) []string {
	var out []string
	for _, w := range scan(s) {
		if content(w) {
			out = append(out, w.stem)
		}
	}
	return out
}

// positionIn returns the place among a container's children, from 1; 0 is the
// end.
func (o *order) positionIn(j *judge, target candidate, moved []candidate, what *tree.Node) int {
	var kids []*tree.Node
	for _, c := range target.node().Children {
		if !slices.ContainsFunc(moved, func(m candidate) bool { return m.node().ID == c.ID }) {
			kids = append(kids, c)
		}
	}
	index := func(words string) int {
		sib, ok := o.sibling(j, words, []candidate{target}, moved)
		if !ok {
			return -1
		}
		return slices.IndexFunc(kids, func(n *tree.Node) bool { return n.ID == sib.node().ID })
	}
	switch {
	case o.place.first:
		return 1
	case o.place.last:
		return 0
	case o.place.nth > 0 && o.place.nth <= len(kids):
		return o.place.nth
	}
	if o.place.before != "" && o.place.after == "" {
		if i := index(o.place.before); i >= 0 {
			return i + 1
		}
	}
	if o.place.after != "" {
		if i := index(o.place.after); i >= 0 {
			return i + 2
		}
		if o.place.before != "" {
			if i := index(o.place.before); i >= 0 {
				return i + 1
			}
		}
	}
	// By time of day among children that have one.
	minutes := -1
	for _, s := range o.settings {
		if s.kind == kindTime {
			minutes = int(s.lo)
		}
	}
	if minutes < 0 && what != nil {
		if v, ok := j.value(what, kindTime, "", false); ok && o.op == treetask.Move {
			minutes = int(v)
		}
	}
	if minutes >= 0 {
		for i, c := range kids {
			if v, ok := j.value(c, kindTime, "", false); ok && int(v) > minutes {
				return i + 1
			}
		}
	}
	return 0
}

func (o *order) actCreate(j *judge) treetask.Action {
	if c, ok := o.existing(j); ok {
		m := *o
		m.op = treetask.Move
		if target, ok := m.target(j, []candidate{c}); ok {
			return m.moveTo(j, []candidate{c}, target)
		}
	}
	target, ok := o.target(j, nil)
	if !ok {
		// Nothing that was found could hold it: what holds what was found.
		for _, c := range j.all {
			if len(c.path) > 0 && c.path[len(c.path)-1].Type == o.container {
				target, ok = c, true
				break
			}
		}
	}
	if o.name == "" {
		// "Put it after the tour": what it is was said before, and is there.
		m := *o
		m.op, m.settings = treetask.Move, nil
		if c, found := m.one(j, strings.Replace(o.text, o.mainSentence(), " ", 1)); found {
			if up, found := m.target(j, []candidate{c}); found {
				return m.moveTo(j, []candidate{c}, up)
			}
		}
	}
	if !ok || o.name == "" {
		return treetask.Action{Operation: treetask.Read, Answer: nothingFound}
	}
	k := o.v.kind(o.create)
	e := treetask.ActionEdit{Op: treetask.Create, Parent: target.node().ID, Type: o.create, Position: o.positionIn(j, target, nil, nil)}
	var like *tree.Node
	for _, c := range target.node().Children {
		if c.Type == o.create {
			like = c
		}
	}
	if like == nil && len(target.node().Children) > 0 {
		like = target.node().Children[0]
		if ok := o.v.kind(like.Type); ok != nil && o.explicitType() == "" && like.Type != o.create && sameFields(ok, k) {
			like = target.node().Children[0]
		}
	}
	example := func(name string) string {
		if like == nil {
			return ""
		}
		v, _ := like.Field(name)
		return v
	}
	if name := k.nameField(); name != "" {
		e.Fields = append(e.Fields, treetask.ActionSetting{Name: name, Value: o.name})
	}
	o.fromSiblings(k)
	o.fromUnits(k)
	for _, s := range o.settings {
		if pair, ok := k.twoTimes(s, nil, example); ok {
			e.Fields = append(e.Fields, pair...)
			continue
		}
		if s.field != "" && !k.hasField(s.field) {
			continue
		}
		if s.kind == kindText && s.field != "" {
			e.Fields = append(e.Fields, treetask.ActionSetting{Name: s.field, Value: s.value})
			continue
		}
		if s.kind == kindNumber && s.field != "" {
			e.Fields = append(e.Fields, treetask.ActionSetting{Name: s.field, Value: likeNumber(s.value, example(s.field))})
			continue
		}
		if f, ok := k.byKind(s.kind); ok {
			if own, has := k.field(s.field); has {
				f = own
			}
			if s.kind == kindTime && s.hi < 0 {
				e.Fields = append(e.Fields, treetask.ActionSetting{Name: f.name, Value: writeClock(afternoon(int(s.lo), s.value), example(f.name))})
				continue
			}
			e.Fields = append(e.Fields, treetask.ActionSetting{Name: f.name, Value: s.write(example(f.name), f)})
		}
	}
	for _, s := range o.placedIn(k) {
		if !slices.ContainsFunc(e.Fields, func(f treetask.ActionSetting) bool { return f.Name == s.field }) {
			e.Fields = append(e.Fields, treetask.ActionSetting{Name: s.field, Value: s.value})
		}
	}
	// What is new has not been begun.
	if f, ok := k.byKind(kindStatus); ok && !o.set(kindStatus) {
		for _, v := range f.values {
			if classOf(v, kindStatus) == "open" {
				e.Fields = append(e.Fields, treetask.ActionSetting{Name: f.name, Value: v})
				break
			}
		}
	}
	e.Fields = firstOf(e.Fields)
	return treetask.Action{
		Operation: treetask.Create, Nodes: []string{target.node().ID}, Edits: []treetask.ActionEdit{e},
		Answer: "Added " + o.name + " to " + nameOf(target.path) + ".",
	}
}

func (o *order) explicitType() string { return o.create }

func sameFields(a, b *kind) bool { return len(a.fields) == len(b.fields) }

// afternoon reads a bare hour as people mean it: one to seven are in the
// afternoon.
func afternoon(minutes int, said string) int {
	if minutes >= 60 && minutes < 8*60 && !meridiem.MatchString(said) && !strings.HasPrefix(said, "0") {
		return minutes + 12*60
	}
	return minutes
}
