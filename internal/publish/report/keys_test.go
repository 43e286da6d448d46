package report

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"recallbench/datasets/errata"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// keyedRun is a run of two methods over twenty questions about four conversations.
// The answers of the last four are disputed; two of them have a corrected one.
// The judge accepts all answers of the first method. By f1 it is ahead under the
// published key alone.
func keyedRun() *Run {
	d := locomoDataset(4, 20)
	d.Key = errata.Published
	d.Errata = []record.Overlay{{Name: "mine", Version: "2", SHA256: strings.Repeat("ab", 32), License: "CC0-1.0", Source: "https://example.org", Attribution: "A. Reader"}}
	r := &Run{Name: "keyed", Header: record.Header{
		ID: "r1", Name: "keyed", Status: record.Complete, Seed: 7, Binary: record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()}, Metrics: []string{"f1@mem0", "judge", "tokens"},
		Cells: []record.Cell{
			{ID: "c1", Dataset: d.Label, Method: "lenient", Use: "lenient", Model: "offline", Planned: 20},
			{ID: "c2", Dataset: d.Label, Method: "strict", Use: "strict", Model: "offline", Planned: 20},
		},
	}}
	r.Under = func(key errata.Key) iter.Seq2[record.Score, error] {
		return func(yield func(record.Score, error) bool) {
			for i, c := range r.Header.Cells {
				for q := range 20 {
					s := record.Score{
						Cell: c.ID, Key: key, Sample: fmt.Sprintf("conv-%d", q%4), Request: fmt.Sprintf("q%d", q),
						Category: []string{"1", "4"}[q%2], Status: record.OK,
						Values: map[string]*float64{"tokens-query": new(10.0)},
					}
					objected := q >= 16
					s.Out = objected && (key == errata.Excluded || key == errata.Corrected && q >= 18)
					switch {
					case s.Out:
						s.Values["f1@mem0"], s.Values["judge"] = nil, nil
					case objected && key == errata.Corrected:
						s.Values["f1@mem0"], s.Values["judge"] = new(0.5), nil
					case i == 0 && objected:
						s.Values["f1@mem0"], s.Values["judge"] = new(1.0), new(1.0)
					case i == 0:
						s.Values["f1@mem0"], s.Values["judge"] = new(0.5), new(1.0)
					default:
						s.Values["f1@mem0"], s.Values["judge"] = new(0.55+0.01*float64(q%4)-btof(objected)*0.5), new(1-btof(q%4 == 0))
					}
					if !yield(s, nil) {
						return
					}
				}
			}
		}
	}
	r.Scores = r.Under(errata.Published)
	return r
}

func btof(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestKeys(t *testing.T) {
	d := try.Get(Build([]*Run{keyedRun()}, Options{Metric: fakeMetrics, Keys: true}))(t)
	for _, format := range []string{"text", "csv"} {
		var b strings.Builder
		try.Do(t, d.Write(&b, format))
		golden.Check(t, "keys."+format, b.String())
	}
}

func TestKeysWithoutErrata(t *testing.T) {
	_, err := Build([]*Run{standInRun()}, Options{Metric: fakeMetrics, Keys: true})
	if err == nil || !strings.HasPrefix(err.Error(), "nothing to print") {
		t.Errorf("error %v", err)
	}
}
