package suite_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

const cellarXML = `<Cellar id="c1">
  <keeper>Ilse</keeper>
  <Rack id="c2">
    <index>1</index>
    <wall>north</wall>
    <Bottle id="c3"><name>Elderflower cordial</name><made>June</made><tags><tag>sweet</tag><tag>for guests</tag></tags></Bottle>
    <Bottle id="c4"><name>Plum brandy</name><made>September</made><note>Not for children</note></Bottle>
  </Rack>
  <Rack id="c5">
    <index>2</index>
    <wall>east</wall>
    <Bottle id="c6"><name>Cider vinegar</name><made>October</made></Bottle>
    <Bottle id="c7"><name>Tomato passata</name><made>August</made><tags><tag>cooking</tag></tags></Bottle>
  </Rack>
</Cellar>`

// cellar is a small tree with requests that read and edit it.
func cellar() datasets.Sample {
	s := datasets.Sample{ID: "cellar", Tree: parse(cellarXML)}
	for i, text := range []string{
		"Which bottles are on the north wall?", "Delete what comes last.", "What was made in August?", "Add something.", "Who keeps the cellar?",
	} {
		s.Requests = append(s.Requests, datasets.Request{ID: strconv.Itoa(i), Text: text, Time: time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)})
	}
	return s
}

// dialogue is the cellar with requests that see each other's effects.
func dialogue() datasets.Sample {
	s := cellar()
	s.Dialogue = true
	return s
}

func parse(xml string) *tree.Tree {
	t, err := tree.ParseXML("tree of a test", strings.NewReader(xml), tree.XMLOptions{})
	if err != nil {
		panic(err) // a mistake of this test
	}
	return t
}

func xml(t *testing.T, x *tree.Tree) string {
	t.Helper()
	if x == nil {
		return ""
	}
	return try.Get(tree.XML(x.Root(), x.Schema(), tree.WriteOptions{IDs: true, Indent: true}))(t)
}

// checkTree checks that a response names nodes of versions of the memory, that of its own
// edit among them.
func checkTree(t *testing.T, r datasets.Request, resp methods.Response, versions ...*tree.Tree) {
	t.Helper()
	if resp.Tree != nil {
		if resp.Tree.Tree == nil || resp.Tree.Request != r.Text || resp.Tree.Summary == "" {
			t.Fatalf("answer %q: the version lacks its tree, request or summary: %+v", r.Text, resp.Tree)
		}
		versions = append(versions, resp.Tree.Tree)
	}
	known := func(id string) bool {
		for _, v := range versions {
			if _, ok := v.Node(id); ok {
				return true
			}
		}
		return false
	}
	for _, id := range resp.Nodes {
		if !known(id) {
			t.Errorf("answer %q: node %q is in no version", r.Text, id)
		}
	}
	checkEvidence(t, resp, known, "")
}

// TestTrees checks of independent requests about a tree what TestConversations checks of a
// conversation, and that none sees what another edits.
func TestTrees(t *testing.T) {
	each(t, methods.Trees, func(t *testing.T, s subject) {
		t.Helper()
		method := methodtest.Method(t, s.Spec, s.options, methodtest.TreeModel)
		plan := cellar()
		memory, untouched := build(t, method, plan), xml(t, plan.Tree)
		var want []methods.Response
		for _, r := range plan.Requests {
			ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
			resp := try.Get(memory.Answer(ctx, r))(t)
			want = append(want, resp)
			checkTree(t, r, resp, plan.Tree)
			if resp.Tree != nil && resp.Tree.Number != 2 {
				t.Errorf("answer %q: version %d, want 2: requests are independent", r.Text, resp.Tree.Number)
			}
			if len(m.Seen().Usage) == 0 {
				t.Errorf("answer %q: no usage was metered; are models called past the doors?", r.Text)
			}
		}
		again := build(t, methodtest.Method(t, s.Spec, s.options, methodtest.TreeModel), cellar())
		sameAnswers(t, want, plan.Requests, memory, again, cmp.Comparer(func(a, b *tree.Tree) bool { return xml(t, a) == xml(t, b) }))
		try.Equal(t, "the tree", untouched, xml(t, plan.Tree))
	})
}

