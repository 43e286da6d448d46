// Package live follows runs that go on and says what is new of them as events. It
// opens files for reading only and takes no lock, so that the run and a resumption of
// it are not disturbed.
package live

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recallbench/internal/files/follow"
	"recallbench/internal/publish/catalog"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// A Scorer scores the records of a cell one by one.
type Scorer interface {
	AddBlock(b record.Block)
	Score(r record.Record) (record.Score, scored.Reach, error)
}

// Config says how runs are followed.
type Config struct {
	// Metric finds a metric by its name.
	Metric func(name string) (*metrics.Spec, error)
	// Alone reports whether a metric scores a record by itself; the others wait for
	// the end of the run.
	Alone func(spec *metrics.Spec) bool
	// Scorer returns a scorer for a cell with such metrics.
	Scorer func(folder record.Folder, h record.Header, c record.Cell, specs []*metrics.Spec) (Scorer, error)
	Host   string // of progress files
	Now    func() time.Time
}

// An Event is something new of a run. Its data is JSON.
type Event struct {
	ID   uint64          `json:"id"`
	Name string          `json:"event"`
	Data json.RawMessage `json:"data"`
}

// The names of events.
const (
	EventState    = "state"    // the whole state, see [State]
	EventHeader   = "header"   // run.json has changed
	EventProgress = "progress" // progress.json has changed
	EventRecords  = "records"  // requests have finished, see [Records]
	EventReset    = "reset"    // a cell begins anew
	EventScored   = "scored"   // scores.jsonl is there, or another one
	EventGone     = "gone"     // the folder is removed or cannot be read
	EventFault    = "fault"    // a line is no record
)

// Records are requests of a cell that have finished.
type Records struct {
	Cell  string   `json:"cell"`
	Kinds []string `json:"kinds"` // of errors, which rows point into
	Rows  []row    `json:"rows"`
	// Done and Failed count the requests of the cell, each once.
	Done   int `json:"done"`
	Failed int `json:"failed"`
}

// A Fault is a file or a line of it that cannot be read.
type Fault struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // from 1; 0 for the file
	Error string `json:"error"`
}

// maxRows is how many rows an event has at most.
const maxRows = 200

// maxFaults is how many faults a state has, the newest.
const maxFaults = 20

// maxRead is how many bytes of a file are read at once, and so the longest line.
const maxRead = 4 << 20

// A follower reads what is new in a run folder.
type follower struct {
	Config
	folder record.Folder
	emit   func(name string, data any)

	header    record.Header
	seen      [2]fs.FileInfo // run.json and scores.jsonl
	gone      bool
	specs     []*metrics.Spec
	columns   []metrics.Column
	waiting   []string // metrics
	progress  *record.Progress
	kinds     []string
	faults    []Fault
	cells     []*cell
	figures   figures
	figuresAt time.Time
}

// A cell is what is known of a cell of the run.
type cell struct {
	record.Cell
	scorer                   Scorer
	records, blocks, ingests *follow.File
	held                     []follow.Line // records whose blocks are still to be read
	rows                     map[record.Asked]*row
	order                    []*row
	built                    int // memories
	lastBuilt                time.Time
}

// tick reads what is new. It returns how many bytes it read, and whether there is
// more.
func (f *follower) tick() (read int64, more bool) {
	if !f.readHeader() {
		return 0, false
	}
	f.readProgress()
	for _, c := range f.cells {
		n, again := f.readCell(c)
		read, more = read+n, more || again
		if read >= maxRead {
			return read, true
		}
	}
	return read, more
}

// changed reports whether a file is another one than was seen, and keeps what is seen
// now.
func changed(path string, seen *fs.FileInfo) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		was := *seen != nil
		*seen = nil
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return was, err
	}
	old := *seen
	*seen = info
	return old == nil || !os.SameFile(old, info) || old.Size() != info.Size() || !old.ModTime().Equal(info.ModTime()), nil
}

// readHeader reads run.json where it has changed. It reports whether there is a run to
// follow.
func (f *follower) readHeader() bool {
	other, err := changed(filepath.Join(string(f.folder), "run.json"), &f.seen[0])
	if f.seen[0] == nil {
		if !f.gone {
			f.gone, f.cells, f.header = true, nil, record.Header{}
			f.emit(EventGone, map[string]string{"error": message(err, "the folder of the run is removed")})
		}
		return false
	}
	begun := len(f.cells) > 0
	if scored, err := changed(f.folder.Scores(), &f.seen[1]); scored && begun && err == nil && f.seen[1] != nil {
		f.emit(EventScored, struct{}{})
	}
	if !other && begun {
		return true
	}
	h, err := record.ReadHeader(string(f.folder))
	if err != nil {
		f.fault("run.json", 0, err)
		return begun
	}
	if f.gone || f.header.ID != h.ID || len(f.header.Cells) != len(h.Cells) {
		f.begin(h)
	} else if f.header.Status != h.Status || !f.header.End.Equal(h.End) {
		f.emit(EventHeader, map[string]any{"status": h.Status, "stopped": h.Stopped})
	}
	f.header, f.gone = h, false
	return true
}

