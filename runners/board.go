package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"recallbench/datasets"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A Unit is a sample of a cell: a worker builds its memory and asks it.
type Unit struct {
	Cell   string `json:"cell"`
	Sample string `json:"sample"`
}

// String names the unit in messages.
func (u Unit) String() string { return u.Cell + "/" + u.Sample }

// A Delivery is what a worker sends of a unit: lines of one file.
type Delivery struct {
	File  LineFile          `json:"file"`
	Lines []json.RawMessage `json:"lines"`
	// Provider is set when the provider is to blame for the failure in Lines.
	Provider bool `json:"provider,omitempty"`
}

// A LineFile is a file of a cell.
type LineFile string

// The files of a cell that workers send lines of.
const (
	RecordLines    LineFile = "records"
	IngestLines    LineFile = "ingests"
	BlockLines     LineFile = "blocks"
	StructureLines LineFile = "structures"
)

// A Board has the units of a run that workers ask, and is the only one to write
// its folder. It takes each line once, however often it is delivered. It is safe
// for concurrent use.
type Board struct {
	e     *execution
	order []Unit // with requests left
	units map[Unit]*boardUnit
	over  context.Context //nolint:containedctx // ends when the run needs no workers any more
	end   context.CancelCauseFunc

	mu   sync.Mutex
	open int // units

	keeping sync.Mutex
	kept    map[KeptMemory]*openMemory
}

// errFinished is the end of a board that has written all that it took.
var errFinished = errors.New("the run needs no workers any more")

// A boardUnit is a unit with what has been taken of it.
type boardUnit struct {
	store   *store
	entry   datasets.Entry
	pending []string // requests to ask

	mu       sync.Mutex
	taken    map[string]bool // lines, by file and key
	finished bool
}

func newBoard(e *execution) *Board {
	b := &Board{e: e, units: make(map[Unit]*boardUnit), kept: make(map[KeptMemory]*openMemory)}
	b.over, b.end = context.WithCancelCause(context.Background())
	for _, s := range e.stores {
		for _, entry := range s.cell.samples {
			if !e.left(s, entry) {
				continue
			}
			u := Unit{s.cell.ID, entry.ID}
			one := &boardUnit{store: s, entry: entry, taken: make(map[string]bool)}
			for _, r := range entry.Requests {
				if s.pending(key{entry.ID, r.ID}, e.Retry) {
					one.pending = append(one.pending, r.ID)
				}
			}
			b.order, b.units[u] = append(b.order, u), one
		}
	}
	if b.open = len(b.order); b.open == 0 {
		b.end(errFinished)
	}
	return b
}

// Units returns the units that were not finished when the board was made, in the order
// of the run.
func (b *Board) Units() []Unit { return b.order }

// Plan returns what a worker lays its plan from: the resolved config, and the header of
// the run as JSON, with the options that were tuned.
func (b *Board) Plan() (config, header []byte, err error) {
	if config, err = b.e.plan.config.Marshal(); err != nil {
		return nil, nil, err
	}
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	header, err = json.Marshal(b.e.plan.header)
	return config, header, err
}

// Own returns the user's own files that the run's datasets read, by the path in the
// config. No licence forbids to send them to workers.
func (b *Board) Own() map[string]string { return b.e.plan.own }

// Accounts are the provider accounts of the run, with the limits of all workers.
func (b *Board) Accounts() *limit.Registry { return b.e.plan.accounts }

// Budget is what the run may spend.
func (b *Board) Budget() *budget.Budget { return b.e.plan.budget }

// Calls has the recordings of the run.
func (b *Board) Calls() *calls.Recorder { return b.e.plan.env.Calls }

// Halt ends the run because of a fault that every further call would meet.
func (b *Board) Halt(err error) {
	b.e.halt(err)
	b.end(errFinished)
}

