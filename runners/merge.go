package runners

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"recallbench/configs"
	"recallbench/internal/lists"
	"recallbench/internal/record"
)

// Merge writes the run folder that one machine would have written: dir, or where
// dir is empty a folder as [Plan.Start] makes it. Argv is the command line that
// the header names. The header comes last: a folder with a header is a whole run
// folder. The run is not scored.
func (s *Shards) Merge(dir string, argv []string) (record.Folder, Result, error) {
	config := *s.shards[0].config
	config.Shard = configs.Shard{}
	text, err := config.Marshal()
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
		gold := func(f record.Folder) string { return f.Gold(d.Label) }
		if err := record.Join(gold(into), paths(gold), func(a, b asked) int {
			return cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}])
		}); err != nil {
			return err
		}
		trees := func(f record.Folder) string { return f.Trees(d.Label) }
		if err := joinTrees(trees(into), paths(trees), o); err != nil {
			return err
		}
	}
	for _, c := range h.Cells {
		o := s.orders[c.Dataset]
		if err := os.MkdirAll(into.Cell(c.ID), 0o755); err != nil {
			return err
		}
		if err := o.joinCell(into, c.ID, from...); err != nil {
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
	if err := writeBytes(into.Config(), config); err != nil {
		return err
	}
	if err := into.Seal(h, s.after(into)...); err != nil {
		return err
	}
	return into.WriteHeader(*h)
}