// begin makes the cells of a header.
func (f *follower) begin(h record.Header) {
	f.specs, f.columns, f.waiting, f.cells, f.faults = nil, nil, nil, nil, nil
	for _, name := range h.Metrics {
		spec, err := f.Metric(name)
		if err != nil || !f.Alone(spec) {
			f.waiting = append(f.waiting, name)
			continue
		}
		f.specs, f.columns = append(f.specs, spec), append(f.columns, spec.Columns...)
	}
	for _, c := range h.Cells {
		one := &cell{Cell: c, rows: make(map[record.Asked]*row)}
		one.records, one.blocks, one.ingests = follow.New(f.folder.Records(c.ID)), follow.New(f.folder.Blocks(c.ID)), follow.New(f.folder.Ingests(c.ID))
		var err error
		if one.scorer, err = f.Scorer(f.folder, h, c, f.specs); err != nil {
			f.fault(f.name(f.folder.Gold(c.Dataset)), 0, err)
			one.scorer = nil
		}
		f.cells = append(f.cells, one)
	}
}

func (f *follower) readProgress() {
	p, err := record.ReadProgress(string(f.folder))
	if err != nil { // it is replaced while it is read, or another program's
		return
	}
	if (p == nil) != (f.progress == nil) || p != nil && !p.Time.Equal(f.progress.Time) {
		f.progress = p
		f.emit(EventProgress, p)
	}
}

// readCell reads what is new of a cell. A block is written before a record that refers
// to it. So records are read first and scored once all blocks are there.
func (f *follower) readCell(c *cell) (read int64, more bool) {
	var records follow.News
	if c.held == nil {
		records = f.news(c.records)
	}
	blocks, ingests := f.news(c.blocks), f.news(c.ingests)
	for _, l := range blocks.Lines {
		if b, ok := decode[record.Block](f, f.folder.Blocks(c.ID), l); ok && c.scorer != nil {
			c.scorer.AddBlock(b)
		}
	}
	if ingests.Reset {
		c.built = 0
	}
	for _, l := range ingests.Lines {
		if i, ok := decode[record.Ingest](f, f.folder.Ingests(c.ID), l); ok {
			c.built++
			c.lastBuilt = finished(i.Time)
		}
	}
	if records.Reset {
		c.rows, c.order = make(map[record.Asked]*row), nil
		f.figuresAt = time.Time{}
		f.emit(EventReset, map[string]string{"cell": c.ID})
	}
	c.held = append(c.held, records.Lines...)
	if !blocks.More {
		for lines := range slices.Chunk(c.held, maxRows) {
			f.addLines(c, lines)
		}
		c.held = nil
	}
	return records.Read + blocks.Read + ingests.Read, records.More || blocks.More || ingests.More
}

// addLines adds records to a cell and tells of them.
func (f *follower) addLines(c *cell, lines []follow.Line) {
	var rows []row
	for _, l := range lines {
		if r, ok := decode[record.Record](f, f.folder.Records(c.ID), l); ok {
			rows = append(rows, *f.add(c, r, l.Number))
		}
	}
	if len(rows) > 0 {
		f.emit(EventRecords, Records{c.ID, f.kinds, rows, len(c.order), c.failed()})
	}
}

// failed counts the requests without an answer.
func (c *cell) failed() (n int) {
	for _, r := range c.order {
		if r.status != record.OK {
			n++
		}
	}
	return n
}

// news returns what is new of a file; nothing where it cannot be read.
func (f *follower) news(file *follow.File) follow.News {
	news, err := file.Next(maxRead)
	if err != nil {
		f.fault("", 0, err)
	}
	return news
}

// decode decodes a line, or tells of one that cannot be. Fields that this program does
// not know are passed over.
func decode[T any](f *follower, path string, l follow.Line) (value T, ok bool) {
	err := l.Err
	if err == nil {
		err = json.Unmarshal(l.Data, &value)
	}
	if err != nil {
		f.fault(f.name(path), l.Number, err)
	}
	return value, err == nil
}

// fault tells of something that cannot be read.
func (f *follower) fault(file string, line int, err error) {
	fault := Fault{file, line, cut(err.Error())}
	f.faults = append(f.faults[max(0, len(f.faults)-maxFaults+1):], fault)
	f.emit(EventFault, fault)
}

// name is a path within the folder, with slashes.
func (f *follower) name(path string) string {
	rel, err := filepath.Rel(string(f.folder), path)
	if err != nil {
		return filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}

func message(err error, otherwise string) string {
	if err == nil {
		return otherwise
	}
	return err.Error()
}

// state returns how it stands with the run.
func (f *follower) state() (catalog.State, time.Time) {
	switch {
	case f.gone:
		return catalog.Unreadable, time.Time{}
	case f.header.Status == record.Started:
		return catalog.StateOf(f.folder, f.progress, f.Host, f.Now())
	case f.header.Status == record.Interrupted:
		return catalog.Interrupted, time.Time{}
	}
	return catalog.Complete, time.Time{}
}

// finished is when something ended that took a time.
func finished(t record.Timing) time.Time {
	return t.Start.Add(time.Duration(t.Total * float64(time.Millisecond)))
}
