package expect

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
)

// An Outcome is the result of a task.
type Outcome struct {
	Nodes  []string   // ids that the method retrieved
	Answer string     // to the user
	First  *tree.Tree // of the conversation
	Before *tree.Tree // before the task
	After  *tree.Tree // afterwards; Before if the task edited nothing
}

// A Verdict says which parts of an expectation hold, and which do not and why.
type Verdict struct {
	Retrieval bool
	// Output is whether both parts of the output hold: the answer says what it
	// must, and the tree is the expected one.
	Output, Answer, Tree bool
	Why                  []string // one line per fault
}

// Pass reports whether both parts hold.
func (v Verdict) Pass() bool { return v.Retrieval && v.Output }

// Check compares an outcome with the expectation.
func Check(e *Expectation, o Outcome) Verdict {
	retrieval, answer, state := o.retrieved(e.Accept), e.Answer.faults(o.Answer), o.tree(e.Tree)
	v := Verdict{Retrieval: len(retrieval) == 0, Answer: len(answer) == 0, Tree: len(state) == 0}
	v.Output = v.Answer && v.Tree
	v.Why = slices.Concat(retrieval, answer, state)
	return v
}

// retrieved returns what is wrong with the nodes: nothing if one of the
// retrievals is met, else the faults by the nearest one.
func (o Outcome) retrieved(accept []Retrieval) []string {
	var nearest []string
	for i, r := range accept {
		var faults []string
		for _, want := range r.Required {
			if !slices.ContainsFunc(o.Nodes, func(id string) bool { return o.is(id, want) }) {
				faults = append(faults, o.label(want)+" was not retrieved")
			}
		}
		for _, id := range o.Nodes {
			if !o.among(id, r.Required) && !o.among(id, r.Allowed) {
				faults = append(faults, o.label(id)+" should not have been retrieved")
			}
		}
		if len(faults) == 0 {
			return nil
		}
		if i == 0 || len(faults) < len(nearest) {
			nearest = faults
		}
	}
	return nearest
}

// ByName is the prefix that identifies a node by its name instead of its id.
const ByName = "name:"

// is reports whether the node of an id is the one that is wanted, by its id or
// by its name.
func (o Outcome) is(id, want string) bool {
	name, ok := strings.CutPrefix(want, ByName)
	if !ok {
		return id == want
	}
	return slices.ContainsFunc(o.trees(), func(t *tree.Tree) bool {
		n, ok := t.Node(id)
		return ok && contains(words(n.Name()), words(name))
	})
}

// trees returns the trees of the outcome, the first first.
func (o Outcome) trees() []*tree.Tree {
	return lists.Filter([]*tree.Tree{o.First, o.Before, o.After}, func(t *tree.Tree) bool { return t != nil })
}

// among reports whether the node of an id is one of those that are wanted.
func (o Outcome) among(id string, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(want string) bool { return o.is(id, want) })
}

// label names a node for people.
func (o Outcome) label(id string) string {
	for _, t := range o.trees() {
		if path := t.Path(id); path != nil {
			return fmt.Sprintf("%s (%s)", id, tree.Label(path))
		}
	}
	return id
}

// faults returns what a text does not say, and what it should not say.
func (a Answer) faults(text string) (faults []string) {
	said := words(text)
	for _, variants := range a.Must {
		if !slices.ContainsFunc(variants, func(v string) bool { return contains(said, words(v)) }) {
			faults = append(faults, "the answer does not say "+quoted(variants))
		}
	}
	for _, v := range a.Not {
		if contains(said, words(v)) {
			faults = append(faults, fmt.Sprintf("the answer says %q", v))
		}
	}
	return faults
}

// tree returns what is wrong with the tree after the task.
func (o Outcome) tree(want *State) (faults []string) {
	reference := o.Before
	want = cmp.Or(want, &State{})
	if want.Restored {
		reference = o.First
	}
	faults, made := o.exist(want.Exists, reference)
	for _, id := range want.Absent {
		for _, n := range o.left(id) {
			faults = append(faults, o.label(n.ID)+" still exists")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want.Fields)) {
		found := o.left(id)
		for _, n := range found {
			faults = append(faults, misfits(o.label(n.ID), n, want.Fields[id])...)
		}
		if len(found) == 0 {
			faults = append(faults, o.label(id)+" is gone")
		}
	}
	for _, e := range tree.Diff(reference, o.After) {
		faults = append(faults, o.unasked(want, e, reference, made)...)
	}
	return faults
}