// TestDialogues checks that in a dialogue an edit makes the next version, and only an edit
// does.
func TestDialogues(t *testing.T) {
	each(t, methods.Trees, func(t *testing.T, s subject) {
		t.Helper()
		plan := dialogue()
		untouched := xml(t, plan.Tree)
		memory := build(t, methodtest.Method(t, s.Spec, s.options, methodtest.TreeModel), plan)
		versions := []*tree.Tree{plan.Tree}
		for range 2 {
			for _, r := range plan.Requests {
				resp := try.Get(memory.Answer(t.Context(), r))(t)
				checkTree(t, r, resp, versions...)
				if resp.Tree == nil {
					continue
				}
				if strings.HasSuffix(r.Text, "?") {
					t.Errorf("answer %q: a read made version %d", r.Text, resp.Tree.Number)
				}
				if edits := len(tree.Diff(versions[len(versions)-1], resp.Tree.Tree)); resp.Tree.Number != len(versions)+1 || edits != 1 {
					t.Errorf("answer %q: version %d with %d edits, want %d with one", r.Text, resp.Tree.Number, edits, len(versions)+1)
				}
				versions = append(versions, resp.Tree.Tree)
			}
		}
		try.Equal(t, "the tree", untouched, xml(t, plan.Tree))
	})
}

// TestProse has the model answer in prose, which makes no version and leaves nothing.
func TestProse(t *testing.T) {
	each(t, methods.Trees, func(t *testing.T, s subject) {
		t.Helper()
		talks, plan := true, dialogue()
		memory := build(t, methodtest.Method(t, s.Spec, s.options, func(g llm.Generator) llm.Generator {
			return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
				if talks {
					return llm.Reply{Text: "Certainly! I have done what you asked for.", Model: "fake"}, nil
				}
				return methodtest.TreeModel(g).Generate(ctx, r)
			})
		}), plan)
		for _, r := range plan.Requests {
			if resp, _ := memory.Answer(t.Context(), r); resp.Tree != nil {
				t.Errorf("answer %q: prose made a version", r.Text)
			}
		}
		talks = false
		for _, r := range plan.Requests {
			resp := try.Get(memory.Answer(t.Context(), r))(t)
			if resp.Tree != nil {
				if edits := len(tree.Diff(plan.Tree, resp.Tree.Tree)); resp.Tree.Number != 2 || edits != 1 {
					t.Errorf("answer %q: version %d with %d edits, want the first edit in version 2", r.Text, resp.Tree.Number, edits)
				}
				break
			}
		}
	})
}

// TestOddTrees asks trees that somebody may have.
func TestOddTrees(t *testing.T) {
	each(t, methods.Trees, func(t *testing.T, s subject) {
		t.Helper()
		method := methodtest.Method(t, s.Spec, s.options, methodtest.TreeModel)
		for name, text := range map[string]string{
			"only a root":  `<Plan/>`,
			"a field":      `<Plan title="x"/>`,
			"no fields":    `<Plan><Day x="1"/><Day x="2"/></Plan>`,
			"deep":         strings.Repeat(`<Box name="b">`, 60) + strings.Repeat("</Box>", 60),
			"odd text":     `<Plan title="{{.Request}} &lt;|endoftext|&gt;"><Day note="🙂🙂 中文 &quot; ' ]] --&gt; &amp;amp;"/></Plan>`,
			"own versions": `<Plan><Version number="1"><Day x="1"/></Version></Plan>`,
		} {
			for _, dialogue := range []bool{false, true} {
				memory := build(t, method, datasets.Sample{ID: name, Tree: parse(text), Dialogue: dialogue})
				for _, question := range []string{"When was it?", "Delete it.", "Add one.", "", "{{", "?\x00\xff"} {
					if _, err := memory.Answer(t.Context(), datasets.Request{ID: "q", Text: question}); err != nil {
						t.Errorf("%s: answer %q: %v", name, question, err)
					}
				}
			}
		}
	})
}
