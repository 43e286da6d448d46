package runners

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"recallbench/configs"
	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/meter"
	"recallbench/internal/prompt"
	"recallbench/internal/record"
	"recallbench/methods"
)

// Env is what a run needs from outside.
type Env struct {
	DataDir string // the root folder of the datasets; empty when none was found
	Now     func() time.Time
	Log     *slog.Logger
	Binary  record.Binary
	Argv    []string
}

// A Plan is a config with its datasets and models open and its cells laid out.
type Plan struct {
	config *configs.Config
	env    Env
	header record.Header
	sets   []dataset
	cells  []*cell
}

// A dataset is an open dataset with the requests that the limit leaves.
type dataset struct {
	label   string
	set     *datasets.Set
	samples []datasets.Sample
	open    map[string]any // its options, as plain values
}

// A cell is a method on a dataset with a model.
type cell struct {
	record.Cell
	method  methods.Method
	doors   backend.Doors
	set     *datasets.Set
	samples []datasets.Sample
}

// NewPlan opens what the config names. A fault of the config is an error that
// names all of them; an optional dataset that is not there is left out and
// named in the header.
func NewPlan(ctx context.Context, c *configs.Config, p configs.Plugins, env Env) (*Plan, error) {
	plan := &Plan{config: c, env: env}
	plan.header = record.Header{
		Name:      c.Name,
		Status:    record.Started,
		Argv:      env.Argv,
		Binary:    env.Binary,
		Seed:      c.Seed,
		Metrics:   c.Metrics,
		Published: c.Published,
	}
	if err := plan.openDatasets(ctx, p); err != nil {
		return nil, err
	}
	if err := plan.layCells(ctx, p); err != nil {
		return nil, err
	}
	return plan, nil
}

// Header returns the header of the run as far as it is known before the run.
func (p *Plan) Header() record.Header { return p.header }

func (p *Plan) openDatasets(ctx context.Context, plugins configs.Plugins) error {
	var faults []error
	for _, entry := range p.config.Datasets {
		spec := find(plugins.Datasets, func(s *datasets.Spec) bool { return s.Name == entry.Use })
		set, err := spec.Open(ctx, datasets.Env{
			Dir: p.env.DataDir, Base: p.config.Base, Seed: p.config.Seed, Log: p.env.Log,
		}, entry.Options)
		switch {
		case errors.Is(err, fs.ErrNotExist) && entry.Optional:
			p.header.Skipped = append(p.header.Skipped, fmt.Sprintf("dataset %s: %v", entry.Label, err))
			continue
		case err != nil:
			faults = append(faults, fmt.Errorf("dataset %s: %w", entry.Label, err))
			continue
		}
		d := dataset{label: entry.Label, set: set, samples: limited(set.Samples, p.config.Limits.Requests), open: plain(entry.Options)}
		n := countRequests(d.samples)
		if n == 0 {
			faults = append(faults, fmt.Errorf("dataset %s: its options leave no request to ask", entry.Label))
			continue
		}
		p.sets = append(p.sets, d)
		info := record.Dataset{
			Label: entry.Label, Name: set.Name, Version: set.Version, SHA256: set.SHA256,
			Settings: set.Settings, Samples: len(d.samples), Requests: n,
		}
		for _, cat := range set.Categories {
			info.Categories = append(info.Categories, record.Category(cat))
		}
		for _, w := range set.Warnings {
			info.Warnings = append(info.Warnings, fmt.Sprintf("%s (%d): %s", w.What, w.Count, strings.Join(w.Where, ", ")))
		}
		p.header.Datasets = append(p.header.Datasets, info)
	}
	if len(faults) == 0 && len(p.sets) == 0 {
		faults = append(faults, fmt.Errorf("no dataset to run: every one is optional and not there\n%s", strings.Join(p.header.Skipped, "\n")))
	}
	return errors.Join(faults...)
}

