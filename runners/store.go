package runners

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"recallbench/datasets"
	"recallbench/internal/door/token"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// A key names a request of a cell.
type key struct{ Sample, Request string }

// A LineFile is a file of a cell that the asking of its requests writes.
type LineFile string

// The files of a cell, by their names without the ending.
const (
	RecordLines    LineFile = "records"
	IngestLines    LineFile = "ingests"
	BlockLines     LineFile = "blocks"
	StructureLines LineFile = "structures"
)

func lineFiles() []LineFile { return []LineFile{RecordLines, IngestLines, BlockLines, StructureLines} }

// path is where a run folder has the file of a cell.
func (f LineFile) path(folder record.Folder, cell string) string {
	return filepath.Join(folder.Cell(cell), string(f)+".jsonl")
}

// A lineLog takes lines of a file: a [record.Log], or for a worker what brings them
// to the process that has the run folder.
type lineLog interface {
	Append(values ...any) error
	Close() error
}

// A store writes what a cell gives.
type store struct {
	folder record.Folder
	cell   *cell
	logs   map[LineFile]lineLog // none of structures where these are not kept

	mu    sync.Mutex
	done  map[key]record.Status // finished requests
	built map[string]bool       // samples with a memory that an earlier part of the run built

	writing sync.Mutex // of blocks
	written map[string]bool
}

func newStore(c *cell) *store {
	return &store{
		cell: c, logs: make(map[LineFile]lineLog),
		done: make(map[key]record.Status), built: make(map[string]bool), written: make(map[string]bool),
	}
}

// readStore reads what a cell has finished, and changes nothing. All that is wrong
// with its files is a [record.Damage]: a line that cannot be read, a record that
// points at a block that is not there. A record whose request has changed since is
// an error.
func readStore(folder record.Folder, c *cell) (*store, error) {
	s := newStore(c)
	s.folder = folder
	requests := sync.OnceValue(func() map[key]datasets.Request { // a new run has no line that needs them
		all := make(map[key]datasets.Request, c.Planned)
		for _, sample := range c.samples {
			for _, r := range sample.Requests {
				all[key{sample.ID, r.ID}] = r
			}
		}
		return all
	})
	var changed error
	faults := folder.CellFaults(c.Cell, nil, func(line any) {
		switch line := line.(type) {
		case record.Record:
			k := key{line.Sample, line.Request}
			if r, ok := requests()[k]; changed == nil && (!ok || requestHash(c.set, line.Sample, r) != line.Hash) {
				changed = fmt.Errorf("%s: question %s of %s differs from the dataset's; the run cannot continue with changed data",
					folder.Records(c.ID), line.Request, line.Sample)
			}
			s.done[k] = line.Status
		case record.Ingest:
			s.built[line.Sample] = true
		case record.Block:
			s.written[line.Block] = true
		}
	})
	if len(faults) > 0 {
		return s, &record.Damage{Dir: string(folder), Faults: faults}
	}
	return s, changed
}

// open opens the files of a cell that has been read for more lines. Structures says
// whether what memories hold is kept.
func (s *store) open(structures bool, log *slog.Logger) error {
	if err := os.MkdirAll(s.folder.Cell(s.cell.ID), 0o755); err != nil {
		return err
	}
	for _, f := range lineFiles() {
		if f == StructureLines && !structures {
			continue
		}
		l, err := openLines(s.folder, f.path(s.folder, s.cell.ID), log)
		if err != nil {
			return err
		}
		s.logs[f] = l
	}
	return nil
}

// openLines opens a file for more lines, without a last one that is not whole.
func openLines(folder record.Folder, path string, log *slog.Logger) (*record.Log, error) {
	l, dropped, err := folder.OpenLog(path)
	if dropped > 0 {
		log.Warn("dropped an incomplete line", "file", path, "bytes", dropped)
	}
	return l, err
}

// pending reports whether the request is still to be asked.
func (s *store) pending(k key, retry bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, ok := s.done[k]
	return !ok || retry && status != record.OK
}

// hasBlock reports whether a block is in the file.
func (s *store) hasBlock(id string) bool {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.written[id]
}

// addBlocks writes the blocks of evidence that are not in the file yet and
// returns references to all of them. When it returns, all are in the file,
// or it is an error: no record points at nothing.
func (s *store) addBlocks(sample string, evidence []methods.Evidence, tokens token.Counter) ([]record.BlockRef, error) {
	refs := make([]record.BlockRef, len(evidence))
	s.writing.Lock()
	defer s.writing.Unlock()
	var lines []any
	added := make(map[string]bool)
	for i, e := range evidence {
		id := record.BlockID(sample, e.ID, e.Text, e.Sources)
		refs[i] = record.BlockRef{Block: id, Score: e.Score}
		if !s.written[id] && !added[id] {
			lines = append(lines, record.Block{
				Block: id, Sample: sample, Name: e.ID, Sources: e.Sources, Estimated: e.Estimated, Text: e.Text, Tokens: tokens.Count(e.Text),
			})
			added[id] = true
		}
	}
	if len(lines) == 0 {
		return refs, nil
	}
	if err := s.logs[BlockLines].Append(lines...); err != nil {
		return refs, err
	}
	maps.Copy(s.written, added)
	return refs, nil
}

// arrange sorts the files of the cell into the order of the dataset, and adds their
// digests to those of others.
func (s *store) arrange(written map[string]record.Digest) error {
	o := orderOf(s.cell.samples)
	for _, f := range lineFiles() {
		path, join := f.path(s.folder, s.cell.ID), o.joining(f)
		var err error
		if log, open := s.logs[f].(*record.Log); open {
			written[path], err = join(path, []*os.File{log.File()})
		} else { // structures of an earlier part, which were not kept since
			err = joinFiles(path, []string{path}, join, written)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() {
	for _, l := range s.logs {
		_ = l.Close() // its lines are written, as Append has said
	}
}

// requestHash is a hash of the content of a request and of its gold.
func requestHash(set *datasets.Set, sample string, r datasets.Request) string {
	gold, _ := set.Gold(sample, r.ID)
	return hashOf([]any{sample, r, gold}, 16)
}
