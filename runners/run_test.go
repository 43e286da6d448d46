package runners_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/metrics"
	"recallbench/runners"
)

// start begins a run in a new folder.
func start(t *testing.T, p *runners.Plan) *runners.Run {
	t.Helper()
	r := try.Get(p.Start(t.Context(), filepath.Join(t.TempDir(), "run")))(t)
	t.Cleanup(func() { r.Close() })
	return r
}

// times matches what may differ between two runs of the same work.
var times = regexp.MustCompile(`"time":\{[^{}]*(\{[^{}]*\})?[^{}]*\}`)

// files returns the lines of all files below the cells of a run, without
// times.
func files(t *testing.T, f record.Folder) map[string]string {
	t.Helper()
	all := make(map[string]string)
	matches := try.Get(filepath.Glob(filepath.Join(string(f), "cells", "*", "*")))(t)
	for _, path := range append(matches, f.Scores()) {
		name := try.Get(filepath.Rel(string(f), path))(t)
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		try.Do(t, err)
		all[filepath.ToSlash(name)] = times.ReplaceAllString(string(data), "")
	}
	return all
}

func score(t *testing.T, folder record.Folder, h record.Header, specs []*metrics.Spec) {
	t.Helper()
	_, _, err := runners.Score(t.Context(), folder, h, specs)
	try.Do(t, err)
}

func execute(t *testing.T, r *runners.Run, o runners.Options) runners.Result {
	t.Helper()
	result := try.Get(r.Execute(t.Context(), o))(t)
	score(t, r.Folder(), result.Header, []*metrics.Spec{same})
	return result
}

// resume resumes a run to its end.
func resume(t *testing.T, m *toyMethod, f record.Folder, set ...string) runners.Result {
	t.Helper()
	r := try.Get(newPlan(t, m, toyConfig, set...).Resume(string(f)))(t)
	defer r.Close()
	return execute(t, r, runners.Options{})
}

func TestRun(t *testing.T) {
	var m toyMethod
	r := start(t, newPlan(t, &m, toyConfig))
	result := execute(t, r, runners.Options{})
	if result.Requests != 12 || result.Failed != 0 || result.Header.Status != record.Complete {
		t.Errorf("result: %d requests, %d failed, status %s; want 12, 0, complete", result.Requests, result.Failed, result.Header.Status)
	}
	if n := m.built.Load(); n != 3 {
		t.Errorf("built %d memories, want one a sample", n)
	}
	if got := result.Header.Models[0].Served; len(got) != 1 || got[0] != "echo" {
		t.Errorf("served by %q, want echo", got)
	}
	cell := result.Header.Cells[0]
	var got []string
	for rec := range try.Each(t, record.Values[record.Record](r.Folder().Records(cell.ID))) {
		got = append(got, fmt.Sprintf("%s/%s %s %q in=%d out=%d evidence=%d",
			rec.Sample, rec.Request, rec.Status, rec.Answer, rec.Usage["query"]["reader"].Input, rec.Usage["query"]["reader"].Output, len(rec.Evidence)))
	}
	var want []string
	for s := range 3 {
		for q := range 4 {
			want = append(want, fmt.Sprintf(`s%d/q%d ok "question %d of s%d" in=4 out=4 evidence=1`, s, q, q, s))
		}
	}
	try.Equal(t, "records", want, got)
	var scores int
	for s := range try.Each(t, record.Values[record.Score](r.Folder().Scores())) {
		if x := s.Values["same"]; x == nil || *x != 1 {
			t.Errorf("score of %s/%s is %v, want 1", s.Sample, s.Request, x)
		}
		scores++
	}
	if scores != 12 {
		t.Errorf("%d scores, want 12", scores)
	}
}

// TestResume stops a run after each number of requests, resumes it, and
// compares it with a run that was not stopped.
func TestResume(t *testing.T) {
	for _, dialogue := range []string{"false", "true"} {
		t.Run("dialogue="+dialogue, func(t *testing.T) {
			set := "datasets.toy.options.dialogue=" + dialogue
			var whole toyMethod
			r := start(t, newPlan(t, &whole, toyConfig, set))
			execute(t, r, runners.Options{})
			want := files(t, r.Folder())
			for stop := range 12 {
				var m toyMethod
				r := start(t, newPlan(t, &m, toyConfig, set))
				_, err := r.Execute(stopAfter(t, stop), runners.Options{})
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				r.Close()
				resume(t, &m, r.Folder(), set)
				if diff := cmp.Diff(want, files(t, r.Folder())); diff != "" {
					t.Fatalf("stopped after %d requests and resumed, the run differs (-whole +resumed):\n%s", stop, diff)
				}
				if asked := m.asked.Load(); dialogue == "false" && asked > 12+3 {
					t.Errorf("stopped after %d: asked %d times for 12 requests with 3 in flight", stop, asked)
				}
			}
		})
	}
}

