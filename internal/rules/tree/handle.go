package tree

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// nothingFound is the answer when no node fits.
const nothingFound = "I found nothing that fits."

// handle is the rule for an [treetask.HandleTask].
func (rules *Rules) handle(ctx context.Context, task treetask.HandleTask) (treetask.Action, []string) {
	j := newJudge(ctx, rules, task.Found, task.Today)
	v := newVocab(task.Schema, nil)
	v.learn(j.nodes())
	j.spoken = newSpoken(task.Change, j.all)
	op := task.Operation
	var notes []string
	if op == "" {
		r, why := resolve(treetask.ResolveTask{Request: task.Request})
		op, notes = r.Operation, why
		if op == treetask.Restore {
			op = treetask.Read
		}
	}
	o := v.order(op, task.Request, task.Today)
	o.seen = seenValues(j.nodes())
	notes = append(notes, o.explain()...)
	a := o.act(j)
	a.Nodes = present(a.Nodes)
	if a.Edits == nil {
		a.Edits = []treetask.ActionEdit{}
	}
	for i := range a.Edits {
		if a.Edits[i].Fields == nil {
			a.Edits[i].Fields = []treetask.ActionSetting{}
		}
	}
	return a, notes
}

func present(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// learn adds what nodes that were found show: their types and fields where
// there is no schema, and the names of containers.
func (v *vocab) learn(nodes []*tree.Node) {
	const limit = 200
	for _, n := range nodes {
		k := v.kind(n.Type)
		if k == nil {
			k = v.add(n.Type)
			k.leaf, k.depth = true, 1
		}
		for _, f := range n.Fields {
			k.addField(f.Name, len(f.Values) > 1, nil)
			k.sample(f.Name, f.Value())
		}
		if k.leaf || k.name == v.root {
			continue
		}
		for i := range k.fields {
			f := &k.fields[i]
			value, ok := n.Field(f.name)
			short := len(value) <= 60 && len(strings.Fields(value)) <= 6
			if ok && short && len(f.values) < limit && (f.kind == kindName || f.weekdayField() || f.kind == kindDate || f.name == k.key || f.kind == kindPerson || f.name == "role") && !slices.Contains(f.values, value) {
				f.values = append(f.values, value)
			}
		}
	}
}

// sample looks at a value to tell the kind of a field that its name does not
// tell.
func (k *kind) sample(name, value string) {
	for i := range k.fields {
		f := &k.fields[i]
		if f.name == name && f.kind == kindText && !textNamed(f.words) {
			if looks := looksLike([]string{value}); looks != "" {
				f.kind = looks
			}
		}
	}
}

// textNamed reports whether a field is known to hold text by its name.
func textNamed(words []string) bool {
	for _, k := range kindWords {
		if k.kind == kindText {
			return slices.ContainsFunc(words, func(w string) bool { return k.words[w] })
		}
	}
	return false
}

// act decides what is meant and says or does it.
func (o *order) act(j *judge) treetask.Action {
	switch o.op {
	case treetask.Create:
		return o.actCreate(j)
	case treetask.Move:
		return o.actMove(j)
	case treetask.Update:
		return o.actUpdate(j)
	case treetask.Delete:
		return o.actDelete(j)
	case treetask.Restore:
		return o.actRestore(j)
	default:
		return o.actRead(j)
	}
}

func ids(list []candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.node().ID)
	}
	return out
}

func names(list []candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, nameOf(c.path))
	}
	return out
}

// nameOf is what a node is called in an answer; one known by a number has its
// type before it.
func nameOf(path []*tree.Node) string {
	n := path[len(path)-1]
	name := callName(n)
	if digits(name) {
		name = n.Type + " " + name
	}
	for _, f := range n.Fields {
		if k := newField(f.Name, false, []string{f.Value()}); k.kind == kindDate && len(n.Children) > 0 && !strings.Contains(name, f.Value()) {
			name += " (" + f.Value() + ")"
			break
		}
	}
	return name
}

