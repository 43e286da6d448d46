package runners

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"recallbench/datasets"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// A StopRule ends a run once a column shows that two methods differ, by evidence that may
// be looked at after each sample.
type StopRule struct {
	New, Base string  // labels of the methods
	Delta     float64 // smallest difference of interest, above 0, in the unit of tables
	Column    metrics.Column
	Metric    *metrics.Spec // of answers
}

// Check reports why a run of a config cannot have the rule.
func (r StopRule) Check(c *config.Config) error {
	labels := lists.Map(c.Methods, func(m config.Entry) string { return m.Label })
	var faults []error
	if r.Metric.Of != metrics.Answer || !ScoredAlone(r.Metric) || r.Column.Weight != "" {
		faults = append(faults, fmt.Errorf("the column %s does not score answers one by one; want one such as f1@mem0", r.Column.Name))
	}
	for _, label := range []string{r.New, r.Base} {
		if !slices.Contains(labels, label) {
			faults = append(faults, errors.New(suggest.Unknown("method", label, labels)))
		}
	}
	if r.New == r.Base {
		faults = append(faults, fmt.Errorf("%s is held against itself; want two methods", r.New))
	}
	if len(c.Datasets) != 1 || len(c.Models) > 1 || len(c.Seeds) > 1 {
		faults = append(faults, errors.New("the config has several datasets, models or seeds; want one of each"))
	}
	if c.Shard != (config.Shard{}) {
		faults = append(faults, errors.New("a shard does not see all samples; want the whole run"))
	}
	return errors.Join(faults...)
}

// A watch looks at the difference of the methods of a rule, sample by sample.
type watch struct {
	rule StopRule
	*record.Stopping
	scorers [2]*RecordScorer // of the base and the new method
	cells   [2]*cell
}

// watch returns what looks at a rule, or why the run cannot have it.
func (e *execution) watch(rule StopRule) (*watch, error) {
	w := &watch{rule: rule, Stopping: &record.Stopping{Column: rule.Column.Name, New: rule.New, Base: rule.Base, Delta: rule.Delta}}
	for side, label := range [2]string{rule.Base, rule.New} {
		of := lists.Filter(e.plan.cells, func(c *cell) bool { return c.Method == label })
		if len(of) != 1 {
			return nil, fmt.Errorf("stop rule: %s has %d cells, want one", label, len(of))
		}
		var err error
		w.cells[side] = of[0]
		if w.scorers[side], err = NewRecordScorer(e.folder, e.plan.header, of[0].Cell, []*metrics.Spec{rule.Metric}); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// askUntil asks one sample of all cells after the other, in an order drawn by the seed,
// until the rule ends the run.
func (e *execution) askUntil(ctx context.Context, stop context.CancelCauseFunc) error {
	w, err := e.watch(*e.Stop)
	if err != nil {
		return err
	}
	var order []string
	for _, s := range e.stores {
		order = lists.AddNew(order, lists.Map(s.cell.samples, func(entry datasets.Entry) string { return entry.ID })...)
	}
	r := rand.New(rand.NewPCG(e.plan.header.Seed, uint64(len(order))))
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	e.plan.header.Stopping = w.Stopping
	for _, id := range order {
		samples := pool.New().WithMaxGoroutines(e.plan.config.Concurrency.Samples)
		for _, s := range e.stores {
			if i := slices.IndexFunc(s.cell.samples, func(entry datasets.Entry) bool { return entry.ID == id }); i >= 0 {
				e.askSample(ctx, stop, samples, s, s.cell.samples[i])
			}
		}
		samples.Wait()
		e.requests.Wait()
		e.requests = pool.New().WithMaxGoroutines(e.plan.config.Concurrency.Requests)
		if ctx.Err() != nil || e.stopping() {
			break
		}
		if err := w.look(id); err != nil {
			return err
		}
		if w.Shown {
			e.plan.header.Stopped = fmt.Sprintf("stopped early: %s and %s differ in %s after %d of %d samples", w.New, w.Base, w.Column, len(w.Looks), len(order))
			break
		}
	}
	return nil //nolint:nilerr // the run tells why ctx has ended
}

// askSample asks what is left of a sample of a cell.
func (e *execution) askSample(ctx context.Context, stop context.CancelCauseFunc, samples *pool.Pool, s *store, entry datasets.Entry) {
	if !e.left(s, entry) {
		return
	}
	samples.Go(func() {
		if ctx.Err() != nil || e.stopping() {
			return
		}
		sample, err := loadSample(ctx, s.cell.set, entry)
		if err != nil {
			e.halt(err)
			return
		}
		u := unit{execution: e, cellSample: cellSample{e.plan, s.cell, sample}, store: s, asked: new(sync.WaitGroup)}
		u.run(ctx, stop)
	})
}

// look adds the difference of a sample to the evidence: that of the means over the
// requests which both methods have a value of. A sample without such a request adds none.
func (w *watch) look(sample string) error {
	var values [2]map[string]float64
	for side, c := range w.cells {
		values[side] = make(map[string]float64)
		for line, err := range record.Lines[record.Record](w.scorers[side].scorer.folder.Records(c.ID)) {
			if err != nil {
				return err
			}
			r := line.Value
			if r.Sample != sample {
				continue
			}
			r.Evidence = nil // the metric is of answers
			score, _, err := w.scorers[side].Score(r)
			if err != nil {
				return err
			}
			delete(values[side], r.Request) // of one asked again
			if v := score.Values[w.rule.Column.Name]; v != nil && !score.Out {
				values[side][r.Request] = *v
			}
		}
	}
	var all stats.Cluster
	for _, request := range slices.Sorted(maps.Keys(values[1])) {
		if base, ok := values[0][request]; ok {
			all.Add(values[1][request] - base)
		}
	}
	if all.N == 0 {
		return nil
	}
	scale := w.rule.Column.Scale
	differences := append(lists.Map(w.Looks, func(l record.Look) float64 { return l.Difference / scale }), all.Sum/all.Weight)
	evidence := infer.EValues(differences, w.rule.Delta/scale)
	w.Looks = append(w.Looks, record.Look{Sample: sample, Difference: scale * all.Sum / all.Weight, E: evidence[len(evidence)-1]})
	w.Shown = w.Looks[len(w.Looks)-1].E >= infer.Confident
	w.Interval = nil
	if i, ok := infer.ConfidenceSequence(differences, w.rule.Delta/scale); ok {
		w.Interval = new(i.Scale(scale))
	}
	return nil
}
