package tree

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// query is the rule for an [treetask.QueryTask].
func query(task treetask.QueryTask) (string, []string) {
	v := newVocab(task.Schema, nil)
	if len(v.kinds) == 0 {
		return "//*", []string{"no schema: everything"}
	}
	op := task.Operation
	if op == "" {
		op, _, _ = operation(task.Request)
	}
	o := v.order(op, task.Request, task.Today)
	if op == treetask.Create {
		if asked, _, _ := operation(task.Request); asked == treetask.Move {
			// What moves was asked for before; this asks where it goes.
			o = v.order(treetask.Move, task.Request, task.Today)
			o.op = treetask.Create
		}
	}
	var candidates []string
	var notes []string
	for _, q := range []string{o.query(), o.loose(), o.words(), o.plain()} {
		if q == "" || slices.Contains(candidates, q) {
			continue
		}
		if _, err := semxpath.Parse(q); err == nil && fits(q, task.Schema) {
			candidates = append(candidates, q)
		}
	}
	candidates = append(candidates, "//*")
	if task.Problem != "" {
		// What was wrong was said of an earlier reply: one further down the
		// list is simpler.
		if at := slices.Index(candidates, strings.TrimSpace(task.Query)); at >= 0 && at+1 < len(candidates) {
			return candidates[at+1], []string{"simpler than the query that had a problem"}
		}
		candidates = candidates[max(0, len(candidates)-2):]
	}
	return candidates[0], append(notes, o.explain()...)
}

// fits reports whether the query names types of the schema only.
func fits(q string, s *tree.Schema) bool {
	parsed, err := semxpath.Parse(q)
	if err != nil || s == nil {
		return err == nil
	}
	for _, name := range parsed.Types() {
		if _, ok := s.Type(name); !ok && name != "*" {
			return false
		}
	}
	return true
}

// explain says what a request was read as.
func (o *order) explain() []string {
	r := o.what
	var notes []string
	var names []string
	for _, k := range r.targets {
		names = append(names, k.name)
	}
	notes = append(notes, "after "+strings.Join(names, ", "))
	for _, s := range r.scopes {
		notes = append(notes, "in "+s.String())
	}
	for _, c := range r.conds {
		not := ""
		if c.negated {
			not = "not "
		}
		notes = append(notes, not+strconv.Quote(c.text))
	}
	for _, c := range r.compares {
		notes = append(notes, string(c.kind)+" "+string(c.relation))
	}
	if r.best != nil {
		notes = append(notes, "superlative of "+string(r.best.kind)+r.best.noun)
	}
	if r.group != nil {
		notes = append(notes, "containers with "+r.group.mode)
	}
	return notes
}

// String writes a scope for a trace.
func (s scope) String() string {
	not := ""
	if s.negated {
		not = "not "
	}
	switch {
	case s.class != "":
		return not + s.kind + " " + s.field + " " + s.class
	case s.field != "":
		return not + s.kind + " " + s.field + " " + strings.Join(s.values, " or ")
	}
	return not + s.kind + " " + strconv.Itoa(s.from) + " to " + strconv.Itoa(s.to)
}

// containerScopes returns the scopes that stand above what is asked for, the
// outermost first.
func (r *reading) containerScopes() []scope {
	var out []scope
	for _, s := range r.scopes {
		k := r.v.kind(s.kind)
		if k == nil || k.leaf || slices.Contains(r.targets, k) || len(r.targets) > 0 && !r.v.isBelow(r.targets[0].name, k.name) {
			continue
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b scope) int { return cmp.Compare(r.v.kind(a.kind).depth, r.v.kind(b.kind).depth) })
	return out
}

// targetScopes returns the scopes on what is asked for.
func (r *reading) targetScopes() []scope {
	var out []scope
	for _, s := range r.scopes {
		if k := r.v.kind(s.kind); k != nil && slices.Contains(r.targets, k) {
			out = append(out, s)
		}
	}
	return out
}

// literal writes a condition on a field or on the whole node.
func literal(field, text string) string {
	text = clean(text)
	if text == "" {
		return ""
	}
	return field + ` ~= "` + text + `"`
}

