package tree

import (
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// A spoken is a change that a request speaks of, by the nodes that it was
// about.
type spoken struct {
	own   map[string]tree.Edit // of nodes that were deleted, moved or updated
	below map[string]bool      // nodes that went with one that was deleted
	same  bool                 // the request is about what was changed: "before I moved it"
	told  bool                 // by a clause that tells of the change
}

// changedThing are words of a description that stand for what was changed.
var changedThing = re(`\b(?:it|them|that|this|those|these|one|ones|what|which)\b`)

// tellsOf marks a description that is a clause of its own.
var tellsOf = re(`\b(?:i|we|you|he|she|they|was|were|been|got|get)\b`)

func newSpoken(c *treetask.Change, all []candidate) *spoken {
	if c == nil {
		return nil
	}
	s := &spoken{own: map[string]tree.Edit{}, below: map[string]bool{}, same: changedThing.MatchString(c.About), told: tellsOf.MatchString(c.About)}
	for _, e := range c.Edits {
		id := e.ID
		if e.Op == tree.Create {
			id = e.Node.ID
		}
		if _, ok := s.own[id]; !ok || e.Op == tree.Update {
			s.own[id] = e
		}
	}
	for _, c := range all {
		for _, up := range c.path[:len(c.path)-1] {
			if e, ok := s.own[up.ID]; ok && e.Op == tree.Delete {
				s.below[c.node().ID] = true
			}
		}
	}
	return s
}

func (s *spoken) of(id string) bool {
	_, own := s.own[id]
	return own || s.below[id]
}

// among returns the candidates that the change was about.
func (s *spoken) among(list []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return !s.of(c.node().ID) })
}

// fairly is the share of the score of what fits a request best that what was
// changed has to have to be meant instead.
const fairly = 0.6

// asked narrows what a question means to what was changed, where it says that
// these are the same: "when was the tour that I cancelled?".
func (s *spoken) asked(j *judge, r *reading, meant []candidate) []candidate {
	if s == nil || !s.same || r.group != nil || r.from != 0 || r.best != nil {
		return meant
	}
	if !s.told && (r.plural || len(r.conds) == 0) {
		return meant // "what was on Monday before?"
	}
	if both := s.among(meant); len(both) > 0 {
		return both
	}
	var fit []candidate
	best := 0.0
	for _, c := range s.among(j.all) {
		if len(c.path) == 1 || !isOf(c.node(), r.targets) || !j.inScopes(c.path, r) {
			continue
		}
		switch f := j.fits(c, r); {
		case f > best:
			fit, best = []candidate{c}, f
		case f == best:
			fit = append(fit, c)
		}
	}
	for _, c := range meant {
		if best < fairly*j.fits(c, r) {
			return meant
		}
	}
	if len(fit) == 0 || r.plural && len(meant) > 0 {
		return meant
	}
	return fit
}

// fits returns how far a place meets the conditions in words of a reading.
func (j *judge) fits(c candidate, r *reading) float64 {
	sum := 0.0
	for _, w := range r.conds {
		m := j.onPath(c.path, w)
		if w.negated {
			m = 1 - m
		}
		sum += m
	}
	return sum / float64(max(1, len(r.conds)))
}

// restored narrows what a request wants back to what was changed: nothing else
// is different.
func (s *spoken) restored(meant []candidate, all []candidate) []candidate {
	if s == nil {
		return meant
	}
	if both := s.among(meant); len(both) > 0 {
		return both
	}
	// A container that is named stands for what was changed in it.
	var in, changed []candidate
	for _, c := range all {
		if _, ok := s.own[c.node().ID]; !ok || len(c.path) == 1 {
			continue
		}
		changed = append(changed, c)
		if slices.ContainsFunc(meant, func(m candidate) bool {
			return len(m.path) > 1 && slices.ContainsFunc(c.path, func(n *tree.Node) bool { return n.ID == m.node().ID })
		}) {
			in = append(in, c)
		}
	}
	switch {
	case len(in) > 0:
		return in
	case len(changed) > 0:
		return changed
	}
	return meant
}

