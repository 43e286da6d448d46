package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
)

// Merge writes the run folder that one machine would have written: dir, or where
// dir is empty a folder as [Plan.Start] makes it. Argv is the command line that
// the header names. The header comes last: a folder with a header is a whole run
// folder. The run is not scored.
func (s *Shards) Merge(dir string, argv []string) (record.Folder, Result, error) {
	merged := *s.shards[0].config
	merged.Shard = config.Shard{}
	text, err := merged.Marshal()
	if err != nil {
		return "", Result{}, err
	}
	h := s.header(argv, text)
	if dir == "" {
		dir = runFolder(h)
	}
	folder, err := record.Create(dir)
	if err != nil {
		return "", Result{}, err
	}
	unlock, err := folder.Lock()
	if err != nil {
		return "", Result{}, err
	}
	if err := s.write(folder, &h, text); err != nil {
		return "", Result{}, errors.Join(fmt.Errorf("run folder: %w", err), unlock())
	}
	result := s.result
	result.Header = h
	return folder, result, unlock()
}

// after returns the files that came after the run and have a digest in each
// shard, by their paths in the merged run.
func (s *Shards) after(into record.Folder) (paths []string) {
	for i, one := range s.shards {
		names := one.folder.After(one.header)
		if i == 0 {
			paths = names
		}
		paths = slices.DeleteFunc(paths, func(name string) bool { return !slices.Contains(names, name) })
	}
	for i, name := range paths {
		paths[i] = filepath.Join(string(into), filepath.FromSlash(name))
	}
	return paths
}

// write writes all files. A config without a header would be a run that has not
// begun, so that both come last.
func (s *Shards) write(into record.Folder, h *record.Header, config []byte) error {
	from := lists.Map(s.shards, func(one *shardRun) record.Folder { return one.folder })
	paths := func(path func(record.Folder) string) (paths []string) {
		for _, f := range from {
			paths = append(paths, path(f))
		}
		return paths
	}
	for _, d := range h.Datasets {
		o := s.orders[d.Label]
		for _, path := range []func(record.Folder) string{
			func(f record.Folder) string { return f.Gold(d.Label) }, func(f record.Folder) string { return f.Errata(d.Label) },
		} {
			if err := joinFiles(path(into), paths(path), o.byRequest); err != nil {
				return err
			}
		}
		turns := func(f record.Folder) string { return f.Turns(d.Label) }
		if err := joinFiles(turns(into), paths(turns), func(a, b turn) int { return o.bySample(a.Sample, b.Sample) }); err != nil {
			return err
		}
		trees := func(f record.Folder) string { return f.Trees(d.Label) }
		if err := joinTrees(trees(into), paths(trees), o); err != nil {
			return err
		}
	}
	written := make(map[string]record.Digest)
	for _, c := range h.Cells {
		o := s.orders[c.Dataset]
		if err := os.MkdirAll(into.Cell(c.ID), 0o755); err != nil {
			return err
		}
		if err := o.joinCell(into, c.ID, written, func(path func(record.Folder, string) string) ([]*os.File, func(), error) {
			return record.OpenLogs(paths(func(f record.Folder) string { return path(f, c.ID) }))
		}); err != nil {
			return err
		}
		judgements := func(f record.Folder) string { return f.Judgements(c.ID) }
		if err := o.joinJudgements(judgements(into), paths(judgements)...); err != nil {
			return err
		}
	}
	if err := joinMemories(into.Memories(), paths(record.Folder.Memories)); err != nil {
		return err
	}
	if err := note.Join(into, from); err != nil {
		return err
	}
	if err := record.WriteBytes(into.Config(), config); err != nil {
		return err
	}
	if err := into.SealWritten(h, written, s.after(into)...); err != nil {
		return err
	}
	return into.WriteHeader(*h)
}