// all joins conditions of which as many as possible should hold.
func all(conds []string, fn string) string {
	conds = slices.DeleteFunc(conds, func(s string) bool { return s == "" })
	switch len(conds) {
	case 0:
		return ""
	case 1:
		return conds[0]
	}
	return fn + "(" + strings.Join(conds, ", ") + ")"
}

func not(s string) string {
	if s == "" {
		return ""
	}
	return "1-(" + s + ")"
}

// condition writes a scope by value as a condition.
func (r *reading) condition(s scope) string {
	if s.holds != nil {
		out := "max(//*[" + literal("node", s.holds.text) + "])"
		if s.negated {
			return not(out)
		}
		return out
	}
	if s.field == "" {
		return ""
	}
	values := s.values
	if s.class != "" {
		values = r.classValues(s)
	}
	var alternatives []string
	for _, v := range values {
		alternatives = append(alternatives, literal(s.field, v))
	}
	out := all(alternatives, "max")
	if s.negated {
		out = not(out)
	}
	return out
}

// classValues are the values of a field that are of a class; the plainest
// word for it where none is known.
func (r *reading) classValues(s scope) []string {
	var out []string
	k := r.v.kind(s.kind)
	for _, f := range k.fields {
		if strings.EqualFold(f.name, s.field) {
			for _, v := range f.values {
				if classOf(v, f.kind) == s.class {
					out = append(out, v)
				}
			}
		}
	}
	if len(out) == 0 {
		for _, c := range valueClasses {
			if c.name == s.class {
				out = append(out, c.words[0])
			}
		}
	}
	return out
}

// conditions writes the conditions in words.
func (r *reading) conditions(negated bool) []string {
	var out []string
	conds := r.conds
	if !r.says() {
		conds = r.context
	}
	for i := 0; i < len(conds); i++ {
		c := conds[i]
		alt := []string{literal("node", c.text)}
		for c.or > 0 && i+1 < len(conds) && conds[i+1].or == c.or {
			i++
			alt = append(alt, literal("node", conds[i].text))
		}
		s := all(alt, "max")
		if c.negated {
			if !negated {
				continue
			}
			s = not(s)
		}
		out = append(out, s)
	}
	if len(out) > 6 {
		out = out[len(out)-6:]
	}
	return out
}

// path writes the steps of the containers; conds is what they could not say.
func (r *reading) path(scopes []scope) (path string) {
	certain := true
	for i := 0; i < len(scopes); {
		s := scopes[i]
		j := i
		var conds []string
		position := ""
		for ; j < len(scopes) && scopes[j].kind == s.kind; j++ {
			switch t := scopes[j]; {
			case t.field != "" || t.holds != nil:
				conds = append(conds, r.condition(t))
			case position == "" && !t.negated:
				position = span(t.from, t.to)
			default:
				position = ":" // several: all of them, chosen later
			}
		}
		i = j
		k := r.v.kind(s.kind)
		step := "//" + s.kind
		if position == ":" || !certain || len(conds) > 0 || !r.global(k, path) {
			position = ""
		}
		step += position
		if c := all(conds, "min"); c != "" {
			step += "[" + c + "]"
			certain = false
		}
		path += step
	}
	return path
}

// global reports whether positions of a kind count over all of them as they do
// in each parent: below the root, or below one that is certain.
func (r *reading) global(k *kind, path string) bool {
	return len(k.parents) == 1 && (k.parents[0] == r.v.root || path != "" && strings.HasSuffix(path, "]") && !strings.Contains(path, "~="))
}

func span(from, to int) string {
	if from == to {
		return "[" + strconv.Itoa(from) + "]"
	}
	return "[" + strconv.Itoa(from) + ":" + strconv.Itoa(to) + "]"
}

// star is the test for several types: the name of one, or *.
func star(kinds []*kind) string {
	if len(kinds) == 1 {
		return kinds[0].name
	}
	return "*"
}

// named reports whether a kind between the root and the leaves has names that
// the schema does not list, so that words of a request may be such a name.
func (v *vocab) openNames() bool {
	for _, k := range v.kinds {
		if k.leaf || k.name == v.root {
			continue
		}
		for _, f := range k.fields {
			if f.kind == kindName && len(f.values) == 0 && !dayKind(k) {
				return true
			}
		}
	}
	return false
}

