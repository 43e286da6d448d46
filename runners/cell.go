package runners

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// A cell is a method on a dataset with a model and a seed.
type cell struct {
	record.Cell
	method  methods.Method
	grid    []any                                     // options to choose from; none where nothing is tuned
	remake  func(options any) (methods.Method, error) // with other options
	kept    *methods.Kept                             // nil where nothing is kept of its memories
	doors   backend.Doors
	set     *datasets.Set
	samples []datasets.Entry
	// adapterDid is what the adapter did before a resumption; nil for nothing.
	adapterDid *methods.Adapter
}

func (p *Plan) layCells(ctx context.Context, plugins config.Plugins) error {
	prompts, err := p.promptFolder(plugins)
	models, modelFaults := p.openModels(ctx, plugins)
	faults := []error{err, modelFaults}
	ids := make(map[string]string)
	for _, m := range models {
		for _, entry := range p.config.Methods {
			cells, err := p.cellsOf(ctx, plugins, entry, m, prompts)
			faults = append(faults, err)
			for _, c := range cells {
				name := fmt.Sprintf("%s on %s with %s", c.Method, c.Dataset, c.Model)
				if other, ok := ids[c.ID]; ok {
					faults = append(faults, fmt.Errorf("%s and %s differ only in their labels", name, other))
					continue
				}
				ids[c.ID] = name
				p.cells = append(p.cells, c)
			}
		}
	}
	if err := distinct(faults); err != nil {
		return err
	}
	if len(p.cells) == 0 && len(p.sets) > 0 {
		return fmt.Errorf("no cell to run: everything else is excluded, or its dataset or model is missing\n%s", strings.Join(p.header.Skipped, "\n"))
	}
	// Tables show one dataset after another.
	place := func(c *cell) int {
		return slices.IndexFunc(p.sets, func(d dataset) bool { return d.label == c.Dataset })
	}
	slices.SortStableFunc(p.cells, func(a, b *cell) int { return place(a) - place(b) })
	p.header.Cells = lists.Map(p.cells, func(c *cell) record.Cell { return c.Cell })
	return nil
}

// distinct joins faults, each once: those of a method are often the same for
// every seed.
func distinct(faults []error) error {
	said := make(map[string]bool)
	return errors.Join(slices.DeleteFunc(faults, func(err error) bool {
		if err == nil || said[err.Error()] {
			return true
		}
		said[err.Error()] = true
		return false
	})...)
}

// cellsOf makes the cells of a method with a model: one for each dataset, but
// for those that the config excludes.
func (p *Plan) cellsOf(ctx context.Context, plugins config.Plugins, entry config.Entry, m model, prompts fs.FS) ([]*cell, error) {
	sets := slices.DeleteFunc(slices.Clone(p.sets), func(d dataset) bool {
		return p.config.Excludes(d.label, entry.Label, m.entry.Label, m.seed)
	})
	if len(sets) == 0 && len(p.sets) > 0 {
		return nil, nil
	}
	// Without any data, which is a fault of its own, the method is made all the same.
	spec := find(plugins.Methods, func(s *methods.Spec) bool { return s.Name == entry.Use })
	templates, err := prompt.Load(spec.Name, spec.Prompts, prompts)
	if err != nil {
		return nil, err
	}
	env := methods.Env{
		Context: ctx,
		LLM:     meter.Generator(m.doors.LLM, m.doors.Tokens, m.doors.Price),
		Embed:   meter.Model(m.doors.Embed, m.doors.Tokens, m.doors.Price),
		NLI:     meter.Scorer(m.doors.NLI), Annotate: m.doors.Annotate, Prune: m.doors.Prune,
		Tokens: m.doors.Tokens, Prompts: templates,
		Now: p.env.Now, Seed: m.seed, Log: p.env.Log,
		ChatModel: m.doors.ModelOf("external"), EmbedModel: m.doors.Settings["embedder"],
		Base: p.config.Base, Folder: func() string { return p.folder },
		Getenv: p.env.Getenv, Charge: func(used *meter.Meter) {
			if p.charge != nil {
				p.charge(m.entry.Label, used)
			}
		},
	}
	remake := func(options any) (methods.Method, error) { return spec.New(env, options) }
	method, err := remake(entry.Options)
	if err != nil {
		return nil, fmt.Errorf("method %s with model %s: %w", entry.Label, m.entry.Label, err)
	}
	if c, ok := method.(io.Closer); ok {
		p.closers = append(p.closers, c.Close)
	}
	if m.spec.NoModel && spec.Kept != nil {
		_, adapted := method.(methods.Adapted)
		if kept := spec.Kept(env, entry.Options); kept != nil && !adapted {
			p.header.Skipped = lists.AddNew(p.header.Skipped, fmt.Sprintf("method %s: a model builds its memory (%s), and the run has none", entry.Label, strings.Join(kept.Roles, ", ")))
			return nil, nil
		}
	}
	identity := plain(entry.Options)
	if spec.Identity != nil {
		identity = plain(spec.Identity(env, entry.Options))
	}
	var cells []*cell
	var faults []error
	for _, d := range sets {
		err := ingests(spec, d)
		var note string
		if err == nil {
			note, err = seen(spec, d.set, limited(d.set.Entries, p.config.Limits.Requests))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("method %s on %s: %w; exclude: [{method: %[1]q, dataset: %[2]q}] leaves it out", entry.Label, d.label, err))
			continue
		}
		c := &cell{
			Cell: record.Cell{
				Dataset: d.label, Method: entry.Label, Use: entry.Use, Model: m.entry.Label,
				Options: plain(entry.Options), Prompts: templates.Hash(), Seed: m.seed,
				VariantOf: entry.VariantOf, Sees: note, Samples: len(d.samples), Planned: countRequests(d.samples),
			},
			method: seenThrough(spec.Sees, method, d.set), remake: remake,
			doors: m.doors, set: d.set, samples: d.samples,
		}
		if p.metric != nil && spec.Grid != nil {
			c.grid = spec.Grid(entry.Options)
		}
		if a, ok := method.(methods.Adapted); ok {
			c.Adapter = a.Adapter()
		}
		if spec.Switches != nil {
			c.Switches = spec.Switches(entry.Options)
		}
		c.ID = cellID(c.Cell, identity, d, m, p.tuningID(c))
		if spec.Kept != nil {
			if c.kept = spec.Kept(env, entry.Options); c.kept != nil {
				c.Memory = memoryID(spec, c.kept, templates, m)
			}
		}
		cells = append(cells, c)
	}
	return cells, errors.Join(faults...)
}

