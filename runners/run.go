package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"recallbench/internal/record"
)

// A Run is a plan with its folder.
type Run struct {
	plan   *Plan
	folder record.Folder
	unlock func() error
}

// ErrData is the error of data that is not what a run began with.
var ErrData = errors.New("the dataset is not the one that the run began with")

// Start makes the run folder: dir, or where dir is empty a new folder below
// results/runs in the working directory, named by time, name and a hash.
func (p *Plan) Start(dir string) (*Run, error) {
	config, err := p.config.Marshal()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(config)
	p.header.ConfigSHA256 = hex.EncodeToString(sum[:])
	p.header.Start = p.env.Now().UTC()
	p.header.ID = runID(p.header)
	if dir == "" {
		dir = runFolder(p.header)
	}
	folder, err := record.Create(dir)
	if err != nil {
		return nil, err
	}
	r, err := p.open(folder)
	if err != nil {
		return nil, err
	}
	if err := r.writeStart(config); err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %w", err), r.Close())
	}
	return r, nil
}

// runID returns the id of a run: a hash of its config and its start.
func runID(h record.Header) string {
	id := sha256.Sum256([]byte(h.ConfigSHA256 + h.Start.String()))
	return hex.EncodeToString(id[:])[:8]
}

// runFolder is where a run goes that no folder was named for.
func runFolder(h record.Header) string {
	name := h.Start.Format("20060102T150405Z") + "-" + record.FileName(h.Name) + "-" + h.ID
	return filepath.Join("results", "runs", name)
}

// open takes the folder.
func (p *Plan) open(folder record.Folder) (*Run, error) {
	unlock, err := folder.Lock()
	if err != nil {
		return nil, err
	}
	return &Run{plan: p, folder: folder, unlock: unlock}, nil
}

// writeStart writes what stands before the first request. The header comes
// last: a folder with a header is a whole run folder.
func (r *Run) writeStart(config []byte) error {
	if err := writeBytes(r.folder.Config(), config); err != nil {
		return err
	}
	for _, d := range r.plan.sets {
		if err := record.WriteGold(r.folder.Gold(d.label), d.set, d.samples); err != nil {
			return err
		}
		if err := record.WriteTrees(r.folder.Trees(d.label), d.samples); err != nil {
			return err
		}
	}
	return r.folder.WriteHeader(r.plan.header)
}

// Resume opens the folder of a run that was started with the same config. A
// dataset whose content has changed is [ErrData]; prompts or options that have
// changed since are an error too, because the records could not be compared.
func (p *Plan) Resume(dir string) (*Run, error) {
	folder, h, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	if now, then := shardText(p.header.Shard), shardText(h.Shard); now != then {
		return nil, fmt.Errorf("%s cannot go on: it asks %s, the config says %s", dir, then, now)
	}
	for i, d := range p.header.Datasets {
		if i < len(h.Datasets) && h.Datasets[i].Label == d.Label && h.Datasets[i].SHA256 != d.SHA256 {
			return nil, fmt.Errorf("%w: %s has SHA-256 %s, the run has %s", ErrData, d.Label, d.SHA256, h.Datasets[i].SHA256)
		}
	}
	if err := sameCells(h.Cells, p.header.Cells); err != nil {
		return nil, fmt.Errorf("%s cannot go on: %w", dir, err)
	}
	p.header.ID, p.header.Start, p.header.ConfigSHA256, p.header.Argv = h.ID, h.Start, h.ConfigSHA256, h.Argv
	p.header.Paid, p.header.Limits, p.header.Judge, p.header.Tunings = h.Paid, h.Limits, h.Judge, h.Tunings
	if h.Paid != nil {
		usd := 0.0
		if h.Paid.USD != nil {
			usd = *h.Paid.USD
		}
		p.budget.Spend(h.Paid.Tokens, usd)
	}
	for i := range min(len(h.Models), len(p.header.Models)) {
		p.header.Models[i].Served, p.header.Models[i].Fingerprints = h.Models[i].Served, h.Models[i].Fingerprints
		if h.Models[i].Roles != nil {
			p.header.Models[i].Roles = h.Models[i].Roles // the same, as the cells are
		}
	}
	r, err := p.open(folder)
	if err != nil {
		return nil, err
	}
	if err := folder.Clean(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// memories is the folder of kept memories: the config's, or one in the run
// folder.
func (r *Run) memories() string {
	dir := r.plan.config.Memories
	switch {
	case dir == "":
		return r.folder.Memories()
	case filepath.IsAbs(dir):
		return dir
	default:
		return filepath.Join(r.plan.config.Base, dir)
	}
}

// Close lets go of the folder and of the models.
func (r *Run) Close() error { return errors.Join(r.plan.Close(), r.unlock()) }

// Folder returns the run folder.
func (r *Run) Folder() record.Folder { return r.folder }

// sameCells reports where the cells of a run are not those of this program
// with the config and the data of now.
func sameCells(run, now []record.Cell) error {
	if len(run) != len(now) {
		return fmt.Errorf("it has %d cells, this program makes %d of its config and data", len(run), len(now))
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

// Header returns the header as it is now.
func (r *Run) Header() record.Header { return r.plan.header }

// ErrorLimit is the share of failed requests that the config allows.
func (r *Run) ErrorLimit() float64 { return r.plan.config.Limits.Errors }
