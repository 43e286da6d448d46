package runners

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/category"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// Env is the environment of a run.
type Env struct {
	DataDir string // the root folder of the datasets; empty when none was found
	Now     func() time.Time
	Log     *slog.Logger
	Binary  record.Binary
	Argv    []string
	// Getenv reads an environment variable, for the keys of providers.
	Getenv func(string) string
	// Calls records the calls of models, and is closed with the plan; nil records nothing.
	// Repeated is known of its recordings, see [record.Header].
	Calls    *calls.Recorder
	Repeated *record.Repeated
	// Limits and Budget are those of another process, whose workers share them; nil for the
	// plan's own.
	Limits *limit.Registry
	Budget *budget.Budget
	// Sent are copies of the user's own files, see [datasets.Env].
	Sent map[string]string
	// Estimate lays a plan whose models answer from recordings and rules, see
	// [Plan.Estimate].
	Estimate bool
}

// A Plan is a config with its datasets and models open and its cells laid out.
type Plan struct {
	config  *config.Config
	env     Env
	header  record.Header
	sets    []dataset
	tuning  []dataset     // to choose options on
	metric  *metrics.Spec // to choose them by; nil for none
	cells   []*cell
	shared  *backend.Shared
	closers []func() error    // of recordings, datasets, doors and methods
	folder  string            // of the run; empty before it has one
	own     map[string]string // files of the user that datasets read, by the path in the option
	// charge adds what a model of a label was paid outside of requests; nil while
	// nothing runs.
	charge func(label string, used *meter.Meter)
}

// A dataset is an open dataset with the requests that the limit leaves.
type dataset struct {
	label   string
	set     *datasets.Set
	samples []datasets.Entry
	options map[string]any // as plain values
	errata  answerKeys
}

// NewPlan opens what the config names. A fault of the config is an error that
// names all of them; an optional dataset that is not there is left out and
// named in the header.
func NewPlan(ctx context.Context, c *config.Config, p config.Plugins, env Env) (*Plan, error) {
	plan := newPlan(c, env)
	plan.header = record.Header{
		Name: c.Name, Status: record.Started, Argv: env.Argv, Binary: env.Binary, Repeated: env.Repeated,
		Seed: c.Seed, Seeds: c.Seeds, Metrics: c.Metrics, Published: c.Published,
	}
	if err := errors.Join(plan.openDatasets(ctx, p), plan.openTuning(ctx, p), plan.layCells(ctx, p)); err != nil {
		return nil, errors.Join(err, plan.Close())
	}
	return plan, nil
}

func newPlan(c *config.Config, env Env) *Plan {
	if env.Calls == nil {
		env.Calls = calls.NewRecorder(nil, calls.Off)
	}
	if env.Limits == nil {
		env.Limits = limit.NewRegistry()
	}
	if env.Budget == nil {
		env.Budget = budget.New(c.Budget.Tokens, c.Budget.USD)
	}
	return &Plan{config: c, env: env, shared: new(backend.Shared), own: make(map[string]string), closers: []func() error{env.Calls.Close}}
}

// Close closes methods, models and the recordings.
func (p *Plan) Close() error {
	var faults []error
	for _, c := range slices.Backward(p.closers) { // methods before their models
		faults = append(faults, c())
	}
	p.closers = nil
	return errors.Join(faults...)
}