// ingests reports samples of a dataset that a method can build no memory of.
func ingests(spec *methods.Spec, d dataset) error {
	for _, s := range d.samples {
		switch {
		case !s.Tree && spec.Ingests == methods.Trees:
			return fmt.Errorf("%s needs trees, %s has conversations", spec.Name, d.set.Name)
		case s.Tree && spec.Ingests == methods.Conversations:
			return fmt.Errorf("%s needs conversations, %s has trees", spec.Name, d.set.Name)
		}
	}
	return nil
}

// promptFolder opens the folder of the user's own prompts; nil when there is
// none. A subfolder that is not a method's would be passed over in silence, so
// it is a fault.
func (p *Plan) promptFolder(plugins config.Plugins) (fs.FS, error) {
	if p.config.Prompts == "" {
		return nil, nil
	}
	dir := p.config.Path(p.config.Prompts)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("prompts: %w", err)
	}
	names := lists.Map(plugins.Methods, func(s *methods.Spec) string { return s.Name })
	var faults []error
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(names, e.Name()) {
			faults = append(faults, fmt.Errorf("prompts: %s is not the folder of a method; have %s", filepath.Join(dir, e.Name()), strings.Join(names, ", ")))
		}
	}
	return os.DirFS(dir), errors.Join(faults...)
}

// cellID is a hash of everything that the cell's answers depend on; options are the
// method's as far as they do.
func cellID(c record.Cell, options map[string]any, d dataset, m model, tuning any) string {
	parts := map[string]any{
		"schema":  record.SchemaVersion,
		"method":  map[string]any{"use": c.Use, "options": options, "prompts": c.Prompts},
		"dataset": d.identity(),
		"model":   map[string]any{"use": m.entry.Use, "options": m.identity()},
		"seed":    c.Seed,
	}
	if tuning != nil {
		parts["tuning"] = tuning
	}
	return hashOf(parts, 12)
}

// memoryID is a hash of everything that the kept parts of a memory depend on
// but for the sample.
func memoryID(spec *methods.Spec, kept *methods.Kept, templates *prompt.Set, m model) string {
	return hashOf(map[string]any{
		"schema": keptVersion,
		"method": map[string]any{"use": spec.Name, "options": plain(kept.Options), "prompts": templates.HashOf(kept.Prompts...)},
		"model":  map[string]any{"use": m.entry.Use, "options": m.identity(kept.Roles...)},
		"seed":   m.seed,
	}, 12)
}

// hashOf returns the first digits of the SHA-256 of a value as JSON. A value that
// came from YAML, or is made of texts and times, encodes.
func hashOf(v any, digits int) string {
	canonical, err := json.Marshal(v)
	if err != nil {
		panic("runners: what is hashed does not encode: " + err.Error())
	}
	return sha256Of(canonical)[:digits]
}

// sha256Of returns the SHA-256 of data in hexadecimal digits.
func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