// dayKind reports whether nodes of a kind are days.
func dayKind(k *kind) bool {
	_, dated := k.byKind(kindDate)
	return dated || k.words[stem("day")] || k.words[stem("weekday")]
}

// query writes the query of an order.
func (o *order) query() string {
	r := o.what
	containers := r.containerScopes()
	switch {
	case o.op == treetask.Create:
		return o.placeQuery()
	case r.group != nil:
		return r.groupQuery(containers)
	}
	if (o.op == treetask.Read && r.decided() || (o.op == treetask.Update || o.op == treetask.Delete) && r.byValue()) && len(r.targets) > 0 {
		return o.loose()
	}
	path := r.path(containers)
	conds := r.conditions(true)
	if r.enclosed(containers) || r.loose && len(r.compares) > 0 {
		conds = nil // few nodes are left, which are better read than weighed
	}
	if len(conds) > 0 && r.v.openNames() && !r.rooted(containers) {
		return o.words()
	}
	target := "//" + star(r.targets)
	if len(containers) > 0 && r.parentOf(containers[len(containers)-1].kind) {
		target = "/" + star(r.targets)
	} else if len(r.targets) > 1 && path == "" {
		target = r.starPath()
	}
	var own []string
	for _, s := range r.targetScopes() {
		if s.field == "" && len(conds) == 0 && !s.negated && len(r.targets) == 1 && r.global(r.targets[0], path) && r.from == 0 {
			return path + target + span(s.from, s.to)
		}
		own = append(own, r.condition(s))
	}
	if r.from != 0 && len(conds) == 0 && len(own) == 0 && len(r.compares) == 0 && r.group == nil && r.best == nil && strings.HasSuffix(path, "]") && !strings.Contains(path, "~=") && len(r.targets) == len(r.v.leaves()) {
		return path + target + span(r.from, r.to)
	}
	if r.from != 0 && len(r.targets) > 0 && len(own)+len(conds) == 0 {
		return path + target
	}
	fn := "avg"
	if r.loose || o.op != treetask.Read && !r.plural {
		fn = "max"
	}
	cond := all(append([]string{all(conds, fn)}, own...), "avg")
	if o.loosely || r.best != nil && len(own) == 0 && r.softOnly() {
		return path + target
	}
	if cond != "" {
		cond = "[" + cond + "]"
	}
	return path + target + cond
}

// enclosed reports whether scopes say which node holds what is asked for.
func (r *reading) enclosed(containers []scope) bool {
	have := map[string]bool{}
	for _, s := range containers {
		if !s.negated && (s.field != "" || s.from == s.to) {
			have[s.kind] = true
		}
	}
	for _, k := range r.targets {
		for up := k; ; {
			if len(up.parents) != 1 {
				return false
			}
			if up.parents[0] == r.v.root {
				break
			}
			if up = r.v.kind(up.parents[0]); up == nil || !have[up.name] {
				return false
			}
		}
	}
	return len(have) > 0
}

// rooted reports whether the outermost containers are certain.
func (r *reading) rooted(containers []scope) bool {
	return len(containers) > 0 && slices.Contains(r.v.kind(containers[0].kind).parents, r.v.root)
}

// softOnly reports whether the conditions are few words that may be noise
// beside a superlative.
func (r *reading) softOnly() bool { return len(r.conds) == 0 }

// parentOf reports whether all targets stand right below a kind.
func (r *reading) parentOf(name string) bool {
	for _, k := range r.targets {
		if !slices.Contains(k.parents, name) {
			return false
		}
	}
	return len(r.targets) > 0
}

// starPath is the test for several types with the step of their parent, so
// that * does not take the containers too.
func (r *reading) starPath() string {
	for _, p := range r.targets[0].parents {
		if r.parentOf(p) && p != r.v.root {
			return "//" + p + "/*"
		}
	}
	return "//*"
}

