package runners

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/methods"
	"recallbench/metrics"
)

// openTuning opens what options are chosen on.
func (p *Plan) openTuning(ctx context.Context, plugins config.Plugins) error {
	t := p.config.Tuning
	if len(t.Datasets) == 0 {
		return nil
	}
	var faults []error
	for _, entry := range t.Datasets {
		d, err := p.openDataset(ctx, plugins, entry, t.Requests)
		if err != nil {
			faults = append(faults, fmt.Errorf("tuning dataset %s: %w", entry.Label, err))
			continue
		}
		p.tuning = append(p.tuning, d)
	}
	var err error
	if p.metric, err = plugins.Metrics(t.Metric); err != nil {
		faults = append(faults, fmt.Errorf("tuning: %w", err))
	}
	return errors.Join(faults...)
}

// tuningID is what the choice of a cell's options depends on, as plain values;
// nil where nothing is chosen.
func (p *Plan) tuningID(c *cell) any {
	if len(c.grid) < 2 {
		return nil
	}
	on := lists.Map(p.tuning, dataset.identity)
	return map[string]any{"datasets": on, "metric": p.metric.Name, "requests": p.config.Tuning.Requests, "grid": varied(c.grid)}
}

// tune chooses the options of methods that have a grid: those whose answers to
// the tuning datasets score best. A choice that the header has already, from an
// earlier part of the run, is kept. It is made once for a method and a model, and
// holds for all of its cells.
func (e *execution) tune(ctx context.Context) error {
	for _, c := range e.plan.cells {
		if len(c.grid) < 2 {
			continue
		}
		t, err := e.tuned(ctx, c)
		if err != nil || e.stop() != nil {
			return err
		}
		c.method, err = c.remake(c.grid[t.Chosen])
		if err != nil {
			return fmt.Errorf("tuning of %s: %w", c.Method, err)
		}
	}
	return nil
}

// tuned returns the choice for a cell.
func (e *execution) tuned(ctx context.Context, c *cell) (record.Tuning, error) {
	header := &e.plan.header
	at := slices.IndexFunc(header.Tunings, func(t record.Tuning) bool { return t.Method == c.Method && t.Model == c.Model })
	if at >= 0 {
		return header.Tunings[at], nil
	}
	t := record.Tuning{Method: c.Method, Model: c.Model, Column: e.plan.metric.Columns[0].Name, Points: make([]record.Point, len(c.grid))}
	scores := make([][]float64, len(c.grid)) // by point
	for _, d := range e.plan.tuning {
		t.Datasets = append(t.Datasets, d.info())
		tried, err := e.try(ctx, c, d)
		if err != nil || e.stop() != nil {
			return record.Tuning{}, err
		}
		for _, sample := range tried {
			for point, a := range sample {
				scores[point] = append(scores[point], a.scores...)
				t.Points[point].Failed += a.failed
			}
		}
	}
	t.Requests = len(scores[len(scores)-1])
	if t.Requests == 0 {
		return record.Tuning{}, fmt.Errorf("tuning of %s: %s is undefined for all questions of the tuning datasets", c.Method, t.Column)
	}
	for point, options := range varied(c.grid) {
		p := &t.Points[point]
		p.Options = options
		for _, x := range scores[point] {
			p.Score += x
		}
		p.Score /= float64(max(1, len(scores[point])))
		if p.Score > t.Points[t.Chosen].Score {
			t.Chosen = point
		}
	}
	header.Tunings = append(header.Tunings, t)
	best := t.Points[t.Chosen]
	e.plan.env.Log.Info("tuned", "method", c.Method, "model", c.Model, "options", best.Options, t.Column, best.Score, "requests", t.Requests, "points", len(t.Points))
	return t, e.folder.WriteHeader(*header)
}

// Attempts are answers to the requests of a sample at one point of a grid.
type attempts struct {
	scores []float64 // where the metric is defined
	failed int
}

// try asks the requests of a dataset at every point of a cell's grid: by sample and
// point.
func (e *execution) try(ctx context.Context, c *cell, d dataset) ([][]attempts, error) {
	samples := firstError(ctx, e.plan.config.Concurrency.Samples)
	tried := make([][]attempts, len(d.samples))
	for i, entry := range d.samples {
		samples.Go(func(ctx context.Context) error {
			sample, err := loadSample(ctx, d.set, entry)
			if err == nil {
				tried[i], err = e.tryGrid(ctx, cellSample{e.plan, c, sample}, d.set)
			}
			return err
		})
	}
	if err := samples.Wait(); err != nil {
		return nil, err
	}
	return tried, context.Cause(ctx)
}

// tryGrid builds the memory of a sample once and asks it at every point.
func (e *execution) tryGrid(ctx context.Context, s cellSample, set *datasets.Set) ([]attempts, error) {
	tried := make([]attempts, len(s.cell.grid))
	var memory methods.Memory
	one, built, _ := e.attempt(ctx, s, "", func(metered context.Context) (err error) {
		memory, err = s.build(metered)
		return err
	})
	built = built && one.err == nil
	s.sample.Sessions = nil // the memory has what it needs
	var tunable methods.Tunable
	if built {
		defer s.leave(memory)
		var ok bool
		if tunable, ok = memory.(methods.Tunable); !ok {
			return nil, fmt.Errorf("tuning of %s: its memories cannot answer with different options", s.cell.Use)
		}
	}
	for point, options := range s.cell.grid {
		for _, r := range s.sample.Requests {
			if ctx.Err() != nil || e.stop() != nil {
				return tried, nil
			}
			gold, err := record.GoldOf(set, s.sample.ID, r)
			if err != nil {
				return nil, err
			}
			item := itemOf(gold)
			if item.Failed = true; built {
				one, done, _ := e.attempt(ctx, s, r.ID, func(metered context.Context) error {
					resp, err := s.answer(metered, tunable.With(options), r)
					item.Prediction, item.Nodes = resp.Text, resp.Nodes
					for _, block := range resp.Evidence {
						item.Blocks = append(item.Blocks, metrics.Block{Sources: block.Sources, Text: block.Text, Tokens: s.cell.doors.Tokens.Count(block.Text)})
					}
					return err
				})
				item.Failed = !done || one.err != nil
			}
			if item.Failed {
				tried[point].failed++
			}
			if v := s.plan.metric.Score(item)[0]; v.Defined {
				tried[point].scores = append(tried[point].scores, v.X)
			}
		}
	}
	return tried, nil
}

// varied returns the options of a grid that are not the same at all points, by
// keys such as "weights.similarity", for each point.
func varied(grid []any) []map[string]any {
	all := make([]map[string]any, len(grid))
	for i, options := range grid {
		all[i] = make(map[string]any)
		flatten(all[i], "", plain(options))
	}
	for _, key := range slices.Collect(maps.Keys(all[0])) {
		if !slices.ContainsFunc(all, func(o map[string]any) bool { return !reflect.DeepEqual(o[key], all[0][key]) }) {
			for _, o := range all {
				delete(o, key)
			}
		}
	}
	return all
}

func flatten(into map[string]any, prefix string, options map[string]any) {
	for key, value := range options {
		if inner, ok := value.(map[string]any); ok {
			flatten(into, prefix+key+".", inner)
			continue
		}
		into[prefix+key] = value
	}
}
