package runners

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// joinTrees writes the structured memories of several files, each once for all
// samples that begin with it; nothing where there are none. Only the places of the
// trees are kept, not the trees.
func joinTrees(path string, files []string, o order) error {
	type line struct {
		file    int
		place   record.Line[record.Tree]
		samples []string
	}
	var lines []*line
	known := make(map[[sha256.Size]byte]*line)
	for i, file := range files {
		for l, err := range record.Lines[record.Tree](file) {
			if err != nil {
				return err
			}
			id := sha256.Sum256(fmt.Appendf(nil, "%t %s", l.Value.Dialogue, l.Value.XML))
			if known[id] == nil {
				at := &line{file: i, place: record.Line[record.Tree]{Offset: l.Offset, Length: l.Length}}
				known[id] = at
				lines = append(lines, at)
			}
			known[id].samples = append(known[id].samples, l.Value.Samples...)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	bySample := func(a, b string) int { return cmp.Compare(o.samples[a], o.samples[b]) }
	for _, l := range lines {
		slices.SortFunc(l.samples, bySample)
	}
	slices.SortFunc(lines, func(a, b *line) int { return bySample(a.samples[0], b.samples[0]) })
	return record.WriteFile(path, func(w io.Writer) error {
		enc := jsonout.NewEncoder(w)
		for _, l := range lines {
			t, err := readTree(files[l.file], l.place)
			if err != nil {
				return err
			}
			t.Samples = l.samples
			if err := enc.Encode(t); err != nil {
				return err
			}
		}
		return nil
	})
}

// readTree reads the tree at a place of a file.
func readTree(path string, at record.Line[record.Tree]) (t record.Tree, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer f.Close()
	err = json.NewDecoder(io.NewSectionReader(f, at.Offset, int64(at.Length))).Decode(&t)
	return t, err
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
			if err := os.MkdirAll(filepath.Dir(into), 0o755); err != nil {
				return err
			}
			if err := copyFile(into, filepath.Join(folder, filepath.FromSlash(file))); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(into, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return record.WriteFile(into, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// An order says where the samples and requests of a dataset stand.
type order struct {
	samples  map[string]int
	requests map[key]int
}

func newOrder() order {
	return order{samples: make(map[string]int), requests: make(map[key]int)}
}

// add puts a request at the end.
func (o order) add(k key) {
	if _, ok := o.samples[k.sample]; !ok {
		o.samples[k.sample] = len(o.samples)
	}
	o.requests[k] = len(o.requests)
}

// The keys of the lines of a cell's files.
type (
	asked  struct{ Sample, Request string }
	built  struct{ Sample string }
	shown  struct{ Sample, Block string }
	turn   struct{ Sample, Turn string }
	judged struct {
		Sample, Request, Judge string
		Answer                 string `json:"answer_sha256"`
		Gold                   string `json:"gold_sha256"`
	}
)

// joinCell writes the files of a cell that some run folders have into a folder,
// which may be one of them, in the order of the dataset.
func (o order) joinCell(into record.Folder, cell string, from ...record.Folder) error {
	join := func(path func(record.Folder, string) string) (string, []string) {
		paths := lists.Map(from, func(f record.Folder) string { return path(f, cell) })
		return path(into, cell), paths
	}
	records, logs := join(record.Folder.Records)
	if err := record.Join(records, logs, func(a, b asked) int {
		return cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}])
	}); err != nil {
		return err
	}
	ingests, logs := join(record.Folder.Ingests)
	if err := record.Join(ingests, logs, func(a, b built) int {
		return cmp.Compare(o.samples[a.Sample], o.samples[b.Sample])
	}); err != nil {
		return err
	}
	structures, logs := join(record.Folder.Structures)
	if err := record.Join(structures, logs, func(a, b built) int {
		return cmp.Compare(o.samples[a.Sample], o.samples[b.Sample])
	}); err != nil {
		return err
	}
	blocks, logs := join(record.Folder.Blocks)
	return record.Join(blocks, logs, func(a, b shown) int {
		return cmp.Or(cmp.Compare(o.samples[a.Sample], o.samples[b.Sample]), cmp.Compare(a.Block, b.Block))
	})
}

// joinJudgements is joinCell for the judgements of a cell. Of those of the same
// answer by the same judge, told the same gold, the last stays.
func (o order) joinJudgements(path string, from ...string) error {
	return record.Join(path, from, func(a, b judged) int {
		return cmp.Or(
			cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}]),
			cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Gold, b.Gold),
		)
	})
}
