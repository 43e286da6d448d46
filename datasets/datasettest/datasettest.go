// Package datasettest checks that a dataset keeps the contract of package
// datasets. A dataset's test is one line:
//
//	func TestConformance(t *testing.T) { datasettest.Run(t, Spec, env, Spec.Options) }
package datasettest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

// check returns the faults of a dataset; empty is a folder without data.
func check(ctx context.Context, spec *datasets.Spec, env datasets.Env, options any, empty string) []string {
	var r report
	r.spec(spec)
	if spec.Open == nil {
		return r.faults
	}
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
	second, err := spec.Open(ctx, env, options)
	if err != nil {
		r.addf("does not open a second time: %v", err)
		return
	}
	if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(datasets.Set{}), cmp.Comparer(sameTree)); diff != "" {
		r.addf("is another when opened again (-first +second):\n%s", diff)
		return
	}
	defer second.Close()
	for i, e := range first.Entries {
		for _, q := range e.Requests {
			g1, _ := first.Gold(e.ID, q.ID)
			g2, _ := second.Gold(e.ID, q.ID)
			if !cmp.Equal(g1, g2) {
				r.addf("sample %q: request %q: gold is %+v, then %+v", e.ID, q.ID, g1, g2)
			}
		}
		one, err := first.Load(ctx, i)
		other, err2 := second.Load(ctx, i)
		if err := errors.Join(err, err2); err != nil {
			r.addf("sample %q: does not load: %v", e.ID, err)
		} else if diff := diffSamples(one, other); diff != "" {
			r.addf("is another when opened again (-first +second):\n%s", diff)
		}
	}
	for i := range second.Entries {
		for j := range second.Entries[i].Requests {
			second.Entries[i].Requests[j].Text = ""
		}
	}
	third, err := spec.Open(ctx, env, options)
	if err != nil {
		r.addf("does not open a third time: %v", err)
		return
	}
	defer third.Close()
	for _, set := range []*datasets.Set{first, third} {
		if slices.ContainsFunc(set.Entries, func(e datasets.Entry) bool {
			return slices.ContainsFunc(e.Requests, func(q datasets.Request) bool { return q.Text == "" })
		}) {
			r.addf("two sets share memory: a change to one is seen in another")
		}
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

// diffSamples says where two samples differ. What is deeply equal needs no search for
// that, which takes ten times as long.
func diffSamples(one, other datasets.Sample) string {
	if reflect.DeepEqual(one, other) {
		return ""
	}
	return cmp.Diff(one, other, cmp.Comparer(sameTree))
}

// sameTree compares trees by what they write.
func sameTree(a, b *tree.Tree) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, err := tree.XML(a.Root(), a.Schema(), tree.WriteOptions{IDs: true})
	y, other := tree.XML(b.Root(), b.Schema(), tree.WriteOptions{IDs: true})
	return err == nil && other == nil && x == y
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
		if diff := diffSamples(s, again); diff != "" {
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
