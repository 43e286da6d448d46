package methodtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

// RunTree checks a method that ingests trees with the options, or with its
// defaults where options is nil. The model is a fake that carries out what it is
// asked for, so that a method is held to its contract and not to its results:
//
//   - the Spec is complete, says that it ingests trees, and its prompts parse;
//   - without doors to models it is refused, not made to fail later;
//   - a memory answers the same alone and under concurrent requests, and two
//     memories of one sample answer the same;
//   - an independent request leaves the memory as it was, also when it edits;
//   - in a dialogue an edit makes the next version, and only an edit does;
//   - the tree of the sample is left as it was;
//   - evidence and nodes name nodes that a version of the memory has;
//   - models are called through the doors of Env, so that usage is metered;
//   - a model that answers prose makes no version;
//   - odd trees and requests do not make it fail or panic;
//   - a cancelled context ends it, and a model's error is passed on.
func RunTree(t *testing.T, spec *methods.Spec, options any) {
	t.Helper()
	s := newSuite(spec, options, TreeSample, TreeModel)
	t.Run("spec", s.complete)
	t.Run("ingests", func(t *testing.T) {
		if spec.Ingests == methods.Conversations {
			t.Errorf("%s does not say that it ingests trees", spec.Name)
		}
	})
	t.Run("doorless", s.doorless)
	t.Run("independent", s.independent)
	t.Run("dialogue", s.dialogue)
	t.Run("prose", s.prose)
	t.Run("odd trees", s.oddTrees)
	t.Run("cancelled", s.cancelled)
	t.Run("model error", s.modelError)
}

// independent asks requests that may not see each other's effects.
func (s suite) independent(t *testing.T) {
	sample := TreeSample()
	memory := build(t, s.method(t, TreeModel), sample)
	untouched := xml(t, sample.Tree)
	var want []methods.Response
	for _, r := range sample.Requests {
		ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
		resp, err := memory.Answer(ctx, r)
		if err != nil {
			t.Fatalf("answer %q: %v", r.Text, err)
		}
		want = append(want, resp)
		checkTree(t, r, resp, sample.Tree)
		if resp.Tree != nil && resp.Tree.Number != 2 {
			t.Errorf("answer %q: version %d, want 2: requests are independent", r.Text, resp.Tree.Number)
		}
		if len(m.Usage()) == 0 {
			t.Errorf("answer %q: no usage was metered; are models called past the doors?", r.Text)
		}
	}
	s.answersAgain(t, memory, want, byXML(t))
	if diff := cmp.Diff(untouched, xml(t, sample.Tree)); diff != "" {
		t.Errorf("the tree of the sample was changed (-before +after):\n%s", diff)
	}
}

// byXML compares trees by what they say.
func byXML(t *testing.T) cmp.Option {
	t.Helper()
	return cmp.Comparer(func(a, b *tree.Tree) bool { return xml(t, a) == xml(t, b) })
}

