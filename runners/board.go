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
	File  LineFile          `json:"file,omitempty"` // of Lines
	Lines []json.RawMessage `json:"lines,omitempty"`
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
	order []Unit        // with requests left
	done  chan struct{} // closed when all units are finished
	stop  chan struct{} // closed when the run ends before

	mu    sync.Mutex
	err   error // why the folder cannot be written to
	units map[Unit]*boardUnit
	open  int // units
	kept  map[holder]*keeper
}

// A boardUnit is a unit with what has been taken of it.
type boardUnit struct {
	store    *store
	entry    datasets.Entry
	pending  []string              // requests to ask
	lines    map[string]*takenLine // by file and key
	finished bool
}

// A takenLine is a line that was taken, or is being written.
type takenLine struct {
	written chan struct{} // closed when it is
	err     error
}

// A holder is a worker with a memory whose kept parts it reads and adds to.
type holder struct {
	worker string
	kept   KeptMemory
}

func newBoard(e *execution) *Board {
	b := &Board{e: e, done: make(chan struct{}), stop: make(chan struct{}), units: make(map[Unit]*boardUnit), kept: make(map[holder]*keeper)}
	for _, s := range e.stores {
		for _, entry := range s.cell.samples {
			if !e.left(s, entry) {
				continue
			}
			u := Unit{s.cell.ID, entry.ID}
			one := &boardUnit{store: s, entry: entry, lines: make(map[string]*takenLine)}
			for _, r := range entry.Requests {
				if s.pending(key{entry.ID, r.ID}, e.Retry) {
					one.pending = append(one.pending, r.ID)
				}
			}
			b.order, b.units[u] = append(b.order, u), one
		}
	}
	b.open = len(b.order)
	if b.open == 0 {
		close(b.done)
	}
	return b
}

// Units returns the units that are not finished, in the order of the run.
func (b *Board) Units() []Unit {
	b.mu.Lock()
	defer b.mu.Unlock()
	return lists.Filter(b.order, func(u Unit) bool { return !b.units[u].finished })
}

// Header returns the header of the run as JSON, with the options that were tuned.
func (b *Board) Header() ([]byte, error) {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	return json.Marshal(b.e.plan.header)
}

// Config returns the resolved config.
func (b *Board) Config() ([]byte, error) { return b.e.plan.config.Marshal() }

// Own returns the user's own files that the run's datasets read, by the path in the
// config. No licence forbids to send them to workers.
func (b *Board) Own() map[string]string { return b.e.plan.own }

// Accounts are the provider accounts of the run, with the limits of all workers.
func (b *Board) Accounts() *limit.Registry { return b.e.plan.accounts }

// Budget is what the run may spend.
func (b *Board) Budget() *budget.Budget { return b.e.plan.budget }

// Calls has the recordings of the run.
func (b *Board) Calls() *calls.Recorder { return b.e.plan.env.Calls }

// Watch has the progress of the run show the workers that f returns.
func (b *Board) Watch(f func() []record.Worker) {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	b.e.watched = f
}

// workers returns those of the run; nil for a run of one machine.
func (e *execution) workers() []record.Worker {
	e.mu.Lock()
	f := e.watched
	e.mu.Unlock()
	if f == nil {
		return nil
	}
	return f()
}

// Halt ends the run because of a fault that every further call would meet.
func (b *Board) Halt(err error) {
	b.e.halt(err)
	b.ending(nil)
}

// ending ends the run, with why its folder cannot be written to, or nil.
func (b *Board) ending(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	select {
	case <-b.stop:
	default:
		close(b.stop)
	}
}

