package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/tasks"
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
	"recallbench/internal/testkit/golden"
)

// TestSuites writes what comes of each request of the suites that may be read,
// with the whole memory at hand: whether it passes, and where it does not,
// whether nothing was changed.
func TestSuites(t *testing.T) {
	extra, err := filepath.Abs("../../../datasets/tasks/testdata/suites")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]tasks.Options{
		"single": {Turns: tasks.Single, Split: tasks.Dev},
		"multi":  {Turns: tasks.Multi, Split: tasks.Dev},
		"extra":  {Turns: tasks.Single, Split: tasks.Dev, Dir: extra},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := tasks.Spec.Open(t.Context(), datasets.Env{}, o)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			counts := make(map[string]int)
			for _, s := range datasettest.Samples(t, set) {
				h := tree.NewHistory(s.Tree)
				for _, r := range s.Requests {
					if !s.Dialogue {
						h = tree.NewHistory(s.Tree)
					}
					g, _ := set.Gold(s.ID, r.ID)
					verdict, told := play(t, h, r, g.Expect)
					counts[verdict]++
					fmt.Fprintf(&b, "%-7s %s %s: %s\n%s", verdict, s.ID, r.ID, r.Text, told)
				}
			}
			fmt.Fprintf(&b, "%v\n", counts)
			golden.Check(t, "outcomes/"+name+".txt", b.String())
		})
	}
}

// TestPlain writes what comes of plain requests about the trees of the suites:
// the edits, or what is read or refused.
func TestPlain(t *testing.T) {
	set, err := tasks.Spec.Open(t.Context(), datasets.Env{}, tasks.Options{Turns: tasks.Single, Split: tasks.Dev})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range datasettest.Samples(t, set) {
		requests, err := os.ReadFile("testdata/plain/" + s.ID + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for request := range strings.Lines(string(requests)) {
			request = strings.TrimSpace(request)
			h := tree.NewHistory(s.Tree)
			out, _, err := New(nil).memory(t.Context(), treetask.MemoryTask{Request: request, Today: s.Requests[0].Time, Versions: h.Versions()})
			if err != nil {
				t.Fatalf("%s: %v", request, err)
			}
			fmt.Fprintf(&b, "%s\n\t%s %v %s\n", request, out.Operation, out.Nodes, out.Answer)
		}
		golden.Check(t, "outcomes/plain-"+s.ID+".txt", b.String())
	}
}

// play answers a request from a history, which an edit makes longer.
func play(t *testing.T, h *tree.History, r datasets.Request, want *expect.Expectation) (verdict, told string) {
	t.Helper()
	rules := New(nil)
	before := h.Latest().Tree
	out, notes, err := rules.memory(t.Context(), treetask.MemoryTask{Request: r.Text, Today: r.Time, Versions: h.Versions()})
	if err != nil {
		t.Fatalf("%s: %v", r.Text, err)
	}
	if out.Content != "" {
		draft, err := tree.ParseDraft("content", strings.NewReader(out.Content), before.Schema())
		if err != nil {
			t.Fatalf("%s: %v", r.Text, err)
		}
		next, err := h.Reconcile(h.Latest().Number, draft)
		if err != nil {
			t.Fatalf("%s: %v", r.Text, err)
		}
		if _, err := h.Put(h.Latest().Number, next, r.Text, ""); err != nil {
			t.Fatalf("%s: %v", r.Text, err)
		}
	}
	if want == nil {
		return "unheld", ""
	}
	after := h.Latest().Tree
	edits := tree.Diff(before, after)
	v := expect.Check(want, expect.Outcome{Nodes: out.Nodes, Answer: out.Answer, First: h.Versions()[0].Tree, Before: before, After: after})
	var b strings.Builder
	fmt.Fprintf(&b, "        %s %v %s\n", out.Operation, out.Nodes, out.Answer)
	if v.Pass() {
		return "pass", b.String()
	}
	fmt.Fprintf(&b, "        %s\n", strings.Join(notes, "; "))
	for _, w := range v.Why {
		fmt.Fprintf(&b, "        - %s\n", w)
	}
	switch {
	case len(edits) > 0:
		return "WRONG", b.String()
	case want.Tree != nil:
		return "refused", b.String()
	}
	return "fail", b.String()
}