// left returns the nodes of an id or a name after the task.
func (o Outcome) left(id string) []*tree.Node {
	return lists.Filter(slices.Collect(o.After.All()), func(n *tree.Node) bool { return o.is(n.ID, id) })
}

// exist looks for each of the nodes; made are the ids of those found.
func (o Outcome) exist(want []Node, reference *tree.Tree) (faults, made []string) {
	for _, w := range want {
		var nearest []string
		found := false
		for n := range o.After.All() {
			_, old := reference.Node(n.ID)
			switch {
			case w.ID != "" && !o.is(n.ID, w.ID), w.ID == "" && old, w.Type != "" && !strings.EqualFold(n.Type, w.Type):
				continue
			case slices.Contains(made, n.ID):
				continue
			}
			wrong := o.misplaced(w, n)
			wrong = append(wrong, misfits(o.label(n.ID), n, w.Fields)...)
			if len(wrong) == 0 {
				made, found = append(made, n.ID), true
				break
			}
			if nearest == nil || len(wrong) < len(nearest) {
				nearest = wrong
			}
		}
		switch {
		case found:
		case nearest != nil:
			faults = append(faults, nearest...)
		case w.ID != "":
			faults = append(faults, o.label(w.ID)+" is missing")
		default:
			faults = append(faults, fmt.Sprintf("no %s was created", cmp.Or(w.Type, "node")))
		}
	}
	return faults, made
}

// misplaced returns what is wrong with the place of a node.
func (o Outcome) misplaced(w Node, n *tree.Node) (faults []string) {
	parent, ok := o.After.Parent(n.ID)
	if w.Parent != "" && (!ok || !o.is(parent.ID, w.Parent)) {
		faults = append(faults, fmt.Sprintf("%s is not below %s", o.label(n.ID), o.label(w.Parent)))
	}
	if !ok {
		return faults
	}
	at := func(id string) int { // -1 for none
		return slices.IndexFunc(parent.Children, func(c *tree.Node) bool { return id != "" && o.is(c.ID, id) })
	}
	here := at(n.ID)
	if at(w.After) > here {
		faults = append(faults, fmt.Sprintf("%s is not after %s", o.label(n.ID), o.label(w.After)))
	}
	if before := at(w.Before); before >= 0 && before < here {
		faults = append(faults, fmt.Sprintf("%s is not before %s", o.label(n.ID), o.label(w.Before)))
	}
	return faults
}

// misfits returns the fields of a node that differ from the required ones.
func misfits(label string, n *tree.Node, want map[string]Value) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have, _ := n.Field(name); !want[name].met(have) {
			faults = append(faults, fmt.Sprintf("%s has the %s %q, want %s", label, name, have, want[name]))
		}
	}
	return faults
}

// unasked returns what an edit changed beyond what was wanted.
func (o Outcome) unasked(want *State, e tree.Edit, reference *tree.Tree, made []string) (faults []string) {
	id := e.ID
	if e.Op == tree.Create {
		id = e.Node.ID
	}
	if o.optional(want, id, reference) {
		return nil
	}
	label := o.label(id)
	switch e.Op {
	case tree.Create:
		if !slices.Contains(made, id) {
			return []string{label + " should not have been created"}
		}
	case tree.Delete:
		if !o.among(id, want.Absent) {
			return []string{label + " should not have been deleted"}
		}
	case tree.Move:
		if !slices.Contains(made, id) && o.displaced(want, id, reference, made) {
			return []string{label + " should not have been moved"}
		}
	case tree.Update:
		names := slices.Clone(e.Unset)
		for _, f := range e.Set {
			names = append(names, f.Name)
		}
		for _, name := range names {
			if !o.asked(want, id, name) {
				faults = append(faults, fmt.Sprintf("the %s of %s should not have been changed", name, label))
			}
		}
		if e.Text != nil {
			faults = append(faults, fmt.Sprintf("the text of %s should not have been changed", label))
		}
	}
	return faults
}

