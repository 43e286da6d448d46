package tasks

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// faultsOf returns what the loader finds wrong with a request whose expectation
// is another one.
func faultsOf(t *testing.T, g *gold, e expect.Expectation) string {
	t.Helper()
	doc := try.Get(strictyaml.Parse("test.yaml", []byte("requests: []")))(t)
	h := tree.NewHistory(g.versions[0].Tree)
	earlier := g.versions[1:]
	if g.edits() {
		earlier = g.versions[1 : len(g.versions)-1]
	}
	for _, v := range earlier {
		try.Get(h.Put(v.Base, v.Tree, v.Request, v.Summary))(t)
	}
	r := *g.request
	r.Expect = &e
	c := &checker{tree: g.versions[0].Tree, doc: doc}
	c.solveRequest(doc.Root(), h, &r)
	if err := doc.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// TestUnmet alters each expectation in ways that its solution does not meet:
// the loader refuses all of them.
func TestUnmet(t *testing.T) {
	longtest.SkipRace(t)
	nowhere := map[string]expect.Value{"name": {Equals: []string{"nowhere"}}}
	for _, golds := range suites(t) {
		for _, g := range golds {
			if g.Expect == nil {
				continue
			}
			refused := func(what, want string, alter func(e *expect.Expectation, s *expect.State)) {
				e := *g.Expect
				var s expect.State
				if e.Tree != nil {
					s = *e.Tree
				}
				e.Tree = &s
				alter(&e, &s)
				if got := faultsOf(t, g, e); !strings.Contains(got, want) {
					t.Errorf("%s %s: %s: the fault is %q, want it to say %q", g.suite, g.key, what, got, want)
				}
			}
			const unmet = "the solution does not meet it"
			if got := faultsOf(t, g, *g.Expect); got != "" {
				t.Errorf("%s %s: %s", g.suite, g.key, got)
			}
			refused("another fact", unmet, func(e *expect.Expectation, _ *expect.State) {
				e.Answer.Must = append(slices.Clone(e.Answer.Must), []string{"nowhere"})
			})
			refused("a fact that must not be there", unmet, func(e *expect.Expectation, _ *expect.State) {
				e.Answer.Not = append(slices.Clone(e.Answer.Not), g.Solution.Answer)
			})
			refused("another node", unmet, func(e *expect.Expectation, _ *expect.State) {
				e.Accept = []expect.Retrieval{{Required: append(slices.Clone(g.Solution.Nodes), "name:nowhere")}}
			})
			refused("a node too many", unmet, func(e *expect.Expectation, _ *expect.State) {
				e.Accept = []expect.Retrieval{{Required: []string{"name:nowhere"}, Allowed: g.Solution.Nodes[1:]}}
			})
			refused("a node by a name that none has", unmet, func(_ *expect.Expectation, s *expect.State) {
				s.Exists = append(slices.Clone(s.Exists), expect.Node{ID: "name:nowhere"})
			})
			refused("fields by a name that no node has", unmet, func(_ *expect.Expectation, s *expect.State) {
				s.Fields = map[string]map[string]expect.Value{"name:nowhere": nowhere}
			})
			refused("a root that is gone", unmet, func(_ *expect.Expectation, s *expect.State) {
				s.Absent = append(slices.Clone(s.Absent), g.after.Root().ID)
			})
			refused("a node that is not made", unmet, func(_ *expect.Expectation, s *expect.State) {
				s.Exists = append(slices.Clone(s.Exists), expect.Node{Fields: nowhere})
			})
			if !g.edits() {
				continue
			}
			refused("a read", unmet, func(e *expect.Expectation, _ *expect.State) { e.Tree = nil })
			refused("anything goes", "doing nothing meets it", func(e *expect.Expectation, _ *expect.State) {
				e.Tree = &expect.State{Optional: []string{g.after.Root().ID}}
			})
		}
	}
}

// TestNames gives names in the place of the ids of an expectation, wherever
// ids stand: it is met all the same.
func TestNames(t *testing.T) {
	longtest.SkipRace(t)
	swapped := 0
	for _, golds := range suites(t) {
		for _, g := range golds {
			if g.Expect == nil || !g.edits() {
				continue
			}
			name := func(id string) string {
				byName := id
				for _, v := range g.versions {
					if n, ok := v.Tree.Node(id); ok && n.Name() != "" {
						byName = expect.ByName + n.Name()
					}
				}
				// A name that nodes share does not stand for one of them.
				for _, v := range g.versions {
					for n := range v.Tree.All() {
						if n.ID != id && strings.Contains(" "+strings.Join(plainWords(n.Name()), " ")+" ", " "+strings.Join(plainWords(byName[min(len(byName), len(expect.ByName)):]), " ")+" ") {
							return id
						}
					}
				}
				if byName != id {
					swapped++
				}
				return byName
			}
			names := func(ids []string) (out []string) {
				for _, id := range ids {
					out = append(out, name(id))
				}
				return out
			}
			e := expect.Expectation{Answer: g.Expect.Answer, Tree: &expect.State{
				Absent: names(g.Expect.Tree.Absent), Optional: names(g.Expect.Tree.Optional), Restored: g.Expect.Tree.Restored,
				Fields: make(map[string]map[string]expect.Value),
			}}
			for _, r := range g.Expect.Accept {
				e.Accept = append(e.Accept, expect.Retrieval{Required: names(r.Required), Allowed: names(r.Allowed)})
			}
			for id, fields := range g.Expect.Tree.Fields {
				e.Tree.Fields[name(id)] = fields
			}
			for _, n := range g.Expect.Tree.Exists {
				n.ID, n.Parent, n.After, n.Before = name(n.ID), name(n.Parent), name(n.After), name(n.Before)
				e.Tree.Exists = append(e.Tree.Exists, n)
			}
			if got := faultsOf(t, g, e); got != "" {
				t.Errorf("%s %s: %s", g.suite, g.key, got)
			}
		}
	}
	if swapped < 300 {
		t.Errorf("only %d ids have a name of their own", swapped)
	}
}

// TestWrongEdits makes edits that are not those of the gold: on top of them,
// and the same ones on other nodes. None passes.
func TestWrongEdits(t *testing.T) {
	longtest.SkipRace(t)
	tried := 0
	for _, golds := range suites(t) {
		for _, g := range golds {
			if g.Expect == nil || !g.edits() {
				continue
			}
			fails := func(base *tree.Tree, what string, edits ...tree.Edit) {
				wrong, err := base.Apply(edits...)
				if err != nil || len(tree.Diff(g.after, wrong)) == 0 {
					return
				}
				tried++
				o := g.outcome()
				o.After = wrong
				if expect.Check(g.Expect, o).Tree {
					t.Errorf("%s %s: %s passes", g.suite, g.key, what)
				}
			}
			own := g.Solution.edits(g.before)
			for i, n := range slices.Collect(g.after.All()) {
				if i%4 != len(g.Text)%4 || g.open(n.ID) {
					continue
				}
				fails(g.after, "the deletion of "+n.ID, tree.Edit{Op: tree.Delete, ID: n.ID})
				if len(n.Fields) > 0 {
					f := n.Fields[i%len(n.Fields)]
					if v, ok := g.Expect.Tree.Fields[n.ID][f.Name]; !ok || v.String() != "anything" {
						fails(g.after, "another "+f.Name+" of "+n.ID, tree.Edit{Op: tree.Update, ID: n.ID, Set: []tree.Field{{Name: f.Name, Values: []string{"nowhere"}}}})
					}
				}
				if parent, ok := g.after.Parent(n.ID); ok {
					fails(g.after, n.ID+" made anew", tree.Edit{Op: tree.Create, Parent: parent.ID, At: -1, Node: &tree.Node{Type: n.Type, Fields: n.Fields}})
				}
			}
			for i, e := range own {
				target := e.ID
				if e.Op == tree.Create {
					target = e.Parent
				}
				parent, ok := g.before.Parent(target)
				if !ok {
					continue // of a node that the solution makes
				}
				for _, n := range parent.Children {
					other := slices.Clone(own)
					if e.Op == tree.Create {
						other[i].Parent = n.ID
					} else {
						other[i].ID = n.ID
					}
					if n.ID != target {
						fails(g.before, string(e.Op)+" of "+n.ID+" for "+target, other...)
					}
				}
			}
		}
	}
	if tried < 5000 {
		t.Errorf("only %d wrong edits", tried)
	}
}

// open reports whether the expectation lets a node be anything: one that is
// made, or an optional one.
func (g *gold) open(id string) bool {
	reference := g.before
	if g.Expect.Tree.Restored {
		reference = g.versions[0].Tree
	}
	if _, old := reference.Node(id); !old {
		return true
	}
	return slices.ContainsFunc(g.after.Path(id), func(n *tree.Node) bool {
		return slices.Contains(g.Expect.Tree.Optional, n.ID)
	})
}

var letters = regexp.MustCompile(`[a-z]+`)

func plainWords(s string) []string { return letters.FindAllString(strings.ToLower(s), -1) }
