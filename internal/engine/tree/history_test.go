package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// trip has two edits and a restored version.
func trip(tb testing.TB) *History {
	tb.Helper()
	h := NewHistory(parse(tb, editDocument))
	commit := func(base int, request string, edits ...Edit) {
		tb.Helper()
		try.Get(h.Commit(base, edits, request, ""))(tb)
	}
	commit(-1, "Drop B, and A costs 3 now.", Edit{Op: Delete, ID: "b"},
		Edit{Op: Update, ID: "a", Set: []Field{{"cost", []string{"3"}}}})
	commit(-1, "Add a pier on day 1 and visit C first.",
		Edit{Op: Create, Parent: "d1", At: -1, Node: &Draft{Type: "POI", Fields: []Field{{"name", []string{"Pier"}}}}},
		Edit{Op: Move, ID: "c", Parent: "d1", At: 0})
	try.Get(h.Restore(1, "Undo all that."))(tb)
	return h
}

func TestHistory(t *testing.T) {
	h := trip(t)
	var b strings.Builder
	for _, v := range h.Versions() {
		b.WriteString(line(v.Tree) + " " + v.Summary + "\n")
		checkTree(t, v.Tree)
	}
	golden.Check(t, "history.txt", b.String())
	v1, _ := h.At(1)
	v4, ok := h.At(-1)
	if !ok || v4 != h.Latest() || v4.Number != 4 || v4.Base != 1 || v4.Tree.Root() != v1.Tree.Root() {
		t.Errorf("the latest is %+v, want version 4 with the tree of version 1", v4)
	}
	d1, _ := v1.Tree.Node("d2")
	v3, _ := h.At(3)
	if d3, _ := v3.Tree.Node("d2"); d1 != d3 {
		t.Error("a subtree that no edit touched is not shared")
	}
	for _, number := range []int{0, 5, -5} {
		if _, ok := h.At(number); ok {
			t.Errorf("there is a version %d", number)
		}
		_, err := h.Commit(number, nil, "", "")
		wantError(t, err, "there is no version", "have 1 to 4, or -1 for the newest")
	}

	// The id of the pier of version 3 does not come again on another branch.
	pier := &Draft{Type: "POI"}
	v, err := h.Preview(1, []Edit{{Op: Create, Parent: "d1", Node: pier}}, "", "")
	if err != nil || line(v.Tree) != "p(d1(n9 a b c) d2(n7))" || len(h.Versions()) != 4 {
		t.Errorf("got %s, %v and %d versions", line(v.Tree), err, len(h.Versions()))
	}
	next, err := h.Reconcile(1, Draft{Type: "Plan", Children: []Draft{{Type: "Day", Children: []Draft{*pier}}}})
	if err != nil || line(next) != "p(n9(n10))" {
		t.Errorf("got %v, %v", next, err)
	}

	_, err = h.Commit(2, []Edit{{Op: Delete, ID: "b"}}, "", "")
	wantError(t, err, `version 2: delete: there is no node with the id "b"`)
	if len(h.Versions()) != 4 {
		t.Error("a rejected edit made a version")
	}
}

func TestPut(t *testing.T) {
	h := NewHistory(parse(t, editDocument))
	_, err := h.Put(1, parse(t, "<Plan id='q'/>"), "", "")
	wantError(t, err, "the new root is Plan q, want Plan p")
	_, err = h.Put(1, parse(t, "<Plan id='p'><Dya index='1'/></Plan>"), "", "")
	wantError(t, err, `unknown type "Dya"; did you mean "Day"?`)
	v := try.Get(h.Put(1, parse(t, "<Plan id='p'><Day id='d1' index='3'/></Plan>"), "Empty it.", ""))(t)
	checkTree(t, v.Tree)
	want := "Updated: Plan > Day 1: index: 1 -> 3; Deleted: Plan > Day 3 > A; Deleted: Plan > Day 3 > B; " +
		"Deleted: Plan > Day 3 > C; Deleted: Plan > Day 2"
	if v.Summary != want {
		t.Errorf("got summary %s, want %s", v.Summary, want)
	}
}

func TestRoot(t *testing.T) {
	h := trip(t)
	text := try.Get(XML(h.Root(), h.Schema(), WriteOptions{IDs: true, Indent: true}))(t)
	golden.Check(t, "root.xml", text)
	golden.Check(t, "root.schema", h.Schema().Text())
	if h.Root().Size() != 1+4*1+7+6+7+7-4 {
		t.Errorf("the root has the size %d", h.Root().Size())
	}
}

// Types, fields and ids that the memory has already are told apart from those
// of versions.
func TestRootNames(t *testing.T) {
	h := NewHistory(parse(t, `<P id="v1" number="7" summary="s"><Version a="1"/><P number="8"/></P>`))
	try.Get(h.Commit(1, []Edit{{Op: Delete, ID: "n1"}}, "r", ""))(t)
	text := try.Get(XML(h.Root(), h.Schema(), WriteOptions{IDs: true, Indent: true}))(t)
	golden.Check(t, "root_names.xml", text)
	again := try.Get(ParseHistory("root.xml", strings.NewReader(text), XMLOptions{}))(t)
	for i, v := range h.Versions() {
		if d := diffNodes(v.Tree.Root(), again.Versions()[i].Tree.Root()); d != "" {
			t.Errorf("version %d (-before +after):\n%s", v.Number, d)
		}
	}
}

