package runners

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A Run is a plan with its folder.
type Run struct {
	plan   *Plan
	folder record.Folder
	unlock func() error
	after  []string // files with a digest that came after an earlier part of the run
}

// ErrData is the error of data that has changed since a run began.
var ErrData = errors.New("the dataset has changed since the run began")

// Start makes the run folder: dir or, if dir is empty, a new folder below results/runs in
// the working directory.
func (p *Plan) Start(ctx context.Context, dir string) (*Run, error) {
	config, err := p.config.Marshal()
	if err != nil {
		return nil, err
	}
	p.header.ConfigSHA256 = sha256Of(config)
	p.header.Start = p.env.Now().UTC()
	p.header.ID = runID(p.header)
	folder, unlock, err := create(dir, p.header)
	if err != nil {
		return nil, err
	}
	// The header comes last: a folder with a header is a whole run folder.
	if err = errors.Join(record.WriteBytes(folder.Config(), config), p.writeGold(ctx, folder)); err == nil {
		err = folder.WriteHeader(p.header)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %w", err), unlock())
	}
	return &Run{plan: p, folder: folder, unlock: unlock}, nil
}

// runID returns the id of a run: a hash of its config and its start.
func runID(h record.Header) string {
	return sha256Of([]byte(h.ConfigSHA256 + h.Start.String()))[:8]
}

// create makes and locks the folder of a run, which where dir is empty is named by time,
// name and a hash.
func create(dir string, h record.Header) (folder record.Folder, unlock func() error, err error) {
	if dir == "" {
		dir = filepath.Join("results", "runs", h.Start.Format("20060102T150405Z")+"-"+record.FileName(h.Name)+"-"+h.ID)
	}
	if folder, err = record.Create(dir); err == nil {
		unlock, err = folder.Lock()
	}
	return folder, unlock, err
}

// writeGold writes what stands before the first request beside the config.
func (p *Plan) writeGold(ctx context.Context, folder record.Folder) error {
	for _, d := range p.sets {
		err := errors.Join(
			record.WriteGold(folder.Gold(d.label), d.set, d.samples),
			d.errata.write(folder.Errata(d.label), orderOf(d.samples).has),
			record.WriteTurns(ctx, folder.Turns(d.label), d.set, d.samples),
			record.WriteTrees(ctx, folder.Trees(d.label), d.set, d.samples),
		)
		if err != nil {
			return changedData(err)
		}
	}
	return nil
}

// Resume opens the folder of a run that was started with the same config. A
// dataset whose content has changed is [ErrData]; prompts or options that have
// changed since are an error too, because the records could not be compared. A
// folder that is damaged is a [record.Damage], and is left as it is.
func (p *Plan) Resume(dir string, options ...record.Option) (*Run, error) {
	folder, h, unlock, err := record.OpenLocked(dir, options...)
	if err != nil {
		return nil, err
	}
	if err := p.same(dir, h); err != nil {
		return nil, errors.Join(err, unlock())
	}
	for i, c := range p.cells {
		c.adapterDid = h.Cells[i].Adapter
	}
	after := lists.Map(folder.After(h), func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) })
	h.Binary, h.Calls, h.Prices = p.header.Binary, p.header.Calls, p.header.Prices
	h.Files = nil // they are going to grow
	p.header = h
	return &Run{plan: p, folder: folder, unlock: unlock, after: after}, nil
}

// Repair moves the damaged files of a run folder aside, so that [Plan.Resume] asks the lost
// questions again. It restores damaged questions and gold answers from the plan's data. What
// it cannot repair is a [record.Damage].
func (p *Plan) Repair(ctx context.Context, dir string, options ...record.Option) (repaired record.Repaired, err error) {
	folder, h, unlock, err := record.OpenLocked(dir, append(options, record.ForRepair)...)
	if err != nil {
		return repaired, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := p.same(dir, h); err != nil {
		return repaired, err
	}
	return folder.Repair(&h, func() error {
		for i := range h.Datasets { // which are those of the config again
			if d := &h.Datasets[i]; i < len(p.header.Datasets) {
				d.SetKeys(p.header.Datasets[i])
			}
		}
		return p.writeGold(ctx, folder)
	})
}

// same reports why a run cannot continue with this plan.
func (p *Plan) same(dir string, h record.Header) error {
	if now, then := shardText(p.header.Shard), shardText(h.Shard); now != then {
		return fmt.Errorf("%s cannot continue: it runs %s, but the config says %s", dir, then, now)
	}
	if err := sameData(h.Datasets, p.header.Datasets); err != nil {
		return err
	}
	if err := sameCells(h.Cells, p.header.Cells); err != nil {
		return fmt.Errorf("%s cannot continue: %w\ntake back what changed, or start another run with 'bench run'", dir, err)
	}
	return nil
}

// memories is the folder of kept memories: the config's, or one in the run
// folder.
func (r *Run) memories() string {
	if dir := r.plan.config.Memories; dir != "" {
		return r.plan.config.Path(dir)
	}
	return r.folder.Memories()
}

// Close releases the folder and the models.
func (r *Run) Close() error { return errors.Join(r.plan.Close(), r.unlock()) }

// Folder returns the run folder.
func (r *Run) Folder() record.Folder { return r.folder }

// sameData reports a dataset whose content is not that of a run.
func sameData(run, now []record.Dataset) error {
	for i, d := range now {
		if i < len(run) && run[i].Label == d.Label && run[i].SHA256 != d.SHA256 {
			return fmt.Errorf("%w: %s has SHA-256 %s, the run has %s", ErrData, d.Label, d.SHA256, run[i].SHA256)
		}
	}
	return nil
}

// sameCells reports where the cells of a run are not those of this program
// with the config and the data of now.
func sameCells(run, now []record.Cell) error {
	if len(run) != len(now) {
		return fmt.Errorf("it has %d cells, but its config and data now make %d", len(run), len(now))
	}
	var faults []error
	for i, c := range run {
		if c.ID == now[i].ID {
			continue
		}
		what := "options, model or data"
		if c.Prompts != now[i].Prompts {
			what = "prompts"
		}
		faults = append(faults, fmt.Errorf("the %s of %s on %s with %s have changed since", what, c.Method, c.Dataset, c.Model))
	}
	return errors.Join(faults...)
}

// Header returns the current header.
func (r *Run) Header() record.Header { return r.plan.header }