func (r *reading) groupQuery(containers []scope) string {
	g := r.group
	t := r.targets[0]
	var own, evidence []string
	for _, s := range r.targetScopes() {
		if s.field == "" && r.global(t, "") && len(r.conds) == 0 {
			return r.path(containers) + "//" + t.name + span(s.from, s.to)
		}
		own = append(own, r.condition(s))
	}
	for _, s := range r.scopes {
		if k := r.v.kind(s.kind); k != nil && k.leaf && s.field != "" {
			evidence = append(evidence, r.condition(s))
		}
	}
	evidence = append(evidence, r.conditions(true)...)
	cond := ""
	if len(evidence) > 0 {
		axis := "//"
		if len(g.of) > 0 && slices.Contains(g.of[0].parents, t.name) {
			axis = "/"
		}
		test := star(g.of)
		agg := func(fn, cond string) string { return fn + "(" + axis + test + "[" + cond + "])" }
		switch g.mode {
		case "most":
			cond = agg("avg", all(evidence, "avg"))
		case "least":
			cond = not(agg("avg", all(evidence, "min")))
		case "none":
			cond = not(agg("max", all(evidence, "max")))
		case "all":
			cond = agg("min", all(evidence, "min"))
		default:
			var each []string
			for _, e := range evidence {
				if rest, ok := strings.CutPrefix(e, "1-("); ok {
					each = append(each, not(agg("max", strings.TrimSuffix(rest, ")"))))
				} else {
					each = append(each, agg("max", e))
				}
			}
			cond = all(each, "min")
		}
	}
	if c := all(append(own, cond), "min"); c != "" {
		cond = "[" + c + "]"
	}
	return r.path(containers) + "//" + t.name + cond
}

// placeQuery finds the node below which something is to go, and what moves.
func (o *order) placeQuery() string {
	r := o.what
	if o.where != nil {
		r = o.where
	}
	t := r.v.kind(o.container)
	if t == nil {
		return ""
	}
	scopes := append(r.containerScopes(), r.targetScopes()...)
	var conds []string
	var above []scope
	for _, s := range scopes {
		k := r.v.kind(s.kind)
		switch {
		case k == t && s.field == "" && r.global(k, "") && o.op == treetask.Create && len(scopes) == 1:
			return "//" + t.name + span(s.from, s.to)
		case k == t && s.field != "":
			conds = append(conds, r.condition(s))
		case k == t && s.field == "" && o.op == treetask.Move:
			// Position and words cannot be alternatives: all of the kind.
			return "//" + t.name
		case k != nil && k.depth < t.depth && o.op == treetask.Create:
			above = append(above, s)
		}
	}
	words := r.conditions(false)
	if o.op != treetask.Create || len(o.place.after)+len(o.place.before) == 0 && !explicit(scopes, t) {
		if o.what != r && o.shared {
			words = append(words, o.what.conditions(false)...)
		}
	} else if len(o.place.after)+len(o.place.before) == 0 {
		words = nil
	}
	axis := "//"
	if kids := r.v.children(t.name); len(kids) > 0 && kids[0].leaf {
		axis = "/"
	}
	for _, w := range words {
		conds = append(conds, w)
		if !t.leaf {
			conds = append(conds, "max("+axis+"*["+w+"])")
		}
	}
	out := r.path(above) + "//" + t.name
	if c := all(conds, "max"); c != "" {
		out += "[" + c + "]"
	}
	return out
}

// explicit reports whether scopes say which node of a kind is meant.
func explicit(scopes []scope, k *kind) bool {
	return slices.ContainsFunc(scopes, func(s scope) bool { return s.kind == k.name && !s.negated })
}

// loose is the query without conditions on what is asked for.
func (o *order) loose() string {
	r := o.what
	if len(r.targets) == 0 {
		return ""
	}
	return r.path(r.containerScopes()) + "//" + star(r.targets)
}

// words is the query by words alone, at any level.
func (o *order) words() string {
	conds := o.what.conditions(false)
	if o.where != nil {
		conds = append(conds, o.where.conditions(false)...)
	}
	if len(conds) == 0 {
		return ""
	}
	return "//*[" + all(conds, "max") + "]"
}

// plain is the query for all nodes of the types asked for.
func (o *order) plain() string {
	if len(o.what.targets) == 0 {
		return "//*"
	}
	return "//" + star(o.what.targets)
}
