package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// A Digest describes the content of a file of a run folder when the run ended.
type Digest struct {
	File   string `json:"file"` // in the run folder, with slashes
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Lines  int    `json:"lines"`
}

// A Scored says what scores.jsonl holds and what it was derived from.
type Scored struct {
	Digest
	// From is a hash of the digests of what the scores were derived from.
	From string `json:"from"`
}

// digest reads a file of the folder. A last line without a line feed is none.
func (f Folder) digest(name string) (Digest, error) {
	path := f.named(name)
	file, err := OpenRegular(path)
	if err != nil {
		return Digest{}, err
	}
	defer file.Close()
	h := newHasher()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{file}, make([]byte, 256<<10)); err != nil {
		return Digest{}, faultOf(Unreadable, path, 0, err)
	}
	d := h.digest()
	d.File = name
	return d, nil
}

// A hasher makes the digest of what is written to it. Carriage returns do not count: no
// file of a run has them, and version control may add some to a baseline.
type hasher struct {
	sum   hash.Hash
	bytes int64
	lines int
}

func newHasher() *hasher { return &hasher{sum: sha256.New()} }

// Write implements [io.Writer].
func (h *hasher) Write(p []byte) (int, error) {
	n := len(p)
	if bytes.IndexByte(p, '\r') >= 0 {
		p = bytes.ReplaceAll(p, []byte("\r"), nil)
	}
	h.bytes, h.lines = h.bytes+int64(len(p)), h.lines+bytes.Count(p, []byte("\n"))
	h.sum.Write(p)
	return n, nil
}

func (h *hasher) digest() Digest {
	return Digest{SHA256: hex.EncodeToString(h.sum.Sum(nil)), Bytes: h.bytes, Lines: h.lines}
}

