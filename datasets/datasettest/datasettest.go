// Package datasettest checks that a dataset keeps the contract of package
// datasets. A dataset's test is one line:
//
//	func TestConformance(t *testing.T) { datasettest.Run(t, Spec, env, Spec.Options) }
package datasettest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
)

// Run fails t for every way in which the dataset, opened in env with options,
// breaks the contract.
func Run(t *testing.T, spec *datasets.Spec, env datasets.Env, options any) {
	t.Helper()
	for _, fault := range check(t.Context(), spec, env, options, t.TempDir()) {
		t.Errorf("dataset %q: %s", spec.Name, fault)
	}
}

// CheckSet fails tb for every way in which a set of the dataset breaks the
// contract. It is what Run checks of a set, for fuzz tests.
func CheckSet(tb testing.TB, spec *datasets.Spec, set *datasets.Set) {
	tb.Helper()
	var r report
	r.set(tb.Context(), spec, set)
	for _, fault := range r.faults {
		tb.Errorf("dataset %q: %s", spec.Name, fault)
	}
}

// Samples loads all samples of a small set.
func Samples(tb testing.TB, set *datasets.Set) []datasets.Sample {
	tb.Helper()
	var all []datasets.Sample
	for s, err := range set.All(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// A report collects faults.
type report struct {
	faults []string
	names  map[string]bool // of golds, in the set
}

func (r *report) addf(format string, args ...any) {
	const most = 50
	switch n := len(r.faults); {
	case n < most:
		r.faults = append(r.faults, fmt.Sprintf(format, args...))
	case n == most:
		r.faults = append(r.faults, "and more")
	}
}

// A wants adds the fault that a format describes unless something holds.
type wants func(holds bool, format string, args ...any)

// in returns what adds faults of a place.
func (r *report) in(format string, args ...any) wants {
	return func(holds bool, what string, of ...any) {
		if !holds {
			r.addf("%s%s", fmt.Sprintf(format, args...), fmt.Sprintf(what, of...))
		}
	}
}

// check returns the faults of a dataset; empty is a folder without data.
func check(ctx context.Context, spec *datasets.Spec, env datasets.Env, options any, empty string) []string {
	var r report
	if got, want := reflect.TypeOf(options), reflect.TypeOf(spec.Options); got != want {
		r.addf("options are %v, want %v as in the Spec", got, want)
		return r.faults
	}
	before := fmt.Sprintf("%#v", spec.Options)
	first, err := spec.Open(ctx, env, options)
	if err != nil {
		r.addf("does not open: %v", err)
		return r.faults
	}
	defer first.Close()
	r.set(ctx, spec, first)
	r.again(ctx, spec, env, options, first)
	if after := fmt.Sprintf("%#v", spec.Options); after != before {
		r.addf("Open changed the Spec's options from %s to %s", before, after)
	}
	r.refusals(ctx, spec, env, options, empty)
	return r.faults
}

// again opens the dataset twice more: what is loaded is the same each time,
// and not shared between sets.
func (r *report) again(ctx context.Context, spec *datasets.Spec, env datasets.Env, options any, first *datasets.Set) {
	want := snapshot(ctx, first)
	for _, change := range []bool{true, false} {
		set, err := spec.Open(ctx, env, options)
		if err != nil {
			r.addf("does not open again: %v", err)
			return
		}
		defer set.Close()
		if diff := diffLines(want, snapshot(ctx, set)); diff != "" {
			r.addf("is another when opened again (-first +second):\n%s", diff)
		}
		for i := range set.Entries {
			for j := range set.Entries[i].Requests {
				if change {
					set.Entries[i].Requests[j].Text = ""
				}
			}
		}
	}
	if snapshot(ctx, first) != want {
		r.addf("two sets share memory: a change to one is seen in another")
	}
}

// snapshot writes all that a set holds, as lines of JSON.
func snapshot(ctx context.Context, set *datasets.Set) string {
	var b strings.Builder
	line := func(v any) {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	line(set)
	for i, e := range set.Entries {
		sample, err := set.Load(ctx, i)
		line(fmt.Sprint(err))
		line(text(sample))
		for _, q := range e.Requests {
			g, ok := set.Gold(e.ID, q.ID)
			line([]any{ok, g, g.History})
		}
	}
	return b.String()
}

// text writes a sample with its tree.
func text(s datasets.Sample) string {
	nodes := ""
	if s.Tree != nil {
		var err error
		if nodes, err = tree.XML(s.Tree.Root(), s.Tree.Schema(), tree.WriteOptions{IDs: true}); err != nil {
			nodes = err.Error()
		}
	}
	s.Tree = nil
	data, err := json.Marshal(s)
	return fmt.Sprintln(string(data), err, nodes)
}

// diffLines says in which lines two texts differ.
func diffLines(one, other string) string {
	if one == other { // found sooner than by comparing lines
		return ""
	}
	return cmp.Diff(strings.Split(one, "\n"), strings.Split(other, "\n"))
}

// loads loads a sample again while the next is loaded, changes one copy, and finds
// the others as they were.
func (r *report) loads(ctx context.Context, set *datasets.Set, i int, s datasets.Sample) {
	var next sync.WaitGroup
	next.Go(func() { _, _ = set.Load(ctx, (i+1)%len(set.Entries)) }) // its own turn reports the error
	defer next.Wait()
	same := func(what string) (again datasets.Sample, ok bool) {
		again, err := set.Load(ctx, i)
		if err != nil {
			r.addf("sample %q: does not load %s: %v", s.ID, what, err)
			return again, false
		}
		if diff := diffLines(text(s), text(again)); diff != "" {
			r.addf("sample %q: is another %s (-first +second):\n%s", s.ID, what, diff)
			return again, false
		}
		return again, true
	}
	if again, ok := same("a second time"); ok {
		scribble(&again)
		if len(s.Sessions) > 0 && reflect.DeepEqual(s.Sessions, again.Sessions) {
			r.addf("sample %q: two copies share memory: a change to one is seen in another", s.ID)
		}
		same("after a copy was changed")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := set.Load(cancelled, i); !errors.Is(err, context.Canceled) {
		r.addf("sample %q: loaded with a cancelled context the error is %v, want context.Canceled", s.ID, err)
	}
}

// scribble changes all of a sample that a method could change.
func scribble(s *datasets.Sample) {
	for i := range s.Sessions {
		for j := range s.Sessions[i].Turns {
			turn := &s.Sessions[i].Turns[j]
			turn.Text = ""
			if turn.Image != nil {
				turn.Image.Caption = ""
			}
		}
	}
	for i := range s.Requests {
		s.Requests[i].Text = ""
	}
	clear(s.Speakers)
}

// refusals opens the dataset as it cannot be opened.
func (r *report) refusals(ctx context.Context, spec *datasets.Spec, env datasets.Env, options any, empty string) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := spec.Open(cancelled, env, options); !errors.Is(err, context.Canceled) {
		r.addf("opened with a cancelled context the error is %v, want context.Canceled", err)
	}
	type other struct{}
	if _, err := spec.Open(ctx, env, other{}); err == nil && spec.Options != nil {
		r.addf("takes options of another type than the Spec's")
	}
	if len(spec.Files) == 0 {
		return
	}
	for _, dir := range []string{"", empty} {
		elsewhere := env
		elsewhere.Dir = dir
		if _, err := spec.Open(ctx, elsewhere, spec.Options); !errors.Is(err, fs.ErrNotExist) {
			r.addf("without its data (folder %q) the error is %v, want one that wraps fs.ErrNotExist", dir, err)
		}
	}
}
