package runners_test

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/metrics"
	"recallbench/runners"
)

// While a run goes on its folder says what it is at, and nothing once it has ended.
func TestProgressFile(t *testing.T) {
	dir := t.TempDir() + "/run"
	synctest.Test(t, func(t *testing.T) {
		var seen []*record.Progress
		var m toyMethod
		m.answer = func(ctx context.Context, sample string, r datasets.Request) (methods.Response, error) {
			defer meter.Stage(ctx, "retrieve")()
			time.Sleep(1500 * time.Millisecond)
			if sample == "s0" && r.ID == "q2" {
				time.Sleep(20 * time.Second)
			}
			p, err := record.ReadProgress(dir)
			if err != nil {
				t.Error(err)
			}
			seen = append(seen, p)
			return methods.Response{Text: r.Text}, nil
		}
		r := try.Get(newPlan(t, &m, toyConfig, "concurrency={samples: 1, requests: 1}", "budget={tokens: 100}").Start(t.Context(), dir))(t)
		defer r.Close()
		try.Get(r.Execute(t.Context(), runners.Options{}))(t)
		if len(seen) != 12 || seen[0] == nil || seen[2] == nil {
			t.Fatalf("%d requests saw %v", len(seen), seen)
		}
		first, third := seen[0], seen[2]
		if first.Total != 12 || first.Done != 0 || first.PID != os.Getpid() || first.Host != record.Host() || first.Budget.Tokens != 100 || len(first.InFlight) == 0 {
			t.Errorf("the first request sees %+v", first)
		}
		if in := first.InFlight[0]; in.Sample != "s0" || in.Request != "q0" || in.Stage != "retrieve" {
			t.Errorf("in flight is %+v", in)
		}
		// Nothing changed for 20 seconds, and still it is known that the process lives.
		if age := time.Since(first.Begun) - third.Time.Sub(third.Begun); third.Done != 2 || third.Time.Sub(third.Begun) < 20*time.Second || age < 0 {
			t.Errorf("the third request sees %+v", third)
		}
	})
	if p, err := record.ReadProgress(dir); p != nil || err != nil {
		t.Errorf("after the end there is %+v, %v", p, err)
	}
}

// Records are scored alone as the whole run is.
func TestRecordScorer(t *testing.T) {
	for set, ingests := range map[string]methods.Ingests{
		"datasets=[{use: toy, options: {samples: 2, requests: 3}}]":              methods.Conversations,
		"datasets=[{use: toy, options: {samples: 2, requests: 3, trees: true}}]": methods.Trees,
	} {
		m := toyMethod{ingests: ingests}
		r := start(t, newPlan(t, &m, toyConfig, set))
		try.Get(r.Execute(t.Context(), runners.Options{}))(t)
		h := r.Header()
		specs := []*metrics.Spec{same, metrics.EvidenceRecallSpec}
		score(t, r.Folder(), h, specs)
		want := make(map[record.Asked]record.Score)
		for s := range try.Each(t, record.Scores(r.Folder(), h)) {
			want[record.Asked{Sample: s.Sample, Request: s.Request}] = s
		}
		c := h.Cells[0]
		blocks := try.All(t, record.Values[record.Block](r.Folder().Blocks(c.ID)))
		scoreOne := try.Get(runners.RecordScorer(r.Folder(), h, c, specs, blocks))(t)
		records := try.All(t, record.Values[record.Record](r.Folder().Records(c.ID)))
		for _, rec := range records {
			got := try.Get(scoreOne(rec))(t)
			try.Equal(t, rec.Sample+"/"+rec.Request, want[record.Asked{Sample: rec.Sample, Request: rec.Request}].Values, got.Values)
		}
		if len(records) != 6 {
			t.Errorf("%d records", len(records))
		}
		if _, err := scoreOne(record.Record{Sample: "none"}); err == nil {
			t.Error("a record of no request is no error")
		}
	}
}