// Stopping reports whether the run ends before its units are finished.
func (b *Board) Stopping() bool {
	select {
	case <-b.stop:
		return true
	default:
		return false
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

// Begin returns the requests of a unit that are left to ask. Done is set when
// nothing is left to do.
func (b *Board) Begin(u Unit) (pending []string, done bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, ok := b.units[u]
	if !ok {
		return nil, false, fmt.Errorf("the run has no unit %s to ask", u)
	}
	if one.finished {
		return nil, true, nil
	}
	if b.e.Retry { // what comes after a request that is asked again may be asked again, too
		return one.pending, false, nil
	}
	return one.left(), false, nil
}

// left returns the requests without a record; the board's mu is held.
func (u *boardUnit) left() (left []string) {
	for _, r := range u.pending {
		if u.lines[lineKey(RecordLines, r)] == nil {
			left = append(left, r)
		}
	}
	return left
}

// End notes that a worker has asked a unit. An incomplete unit is an error.
func (b *Board) End(u Unit) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, ok := b.units[u]
	if !ok {
		return fmt.Errorf("the run has no unit %s to ask", u)
	}
	if one.finished {
		return nil
	}
	unbuilt := one.lines[lineKey(IngestLines, "")] == nil && !one.store.built[u.Sample]
	if left := one.left(); len(left) > 0 || unbuilt {
		return fmt.Errorf("unit %s has ended without the line about its memory or without records of the requests %s", u, strings.Join(left, ", "))
	}
	one.finished, one.lines = true, nil
	b.open--
	if b.open == 0 {
		close(b.done)
	}
	return nil
}

func lineKey(f LineFile, id string) string { return string(f) + " " + id }

// Take writes what a worker delivered of a unit. What was taken before is left out.
// Lines of another unit, and lines that do not check out, are an error, and nothing
// of them is written.
func (b *Board) Take(u Unit, d Delivery) error {
	b.mu.Lock()
	one, ok := b.units[u]
	b.mu.Unlock()
	if !ok {
		return fmt.Errorf("the run has no unit %s to ask", u)
	}
	lines, err := one.parse(b, u, d)
	if err != nil {
		return fmt.Errorf("unit %s: %w", u, err)
	}
	var faults []error
	for _, l := range lines {
		faults = append(faults, b.once(one, l))
	}
	return errors.Join(faults...)
}

// CheckSettlement reports what no worker of the run can settle.
func (b *Board) CheckSettlement(s budget.Settlement) error {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if p := s.Paid; p == nil || min(p.Calls, p.Reused, p.Tokens) < 0 || p.USD != nil && !(*p.USD >= 0) {
		return errors.New("settled without what was paid, or with less than nothing")
	}
	if !slices.ContainsFunc(b.e.plan.header.Models, func(m record.Model) bool { return m.Label == s.Model }) {
		return fmt.Errorf("the run has no model %q", s.Model)
	}
	return nil
}

// A checkedLine is a line with how it is written.
type checkedLine struct {
	key   string
	write func() error
}

// parse checks the lines of a delivery.
func (u *boardUnit) parse(b *Board, unit Unit, d Delivery) (lines []checkedLine, err error) {
	for _, raw := range d.Lines {
		var l checkedLine
		switch d.File {
		case RecordLines:
			l, err = u.parseRecord(b, unit, raw, d.Provider)
		case IngestLines:
			l, err = u.parseIngest(b, unit, raw, d.Provider)
		case BlockLines:
			l, err = u.parseBlock(unit, raw)
		case StructureLines:
			l, err = u.parseStructure(unit, raw)
		default:
			err = fmt.Errorf("lines of %q, want %s, %s, %s or %s", d.File, RecordLines, IngestLines, BlockLines, StructureLines)
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func (u *boardUnit) parseRecord(b *Board, unit Unit, raw json.RawMessage, provider bool) (checkedLine, error) {
	r, err := record.Decode[record.Record](raw)
	if err != nil {
		return checkedLine{}, fmt.Errorf("a record: %w", err)
	}
	at := slices.IndexFunc(u.entry.Requests, func(q datasets.Request) bool { return q.ID == r.Request })
	switch {
	case r.Sample != unit.Sample || at < 0:
		return checkedLine{}, fmt.Errorf("a record of request %q of %q, which is not of the unit", r.Request, r.Sample)
	case r.Hash != requestHash(u.store.cell.set, r.Sample, u.entry.Requests[at]):
		return checkedLine{}, fmt.Errorf("the record of request %s is of another question: its hash is %q", r.Request, r.Hash)
	case !slices.Contains([]record.Status{record.OK, record.Error, record.Refused, record.Limit}, r.Status):
		return checkedLine{}, fmt.Errorf("the record of request %s has the status %q", r.Request, r.Status)
	case (r.Error == nil) != (r.Status == record.OK):
		return checkedLine{}, fmt.Errorf("the record of request %s has the status %s and the error %v", r.Request, r.Status, r.Error)
	}
	for _, e := range r.Evidence {
		if !b.hasBlock(u, e.Block) {
			return checkedLine{}, fmt.Errorf("the record of request %s points at block %q, which was not delivered", r.Request, e.Block)
		}
	}
	if r.Error != nil {
		r.Error.Provider = provider
	}
	called := len(r.Calls) == 0 && len(r.Usage) > 0 || slices.ContainsFunc(r.Time.Calls, func(c record.CallTime) bool { return !c.Reused })
	return checkedLine{lineKey(RecordLines, r.Request), func() error {
		return b.e.keep(called, r.Error, func() error {
			if err := u.store.records.Append(raw); err != nil {
				return err
			}
			b.e.finish(u.store, r)
			return nil
		})
	}}, nil
}

func (u *boardUnit) parseIngest(b *Board, unit Unit, raw json.RawMessage, provider bool) (checkedLine, error) {
	in, err := record.Decode[record.Ingest](raw)
	if err != nil {
		return checkedLine{}, fmt.Errorf("a line about a memory: %w", err)
	}
	if in.Sample != unit.Sample {
		return checkedLine{}, fmt.Errorf("a memory of %q, which is not of the unit", in.Sample)
	}
	if in.Error != nil {
		in.Error.Provider = provider
	}
	return checkedLine{lineKey(IngestLines, ""), func() error {
		b.e.ledger.memory(u.store.ledger, in.Usage)
		b.e.Progress.Memory()
		return b.e.keep(false, in.Error, func() error { return u.store.ingests.Append(raw) })
	}}, nil
}

func (u *boardUnit) parseBlock(unit Unit, raw json.RawMessage) (checkedLine, error) {
	block, err := record.Decode[record.Block](raw)
	if err != nil {
		return checkedLine{}, fmt.Errorf("a block: %w", err)
	}
	if id := record.BlockID(unit.Sample, block.Name, block.Text, block.Sources); block.Sample != unit.Sample || block.Block != id {
		return checkedLine{}, fmt.Errorf("block %q of %q is not what it says: its id is %s", block.Block, block.Sample, id)
	}
	return checkedLine{lineKey(BlockLines, block.Block), func() error {
		if u.store.hasBlock(block.Block) {
			return nil
		}
		return u.store.blocks.Append(raw)
	}}, nil
}

func (u *boardUnit) parseStructure(unit Unit, raw json.RawMessage) (checkedLine, error) {
	shown, err := record.Decode[record.Structure](raw)
	if err != nil {
		return checkedLine{}, fmt.Errorf("what a memory holds: %w", err)
	}
	if shown.Sample != unit.Sample || u.store.shown == nil {
		return checkedLine{}, fmt.Errorf("what a memory of %q holds, which the run does not keep of this unit", shown.Sample)
	}
	return checkedLine{lineKey(StructureLines, ""), func() error { return u.store.shown.Append(raw) }}, nil
}

// hasBlock reports whether an earlier part of the run wrote a block.
func (s *store) hasBlock(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[id] != nil
}

// hasBlock reports whether a block was written or delivered.
func (b *Board) hasBlock(u *boardUnit, id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return u.finished || u.lines[lineKey(BlockLines, id)] != nil || u.store.hasBlock(id)
}

// once writes a line unless it was written; it returns when it is.
func (b *Board) once(u *boardUnit, l checkedLine) error {
	b.mu.Lock()
	if u.finished {
		b.mu.Unlock()
		return nil
	}
	t, taken := u.lines[l.key]
	if !taken {
		t = &takenLine{written: make(chan struct{})}
		u.lines[l.key] = t
	}
	b.mu.Unlock()
	if taken {
		<-t.written
		return t.err
	}
	t.err = l.write()
	close(t.written)
	if t.err != nil {
		b.ending(t.err)
	}
	return t.err
}

// Fail makes error records of what is left of a unit that several workers could not
// ask, each for a reason.
func (b *Board) Fail(u Unit, reasons []string) error {
	b.mu.Lock()
	one, ok := b.units[u]
	var left []string
	if ok && !one.finished {
		left = one.left()
	}
	ingested := ok && one.lines[lineKey(IngestLines, "")] != nil
	b.mu.Unlock()
	if !ok {
		return fmt.Errorf("the run has no unit %s to ask", u)
	}
	failure := &record.Failure{Kind: "worker", Message: fmt.Sprintf("%d workers could not ask it: %s", len(reasons), strings.Join(reasons, "; "))}
	now := record.Timing{Start: b.e.plan.env.Now().UTC()}
	add := func(f LineFile, line any) error {
		raw, err := rawLine(line)
		if err != nil {
			return err
		}
		return b.Take(u, Delivery{File: f, Lines: []json.RawMessage{raw}})
	}
	if !ingested {
		if err := add(IngestLines, record.Ingest{Sample: u.Sample, Status: record.Error, Error: failure, Time: now}); err != nil {
			return err
		}
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
		if err := add(RecordLines, rec); err != nil {
			return err
		}
	}
	return b.End(u)
}

// OpenKept opens the kept parts of a memory for a worker and returns those that are
// there. Busy is set while another worker has them.
func (b *Board) OpenKept(worker string, k KeptMemory) (parts []json.RawMessage, busy bool, err error) {
	cache, ok := b.e.memories.(*memoryCache)
	at := slices.IndexFunc(b.e.stores, func(s *store) bool {
		return s.cell.Memory == k.Memory && s.cell.Memory != "" && slices.ContainsFunc(s.cell.samples, func(e datasets.Entry) bool { return e.ID == k.Sample })
	})
	if !ok || at < 0 || len(k.Content) != contentDigits || strings.Trim(k.Content, "0123456789abcdef") != "" {
		return nil, false, fmt.Errorf("the run has no memory %s of %q with the content %q", k.Memory, k.Sample, k.Content)
	}
	b.CloseKept(worker, k) // a reply that was lost
	lock := cache.lock(k)
	if !lock.TryLock() {
		return nil, true, nil
	}
	own, err := cache.open(k, lock, nil, b.e.syncDelay(b.e.stores[at].cell))
	if err != nil {
		return nil, false, err
	}
	for _, p := range own.parts {
		line, err := rawLine(p)
		if err != nil {
			return nil, false, errors.Join(err, own.close())
		}
		parts = append(parts, line)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept[holder{worker, k}] = own
	return parts, false, nil
}

// AddKept adds a part to the kept parts that a worker has open.
func (b *Board) AddKept(worker string, k KeptMemory, line json.RawMessage) error {
	b.mu.Lock()
	own := b.kept[holder{worker, k}]
	b.mu.Unlock()
	if own == nil {
		return fmt.Errorf("worker %s has not opened memory %s of %q", worker, k.Memory, k.Sample)
	}
	if p, whole := unmarshal[keptPart](line); !whole || p.Sum != p.sum() {
		return fmt.Errorf("a part of memory %s of %q does not check out", k.Memory, k.Sample)
	}
	return own.log.Append(line)
}

// CloseKept lets others have the kept parts that a worker had open.
func (b *Board) CloseKept(worker string, k KeptMemory) {
	b.mu.Lock()
	own := b.kept[holder{worker, k}]
	delete(b.kept, holder{worker, k})
	b.mu.Unlock()
	if own == nil {
		return
	}
	if err := own.close(); err != nil {
		b.ending(err)
	}
}

// Lost lets others have what a worker that is gone had open.
func (b *Board) Lost(worker string) {
	b.mu.Lock()
	var open []KeptMemory
	for h := range b.kept {
		if h.worker == worker {
			open = append(open, h.kept)
		}
	}
	b.mu.Unlock()
	for _, k := range open {
		b.CloseKept(worker, k)
	}
}

// Wait returns when all units are finished, when the run has to stop, or when the
// folder cannot be written to, which is its error.
func (b *Board) Wait(ctx context.Context) error {
	select {
	case <-b.done:
		return nil
	case <-b.stop:
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