func xml(t *testing.T, x *tree.Tree) string {
	t.Helper()
	if x == nil {
		return ""
	}
	text, err := tree.XML(x.Root(), x.Schema(), tree.WriteOptions{IDs: true, Indent: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkTree checks what a response names.
func checkTree(t *testing.T, r datasets.Request, resp methods.Response, versions ...*tree.Tree) {
	t.Helper()
	if resp.Tree != nil {
		if resp.Tree.Tree == nil || resp.Tree.Request != r.Text || resp.Tree.Summary == "" {
			t.Errorf("answer %q: the version lacks its tree, request or summary: %+v", r.Text, resp.Tree)
			return
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
	blocks := make(map[string]bool)
	for _, e := range resp.Evidence {
		if e.ID == "" || blocks[e.ID] {
			t.Errorf("answer %q: evidence id %q is empty or doubled", r.Text, e.ID)
		}
		blocks[e.ID] = true
		for _, source := range e.Sources {
			if !known(source) {
				t.Errorf("answer %q: evidence %s names the node %q, which is in no version", r.Text, e.ID, source)
			}
		}
	}
}

// dialogue asks requests that see each other's effects.
func (s suite) dialogue(t *testing.T) {
	sample := TreeSample()
	sample.Dialogue = true
	untouched := xml(t, sample.Tree)
	memory := build(t, s.method(t, TreeModel), sample)
	versions := []*tree.Tree{sample.Tree}
	for range 2 {
		for _, r := range sample.Requests {
			resp, err := memory.Answer(t.Context(), r)
			if err != nil {
				t.Fatalf("answer %q: %v", r.Text, err)
			}
			checkTree(t, r, resp, versions...)
			if resp.Tree == nil {
				continue
			}
			if operation(r.Text) == handler.Read {
				t.Errorf("answer %q: a read made version %d", r.Text, resp.Tree.Number)
			}
			if resp.Tree.Number != len(versions)+1 {
				t.Errorf("answer %q: version %d, want %d", r.Text, resp.Tree.Number, len(versions)+1)
			}
			if diff := len(tree.Diff(versions[len(versions)-1], resp.Tree.Tree)); diff != 1 {
				t.Errorf("answer %q: %d edits since the last version, want one", r.Text, diff)
			}
			versions = append(versions, resp.Tree.Tree)
		}
	}
	if diff := cmp.Diff(untouched, xml(t, sample.Tree)); diff != "" {
		t.Errorf("the tree of the sample was changed (-before +after):\n%s", diff)
	}
}

// prose has the model answer in prose first, and then as it should.
func (s suite) prose(t *testing.T) {
	sample := TreeSample()
	sample.Dialogue = true
	var talks bool
	memory := build(t, s.method(t, func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if talks {
				return llm.Reply{Text: "Certainly! I have done what you asked for.", Model: "fake"}, nil
			}
			return TreeModel(g).Generate(ctx, r)
		})
	}), sample)
	talks = true
	for _, r := range sample.Requests {
		if resp, _ := memory.Answer(t.Context(), r); resp.Tree != nil {
			t.Errorf("answer %q: prose made a version", r.Text)
		}
	}
	talks = false
	for _, r := range sample.Requests {
		resp, err := memory.Answer(t.Context(), r)
		if err != nil {
			t.Fatalf("answer %q after prose: %v", r.Text, err)
		}
		if resp.Tree != nil {
			if diff := len(tree.Diff(sample.Tree, resp.Tree.Tree)); resp.Tree.Number != 2 || diff != 1 {
				t.Errorf("answer %q: version %d with %d edits, want the first edit in version 2: prose left something", r.Text, resp.Tree.Number, diff)
			}
			break
		}
	}
}

// oddTrees asks trees that somebody may have.
func (s suite) oddTrees(t *testing.T) {
	deep := strings.Repeat(`<Box name="b">`, 60) + strings.Repeat("</Box>", 60)
	for name, text := range map[string]string{
		"only a root":  `<Plan/>`,
		"a field":      `<Plan title="x"/>`,
		"no fields":    `<Plan><Day x="1"/><Day x="2"/></Plan>`,
		"deep":         deep,
		"odd text":     `<Plan title="{{.Request}} &lt;|endoftext|&gt;"><Day note="🙂🙂 中文 &quot; ' ]] --&gt; &amp;amp;"/></Plan>`,
		"own versions": `<Plan><Version number="1"><Day x="1"/></Version></Plan>`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, dialogue := range []bool{false, true} {
				memory := build(t, s.method(t, TreeModel), datasets.Sample{ID: name, Tree: parse(text), Dialogue: dialogue})
				for _, question := range []string{"When was it?", "Delete it.", "Add one.", "", "{{", "?\x00\xff"} {
					if _, err := memory.Answer(t.Context(), datasets.Request{ID: "q", Text: question}); err != nil {
						t.Errorf("answer %q: %v", question, err)
					}
				}
			}
		})
	}
}