func (p *Plan) openDatasets(ctx context.Context, plugins config.Plugins) error {
	run := make(map[string]bool)
	for c := range p.config.Cells() {
		run[c.Dataset] = true
	}
	specs, err := metrics.FindAll(p.config.Metrics, plugins.Metrics)
	faults := []error{err}
	for _, entry := range p.config.Datasets {
		if !run[entry.Label] {
			continue
		}
		// With several seeds the questions are those of the first, so that answers
		// can be paired.
		d, err := p.openDataset(ctx, plugins, entry, p.config.Limits.Requests)
		switch {
		case errors.Is(err, fs.ErrNotExist) && entry.Optional:
			p.header.Skipped = append(p.header.Skipped, fmt.Sprintf("dataset %s: %v", entry.Label, err))
			continue
		case err != nil:
			faults = append(faults, fmt.Errorf("dataset %s: %w", entry.Label, err))
			continue
		}
		faults = append(faults, CheckCategories(d.info(), specs))
		p.sets = append(p.sets, d)
		p.header.Datasets = append(p.header.Datasets, d.info())
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if len(p.sets) == 0 {
		return fmt.Errorf("no dataset to run: all are optional and missing\n%s", strings.Join(p.header.Skipped, "\n"))
	}
	return p.takeShard()
}

// CheckCategories is [metrics.CheckCategories] for a dataset, with what to do.
func CheckCategories(d record.Dataset, specs []*metrics.Spec) error {
	ids := lists.Map(d.Categories, func(c datasets.Category) string { return c.ID })
	if err := metrics.CheckCategories(specs, ids); err != nil {
		return fmt.Errorf("dataset %s: %w; name its categories with the option categories, %s or a file; or leave out the metric", d.Label, err, strings.Join(category.Names(), ", "))
	}
	return nil
}

func (p *Plan) datasetEnv() datasets.Env {
	return datasets.Env{Dir: p.env.DataDir, Base: p.config.Base, Seed: p.config.Seed, Log: p.env.Log, Sent: p.env.Sent}
}

// openDataset opens an entry with the first limit requests; 0 keeps all.
func (p *Plan) openDataset(ctx context.Context, plugins config.Plugins, entry config.Entry, limit int) (dataset, error) {
	spec := find(plugins.Datasets, func(s *datasets.Spec) bool { return s.Name == entry.Use })
	env := p.datasetEnv()
	if spec.Own != nil {
		for _, f := range spec.Own(entry.Options) {
			p.own[f] = env.Resolve(f)
		}
	}
	set, err := spec.Open(ctx, env, entry.Options)
	if err != nil {
		return dataset{}, err
	}
	d := dataset{label: entry.Label, set: set, samples: limited(set.Entries, limit), options: plain(entry.Options)}
	if len(entry.Errata) > 0 {
		if d.errata, err = p.openErrata(ctx, entry, set); err != nil {
			return dataset{}, err
		}
	}
	if countRequests(d.samples) == 0 {
		return dataset{}, errors.New("its options leave no question to ask")
	}
	return d, nil
}

// identity is what answers depend on of the dataset.
func (d dataset) identity() any {
	return map[string]any{"name": d.set.Name, "sha256": d.set.SHA256, "settings": d.set.Settings, "options": d.options}
}

// info is what the header says of the dataset.
func (d dataset) info() record.Dataset {
	info := record.Dataset{
		Label: d.label, Name: d.set.Name, Version: d.set.Version, SHA256: d.set.SHA256, Caveat: d.set.Caveat,
		Settings: d.set.Settings, Categories: d.set.Categories, Samples: len(d.samples), Requests: countRequests(d.samples),
	}
	info.SetKeys(d.errata.keys)
	for _, w := range d.set.Warnings {
		info.Warnings = append(info.Warnings, fmt.Sprintf("%s (%d): %s", w.What, w.Count, strings.Join(w.Where, ", ")))
	}
	info.Warnings = append(info.Warnings, d.errata.notes...)
	return info
}

// limited returns the samples with the first n requests of them all; n = 0
// keeps all. Samples that are left without a request are left out.
func limited(samples []datasets.Entry, n int) []datasets.Entry {
	if n == 0 {
		n = countRequests(samples)
	}
	var kept []datasets.Entry
	for _, s := range samples {
		if len(s.Requests) > n {
			s.Requests = s.Requests[:n]
		}
		if n -= len(s.Requests); len(s.Requests) > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

func countRequests(samples []datasets.Entry) (n int) {
	for _, s := range samples {
		n += len(s.Requests)
	}
	return n
}

// plain returns options as the plain values of their YAML; nil for none.
func plain(options any) map[string]any {
	if options == nil {
		return nil
	}
	data, err := yaml.Marshal(options)
	if err != nil {
		panic("runners: options do not encode: " + err.Error()) // they came from YAML
	}
	var m map[string]any
	if err := yaml.Unmarshal(data, &m); err != nil {
		panic("runners: options do not decode: " + err.Error())
	}
	return m
}

// find returns the Spec that a config has been checked to name.
func find[S any](specs []S, is func(S) bool) S {
	i := slices.IndexFunc(specs, is)
	if i < 0 {
		panic("runners: the config names a plug-in that is not in its suite")
	}
	return specs[i]
}
