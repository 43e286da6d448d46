package runners_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/metrics"
	"recallbench/runners"
)

// A crosser deletes the first item of a list at each request. Where it is a
// dialogue's, it goes on from what is left.
type crosser struct {
	dialogue bool
	fail     map[string]bool // requests to fail at, by id
	mu       sync.Mutex
	lists    map[string]*tree.History
}

func (c *crosser) method(t *testing.T) *toyMethod {
	t.Helper()
	first := try.Get(tree.ParseXML("toy", strings.NewReader(toyTree), tree.XMLOptions{}))(t)
	c.lists = make(map[string]*tree.History)
	return &toyMethod{
		ingests: methods.Trees,
		build: func(_ context.Context, sample string) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.lists[sample] = tree.NewHistory(first)
			return nil
		},
		answer: func(_ context.Context, sample string, r datasets.Request) (methods.Response, error) {
			if c.fail[r.ID] {
				return methods.Response{}, errors.New("no pen")
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			h := c.lists[sample]
			id := h.Latest().Tree.Root().Children[0].ID
			edit, change := tree.Edit{Op: tree.Delete, ID: id}, h.Preview
			if c.dialogue {
				change = h.Commit
			}
			v, err := change(h.Latest().Number, []tree.Edit{edit}, r.Text, "")
			return methods.Response{Text: id, Nodes: []string{id}, Tree: v}, err
		},
	}
}

func passes(t *testing.T, r *runners.Run, h record.Header) (passed []string) {
	t.Helper()
	score(t, r.Folder(), h, []*metrics.Spec{metrics.PassSpec})
	for line := range try.Each(t, record.Lines[record.Score](r.Folder().Scores())) {
		s := line.Value
		if (*s.Values["pass"] == 1) != (len(s.Why) == 0) {
			t.Errorf("%s: pass is %v, because %q", s.Request, *s.Values["pass"], s.Why)
		}
		if *s.Values["pass"] == 1 {
			passed = append(passed, s.Sample+s.Request+" turn "+s.Labels["turn"])
		}
	}
	return passed
}

// TestTrees asks about trees: the edits of a dialogue build on each other, those
// of other requests all start from the same tree.
func TestTrees(t *testing.T) {
	for dialogue, want := range map[bool]string{false: "s0q0 turn 1", true: "s0q0 turn 1 s0q1 turn 2 s0q2 turn 3"} {
		r := start(t, newPlan(t, (&crosser{dialogue: dialogue}).method(t), toyConfig, treesSet(dialogue)))
		result, err := r.Execute(t.Context(), runners.Options{})
		if err != nil || result.Failed > 0 {
			t.Fatalf("%d failed: %v", result.Failed, err)
		}
		if got := strings.Join(passes(t, r, result.Header), " "); got != want {
			t.Errorf("dialogue %v: passed %q, want %q", dialogue, got, want)
		}
	}
}

// treesSet sets one sample of three requests about a tree.
func treesSet(dialogue bool) string {
	return fmt.Sprintf("datasets.toy.options={trees: true, samples: 1, requests: 3, dialogue: %v}", dialogue)
}

// TestRetryDialogue asks a request of a dialogue again that had failed: what came
// after it is recorded anew, because it sees another tree now.
func TestRetryDialogue(t *testing.T) {
	c := &crosser{dialogue: true, fail: map[string]bool{"q1": true}}
	m := c.method(t)
	r := start(t, newPlan(t, m, toyConfig, treesSet(true)))
	result, err := r.Execute(t.Context(), runners.Options{})
	if err != nil || result.Failed != 1 {
		t.Fatalf("%d failed, want 1: %v", result.Failed, err)
	}
	if got := strings.Join(passes(t, r, result.Header), " "); got != "s0q0 turn 1" {
		t.Errorf("passed %q, want the first alone: the third finds i1 where i2 should be", got)
	}
	try.Do(t, r.Close())
	c.fail = nil
	r = try.Get(newPlan(t, m, toyConfig, treesSet(true)).Resume(string(r.Folder())))(t)
	t.Cleanup(func() { r.Close() })
	if result, err = r.Execute(t.Context(), runners.Options{Retry: true}); err != nil || result.Failed != 0 {
		t.Fatalf("%d failed: %v", result.Failed, err)
	}
	if got, want := strings.Join(passes(t, r, result.Header), " "), "s0q0 turn 1 s0q1 turn 2 s0q2 turn 3"; got != want {
		t.Errorf("passed %q, want %q", got, want)
	}
}

// TestIngests lays plans of methods and data that do not go together.
func TestIngests(t *testing.T) {
	_, err := tryPlan(t, &toyMethod{ingests: methods.Trees}, toyConfig)
	if err == nil || !strings.Contains(err.Error(), `method toy on toy: toy needs trees, toy has conversations; exclude: [{method: "toy", dataset: "toy"}] leaves it out`) {
		t.Errorf("a method of trees on conversations: %v", err)
	}
	_, err = tryPlan(t, &toyMethod{}, toyConfig, "datasets.toy.options.trees=true")
	if err == nil || !strings.Contains(err.Error(), "toy needs conversations, toy has trees") {
		t.Errorf("a method of conversations on trees: %v", err)
	}
}

// TestFaultyResponses is a method that edits a tree where there is none, and one that fails
// with a trace, which is kept.
func TestFaultyResponses(t *testing.T) {
	for trace, answer := range map[int]func() (methods.Response, error){
		0: func() (methods.Response, error) { return methods.Response{Tree: &tree.Version{}}, nil },
		1: func() (methods.Response, error) {
			return methods.Response{Text: "half", Trace: []methods.Step{{Name: "looked"}}}, errors.New("no pen")
		},
	} {
		m := &toyMethod{answer: func(context.Context, string, datasets.Request) (methods.Response, error) { return answer() }}
		r := start(t, newPlan(t, m, toyConfig))
		result := execute(t, r, runners.Options{})
		if result.Failed != 12 {
			t.Errorf("%d requests failed, want all 12", result.Failed)
		}
		for line := range try.Each(t, record.Lines[record.Record](r.Folder().Records(result.Header.Cells[0].ID))) {
			if rec := line.Value; rec.Answer != "" || len(rec.Trace) != trace || rec.Status != record.Error {
				t.Errorf("record = %+v, want an error with its trace and no answer", rec)
			}
		}
	}
}