// limited returns the samples with the first n requests of them all; n = 0
// keeps all. Samples that are left without a request are left out.
func limited(samples []datasets.Sample, n int) []datasets.Sample {
	if n == 0 {
		n = countRequests(samples)
	}
	var kept []datasets.Sample
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

func countRequests(samples []datasets.Sample) (n int) {
	for _, s := range samples {
		n += len(s.Requests)
	}
	return n
}

func (p *Plan) layCells(ctx context.Context, plugins configs.Plugins) error {
	var faults []error
	prompts, err := p.promptFolder(plugins)
	if err != nil {
		faults = append(faults, err)
	}
	type opened struct {
		entry configs.Entry
		doors backend.Doors
	}
	var models []opened
	for _, entry := range p.config.Models {
		spec := find(plugins.Models, func(s *backend.Spec) bool { return s.Name == entry.Use })
		doors, err := spec.Open(ctx, backend.Env{Seed: p.config.Seed, Log: p.env.Log}, entry.Options)
		if err != nil {
			faults = append(faults, fmt.Errorf("model %s: %w", entry.Label, err))
			continue
		}
		models = append(models, opened{entry, doors})
		p.header.Models = append(p.header.Models, record.Model{
			Label: entry.Label, Backend: entry.Use, Reader: doors.Reader, Offline: doors.Offline,
			Tokens: doors.Tokens.Name(), Settings: doors.Settings,
		})
	}
	ids := make(map[string]string)
	for _, m := range models {
		for _, entry := range p.config.Methods {
			spec := find(plugins.Methods, func(s *methods.Spec) bool { return s.Name == entry.Use })
			templates, err := prompt.Load(spec.Name, spec.Prompts, prompts)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			method, err := spec.New(methods.Env{
				LLM:   meter.Generator(m.doors.LLM, m.doors.Tokens),
				Embed: meter.Model(m.doors.Embed, m.doors.Tokens),
				NLI:   m.doors.NLI, Annotate: m.doors.Annotate,
				Tokens: m.doors.Tokens, Prompts: templates,
				Now: p.env.Now, Seed: p.config.Seed, Log: p.env.Log,
			}, entry.Options)
			if err != nil {
				faults = append(faults, fmt.Errorf("method %s with model %s: %w", entry.Label, m.entry.Label, err))
				continue
			}
			for _, d := range p.sets {
				c := &cell{
					Cell: record.Cell{
						Dataset: d.label, Method: entry.Label, Use: entry.Use, Model: m.entry.Label,
						Options: plain(entry.Options), Prompts: templates.Hash(), Seed: p.config.Seed,
						Samples: len(d.samples), Planned: countRequests(d.samples),
					},
					method: method, doors: m.doors, set: d.set, samples: d.samples,
				}
				c.ID = cellID(c.Cell, d, m.entry)
				name := fmt.Sprintf("%s on %s with %s", c.Method, c.Dataset, c.Model)
				if other, ok := ids[c.ID]; ok {
					faults = append(faults, fmt.Errorf("%s is the same as %s in all but the labels", name, other))
					continue
				}
				ids[c.ID] = name
				p.cells = append(p.cells, c)
			}
		}
	}
	// Tables show one dataset after another.
	slices.SortStableFunc(p.cells, func(a, b *cell) int { return p.datasetIndex(a.Dataset) - p.datasetIndex(b.Dataset) })
	for _, c := range p.cells {
		p.header.Cells = append(p.header.Cells, c.Cell)
	}
	return errors.Join(faults...)
}

func (p *Plan) datasetIndex(label string) int {
	return slices.IndexFunc(p.sets, func(d dataset) bool { return d.label == label })
}

// promptFolder opens the folder of the user's own prompts; nil when there is
// none. A subfolder that is no method's would be passed over in silence, so
// it is a fault.
func (p *Plan) promptFolder(plugins configs.Plugins) (fs.FS, error) {
	if p.config.Prompts == "" {
		return nil, nil
	}
	dir := p.config.Prompts
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.config.Base, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("prompts: %w", err)
	}
	var names []string
	for _, s := range plugins.Methods {
		names = append(names, s.Name)
	}
	var faults []error
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(names, e.Name()) {
			faults = append(faults, fmt.Errorf("prompts: %s is no method's folder; have %s", filepath.Join(dir, e.Name()), strings.Join(names, ", ")))
		}
	}
	return os.DirFS(dir), errors.Join(faults...)
}

// cellID is a hash of everything that the cell's answers depend on.
func cellID(c record.Cell, d dataset, model configs.Entry) string {
	canonical, err := json.Marshal(map[string]any{
		"schema":  record.SchemaVersion,
		"method":  map[string]any{"use": c.Use, "options": c.Options, "prompts": c.Prompts},
		"dataset": map[string]any{"name": d.set.Name, "sha256": d.set.SHA256, "settings": d.set.Settings, "options": d.open},
		"model":   map[string]any{"use": model.Use, "options": plain(model.Options)},
		"seed":    c.Seed,
	})
	if err != nil {
		panic("runners: options do not encode: " + err.Error()) // they came from YAML
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])[:12]
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