// name returns a path in the folder as digests have it.
func (f Folder) name(path string) string {
	rel, err := filepath.Rel(string(f), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// named returns the path of a name that digests have.
func (f Folder) named(name string) string { return f.path(filepath.FromSlash(name)) }

// inputs returns the names of the files that a run's scores are derived from.
// Errata, judgements and ratings may come after the run, and who changes them scores
// the run again.
func (f Folder) inputs(h Header) (run, later []string) {
	for _, d := range h.Datasets {
		run = append(run, f.name(f.Gold(d.Label)), f.name(f.Turns(d.Label)), f.name(f.Trees(d.Label)))
		later = append(later, f.name(f.Errata(d.Label)), f.name(f.Ratings(d.Label)))
	}
	for _, c := range h.Cells {
		run = append(run, f.name(f.Records(c.ID)), f.name(f.Ingests(c.ID)), f.name(f.Blocks(c.ID)), f.name(f.Structures(c.ID)))
		later = append(later, f.name(f.Judgements(c.ID)))
	}
	return run, later
}

// After returns the names of the files with a digest that may come after the run:
// errata, judgements and ratings.
func (f Folder) After(h Header) (names []string) {
	_, later := f.inputs(h)
	for _, d := range h.Files {
		if slices.Contains(later, d.File) || strings.HasSuffix(d.File, askedEnd) {
			names = append(names, d.File)
		}
	}
	return names
}

// Seal notes in a header what the files of the run hold, for later readers to check.
// Of later files it notes those that have a digest already or are given by path. Written
// has digests, by path, that the caller computed while it wrote the files. The caller
// writes the header.
func (f Folder) Seal(h *Header, written map[string]Digest, added ...string) (err error) {
	names, _ := f.inputs(*h)
	names = append(append(names, f.name(f.Config())), f.After(*h)...)
	names = lists.AddNew(names, lists.Map(added, f.name)...)
	h.Files, err = f.digests(names, func(name string) (Digest, bool) {
		d, known := written[f.named(name)]
		d.File = name
		return d, known
	})
	return err
}

// digests returns the digests of those files that exist, sorted by name: the known ones, and
// others as they are now.
func (f Folder) digests(names []string, known func(name string) (Digest, bool)) (all []Digest, err error) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		d, ok := known(name)
		if !ok {
			d, err = f.digest(name)
		}
		switch {
		case err == nil:
			all = append(all, d)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		err = nil
	}
	return all, nil
}

// Unseal takes the digests of files that are about to grow out of the header, and
// writes it: what a killed process has appended is not damage.
func (f Folder) Unseal(h *Header, paths ...string) error {
	names := lists.Map(paths, f.name)
	files := lists.Filter(h.Files, func(d Digest) bool { return !slices.Contains(names, d.File) })
	if len(files) == len(h.Files) {
		return nil
	}
	h.Files = files
	return f.WriteHeader(*h)
}

// Derivation hashes what the scores of a run are derived from: the files that the header
// has digests of, which the caller has checked or written, and the others as they are now.
func (f Folder) Derivation(h Header) (string, error) {
	run, later := f.inputs(h)
	all, err := f.digests(append(run, later...), h.digest)
	sum := sha256.New()
	for _, d := range all {
		fmt.Fprintf(sum, "%s %s\n", d.SHA256, d.File)
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

// digest returns the digest of a file of the run, and whether it has one.
func (h Header) digest(name string) (Digest, bool) {
	return first(h.Files, func(d Digest) bool { return d.File == name })
}

// An Option says how [Open] checks a run folder.
type Option int

// The options.
const (
	// AcceptEdits accepts files that were edited after the run, and notes them in the header.
	// Missing or unreadable lines are not edits.
	AcceptEdits Option = iota
	// WithScores checks that scores.jsonl was derived from the present records.
	WithScores
	// Baselines also opens baselines, which have scores but not the records behind them.
	Baselines
	// ForRepair ignores damage that [Folder.Repair] can repair.
	ForRepair
)

// in reports whether an option is among several.
func (o Option) in(options []Option) bool { return slices.Contains(options, o) }

// Open returns the run in dir and its header. Every verb opens runs here: what
// the files hold is compared with the digests of the header, and what differs is a
// [Damage].
func Open(dir string, options ...Option) (Folder, Header, error) {
	f := Folder(dir)
	for {
		h, edited, err := readHeader(dir)
		if err != nil {
			return "", Header{}, err
		}
		if h.Baseline != nil && !Baselines.in(options) {
			return "", Header{}, fmt.Errorf("%s is a baseline, which has the scores of a run, but no questions or answers", dir)
		}
		before := h
		faults := f.faults(&h, edited, options...)
		if len(faults) == 0 {
			return f, h, nil
		}
		// Another process may have gone on with the run in between.
		if now, _, err := readHeader(dir); err != nil || reflect.DeepEqual(now, before) {
			err = &Damage{Dir: dir, Faults: faults}
			if ForRepair.in(options) && h.Imported() {
				err = fmt.Errorf("%w; imported questions cannot be asked again; 'bench import' makes the run anew", err)
			}
			return "", Header{}, err
		}
	}
}

// OpenLocked is [Open] for a run that no other process changes until unlock is called.
func OpenLocked(dir string, options ...Option) (f Folder, h Header, unlock func() error, err error) {
	// A folder without a run gets no lock.
	if _, err = ReadHeader(dir, options...); err != nil {
		return "", h, nil, err
	}
	if unlock, err = Folder(dir).Lock(); err != nil {
		return "", h, nil, err
	}
	if f, h, err = Open(dir, options...); err != nil {
		return "", h, nil, errors.Join(err, unlock())
	}
	return f, h, unlock, nil
}

// faults compares the files of a run with its header, in which it notes accepted edits.
func (f Folder) faults(h *Header, edited *Fault, options ...Option) (faults []*Fault) {
	if edited != nil {
		faults = append(faults, edited)
	}
	for _, want := range h.Files {
		if fault := f.compare(want); fault != nil {
			faults = append(faults, fault)
		}
	}
	run, later := f.inputs(*h)
	for _, name := range append(run, later...) {
		if _, sealed := h.digest(name); sealed {
			continue
		}
		switch err := readable(f.named(name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			faults = append(faults, readingFault(f.named(name), err))
		case len(h.Files) > 0 && h.Baseline == nil && slices.Contains(run, name):
			faults = append(faults, faultf(Edited, f.named(name), 0, "is not a file of the run"))
		}
	}
	if ForRepair.in(options) && !h.Imported() {
		faults = lists.Filter(faults, func(fault *Fault) bool { return f.single(fault.File) })
	}
	if AcceptEdits.in(options) {
		faults = f.accept(h, faults)
	}
	if len(faults) == 0 && WithScores.in(options) {
		if fault := f.scoresFault(*h); fault != nil {
			faults = append(faults, fault)
		}
	}
	return faults
}

// single reports whether nothing else says what a file says.
func (f Folder) single(path string) bool {
	return path == f.header() || path == f.Config() || strings.HasSuffix(path, askedEnd)
}

// accept notes in a header the edits among faults, and returns the others. A file that
// lost lines has no edits.
func (f Folder) accept(h *Header, faults []*Fault) (damage []*Fault) {
	h.Accepted, h.Files = slices.Clone(h.Accepted), slices.Clone(h.Files)
	for _, fault := range faults {
		if fault.Kind != Edited {
			damage = append(damage, fault)
			continue
		}
		name := f.name(fault.File)
		h.Accepted = lists.AddNew(h.Accepted, Edit{File: name})
		if i := slices.IndexFunc(h.Files, func(d Digest) bool { return d.File == name }); i >= 0 {
			if d, err := f.digest(name); err == nil {
				h.Files[i] = d
			}
		}
	}
	return damage
}

// scoresFault compares scores.jsonl with what the header says about it; nil where they agree.
func (f Folder) scoresFault(h Header) *Fault {
	if h.Scored == nil {
		return nil
	}
	path := f.Scores()
	have, err := f.digest(f.name(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return faultf(Stale, path, 0, "is missing, but the run was scored")
	case err != nil:
		return readingFault(path, err)
	case have.SHA256 != h.Scored.SHA256:
		return faultf(Stale, path, 0, "has changed since 'bench score' wrote it")
	}
	run, later := f.inputs(h)
	if !slices.ContainsFunc(append(run, later...), func(name string) bool { return exists(f.named(name)) }) {
		return nil // scores without what they were derived from, as people hand them on
	}
	if from, err := f.Derivation(h); err != nil || from != h.Scored.From {
		return faultf(Stale, path, 0, "was computed from other records or gold answers than the present ones")
	}
	return nil
}

// compare says how a file differs from what the run wrote: by the first line that cannot be
// read, else as a whole; nil where it does not.
func (f Folder) compare(want Digest) *Fault {
	path := f.named(want.File)
	have, err := f.digest(want.File)
	if err != nil {
		return readingFault(path, err)
	}
	if have.SHA256 == want.SHA256 {
		return nil
	}
	if strings.HasSuffix(path, ".jsonl") {
		if faults := scan[json.RawMessage](path, nil); len(faults) > 0 {
			return faults[0]
		}
	}
	switch {
	case have.Lines < want.Lines:
		return faultf(Lost, path, 0, "has only %d of the %d lines that the run wrote", have.Lines, want.Lines)
	case have.Lines > want.Lines:
		return faultf(Duplicate, path, 0, "has %d lines, but the run wrote %d", have.Lines, want.Lines)
	}
	return faultf(Edited, path, 0, "has changed since the run wrote it")
}

// A Verification is the result of [Verify].
type Verification struct {
	Header Header
	// Digests reports whether the run has digests to compare with.
	Digests bool
	// Faults are in the order of the files. Those of the kind [Leftover] are no damage.
	Faults []*Fault
}

// Damaged reports whether anything is wrong.
func (v Verification) Damaged() bool {
	return slices.ContainsFunc(v.Faults, func(f *Fault) bool { return f.Kind != Leftover })
}

// Verify compares a run folder with its header, and reads every line of files without a
// digest. It returns an error if the folder has no run.
func Verify(dir string) (v Verification, err error) {
	f := Folder(dir)
	h, edited, err := readHeader(dir)
	if damage, ok := errors.AsType[*Damage](err); ok {
		v.Faults = damage.Faults
	} else if err != nil {
		return v, err
	} else {
		v.Header, v.Digests = h, len(h.Files) > 0
		v.Faults = append(f.faults(&h, edited, WithScores), f.lineFaults(h)...)
		if _, err := ReadSummary(dir); err != nil && h.Scored != nil {
			v.Faults = append(v.Faults, faultf(Stale, f.path(summaryFile), 0, "has changed since 'bench score' wrote it"))
		}
	}
	for _, path := range f.unfinished() {
		v.Faults = append(v.Faults, faultf(Leftover, path, 0, "a killed process left it; the next 'bench score' or 'bench resume' removes it"))
	}
	return v, nil
}

// lineFaults reads the lines of files that have no digest.
func (f Folder) lineFaults(h Header) (faults []*Fault) {
	_, names := f.inputs(h)
	names = append(names, f.name(f.Payments()))
	if len(h.Files) == 0 {
		names = append(names, f.name(f.Scores()))
		for _, d := range h.Datasets {
			names = append(names, f.name(f.Trees(d.Label)), f.name(f.Turns(d.Label)))
		}
	}
	for _, name := range names {
		if _, sealed := h.digest(name); !sealed {
			faults = append(faults, scan[json.RawMessage](f.named(name), nil)...)
		}
	}
	if len(h.Files) > 0 {
		return faults
	}
	golds := make(map[string]map[Asked]bool)
	for _, d := range h.Datasets {
		path, asked := f.Gold(d.Label), make(map[Asked]bool)
		faults = append(faults, scan(path, func(_ int, g Gold) *Fault {
			asked[g.Asked()] = true
			return nil
		})...)
		golds[d.Label] = asked
		if n := len(asked); n != d.Requests {
			faults = append(faults, faultf(Lost, path, 0, "has %d questions, but run.json says %d", n, d.Requests))
			golds[d.Label] = nil // which records are of no request cannot be said
		}
	}
	for _, c := range h.Cells {
		faults = append(faults, f.CellFaults(c, golds[c.Dataset], func(any) {})...)
	}
	switch config, err := f.digest(f.name(f.Config())); {
	case h.ConfigSHA256 == "" || err == nil && config.SHA256 == h.ConfigSHA256:
	case err != nil:
		faults = append(faults, readingFault(f.Config(), err))
	default:
		faults = append(faults, faultf(Edited, f.Config(), 0, "has changed since the run began"))
	}
	return faults
}

// scan reads a file and returns its faults: the first line that cannot be read, and what
// check says of those before it. A last line that was not written to its end is none.
func scan[T any](path string, check func(n int, value T) *Fault) (faults []*Fault) {
	n := 0
	for value, err := range Values[T](path) {
		n++
		if err != nil {
			return append(faults, readingFault(path, err))
		}
		if check != nil {
			if fault := check(n, value); fault != nil {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

// CellFaults reads the files of a cell and returns what is wrong with their
// lines. Gold has the requests that records may be of; nil for any. Found is told of
// each [Block], [Ingest] and [Record].
func (f Folder) CellFaults(c Cell, gold map[Asked]bool, found func(line any)) []*Fault {
	blocks := make(map[string]bool)
	faults := scan(f.Blocks(c.ID), func(_ int, b Block) *Fault {
		found(b)
		blocks[b.Block] = true
		return nil
	})
	faults = append(faults, scan(f.Ingests(c.ID), func(_ int, i Ingest) *Fault {
		found(i)
		return nil
	})...)
	path := f.Records(c.ID)
	return append(faults, scan(path, func(n int, r Record) *Fault {
		found(r)
		switch {
		case gold != nil && !gold[r.Asked()]:
			return faultf(Unknown, path, n, "the run has no question %q of %q", r.Request, r.Sample)
		case !slices.Contains([]Status{OK, Error, Refused, Limit}, r.Status):
			return faultf(Unparsable, path, n, "question %s of %s has the status %q", r.Request, r.Sample, r.Status)
		}
		for _, ref := range r.Evidence {
			if !blocks[ref.Block] {
				return faultf(Dangling, path, n, "question %s of %s refers to block %s, which %s does not have", r.Request, r.Sample, ref.Block, f.Blocks(c.ID))
			}
		}
		return nil
	})...)
}

// BlockID is the id of a block of evidence: a hash of it, so that the same block
// is stored once.
func BlockID(sample, name, text string, sources []string) string {
	h := sha256.New()
	for _, part := range append([]string{sample, name, text}, sources...) {
		fmt.Fprintf(h, "%d ", len(part))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Asked names a request.
type Asked struct {
	Sample  string `json:"sample"`
	Request string `json:"request"`
}

// Asked is the request that the record is of.
func (r Record) Asked() Asked { return Asked{r.Sample, r.Request} }

// Asked is the request that the score is of.
func (s Score) Asked() Asked { return Asked{s.Sample, s.Request} }

// Asked is the request that the gold answer is of.
func (g Gold) Asked() Asked { return Asked{g.Sample, g.Request} }