// A history that is written reads back with all its versions.
func TestHistoryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := NewHistory(genTree(t))
		for range rapid.IntRange(0, 3).Draw(t, "versions") {
			base := rapid.IntRange(1, len(h.Versions())).Draw(t, "base")
			v, _ := h.At(base)
			next, err := h.Commit(base, genEdits(t, v.Tree, 2), genText().Draw(t, "request"), "")
			if (err == nil) != (next == h.Latest()) {
				t.Fatalf("got %v, %v", next, err)
			}
		}
		text := try.Get(XML(h.Root(), h.Schema(), WriteOptions{IDs: true, Indent: rapid.Bool().Draw(t, "indent")}))(t)
		again, err := ParseHistory("h.xml", strings.NewReader(text), XMLOptions{Schema: testSchema})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(again.Versions()) != len(h.Versions()) {
			t.Fatalf("got %d versions, want %d", len(again.Versions()), len(h.Versions()))
		}
		for i, v := range h.Versions() {
			w := again.Versions()[i]
			if w.Number != v.Number || w.Request != v.Request || w.Summary != v.Summary {
				t.Fatalf("got version %+v, want %+v", w, v)
			}
			if d := diffNodes(v.Tree.Root(), w.Tree.Root()); d != "" {
				t.Fatalf("version %d (-before +after):\n%s\n%s", v.Number, d, text)
			}
			checkTree(t, w.Tree)
		}
	})
}

func TestParseHistoryReleased(t *testing.T) {
	f := try.Get(os.Open(filepath.Join(realdata.Fixtures(t), "semantic-xpath", "trees", "itinerary_toronto_10day.xml")))(t)
	defer f.Close()
	h := try.Get(ParseHistory("toronto.xml", f, XMLOptions{}))(t)
	root := h.Latest().Tree.Root()
	if len(h.Versions()) != 1 || root.Type != "Itinerary" || len(root.Children) != 10 {
		t.Errorf("got %d versions of %s with %d children, want 1 of Itinerary with 10",
			len(h.Versions()), root.Type, len(root.Children))
	}
}

// Versions without ids are recognised, and share what they have in common.
func TestParseHistoryWithoutIDs(t *testing.T) {
	h, err := ParseHistory("h.xml", strings.NewReader(`<Root>
<Trip_Version number="1"><patch_info/><Trip><Day index="1"><P name="a"/></Day><Day index="2"><P name="b"/></Day></Trip></Trip_Version>
<Trip_Version number="2"><patch_info>removed a</patch_info><conversation_history>drop a</conversation_history>
<Trip><Day index="1"/><Day index="2"><P name="b"/></Day></Trip></Trip_Version></Root>`), XMLOptions{})
	try.Do(t, err)
	v1, v2 := h.Versions()[0], h.Versions()[1]
	if v2.Base != 1 || v2.Summary != "removed a" || v2.Request != "drop a" || line(v2.Tree) != "n1(n2 n4(n5))" {
		t.Errorf("got %+v %s", v2, line(v2.Tree))
	}
	a, _ := v1.Tree.Node("n4")
	if b, _ := v2.Tree.Node("n4"); a != b {
		t.Error("day 2 is not shared")
	}
}

func TestParseHistoryRefuses(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{"<Trip/>", "h:1:1: <Trip> is empty, want versions"},
		{"<Trip><Day/></Trip>", "<Day> stands below <Trip>, want versions only"},
		{`<Trip><Version number="2"/></Trip>`, `the version has the number "2", want 1`},
		{`<Trip><Version number="1"/><Day/></Trip>`, "<Day> stands below <Trip>"},
		{`<R><A_Version><A/></A_Version><A_Version><B/></A_Version></R>`, "a version holds <R>, want <A> as in the first"},
		{`<R><Version><a id="1"/><a id="1"/></Version></R>`, `the id "1" is that of line 1 too`},
	} {
		_, err := ParseHistory("h", strings.NewReader(test.doc), XMLOptions{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", test.doc, err, test.want)
		}
	}
}

// FuzzParseHistory checks that no document makes the reader panic.
func FuzzParseHistory(f *testing.F) {
	h := trip(f)
	text, err := XML(h.Root(), h.Schema(), WriteOptions{IDs: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(`<R><A_Version number="1"><patch_info/><A><b>x</b></A></A_Version></R>`)
	f.Fuzz(func(t *testing.T, doc string) {
		h, err := ParseHistory("fuzz", strings.NewReader(doc), XMLOptions{})
		if err != nil {
			return
		}
		for _, v := range h.Versions() {
			checkTree(t, v.Tree)
		}
	})
}
