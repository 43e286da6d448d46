package runners

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
)

// A Past is an earlier run.
type Past struct {
	Dir    string
	folder record.Folder
	header record.Header
}

// PastRuns returns the runs below a folder, the newest first. A folder that is
// not there holds none, and a run that cannot be read is left out with a
// warning.
func PastRuns(dir string, log *slog.Logger) ([]Past, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var runs []Past
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, "run.json")); err != nil {
			continue // no run, or one that was killed before it asked anything
		}
		header, err := record.ReadHeader(path)
		if err != nil {
			log.Warn("a run is left out of the estimate", "run", path, "error", err)
			continue
		}
		runs = append(runs, Past{path, record.Folder(path), header})
	}
	slices.SortStableFunc(runs, func(a, b Past) int {
		return cmp.Or(b.header.Start.Compare(a.header.Start), cmp.Compare(a.Dir, b.Dir))
	})
	return runs, nil
}

// consult replaces what prompts say of a cell by what an earlier run measured:
// the newest that has the cell, or else one of the same method, data and model
// whose prompts or seed may be others.
func (p *Plan) consult(e *CellEstimate, c *cell, past []Past) {
	if e.Offline {
		return // counted exactly as it will run
	}
	for _, same := range []func(Past, record.Cell) bool{
		func(_ Past, o record.Cell) bool { return o.ID == c.ID },
		func(run Past, o record.Cell) bool { return p.alike(run.header, o, c.Cell) },
	} {
		for _, run := range past {
			i := slices.IndexFunc(run.header.Cells, func(o record.Cell) bool { return same(run, o) })
			if i < 0 {
				continue
			}
			used, err := run.used(run.header.Cells[i].ID)
			if err != nil {
				p.env.Log.Warn("a run is left out of the estimate", "run", run.Dir, "error", err)
			}
			if err != nil || used.requests == 0 {
				continue
			}
			e.Run, e.Measured = run.Dir, used.requests
			if e.Unforeseen {
				e.Unforeseen, e.Failed, e.Failure = false, 0, ""
			}
			e.Query = c.measure(e.Query, used.requests, used.query)
			if used.memories > 0 {
				e.Ingest = c.measure(e.Ingest, used.memories, used.ingest)
			}
			return
		}
	}
}

// alike reports whether a cell of a run is of the same method with the same
// options, the same data and the same models as one of the plan.
func (p *Plan) alike(h record.Header, o, c record.Cell) bool {
	data := func(h record.Header, label string) string {
		d, _ := h.Dataset(label)
		return d.Name + " " + d.SHA256
	}
	model := func(h record.Header, label string) record.Model {
		m, _ := h.Model(label)
		return record.Model{Backend: m.Backend, Reader: m.Reader, Tokens: m.Tokens, Settings: m.Settings}
	}
	return o.Use == c.Use &&
		data(h, o.Dataset) == data(p.header, c.Dataset) &&
		sameJSON(model(h, o.Model), model(p.header, c.Model)) &&
		sameJSON(o.Options, c.Options) // one of which has been through JSON
}

func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// A used is what a cell of a run used, for what did not fail.
type used struct {
	requests, memories int
	query, ingest      map[string]llm.Usage // by role
}

func add(sum, usage map[string]llm.Usage) {
	for role, u := range usage {
		sum[role] = sum[role].Add(u)
	}
}

func (r Past) used(cell string) (used, error) {
	u := used{query: make(map[string]llm.Usage), ingest: make(map[string]llm.Usage)}
	if _, _, err := record.Open(r.Dir); err != nil {
		return u, err
	}
	for line, err := range record.Lines[record.Record](r.folder.Records(cell)) {
		if err != nil {
			return u, err
		}
		if line.Value.Status != record.OK {
			continue
		}
		u.requests++
		add(u.query, line.Value.Usage["query"])
	}
	for line, err := range record.Lines[record.Ingest](r.folder.Ingests(cell)) {
		if err != nil {
			return u, err
		}
		if line.Value.Status != record.OK {
			continue
		}
		u.memories++
		add(u.ingest, line.Value.Usage)
	}
	return u, nil
}
