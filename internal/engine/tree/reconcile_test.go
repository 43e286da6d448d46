package tree

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestReconcile(t *testing.T) {
	old := parse(t, `<Plan id="p"><Day id="d1" index="1"><POI id="a" name="A" cost="1"/><POI id="b" name="B"/></Day>
<Day id="d2" index="2"><POI id="c" name="C"/></Day><Note id="t1" say="x"/><Note id="t2" say="y"/></Plan>`)
	for _, test := range []struct{ name, doc, want string }{
		{"the same", `<Plan><Day index="1"><POI name="A" cost="1"/><POI name="B"/></Day><Day index="2"><POI name="C"/></Day><Note say="x"/><Note say="y"/></Plan>`, "p(d1(a b) d2(c) t1 t2)"},
		{"by key, in other words and order", `<Plan><Day index="1"><POI name=" b "/><POI name="a" cost="9"/></Day></Plan>`, "p(d1(b a))"},
		{"by id, wherever", `<Plan><Day id="d2" index="5"><POI id="a" name="Z"/></Day></Plan>`, "p(d2(a))"},
		{"by id before key", `<Plan><Day index="1"><POI name="B"/><POI id="b" name="A"/></Day></Plan>`, "p(d1(n1 b))"},
		{"ids of another type", `<Plan><Day id="a" index="9"/></Plan>`, "p(n1)"},
		{"ids made up or given twice", `<Plan><Day id="zz" index="9"/><Day id="d1" index="9"/><Day id="d1" index="8"/></Plan>`, "p(n1 d1 n2)"},
		{"not in the same place", `<Plan><Day index="1"><POI name="C"/></Day></Plan>`, "p(d1(n1))"},
		{"without key by content, then the last", `<Plan><Note say="z"/><Note say="x"/></Plan>`, "p(t2 t1)"},
		{"without key, several left", `<Plan><Note say="z"/><Note say="w"/></Plan>`, "p(n1 n2)"},
	} {
		d := try.Get(ParseDraft("new.xml", strings.NewReader(test.doc), old.Schema()))(t)
		got, err := Reconcile(old, d)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		checkTree(t, got)
		if line(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.name, line(got), test.want)
		}
	}
	_, err := Reconcile(old, &Node{Type: "Day"})
	wantError(t, err, "the root is a Day, want a Plan")
	_, err = Reconcile(old, &Node{Type: "Plan", Children: []*Node{{Type: "Day", Fields: []Field{{"indx", []string{"1"}}}}}})
	wantError(t, err, `unknown field of Day "indx"; did you mean "index"?`)
}

// A tree that a model writes out with its ids, whole or in part, is the tree
// that it wrote.
func TestReconcileKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := genTree(t)
		next := old
		for _, e := range genEdits(t, old, 4) {
			if n, err := next.Apply(e); err == nil {
				next = n
			}
		}
		got := try.Get(Reconcile(old, next.Root()))(t)
		checkTree(t, got)
		for n := range next.All() {
			if _, ok := old.Node(n.ID); !ok {
				continue
			}
			if kept, ok := got.Node(n.ID); !ok || kept.Type != n.Type {
				t.Fatalf("%s has gone", n.describe())
			}
		}
		same, err := Reconcile(old, old.Root())
		if err != nil || len(Diff(old, same)) > 0 {
			t.Fatalf("the same draft gives another tree: %v", err)
		}
	})
}

func TestParseDraft(t *testing.T) {
	_, err := ParseDraft("m", strings.NewReader(`<Plan id="a"><Day id="a" idx="1"><PIO/></Day>
<Task><description>x<b/></description></Task></Plan>`), testSchema)
	if err == nil {
		t.Fatal("no error")
	}
	golden.Check(t, "draft_errors.txt", err.Error()+"\n")
	_, err = ParseDraft("m", strings.NewReader(`<Dya/>`), testSchema)
	wantError(t, err, `m:1:1: unknown type "Dya"; did you mean "Day"?`)
	_, err = ParseDraft("m", strings.NewReader(`Sure! Here is the plan.`), testSchema)
	wantError(t, err, "m:1:1:", "outside the root")
	d, err := ParseDraft("m", strings.NewReader(`<POI name="a"><cost>3</cost></POI>`), testSchema)
	if err != nil || d.Type != "POI" || d.ID != "" || len(d.Fields) != 2 {
		t.Errorf("got %+v, %v", d, err)
	}
}

// FuzzParseDraft checks that what a model writes never makes the reader panic,
// and that a draft that is taken can be reconciled or is refused.
func FuzzParseDraft(f *testing.F) {
	f.Add(`<Plan title="x"><Day index="1"><POI><name>a</name><highlights><highlight/></highlights></POI></Day></Plan>`)
	f.Add(`<Plan id="n1"><Task id="n2" status="open"><Task/></Task></Plan>`)
	old, err := made(&Node{Type: "Plan", Children: []*Node{{Type: "Task"}}}, testSchema)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		d, err := ParseDraft("fuzz", strings.NewReader(doc), testSchema)
		if err != nil {
			return
		}
		if next, err := Reconcile(old, d); err == nil {
			checkTree(t, next)
		}
	})
}
