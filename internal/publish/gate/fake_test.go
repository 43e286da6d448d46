package gate_test

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/publish/gate"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// fakeMetrics are the metrics of the runs that these tests make up.
func fakeMetrics(name string) (*metrics.Spec, error) {
	spec := map[string]*metrics.Spec{
		"f1":     {Name: "f1", Of: metrics.Answer, Columns: []metrics.Column{{Name: "f1", Scale: 100, Digits: 2}}},
		"bleu":   {Name: "bleu", Of: metrics.Answer, Columns: []metrics.Column{{Name: "bleu", Scale: 100, Digits: 2, FallsWithLength: true}}},
		"recall": {Name: "recall", Of: metrics.Evidence, Columns: []metrics.Column{{Name: "recall", Scale: 100, Digits: 2}}},
		"hits": {Name: "hits", Of: metrics.Evidence, Columns: []metrics.Column{
			{Name: "hits", Scale: 100, Digits: 1, Weight: "blocks"}, {Name: "blocks", Scale: 1, Digits: 1, Neutral: true},
		}},
		"tokens": {Name: "tokens", Of: metrics.Usage, Columns: []metrics.Column{{Name: "tokens", Scale: 1, Digits: 1, Lower: true}}},
		"judge":  {Name: "judge", Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge", Scale: 100, Digits: 1, Binary: true}}},
	}[name]
	if spec == nil {
		return nil, fmt.Errorf("unknown metric %q", name)
	}
	return spec, nil
}

// A fake makes up a run of some methods: 500 questions about ten conversations.
type fake struct {
	id      string
	methods []string
	metrics []string
	n       int // questions; 500 for 0
	samples int // conversations; 10 for 0
	// value is that of a column for a method's i-th question; nil for none.
	value  func(method, column string, i int) *float64
	failed func(method string, i int) bool
	// category is that of a question; one and two by turns for nil.
	category func(i int) int
	change   func(*record.Header)
	spent    map[string]record.Spent // by method
	note     string                  // that of a baseline
}

// subject returns the run as a gate sees it.
func (f fake) subject() gate.Subject {
	f.n = cmp.Or(f.n, 500)
	f.samples = cmp.Or(f.samples, 10)
	if f.methods == nil {
		f.methods = []string{"rag"}
	}
	if f.metrics == nil {
		f.metrics = []string{"f1", "tokens"}
	}
	h := record.Header{
		ID: f.id, Name: "fake", Status: record.Complete, Seed: 1, Metrics: f.metrics,
		Datasets: []record.Dataset{{
			Label: "locomo", Name: "locomo", SHA256: strings.Repeat("a", 64), Samples: f.samples, Requests: f.n, Settings: map[string]string{"category5": "drop"},
			Categories: []record.Category{{ID: "1", Name: "multi-hop"}, {ID: "2", Name: "temporal"}},
		}},
		Models: []record.Model{{Label: "mini", Reader: "mini-1", Tokens: "o200k", Settings: map[string]string{"embedder": "e5"}}},
	}
	for i, m := range f.methods {
		h.Cells = append(h.Cells, record.Cell{ID: fmt.Sprint("c", i), Dataset: "locomo", Method: m, Model: "mini", Use: "flat-rag", Seed: 1, Samples: f.samples, Planned: f.n, Options: map[string]any{"k": 5.0}})
	}
	if f.change != nil {
		f.change(&h)
	}
	s := gate.Subject{
		Run: &report.Run{Name: "runs-" + f.id, Header: h, Scores: f.scores(h)},
		Spent: func() ([]record.Spent, error) {
			var all []record.Spent
			for _, m := range f.methods {
				one := f.spent[m]
				one.Dataset, one.Method, one.Model = "locomo", m, "mini"
				all = append(all, one)
			}
			return all, nil
		},
	}
	if f.note != "" {
		s.Header.Baseline = &record.Baseline{Name: s.Name, Set: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Note: f.note}
	}
	return s
}

func (f fake) scores(h record.Header) iter.Seq2[record.Score, error] {
	return func(yield func(record.Score, error) bool) {
		var columns []string
		for _, name := range h.Metrics {
			spec, err := fakeMetrics(name)
			if err != nil {
				panic(err)
			}
			for _, c := range spec.Columns {
				columns = append(columns, c.Name)
			}
		}
		for _, c := range h.Cells {
			for i := range f.n {
				category := 1 + i%2
				if f.category != nil {
					category = f.category(i)
				}
				s := record.Score{
					Cell: c.ID, Sample: fmt.Sprint("conv-", i%f.samples), Request: fmt.Sprint("q", i),
					Category: strconv.Itoa(category), Status: record.OK, Values: make(map[string]*float64),
				}
				if f.failed != nil && f.failed(c.Method, i) {
					s.Status = record.Error
				}
				for _, name := range columns {
					s.Values[name] = f.value(c.Method, name, i)
				}
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// plain is how a method answers whose F1 is 40 points in the mean.
func plain(_, column string, i int) *float64 {
	switch column {
	case "tokens":
		return new(1000 + float64(i%7))
	case "blocks":
		return new(float64(1 + i%3))
	case "judge":
		return new(float64(i % 2))
	}
	return new(0.4 + 0.3*math.Sin(float64(i)))
}

// moved returns plain with F1 moved by a mean, question by question by a normally
// distributed amount.
func moved(seed uint64, mean, deviation float64) func(method, column string, i int) *float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	noise := make([]float64, 5000)
	for i := range noise {
		noise[i] = mean + deviation*r.NormFloat64()
	}
	return func(method, column string, i int) *float64 {
		x := plain(method, column, i)
		if column == "f1" {
			*x += noise[i]
		}
		return x
	}
}

func options() report.Options { return report.Options{Metric: fakeMetrics} }