// byHowMuch asks for the difference that a change made.
var byHowMuch = re(`\bby how (?:much|many|far)\b|\bhow (?:much|many)(?: \w+)? (?:more|less|fewer|longer|shorter|later|earlier|cheaper|dearer|higher|lower)\b|\bhow (?:much|many)(?: \w+)? (?:did|has|have) [\w '’-]{1,50}? (?:get|become|go (?:up|down)|rise|fall|drop|increase|decrease|gone|risen|fallen|dropped|changed)\b|\bhow (?:much|many)(?: \w+)? (?:did|have) (?:i|we|you) (?:raise|lower|cut|reduce|increase|add|take|shave|knock|bump|extend|shorten|postpone|push|delay|bring)`)

// difference tells what a change made of fields, with the old values, the new
// ones and how far they are apart.
func (o *order) difference(j *judge, meant []candidate) string {
	if j.spoken == nil || !byHowMuch.MatchString(o.text) {
		return ""
	}
	var lines []string
	for _, c := range meant {
		e, ok := j.spoken.own[c.node().ID]
		if !ok || e.Op != tree.Update {
			continue
		}
		for _, f := range e.Set {
			old, fresh := valueOf(c.node(), f.Name), f.Value()
			line := nameOf(c.path) + ": " + f.Name + " from " + old + " to " + fresh
			if d := apart(j, f.Name, old, fresh); d != "" {
				line += ", by " + d
			}
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "; ") + "."
}

func valueOf(n *tree.Node, field string) string {
	v, _ := n.Field(field)
	return v
}

// apart returns the distance of two values of a field; empty where they are no
// amounts.
func apart(j *judge, field, old, fresh string) string {
	k := newField(field, false, []string{old}).kind
	switch k {
	case kindName, kindText, kindPerson, kindPlace, kindList, kindStatus:
		return ""
	case kindOrder:
		k = kindNumber
	default:
	}
	read := func(v string) (float64, bool) {
		if k == kindTime {
			c := clocks(v)
			if len(c) == 0 {
				return 0, false
			}
			return float64(c[0].minutes), true
		}
		if k == kindDate {
			t, ok := dateOf(v, j.today)
			return float64(t.Unix() / 86400), ok
		}
		return firstNumber(v)
	}
	a, ok1 := read(old)
	b, ok2 := read(fresh)
	if !ok1 || !ok2 || a == b {
		return ""
	}
	d := max(a-b, b-a)
	switch {
	case k == kindTime:
		return amountLike(d, "", kindDuration)
	case k == kindDate && d == 1:
		return "1 day"
	case k == kindDate:
		return strconv.FormatFloat(d, 'f', -1, 64) + " days"
	}
	return amountLike(d, fresh, kindNumber)
}

// fieldBack sets the fields that a request names to what they are in an earlier
// version: "give the concert its original time". What else was changed about
// the node stays. It is nil where the request means the node.
func (o *order) fieldBack(j *judge, meant []candidate) *treetask.Action {
	if j.spoken != nil || len(meant) != 1 || !originalValue.MatchString(o.text) && !valueBack.MatchString(o.text) {
		return nil
	}
	n := meant[0].node()
	var set []treetask.ActionSetting
	for _, f := range n.Fields {
		k := newField(f.Name, len(f.Values) > 1, []string{f.Value()})
		if slices.Contains(o.what.asks, k.kind) || slices.ContainsFunc(o.what.fields, func(s string) bool { return strings.EqualFold(s, f.Name) }) {
			set = append(set, treetask.ActionSetting{Name: f.Name, Value: strings.Join(f.Values, "; ")})
		}
	}
	if len(set) == 0 {
		return nil
	}
	var says []string
	for _, s := range set {
		says = append(says, s.Name+" "+s.Value)
	}
	return &treetask.Action{
		Operation: treetask.Update, Nodes: []string{n.ID}, Answer: nameOf(meant[0].path) + " has its " + and(says) + " again.",
		Edits: []treetask.ActionEdit{{Op: treetask.Update, Node: n.ID, Fields: set}},
	}
}

// valueBack speaks of a value that something had.
var valueBack = re(`\b(?:its|the|his|her|their) (?:\w+ )?` + formerNoun + `\b|\b(?:time|day|date|price|cost) (?:it|they|we|i) (?:had|was|were)\b`)
