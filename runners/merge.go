package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/jsonout"
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
	result := Result{Header: s.header(argv, text)}
	for _, one := range s.shards {
		failed, requests, err := one.folder.Failed(one.header)
		if err != nil {
			return "", Result{}, err
		}
		result.Requests, result.Failed = result.Requests+requests, result.Failed+len(failed)
	}
	if dir == "" {
		dir = runFolder(result.Header)
	}
	folder, err := record.Create(dir)
	if err != nil {
		return "", Result{}, err
	}
	unlock, err := folder.Lock()
	if err != nil {
		return "", Result{}, err
	}
	if err := s.write(folder, &result.Header, text); err != nil {
		return "", Result{}, errors.Join(fmt.Errorf("run folder: %w", err), unlock())
	}
	return folder, result, unlock()
}

// write writes all files. A config without a header would be a run that has not
// begun, so that both come last.
func (s *Shards) write(into record.Folder, h *record.Header, config []byte) error {
	paths := func(path func(record.Folder) string) []string {
		return lists.Map(s.shards, func(one *shardRun) string { return path(one.folder) })
	}
	written := make(map[string]record.Digest)
	join := func(path func(record.Folder) string, join joining) error {
		return joinFiles(path(into), paths(path), join, written)
	}
	for _, d := range h.Datasets {
		gold := func(f record.Folder) string { return f.Gold(d.Label) }
		o, err := interleave(paths(gold))
		if err != nil {
			return err
		}
		faults := []error{
			join(gold, o.byRequest()),
			join(func(f record.Folder) string { return f.Errata(d.Label) }, o.byRequest()),
			join(func(f record.Folder) string { return f.Turns(d.Label) }, joined(func(a, b turn) int { return o.compareSamples(a.Sample, b.Sample) })),
			joinTrees(into.Trees(d.Label), paths(func(f record.Folder) string { return f.Trees(d.Label) }), o),
		}
		for _, c := range lists.Filter(h.Cells, func(c record.Cell) bool { return c.Dataset == d.Label }) {
			faults = append(faults, os.MkdirAll(into.Cell(c.ID), 0o755))
			for _, file := range o.cellFiles() {
				faults = append(faults, join(func(f record.Folder) string { return file.path(f, c.ID) }, file.join))
			}
			judgements := func(f record.Folder) string { return f.Judgements(c.ID) }
			faults = append(faults, o.joinJudgements(judgements(into), paths(judgements)...))
		}
		if err := errors.Join(faults...); err != nil {
			return err
		}
	}
	if err := errors.Join(
		joinMemories(into.Memories(), paths(record.Folder.Memories)),
		note.Join(into, lists.Map(s.shards, func(one *shardRun) record.Folder { return one.folder })),
		record.WriteBytes(into.Config(), config),
		into.SealWritten(h, written, s.after(into)...),
	); err != nil {
		return err
	}
	return into.WriteHeader(*h)
}

// after returns the files that came after the run and have a digest in each
// shard, by their paths in the merged run.
func (s *Shards) after(into record.Folder) (paths []string) {
	for _, name := range s.shards[0].folder.After(s.shards[0].header) {
		if !slices.ContainsFunc(s.shards, func(one *shardRun) bool { return !slices.Contains(one.folder.After(one.header), name) }) {
			paths = append(paths, filepath.Join(string(into), filepath.FromSlash(name)))
		}
	}
	return paths
}

// A turn is the key of a line of the order of turns.
type turn struct{ Sample, Turn string }

// interleave returns the order that samples were split from, by the gold files of the
// shards in their order: each has every n-th sample.
func interleave(paths []string) (order, error) {
	type sample struct {
		id       string
		requests []key
	}
	shards := make([][]sample, len(paths))
	for i, path := range paths {
		for line, err := range record.Parts[asked](path) {
			if err != nil {
				return order{}, err
			}
			k := key{line.Value.Sample, line.Value.Request}
			if n := len(shards[i]); n == 0 || shards[i][n-1].id != k.sample {
				shards[i] = append(shards[i], sample{id: k.sample})
			}
			last := &shards[i][len(shards[i])-1]
			last.requests = append(last.requests, k)
		}
	}
	o := newOrder()
	for place := range shards[0] { // the first shard has the most samples
		for _, samples := range shards {
			if place < len(samples) {
				for _, k := range samples[place].requests {
					o.add(k)
				}
			}
		}
	}
	return o, nil
}