func TestFailures(t *testing.T) {
	m := toyMethod{
		build: func(_ context.Context, sample string) error {
			if sample == "s1" {
				return errors.New("disk of the index is gone")
			}
			return nil
		},
		answer: func(_ context.Context, sample string, r datasets.Request) (methods.Response, error) {
			switch {
			case sample == "s2" && r.ID == "q0":
				return methods.Response{}, errors.New("model is down")
			case sample == "s2" && r.ID == "q1":
				panic("index out of range")
			}
			return methods.Response{Text: r.Text}, nil
		},
	}
	plan := newPlan(t, &m, toyConfig)
	r := start(t, plan)
	result := execute(t, r, runners.Options{})
	if result.Requests != 12 || result.Failed != 6 {
		t.Errorf("%d requests, %d failed; want 12 and 6", result.Requests, result.Failed)
	}
	cell := result.Header.Cells[0].ID
	var got []string
	for rec := range try.Each(t, record.Values[record.Record](r.Folder().Records(cell))) {
		if f := rec.Error; f != nil {
			got = append(got, fmt.Sprintf("%s/%s %s: %s", rec.Sample, rec.Request, f.Kind, f.Message))
		}
	}
	want := []string{
		"s1/q0 ingest: disk of the index is gone",
		"s1/q1 ingest: disk of the index is gone",
		"s1/q2 ingest: disk of the index is gone",
		"s1/q3 ingest: disk of the index is gone",
		"s2/q0 answer: model is down",
		"s2/q1 answer: answer panicked: index out of range",
	}
	try.Equal(t, "failures", want, got)
	r.Close()

	var mended toyMethod
	again := try.Get(newPlan(t, &mended, toyConfig).Resume(string(r.Folder())))(t)
	if result := execute(t, again, runners.Options{}); result.Failed != 6 || mended.asked.Load() != 0 {
		t.Errorf("resumed without retry: %d failed, %d asked; want 6 and 0", result.Failed, mended.asked.Load())
	}
	if result := execute(t, again, runners.Options{Retry: true}); result.Failed != 0 || result.Requests != 12 || mended.asked.Load() != 6 {
		t.Errorf("resumed with retry: %d of %d failed, %d asked; want 0 of 12, and 6", result.Failed, result.Requests, mended.asked.Load())
	}
	again.Close()
}

func TestResumeRefuses(t *testing.T) {
	var m toyMethod
	r := start(t, newPlan(t, &m, toyConfig))
	execute(t, r, runners.Options{})
	dir := string(r.Folder())
	refused := func(want string, set ...string) error {
		t.Helper()
		_, err := newPlan(t, &m, toyConfig, set...).Resume(dir)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("resuming with %q: %v, want %q", set, err, want)
		}
		return err
	}
	_ = refused("in use by another process")
	r.Close()
	if err := refused("has SHA-256", "datasets.toy.options.edit=x"); !errors.Is(err, runners.ErrData) {
		t.Errorf("resuming with other data: %v, want ErrData", err)
	}
	_ = refused("the options, model or data of toy on toy with echo have changed", "seed=8")
	if _, err := newPlan(t, &m, toyConfig).Start(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "bench resume") {
		t.Errorf("starting in the folder of a run: %v", err)
	}
}

func TestPlanDatasets(t *testing.T) {
	var m toyMethod
	two := strings.Replace(toyConfig, "datasets: [", "datasets: [{use: toy, label: gone, optional: true, options: {missing: true}}, ", 1)
	p := newPlan(t, &m, two)
	if got := p.Header().Skipped; len(got) != 1 || !strings.Contains(got[0], "dataset gone: toy data: file does not exist") {
		t.Errorf("skipped: %q", got)
	}
	if _, err := tryPlan(t, &m, toyConfig, "datasets.toy.options.missing=true"); err == nil {
		t.Error("a dataset that is not optional and not there is passed over")
	}
	if _, err := tryPlan(t, &m, toyConfig, "datasets.toy.options.requests=0"); err == nil || !strings.Contains(err.Error(), "leave no question") {
		t.Errorf("a dataset without requests: %v", err)
	}
	if got := newPlan(t, &m, toyConfig, "limits.requests=5").Header().Cells[0]; got.Planned != 5 || got.Samples != 2 {
		t.Errorf("limit of 5 requests: %d requests of %d samples, want 5 of 2", got.Planned, got.Samples)
	}
}

func TestTornLine(t *testing.T) {
	var m toyMethod
	f, cell := killed(t)
	want := files(t, f)
	whole := try.Get(os.ReadFile(f.Records(cell)))(t)
	for _, cut := range []int{1, 2, 100, len(whole) / 2, len(whole)} {
		kill(t, f)
		try.Do(t, os.WriteFile(f.Records(cell), whole[:len(whole)-cut], 0o644))
		resume(t, &m, f)
		if diff := cmp.Diff(want, files(t, f)); diff != "" {
			t.Errorf("%d bytes cut off and resumed (-want +got):\n%s", cut, diff)
		}
	}
}