// header returns the header that one machine would have written with a config. The
// same shards give the same id.
func (s *Shards) header(argv []string, config []byte) record.Header {
	first := s.shards[0].header
	h := first
	h.Status, h.Stopped, h.Shard, h.Argv = record.Complete, "", nil, argv
	sum := sha256.Sum256(config)
	h.ConfigSHA256 = hex.EncodeToString(sum[:])
	h.Datasets, h.Cells, h.Models = slices.Clone(first.Datasets), slices.Clone(first.Cells), slices.Clone(first.Models)
	h.Binary = record.Binary{
		Version: s.several(func(h record.Header) string { return h.Binary.Version }),
		Commit:  s.several(func(h record.Header) string { return h.Binary.Commit }),
		Go:      s.several(func(h record.Header) string { return h.Binary.Go }),
		Host:    s.several(func(h record.Header) string { return h.Binary.Host }),
	}
	h.Calls = s.several(func(h record.Header) string { return h.Calls })
	h.Prices = s.several(func(h record.Header) string { return h.Prices })
	h.Paid, h.Files, h.Scored, h.Accepted = nil, nil, nil, nil
	for i, one := range s.shards {
		o := one.header
		h.Binary.Dirty = h.Binary.Dirty || o.Binary.Dirty
		if o.Start.Before(h.Start) {
			h.Start = o.Start
		}
		if o.End.After(h.End) {
			h.End = o.End
		}
		if o.Paid != nil {
			if h.Paid == nil {
				h.Paid = &meter.Paid{USD: new(0.0)}
			}
			h.Paid = new(h.Paid.Add(*o.Paid))
		}
		h.Accepted = append(h.Accepted, o.Accepted...)
		if i == 0 {
			continue
		}
		for j := range h.Datasets {
			h.Datasets[j].Samples += o.Datasets[j].Samples
			h.Datasets[j].Requests += o.Datasets[j].Requests
		}
		for j := range h.Cells {
			h.Cells[j].Samples += o.Cells[j].Samples
			h.Cells[j].Planned += o.Cells[j].Planned
			if a := h.Cells[j].Adapter; a != nil {
				h.Cells[j].Adapter = a.Did(o.Cells[j].Adapter)
			}
		}
		for j := range h.Models {
			h.Models[j] = joinModels(h.Models[j], o.Models[j])
		}
	}
	h.Metrics = s.metrics()
	h.Judge = s.judge()
	h.Judges = lists.Filter(h.Judges, func(j record.Judge) bool {
		return !slices.ContainsFunc(s.shards, func(o *shardRun) bool {
			other := o.header.FindJudge(j.Name)
			return other == nil || other.ID != j.ID
		})
	})
	for i := range h.Judges {
		h.Judges[i].Calibrations = nil // those of the first shard
	}
	h.ID = runID(h)
	return h
}

// several returns what the headers say, once if they agree, else all of it.
func (s *Shards) several(of func(record.Header) string) string {
	values := lists.Distinct(s.shards, func(one *shardRun) string { return of(one.header) })
	return strings.Join(values, ", ")
}

// joinModels returns a model with what served it in either of two shards.
func joinModels(a, b record.Model) record.Model {
	a.Served, a.Fingerprints, a.Recorded = union(a.Served, b.Served), union(a.Fingerprints, b.Fingerprints), union(a.Recorded, b.Recorded)
	a.Settings, a.Roles = maps.Clone(a.Settings), maps.Clone(a.Roles)
	for name, have := range a.Settings {
		if v := b.Settings[name]; have != v && !slices.Contains(strings.Split(have, ", "), v) {
			a.Settings[name] = have + ", " + v
		}
	}
	for role, m := range a.Roles {
		m.Served = union(m.Served, b.Roles[role].Served)
		a.Roles[role] = m
	}
	return a
}

// union returns the names of two sorted lists as one.
func union(a, b []string) []string {
	names := slices.Concat(a, b)
	slices.Sort(names)
	return slices.Compact(names)
}

// metrics returns what the shards were scored with where they agree, else what
// the config says.
func (s *Shards) metrics() []string {
	first := s.shards[0]
	for _, one := range s.shards[1:] {
		if !slices.Equal(one.header.Metrics, first.header.Metrics) {
			s.warnings = append(s.warnings, fmt.Sprintf("%s and %s were scored with different metrics; the merged run is scored with those of the config", first, one))
			return first.config.Metrics
		}
	}
	return first.header.Metrics
}

// judge returns the judge that all shards were judged by; nil for none.
func (s *Shards) judge() *record.Judge {
	first := s.shards[0]
	judge := first.header.Judge
	for _, one := range s.shards[1:] {
		other := one.header.Judge
		switch {
		case judge == nil && other == nil:
			continue
		case judge == nil || other == nil || judge.ID != other.ID:
			s.warnings = append(s.warnings, fmt.Sprintf("%s and %s were not judged by the same judge; what was said is kept, and 'bench judge' asks about the rest", first, one))
			return nil
		}
		judge = &record.Judge{ID: judge.ID, Prompts: judge.Prompts, Model: joinModels(judge.Model, other.Model)}
	}
	return judge
}
