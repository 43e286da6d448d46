package tasks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/expect"
	"recallbench/internal/tree"
)

// TestSolutions proves that each judged request can be passed: the outcome that
// its solution describes meets what is expected, and doing nothing does not.
func TestSolutions(t *testing.T) {
	for _, turns := range []Turns{Single, Multi} {
		for _, domain := range embedded {
			for _, split := range []Split{Dev, HeldOut} {
				t.Run(fmt.Sprintf("%s %s %s", domain, turns, split), func(t *testing.T) { solve(t, domain, turns, split) })
			}
		}
	}
}

func solve(t *testing.T, domain string, turns Turns, split Split) {
	t.Helper()
	suffix := ""
	if split == HeldOut {
		suffix = heldout
	}
	name := "data/" + domain + "/" + string(turns) + suffix + ".yaml"
	text, err := data.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, doc, err := parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Err(); err != nil {
		t.Fatal(err)
	}
	xml, err := data.ReadFile("data/" + domain + "/" + treeFile)
	if err != nil {
		t.Fatal(err)
	}
	first, err := tree.ParseXML(domain, strings.NewReader(string(xml)), tree.XMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Requests {
		check(t, first, tree.NewHistory(first), r)
	}
	for _, c := range f.Conversations {
		h := tree.NewHistory(first)
		for _, r := range c.Turns {
			check(t, first, h, r)
		}
	}
}

// check makes the solution of a request the next version of a history.
func check(t *testing.T, first *tree.Tree, h *tree.History, r request) {
	t.Helper()
	before := h.Latest().Tree
	switch {
	case r.Solution.Restore > 0:
		if _, err := h.Restore(r.Solution.Restore, r.Text); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	case len(r.Solution.Edits) > 0:
		if _, err := h.Commit(h.Latest().Number, r.Solution.edits(before), r.Text, ""); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
	if r.Expect == nil {
		return
	}
	o := expect.Outcome{Nodes: r.Solution.Nodes, Answer: r.Solution.Answer, First: first, Before: before, After: h.Latest().Tree}
	if v := expect.Check(r.Expect, o); !v.Pass() {
		t.Errorf("%s: the solution does not pass:\n\t%s", r.ID, strings.Join(v.Why, "\n\t"))
	}
	if v := expect.Check(r.Expect, expect.Outcome{First: first, Before: before, After: before}); v.Pass() || v.Retrieval && r.Expect.Tree == nil {
		t.Errorf("%s: doing nothing passes", r.ID)
	}
	if r.Expect.Tree != nil {
		idle := o
		idle.After = before
		if expect.Check(r.Expect, idle).Output {
			t.Errorf("%s: leaving the tree as it is passes", r.ID)
		}
	}
}

// edits returns the edits of a solution.
func (s solution) edits(t *tree.Tree) []tree.Edit {
	var edits []tree.Edit
	for _, e := range s.Edits {
		at := -1
		if e.At != nil {
			at = *e.At
		}
		out := tree.Edit{Op: e.Op, ID: e.ID, Parent: e.Parent, At: at}
		typ := e.Type
		if e.Op == tree.Update {
			if n, ok := t.Node(e.ID); ok {
				typ = n.Type
			}
			out.Parent, out.At = "", 0
		}
		var fields []tree.Field
		if spec, ok := t.Schema().Type(typ); ok {
			for _, f := range spec.Fields {
				value, ok := e.Fields[f.Name]
				if !ok {
					continue
				}
				values := []string{value}
				if f.Item != "" {
					values = strings.Split(value, "; ")
				}
				fields = append(fields, tree.Field{Name: f.Name, Values: values})
			}
		}
		if len(fields) < len(e.Fields) {
			// A field that the schema does not have is for Commit to refuse.
			for name, value := range e.Fields {
				if !slices.ContainsFunc(fields, func(f tree.Field) bool { return f.Name == name }) {
					fields = append(fields, tree.Field{Name: name, Values: []string{value}})
				}
			}
		}
		if e.Op == tree.Create {
			out.ID, out.Node = "", &tree.Draft{Type: e.Type, ID: e.ID, Fields: fields}
		} else {
			out.Set = fields
		}
		edits = append(edits, out)
	}
	return edits
}

// TestCounts holds the suites to the numbers of the paper, and to what makes
// them hard: requests without a word of the schema, and ones that need an
// earlier version. Every request that edits is judged.
func TestCounts(t *testing.T) {
	singles := map[string]int{"itinerary": 20, "todo": 25, "mealkit": 20}
	for _, domain := range embedded {
		set := load(t, Options{Turns: Single, Domains: []string{domain}})
		free, held, all := 0, 0, 0
		for label, n := range count(set) {
			switch label {
			case "wording=free":
				free = n
			case "split=heldout":
				held = n
			case "":
				all = n
			}
		}
		if want := singles[domain]; all != want {
			t.Errorf("%s: %d single requests, want %d", domain, all, want)
		}
		if 3*free < all {
			t.Errorf("%s: %d of %d single requests have no word of the schema, want a third", domain, free, all)
		}
		if held < all/3 || held > all/2 {
			t.Errorf("%s: %d of %d single requests are held out, want a third", domain, held, all)
		}

		set = load(t, Options{Turns: Multi, Domains: []string{domain}})
		if n := len(set.Samples); n != 5 {
			t.Errorf("%s: %d conversations, want 5", domain, n)
		}
		judged, earlier, freeJudged := 0, 0, 0
		for _, s := range set.Samples {
			if n := len(s.Requests); n < 6 || n > 12 {
				t.Errorf("%s: %d turns, want 6 to 12", s.ID, n)
			}
			for _, r := range s.Requests {
				g, _ := set.Gold(s.ID, r.ID)
				if g.Expect == nil {
					if g.Labels["operation"] != "read" {
						t.Errorf("%s %s edits and is not judged", s.ID, r.ID)
					}
					continue
				}
				judged++
				if g.Labels["needs"] == "earlier-version" {
					earlier++
				}
				if g.Labels["wording"] == "free" {
					freeJudged++
				}
			}
		}
		if judged < 20 || 3*earlier < judged || 3*freeJudged < judged {
			t.Errorf("%s: %d judged turns, %d of them need an earlier version, %d have no word of the schema", domain, judged, earlier, freeJudged)
		}
	}
}

func load(t *testing.T, o Options) *datasets.Set {
	t.Helper()
	if o.Split == "" {
		o.Split = All
	}
	set, err := Spec.Open(t.Context(), datasets.Env{}, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// count counts the requests by label, and all under "".
func count(set *datasets.Set) map[string]int {
	counts := make(map[string]int)
	for _, s := range set.Samples {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			counts[""]++
			for name, value := range g.Labels {
				counts[name+"="+value]++
			}
		}
	}
	return counts
}

// TestWording proves the label: a request that is labelled free has no type and
// no field of the tree in it, singular or plural.
func TestWording(t *testing.T) {
	for _, turns := range []Turns{Single, Multi} {
		set := load(t, Options{Turns: turns})
		for _, s := range set.Samples {
			names := make(map[string]bool)
			for _, typ := range s.Tree.Schema().Types {
				names[strings.ToLower(typ.Name)] = true
				for _, f := range typ.Fields {
					names[strings.ToLower(f.Name)] = true
				}
			}
			for _, r := range s.Requests {
				g, _ := set.Gold(s.ID, r.ID)
				if g.Labels["wording"] != "free" {
					continue
				}
				for _, word := range strings.FieldsFunc(strings.ToLower(r.Text), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
					if names[word] || names[strings.TrimSuffix(word, "s")] || names[strings.TrimSuffix(word, "es")] || names[strings.TrimSuffix(word, "ies")+"y"] {
						t.Errorf("%s %s: %q is a word of the schema", s.ID, r.ID, word)
					}
				}
			}
		}
	}
}