// Wait returns when all units are finished, when the run has to stop, or when the
// folder cannot be written to, which is its error.
func (b *Board) Wait(ctx context.Context) error {
	select {
	case <-b.over.Done():
		if err := context.Cause(b.over); !errors.Is(err, errFinished) { //nolint:contextcheck // why the run is over
			return err
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Check reports why a worker's plan is not that of the run: other data, prompts,
// options or methods.
func (b *Board) Check(worker record.Header) error {
	run := &b.e.plan.header // its other fields change
	if err := sameData(run.Datasets, worker.Datasets); err != nil {
		return err
	}
	return sameCells(run.Cells, worker.Cells)
}

func (b *Board) unit(u Unit) (*boardUnit, error) {
	one, ok := b.units[u]
	if !ok {
		return nil, fmt.Errorf("the run has no unit %s to ask", u)
	}
	return one, nil
}

// Begin returns the requests of a unit that are left to ask. Done is set when
// nothing is left to do.
func (b *Board) Begin(u Unit) (pending []string, done bool, err error) {
	one, err := b.unit(u)
	if err != nil {
		return nil, false, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if b.e.Retry { // what comes after a request that is asked again may be asked again, too
		return one.pending, one.finished, nil
	}
	return one.left(), one.finished, nil
}

// left returns the requests without a record.
func (u *boardUnit) left() []string {
	return lists.Filter(u.pending, func(r string) bool { return !u.finished && !u.taken[lineKey(RecordLines, r)] })
}

// End notes that a worker has asked a unit. An incomplete unit is an error.
func (b *Board) End(u Unit) error {
	one, err := b.unit(u)
	if err != nil {
		return err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.finished {
		return nil
	}
	unbuilt := !one.taken[lineKey(IngestLines, "")] && !one.store.built[u.Sample]
	if left := one.left(); len(left) > 0 || unbuilt {
		return fmt.Errorf("unit %s has ended without the line about its memory or without records of the requests %s", u, strings.Join(left, ", "))
	}
	one.finished, one.taken = true, nil
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open--; b.open == 0 {
		b.end(errFinished)
	}
	return nil
}

func lineKey(f LineFile, id string) string { return string(f) + " " + id }

// Take writes what a worker delivered of a unit. What was taken before is left out.
// Lines of another unit, and lines that do not check out, are an error, and nothing
// of them is written.
func (b *Board) Take(u Unit, d Delivery) error {
	one, err := b.unit(u)
	if err != nil {
		return err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	var lines []checkedLine
	for _, raw := range d.Lines {
		l, err := b.check(one, u.Sample, raw, d)
		if err != nil {
			return fmt.Errorf("unit %s: %w", u, err)
		}
		lines = append(lines, l)
	}
	for _, l := range lines {
		key := lineKey(d.File, l.key)
		if one.finished || one.taken[key] {
			continue
		}
		if err := l.write(); err != nil {
			b.end(err)
			return err
		}
		one.taken[key] = true
	}
	return nil
}

// A checkedLine is a line with how it is written.
type checkedLine struct {
	key   string // within its file
	write func() error
}

// check reads a line of a file of a unit that belongs to a sample.
func (b *Board) check(u *boardUnit, sample string, raw json.RawMessage, d Delivery) (l checkedLine, err error) {
	var of string // the sample that the line names
	blame := func(f *record.Failure) *record.Failure {
		if f != nil {
			f.Provider = d.Provider
		}
		return f
	}
	switch d.File {
	case RecordLines:
		r, failed := record.Decode[record.Record](raw)
		if err = failed; err == nil {
			err = u.checkRecord(sample, r)
		}
		called := len(r.Calls) == 0 && len(r.Usage) > 0 || slices.ContainsFunc(r.Time.Calls, func(c record.CallTime) bool { return !c.Reused })
		of, l = r.Sample, checkedLine{r.Request, func() error {
			return b.e.keep(called, blame(r.Error), func() error {
				if err := u.store.records.Append(raw); err != nil {
					return err
				}
				b.e.finish(u.store, r)
				return nil
			})
		}}
	case IngestLines:
		in, failed := record.Decode[record.Ingest](raw)
		err, of, l = failed, in.Sample, checkedLine{"", func() error {
			b.e.ledger.memory(u.store.ledger, in.Usage)
			b.e.Progress.Memory()
			return b.e.keep(false, blame(in.Error), func() error { return u.store.ingests.Append(raw) })
		}}
	case BlockLines:
		block, failed := record.Decode[record.Block](raw)
		if id := record.BlockID(block.Sample, block.Name, block.Text, block.Sources); failed == nil && block.Block != id {
			failed = fmt.Errorf("block %q is not what it says: its id is %s", block.Block, id)
		}
		err, of, l = failed, block.Sample, checkedLine{block.Block, func() error {
			if u.store.hasBlock(block.Block) {
				return nil
			}
			return u.store.blocks.Append(raw)
		}}
	case StructureLines:
		shown, failed := record.Decode[record.Structure](raw)
		if failed == nil && u.store.shown == nil {
			failed = errors.New("what a memory holds, which the run does not keep")
		}
		err, of, l = failed, shown.Sample, checkedLine{"", func() error { return u.store.shown.Append(raw) }}
	default:
		return l, fmt.Errorf("lines of %q, want %s, %s, %s or %s", d.File, RecordLines, IngestLines, BlockLines, StructureLines)
	}
	if err == nil && of != sample {
		err = fmt.Errorf("a line of %s of %q, which is not of the unit", d.File, of)
	}
	return l, err
}

// checkRecord reports why a record is none of the unit, or one that no run writes.
func (u *boardUnit) checkRecord(sample string, r record.Record) error {
	at := slices.IndexFunc(u.entry.Requests, func(q datasets.Request) bool { return q.ID == r.Request })
	switch {
	case r.Sample != sample || at < 0:
		return fmt.Errorf("a record of request %q of %q, which is not of the unit", r.Request, r.Sample)
	case r.Hash != requestHash(u.store.cell.set, r.Sample, u.entry.Requests[at]):
		return fmt.Errorf("the record of request %s is of another question: its hash is %q", r.Request, r.Hash)
	case !slices.Contains([]record.Status{record.OK, record.Error, record.Refused, record.Limit}, r.Status):
		return fmt.Errorf("the record of request %s has the status %q", r.Request, r.Status)
	case (r.Error == nil) != (r.Status == record.OK):
		return fmt.Errorf("the record of request %s has the status %s and the error %v", r.Request, r.Status, r.Error)
	}
	for _, e := range r.Evidence {
		if !u.finished && !u.taken[lineKey(BlockLines, e.Block)] && !u.store.hasBlock(e.Block) {
			return fmt.Errorf("the record of request %s points at block %q, which was not delivered", r.Request, e.Block)
		}
	}
	return nil
}

// hasBlock reports whether an earlier part of the run wrote a block.
func (s *store) hasBlock(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[id] != nil
}

// Fail makes error records of what is left of a unit that several workers could not
// ask, each for a reason.
func (b *Board) Fail(u Unit, reasons []string) error {
	one, err := b.unit(u)
	if err != nil {
		return err
	}
	left, done, err := b.Begin(u)
	if err != nil || done {
		return err
	}
	failure := &record.Failure{Kind: "worker", Message: fmt.Sprintf("%d workers could not ask it: %s", len(reasons), strings.Join(reasons, "; "))}
	now := record.Timing{Start: b.e.plan.env.Now().UTC()}
	take := func(f LineFile, line any) error {
		raw, err := rawLine(line)
		if err != nil {
			return err
		}
		return b.Take(u, Delivery{File: f, Lines: []json.RawMessage{raw}})
	}
	// A line about a memory that was built is there already, and stays.
	if err := take(IngestLines, record.Ingest{Sample: u.Sample, Status: record.Error, Error: failure, Time: now}); err != nil {
		return err
	}
	for _, r := range one.entry.Requests {
		if !slices.Contains(left, r.ID) {
			continue
		}
		gold, _ := one.store.cell.set.Gold(u.Sample, r.ID)
		rec := record.Record{
			Sample: u.Sample, Request: r.ID, Hash: requestHash(one.store.cell.set, u.Sample, r), Category: gold.Category,
			Status: record.Error, Error: failure, Time: now,
		}
		if err := take(RecordLines, rec); err != nil {
			return err
		}
	}
	return b.End(u)
}

// Settle says what the call of a lease of a worker did cost. What no call of the run
// can have cost is an error.
func (b *Board) Settle(ctx context.Context, lease uint64, s budget.Settlement) error {
	if p := s.Paid; p == nil || min(p.Calls, p.Reused, p.Tokens) < 0 || p.USD != nil && !(*p.USD >= 0) {
		return errors.New("settled without what was paid, or with less than nothing")
	}
	b.e.mu.Lock()
	known := slices.ContainsFunc(b.e.plan.header.Models, func(m record.Model) bool { return m.Label == s.Model })
	b.e.mu.Unlock()
	switch {
	case !known:
		return fmt.Errorf("the run has no model %q", s.Model)
	case !b.Budget().Allows(lease, *s.Paid):
		return errors.New("settled for more than the call of the lease can have cost")
	}
	return b.Budget().Settle(ctx, lease, s)
}

// A KeptRequest is what a worker asks of the kept parts of a memory: to open them and
// have those that are there, with a line to add that part, or to close them.
type KeptRequest struct {
	KeptMemory
	Number int             `json:"number,omitempty"` // of the part that Line is, from 0
	Line   json.RawMessage `json:"line,omitempty"`
	Close  bool            `json:"close,omitempty"`
}

// An openMemory is a memory whose kept parts a worker reads and adds to.
type openMemory struct {
	worker string
	keeper *keeper
	number int // of parts
}

// ErrBusy says that another worker has the kept parts of a memory open.
var ErrBusy = errors.New("another worker has the memory open")

// Kept does what a worker asks of the kept parts of a memory; asked again it changes
// nothing. Parts are those that are there when it opens them.
func (b *Board) Kept(worker string, q KeptRequest) (parts []json.RawMessage, err error) {
	b.keeping.Lock()
	defer b.keeping.Unlock()
	own := b.kept[q.KeptMemory]
	mine := own != nil && own.worker == worker
	switch {
	case q.Close && mine:
		return nil, b.closeKept(q.KeptMemory)
	case q.Close:
		return nil, nil
	case q.Line == nil && own != nil && !mine:
		return nil, ErrBusy
	case q.Line == nil:
		return b.openKept(worker, q.KeptMemory)
	case !mine || q.Number > own.number:
		return nil, fmt.Errorf("worker %s has not opened memory %s of %q", worker, q.Memory, q.Sample)
	case q.Number < own.number: // it came twice
		return nil, nil
	}
	if p, whole := unmarshal[keptPart](q.Line); !whole || p.Sum != p.sum() {
		return nil, fmt.Errorf("a part of memory %s of %q does not check out", q.Memory, q.Sample)
	}
	own.number++
	return nil, own.keeper.log.Append(q.Line)
}

// openKept opens the kept parts of a memory for a worker, again where its answer was
// lost; keeping is held.
func (b *Board) openKept(worker string, k KeptMemory) (parts []json.RawMessage, err error) {
	cache, ok := b.e.memories.(*memoryCache)
	at := slices.IndexFunc(b.e.stores, func(s *store) bool {
		return s.cell.Memory == k.Memory && s.cell.Memory != "" && slices.ContainsFunc(s.cell.samples, func(e datasets.Entry) bool { return e.ID == k.Sample })
	})
	if !ok || at < 0 || len(k.Content) != contentDigits || strings.Trim(k.Content, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("the run has no memory %s of %q with the content %q", k.Memory, k.Sample, k.Content)
	}
	if b.kept[k] != nil {
		if err := b.closeKept(k); err != nil {
			return nil, err
		}
	}
	lock := cache.lock(k)
	lock.Lock() // nobody else of this process has it
	own, err := cache.open(k, lock, nil, b.e.syncDelay(b.e.stores[at].cell))
	if err != nil {
		return nil, err
	}
	b.kept[k] = &openMemory{worker, own, len(own.parts)}
	for _, p := range own.parts {
		line, err := rawLine(p)
		if err != nil {
			return nil, err
		}
		parts = append(parts, line)
	}
	return parts, nil
}

// closeKept lets others have the kept parts of a memory; keeping is held.
func (b *Board) closeKept(k KeptMemory) error {
	own := b.kept[k]
	delete(b.kept, k)
	err := own.keeper.close()
	if err != nil {
		b.end(err)
	}
	return err
}

// Lost lets others have what a worker that is gone had open.
func (b *Board) Lost(worker string) {
	b.keeping.Lock()
	defer b.keeping.Unlock()
	for k, own := range b.kept {
		if own.worker == worker {
			_ = b.closeKept(k) // which ends the run where it fails
		}
	}
}
