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
	for _, l := range lines {
		slices.SortFunc(l.samples, o.bySample)
	}
	slices.SortFunc(lines, func(a, b *line) int { return o.bySample(a.samples[0], b.samples[0]) })
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

// joinCell writes the files of a cell, which open opens, into a folder in the order of
// the dataset, and notes their digests by path.
func (o order) joinCell(into record.Folder, cell string, written map[string]record.Digest, open func(path func(record.Folder, string) string) ([]*os.File, func(), error)) error {
	for _, file := range []struct {
		path func(record.Folder, string) string
		join func(path string, logs []*os.File) (record.Digest, error)
	}{
		{record.Folder.Records, joined(o.byRequest)},
		{record.Folder.Ingests, joined(func(a, b built) int { return o.bySample(a.Sample, b.Sample) })},
		{record.Folder.Structures, joined(func(a, b built) int { return o.bySample(a.Sample, b.Sample) })},
		{record.Folder.Blocks, joined(func(a, b shown) int { return cmp.Or(o.bySample(a.Sample, b.Sample), cmp.Compare(a.Block, b.Block)) })},
	} {
		logs, done, err := open(file.path)
		if err != nil {
			return err
		}
		d, err := file.join(file.path(into, cell), logs)
		if done(); err != nil {
			return err
		}
		if len(logs) > 0 {
			written[file.path(into, cell)] = d
		}
	}
	return nil
}

// joined is [record.Join] in an order.
func joined[K comparable](compare func(a, b K) int) func(path string, logs []*os.File) (record.Digest, error) {
	return func(path string, logs []*os.File) (record.Digest, error) { return record.Join(path, logs, compare) }
}

// joinFiles joins files that may not be there.
func joinFiles[K comparable](path string, from []string, compare func(a, b K) int) error {
	logs, done, err := record.OpenLogs(from)
	if err != nil {
		return err
	}
	defer done()
	_, err = record.Join(path, logs, compare)
	return err
}

func (o order) bySample(a, b string) int { return cmp.Compare(o.samples[a], o.samples[b]) }

func (o order) byRequest(a, b asked) int {
	return cmp.Compare(o.requests[key{a.Sample, a.Request}], o.requests[key{b.Sample, b.Request}])
}

// joinJudgements is joinCell for the judgements of a cell. Of those of the same
// answer by the same judge, told the same gold, the last stays.
func (o order) joinJudgements(path string, from ...string) error {
	return joinFiles(path, from, func(a, b judged) int {
		return cmp.Or(
			o.byRequest(asked{a.Sample, a.Request}, asked{b.Sample, b.Request}),
			cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Gold, b.Gold),
		)
	})
}