// displaced reports whether a node has another parent, or another place among
// the siblings that were not to move. Where two neighbours change places,
// [tree.Diff] may name either as moved.
func (o Outcome) displaced(want *State, id string, reference *tree.Tree, made []string) bool {
	was, _ := reference.Parent(id)
	is, _ := o.After.Parent(id)
	rest := func(n *tree.Node, other *tree.Tree) (ids []string) {
		for _, c := range n.Children {
			_, both := other.Node(c.ID)
			if both && !slices.Contains(made, c.ID) && !o.optional(want, c.ID, reference) {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	return was.ID != is.ID || !slices.Equal(rest(was, o.After), rest(is, reference))
}

// asked reports whether the state says something of a field.
func (o Outcome) asked(want *State, id, field string) bool {
	named := slices.Clone(want.Exists)
	for node, fields := range want.Fields {
		named = append(named, Node{ID: node, Fields: fields})
	}
	same := func(name string) bool { return strings.EqualFold(name, field) }
	return slices.ContainsFunc(named, func(n Node) bool {
		return n.ID != "" && o.is(id, n.ID) && slices.ContainsFunc(slices.Collect(maps.Keys(n.Fields)), same)
	})
}

// optional reports whether the node or one above it may change in any way.
func (o Outcome) optional(want *State, id string, reference *tree.Tree) bool {
	path := slices.Concat(o.After.Path(id), reference.Path(id))
	return slices.ContainsFunc(path, func(n *tree.Node) bool { return o.among(n.ID, want.Optional) })
}

// word is a number, with what may stand inside of one, or a run of letters.
var word = regexp.MustCompile(`\p{Nd}+(?:[.,:/-]\p{Nd}+)*|[\p{L}\p{M}]+`)

// thousands are the commas of a number such as 1,250.
var thousands = regexp.MustCompile(`,(\p{Nd}{3})`)

// possessive is what a name has behind it where it owns something.
var possessive = regexp.MustCompile(`['’][sS]\b`)

// words cuts a text into lower-case words without accents. A clock time, a
// date or a decimal is one word, so that 4 is not found in 4:30; apostrophes
// are left out, and the s of a possessive.
func words(s string) []string {
	s = possessive.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
			return -1
		case unicode.Is(unicode.Pd, r):
			return '-'
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	found := word.FindAllString(s, -1)
	for i, w := range found {
		if strings.Contains(w, ",") {
			found[i] = thousands.ReplaceAllString(w, "$1")
		}
	}
	return found
}

// contains reports whether the words of part stand in all next to each other.
func contains(all, part []string) bool {
	joined := func(words []string) string { return " " + strings.Join(words, " ") + " " }
	return len(part) > 0 && strings.Contains(joined(all), joined(part))
}

// pattern returns the regular expression of a value; nil for none.
func (v Value) pattern() (*regexp.Regexp, error) {
	if v.Matches == "" {
		return nil, nil
	}
	return regexp.Compile(v.Matches)
}

// met reports whether a text is as the value wants it. A pattern that does not
// compile is met by nothing.
func (v Value) met(text string) bool {
	have := words(text)
	re, err := v.pattern()
	return (len(v.Equals) == 0 || slices.ContainsFunc(v.Equals, func(s string) bool { return slices.Equal(words(s), have) })) &&
		(len(v.Has) == 0 || slices.ContainsFunc(v.Has, func(s string) bool { return contains(have, words(s)) })) &&
		err == nil && (re == nil || re.MatchString(text))
}

// String says what the value wants, for messages.
func (v Value) String() string {
	var parts []string
	if len(v.Equals) > 0 {
		parts = append(parts, quoted(v.Equals))
	}
	if len(v.Has) > 0 {
		parts = append(parts, "something with "+quoted(v.Has))
	}
	if v.Matches != "" {
		parts = append(parts, fmt.Sprintf("a match of %q", v.Matches))
	}
	if len(parts) == 0 {
		return "anything"
	}
	return strings.Join(parts, " and ")
}

// quoted lists variants for messages.
func quoted(variants []string) string {
	return strings.Join(lists.Map(variants, strconv.Quote), " or ")
}
