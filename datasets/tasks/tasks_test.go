package tasks_test

import (
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/tasks"
	"recallbench/internal/testkit/try"
)

const shelf = `<Shelf id="s"><Book id="b1" title="Salt Roads" pages="310"/><Book id="b2" title="Low Tide" pages="120"/></Shelf>`

func TestOwnSuite(t *testing.T) {
	dir := try.Files(t, map[string]string{
		"shelf/tree.xml": shelf,
		"shelf/single.yaml": `
requests:
  - id: q1
    text: Which of them can I finish on the train?
    labels: {operation: read}
    expect: {accept: [{required: [b2]}], answer: {must: [[Low Tide]]}}
    solution: {nodes: [b2], answer: Low Tide.}
`,
	})
	set, err := tasks.Spec.Open(t.Context(), datasets.Env{Base: filepath.Dir(dir)}, tasks.Options{
		Turns: tasks.Single, Split: tasks.All, Dir: filepath.Base(dir),
	})
	try.Do(t, err)
	if len(try.All(t, set.All(t.Context()))) != 1 || try.All(t, set.All(t.Context()))[0].ID != "shelf" || len(try.All(t, set.All(t.Context()))[0].Requests) != 1 {
		t.Fatalf("samples = %+v", try.All(t, set.All(t.Context())))
	}
	g, ok := set.Gold("shelf", "q1")
	if !ok || g.Category != "shelf" || g.Labels["split"] != "dev" || g.Evidence[0] != "b2" || g.Expect == nil {
		t.Errorf("gold = %+v", g)
	}
}

// TestFaults writes suites that are wrong in many ways: each fault is named with
// its place, and all at once.
func TestFaults(t *testing.T) {
	dir := try.Files(t, map[string]string{
		"shelf/tree.xml": shelf,
		"shelf/single.yaml": `
requests:
  - id: q1
    text: ""
    labels: {operation: burn, turn: "3"}
    expect: {accept: [{required: [b9]}], answer: {must: [[]]}}
    solution: {nodes: [b9], answer: x}
  - id: q1
    text: Set it to 400 pages.
    expect: {accept: [{required: [b1]}], tree: {fields: {b1: {pages: {equals: ["400"]}}}}}
    solution: {nodes: [b1], answer: ""}
`,
	})
	_, err := tasks.Spec.Open(t.Context(), datasets.Env{}, tasks.Options{Turns: tasks.Single, Split: tasks.All, Dir: dir})
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{
		"single.yaml:3:5: requests[0]: text is missing", `unknown operation "burn"`, "the label turn is set by the loader",
		`the tree has no node "b9"`, "has no variants", `id "q1" is listed twice`,
		"solution.answer is missing",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	for name, files := range map[string]map[string]string{
		`solution.nodes[0]: the tree has no node "b7"`: {"shelf/tree.xml": shelf, "shelf/single.yaml": `
requests:
  - {id: q1, text: Which?, solution: {nodes: [b7], answer: x}}
`},
		`requests[0].expect: the solution does not meet it`: {"shelf/tree.xml": shelf, "shelf/single.yaml": `
requests:
  - {id: q1, text: Which?, expect: {accept: [{required: [b1]}], tree: {fields: {b1: {page: {equals: ["400"]}}}}}, solution: {nodes: [b1], answer: x}}
`},
		"no suite found":                         {"readme.txt": ""},
		"the document ends before its root does": {"shelf/tree.xml": "<Shelf>", "shelf/single.yaml": "requests: []"},
		"no single tasks":                        {"shelf/tree.xml": shelf},
	} {
		_, err := tasks.Spec.Open(t.Context(), datasets.Env{}, tasks.Options{Turns: tasks.Single, Split: tasks.All, Dir: try.Files(t, files)})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error is %v, want it to say %q", err, name)
		}
	}
}