// and joins names for a sentence.
func and(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

func (o *order) actRead(j *judge) treetask.Action {
	r := o.what
	meant := j.spoken.asked(j, r, o.around(j, j.pick(r, treetask.Read)))
	a := treetask.Action{Operation: treetask.Read, Nodes: ids(meant)}
	if len(meant) == 0 {
		a.Answer = nothingFound
		return a
	}
	var b strings.Builder
	by := o.difference(j, meant)
	switch {
	case by != "":
		b.WriteString(by)
	case r.count:
		b.WriteString(strconv.Itoa(len(meant)) + ": " + and(names(meant)) + ".")
	case (r.sum || len(meant) > 1 && owing.MatchString(r.text)) && !r.asksWho() || r.mean || r.amount && len(meant) > 1 && r.best == nil && r.group == nil && (r.plural || slices.Contains(r.asks, kindDuration)):
		says, of := o.total(j, meant)
		b.WriteString(says)
		a.Nodes = ids(of)
	default:
		b.WriteString(o.tell(meant))
	}
	a.Answer = b.String()
	return a
}

// around keeps the nodes that stand after or before the sibling that a
// question names.
func (o *order) around(j *judge, meant []candidate) []candidate {
	for _, side := range [...]struct {
		words string
		after bool
	}{{o.place.after, true}, {o.place.before, false}} {
		if side.words == "" || len(meant) == 0 {
			continue
		}
		var ups []candidate
		for _, c := range meant {
			if len(c.path) > 1 && !slices.ContainsFunc(ups, func(u candidate) bool { return u.node().ID == c.path[len(c.path)-2].ID }) {
				ups = append(ups, candidate{path: c.path[:len(c.path)-1]})
			}
		}
		anchor, ok := o.sibling(j, side.words, ups, nil)
		if !ok {
			continue
		}
		up := anchor.path[len(anchor.path)-2]
		var kept []candidate
		for _, c := range meant {
			if c.path[len(c.path)-2].ID != up.ID || c.node().ID == anchor.node().ID {
				continue
			}
			if (comparePaths(c.path, anchor.path) > 0) == side.after {
				kept = append(kept, c)
			}
		}
		if o.place.next && len(kept) > 1 {
			if side.after {
				kept = kept[:1]
			} else {
				kept = kept[len(kept)-1:]
			}
		}
		meant = kept
	}
	return meant
}

// total adds up the values that are asked for.
func (o *order) total(j *judge, meant []candidate) (says string, of []candidate) {
	r := o.what
	kind, noun := kindMoney, ""
	switch {
	case slices.Contains(r.asks, kindDuration):
		kind = kindDuration
	default:
		for _, w := range r.words {
			if f, ok := r.quantity(w.stem); ok && !w.mark && !kindAsks[kindMoney][w.stem] {
				for _, k := range r.v.leaves() {
					for _, kf := range k.fields {
						if slices.Contains(kf.words, f) {
							kind, noun = kf.kind, f
							if kind != kindDuration && kind != kindMoney {
								kind = kindNumber
							}
						}
					}
				}
				if noun == "" {
					kind, noun = kindNumber, f
				}
			}
		}
		if kind == kindMoney && !r.v.hasKind(kindMoney) && r.v.hasKind(kindDuration) {
			kind = kindDuration
		}
	}
	sum, n := 0.0, 0
	example := ""
	var parts []string
	for _, c := range meant {
		v, ok := j.value(c.node(), kind, noun, false)
		if !ok {
			continue
		}
		sum += v
		n++
		of = append(of, c)
		if e := example; e == "" || !moneyForm.MatchString(e) {
			if s := valueText(c.node(), kind, noun); s != "" {
				example = s
			}
		}
		parts = append(parts, nameOf(c.path)+": "+valueText(c.node(), kind, noun))
	}
	if n == 0 {
		return o.tell(meant), meant
	}
	if r.mean {
		sum /= float64(n)
	}
	word := "In total "
	if r.mean {
		word = "On average "
	}
	return word + amountLike(sum, example, kind) + " (" + strings.Join(parts, "; ") + ").", of
}

// valueText is the value of a node's field of a kind, as it stands there.
func valueText(n *tree.Node, kind fieldKind, noun string) string {
	for _, f := range n.Fields {
		fk := newField(f.Name, len(f.Values) > 1, []string{f.Value()})
		if fk.kind == kind && (noun == "" || slices.Contains(fk.words, noun)) || kind == kindNumber && slices.Contains(fk.words, noun) {
			return f.Value()
		}
	}
	return ""
}

// amountLike writes a number in the manner of an example.
func amountLike(n float64, example string, kind fieldKind) string {
	s := strconv.FormatFloat(n, 'f', -1, 64)
	if n != float64(int64(n)) {
		s = strconv.FormatFloat(n, 'f', 2, 64)
	}
	if kind == kindDuration {
		if n >= 60 {
			h, m := int(n)/60, int(n)%60
			return s + " minutes (" + strconv.Itoa(h) + " h " + strconv.Itoa(m) + " min)"
		}
		return s + " minutes"
	}
	if at := numberForm.FindStringIndex(example); at != nil {
		return example[:at[0]] + s + example[at[1]:]
	}
	return s
}

// tell names nodes and gives the fields that are asked for; all fields of a
// node that is asked about without one.
func (o *order) tell(meant []candidate) string {
	r := o.what
	var lines []string
	for _, c := range meant {
		n := c.node()
		line := nameOf(c.path)
		var told []string
		for _, f := range n.Fields {
			if f.Value() == callName(n) {
				continue
			}
			fk := newField(f.Name, len(f.Values) > 1, []string{f.Value()})
			if slices.Contains(r.asks, fk.kind) || slices.ContainsFunc(r.fields, func(s string) bool { return strings.EqualFold(s, f.Name) }) {
				told = append(told, f.Name+" "+f.Value())
			}
		}
		if len(told) == 0 && len(meant) == 1 {
			for _, f := range n.Fields {
				if f.Value() != callName(n) {
					told = append(told, f.Name+" "+f.Value())
				}
			}
		}
		if slices.Contains(r.asks, kindTime) || slices.Contains(r.asks, kindDate) || dayAsked.MatchString(r.text) {
			// When something is tells its day too.
			for i := len(c.path) - 2; i > 0; i-- {
				if k := r.v.kind(c.path[i].Type); k != nil && dayKind(k) {
					told = append(told, "on "+nameOf(c.path[:i+1]))
					break
				}
			}
		}
		if slices.Contains(r.asks, kindPerson) || slices.Contains(r.asks, kindPlace) {
			// Whose something is: by the containers with a name.
			for i := 1; i < len(c.path)-1; i++ {
				if k := r.v.kind(c.path[i].Type); k != nil && !dayKind(k) && k.hasField("name") {
					told = append(told, k.name+" "+callName(c.path[i]))
				}
			}
		}
		if len(told) > 0 {
			line += ": " + strings.Join(told, "; ")
		}
		lines = append(lines, line)
	}
	if r.best == nil && len(meant) > 1 && !strings.Contains(strings.Join(lines, ""), ": ") {
		return and(lines) + "."
	}
	out := strings.Join(lines, "\n")
	if !strings.HasSuffix(out, ".") {
		out += "."
	}
	return out
}

var dayAsked = re(`\b(?:which|what) (?:week)?day\b|\bon which day\b`)

func (o *order) actDelete(j *judge) treetask.Action {
	meant := o.meant(j)
	a := treetask.Action{Operation: treetask.Delete, Nodes: ids(meant)}
	if len(meant) == 0 || len(meant) == 1 && len(meant[0].path) == 1 && len(meant[0].node().Children) > 0 {
		return treetask.Action{Operation: treetask.Read, Answer: nothingFound}
	}
	for _, c := range meant {
		a.Edits = append(a.Edits, treetask.ActionEdit{Op: treetask.Delete, Node: c.node().ID})
	}
	a.Answer = "Removed " + and(names(meant)) + "."
	return a
}

func (o *order) actRestore(j *judge) treetask.Action {
	a := treetask.Action{Operation: treetask.Restore}
	meant := j.spoken.restored(o.restored(j), j.all)
	a.Nodes = ids(meant)
	if one := o.fieldBack(j, meant); one != nil {
		return *one
	}
	a.Answer = "Put back as it was: " + and(names(meant)) + "."
	if len(meant) == 0 {
		return treetask.Action{Operation: treetask.Read, Answer: nothingFound}
	}
	return a
}

// restored returns the nodes to put back: what the request names, at the level
// that it names, or everything.
func (o *order) restored(j *judge) []candidate {
	r := o.what
	if len(j.all) == 0 {
		return nil
	}
	var root []candidate
	for _, c := range j.all {
		if len(c.path) == 1 {
			root = append(root, c)
		}
	}
	if everything.MatchString(o.text) && len(root) > 0 {
		return root[:1]
	}
	for _, s := range r.scopes {
		if k := r.v.kind(s.kind); k != nil && !k.leaf && s.field != "" && !dayKind(k) && (len(r.conds) == 0 || r.loose) {
			for _, c := range j.all {
				if ok, applies := j.inScope(c.path[len(c.path)-1:], s, r); ok && applies {
					return []candidate{c}
				}
			}
		}
	}
	if !r.says() && len(root) > 0 {
		return root[:1]
	}
	return j.pick(r, treetask.Restore)
}

var everything = re(`\b(?:everything|the (?:whole|entire|original|initial|first) (?:plan|list|itinerary|thing|trip|memory|schedule|menu|version|week)|the (?:plan|list|itinerary|trip|schedule|menu|meal plan|whole thing)\b|all (?:of )?(?:the |my |our |today['’]s )?changes|start(?:ing)? over|square one)`)