// joinTrees writes the structured memories of several files, each once for all
// samples that begin with it; nothing where there are none.
func joinTrees(path string, files []string, o order) error {
	type memory struct {
		dialogue bool
		xml      string
	}
	samples := make(map[memory][]string)
	for _, file := range files {
		for t, err := range record.Values[record.Tree](file) {
			if err != nil {
				return err
			}
			m := memory{t.Dialogue, t.XML}
			samples[m] = append(samples[m], t.Samples...)
		}
	}
	if len(samples) == 0 {
		return nil
	}
	var lines []record.Tree
	for m, of := range samples {
		slices.SortFunc(of, o.compareSamples)
		lines = append(lines, record.Tree{Samples: of, Dialogue: m.dialogue, XML: m.xml})
	}
	slices.SortFunc(lines, func(a, b record.Tree) int { return o.compareSamples(a.Samples[0], b.Samples[0]) })
	return record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, lines...) })
}

// joinMemories copies the kept memories of several folders into one. Of one that
// several have, because two datasets share a sample, any is as good.
func joinMemories(dir string, from []string) error {
	for _, folder := range from {
		files, err := fs.Glob(os.DirFS(folder), "*/*.jsonl") // the folder itself may be named like a pattern
		if err != nil {
			return err
		}
		for _, file := range files {
			into := filepath.Join(dir, filepath.FromSlash(file))
			if _, err := os.Stat(into); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(into), 0o755), record.WriteBytes(into, data)); err != nil {
				return err
			}
		}
	}
	return nil
}

// header returns the header that one machine would have written with a config. The
// same shards give the same id.
func (s *Shards) header(argv []string, config []byte) record.Header {
	h := s.shards[0].header
	h.Status, h.Stopped, h.Shard, h.Argv = record.Complete, "", nil, argv
	sum := sha256.Sum256(config)
	h.ConfigSHA256 = hex.EncodeToString(sum[:])
	h.Datasets, h.Cells, h.Models = slices.Clone(h.Datasets), slices.Clone(h.Cells), slices.Clone(h.Models)
	several := func(of func(record.Header) string) string {
		return strings.Join(lists.Distinct(s.shards, func(one *shardRun) string { return of(one.header) }), ", ")
	}
	h.Binary = record.Binary{
		Version: several(func(h record.Header) string { return h.Binary.Version }),
		Commit:  several(func(h record.Header) string { return h.Binary.Commit }),
		Go:      several(func(h record.Header) string { return h.Binary.Go }),
		Host:    several(func(h record.Header) string { return h.Binary.Host }),
		Dirty:   slices.ContainsFunc(s.shards, func(one *shardRun) bool { return one.header.Binary.Dirty }),
	}
	h.Calls = several(func(h record.Header) string { return h.Calls })
	h.Prices = several(func(h record.Header) string { return h.Prices })
	h.Files, h.Scored = nil, nil
	for _, one := range s.shards[1:] {
		addShard(&h, one.header)
	}
	if slices.ContainsFunc(s.shards, func(one *shardRun) bool { return !slices.Equal(one.header.Metrics, h.Metrics) }) {
		s.warnings = append(s.warnings, "the shards were scored with different metrics; the merged run is scored with those of the config")
		h.Metrics = s.shards[0].config.Metrics
	}
	var judges []record.Judge
	for _, j := range h.AllJudges() {
		if joined, ok := s.judge(j); ok {
			judges = append(judges, joined)
		}
	}
	h.Judge, h.Judges = nil, nil
	for _, j := range judges {
		h.SetJudge(j)
	}
	if h.Judge == nil && slices.ContainsFunc(s.shards, func(one *shardRun) bool { return one.header.Judge != nil }) {
		s.warnings = append(s.warnings, "the shards were not judged by the same judge; what was said is kept, and 'bench judge' asks about the rest")
	}
	h.ID = runID(h)
	return h
}

// addShard adds what another shard did to a header.
func addShard(h *record.Header, o record.Header) {
	if o.Start.Before(h.Start) {
		h.Start = o.Start
	}
	if o.End.After(h.End) {
		h.End = o.End
	}
	if o.Paid != nil && h.Paid != nil {
		h.Paid = new(h.Paid.Add(*o.Paid))
	} else if o.Paid != nil {
		h.Paid = new((meter.Paid{USD: new(0.0)}).Add(*o.Paid))
	}
	h.Accepted = slices.Concat(h.Accepted, o.Accepted)
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

// judge returns a judge of the first shard with what served it in all; ok is false where a
// shard was not judged by it. How it fares by the labels of one shard is not kept.
func (s *Shards) judge(j record.Judge) (_ record.Judge, ok bool) {
	j.Calibrations = nil
	for _, one := range s.shards[1:] {
		other := one.header.FindJudge(j.Name)
		if other == nil || other.ID != j.ID {
			return j, false
		}
		j.Model = joinModels(j.Model, other.Model)
	}
	return j, true
}
