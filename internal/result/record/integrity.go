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
// Of later files it notes those that have a digest already or are given by path. The
// caller writes the header.
func (f Folder) Seal(h *Header, added ...string) error { return f.SealWritten(h, nil, added...) }

// SealWritten is [Folder.Seal] for callers that computed the digests of some files while
// they wrote them. Written maps the paths of these files to their digests.
func (f Folder) SealWritten(h *Header, written map[string]Digest, added ...string) error {
	names, _ := f.inputs(*h)
	names = append(append(names, f.name(f.Config())), f.After(*h)...)
	names = lists.AddNew(names, lists.Map(added, f.name)...)
	slices.Sort(names)
	h.Files = nil
	for _, name := range names {
		d, known := written[f.named(name)]
		d.File = name
		if !known {
			var err error
			if d, err = f.digest(name); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return err
			}
		}
		h.Files = append(h.Files, d)
	}
	return nil
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
	names, later := f.inputs(h)
	names = append(names, later...)
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		d, known := first(h.Files, func(d Digest) bool { return d.File == name })
		if !known {
			var err error
			if d, err = f.digest(name); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return "", err
			}
		}
		fmt.Fprintf(sum, "%s %s\n", d.SHA256, name)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// An Option says how [Open] checks a run folder.
type Option func(*opening)

type opening struct{ accept, scores, baselines, repair bool }

func openingOf(options []Option) (o opening) {
	for _, option := range options {
		option(&o)
	}
	return o
}

// AcceptEdits accepts files that were edited after the run, and notes them in the header.
// Missing or unreadable lines are not edits.
func AcceptEdits(o *opening) { o.accept = true }

// WithScores checks that scores.jsonl was derived from the present records.
func WithScores(o *opening) { o.scores = true }

// Baselines also opens baselines, which have scores but not the records behind them.
func Baselines(o *opening) { o.baselines = true }

// ForRepair ignores damage that [Folder.Repair] can repair.
func ForRepair(o *opening) { o.repair = true }

// Open returns the run in dir and its header. Every verb opens runs here: what
// the files hold is compared with the digests of the header, and what differs is a
// [Damage].
func Open(dir string, options ...Option) (Folder, Header, error) {
	o, f := openingOf(options), Folder(dir)
	for {
		h, edited, err := readHeader(dir)
		if err != nil {
			return "", Header{}, err
		}
		if h.Baseline != nil && !o.baselines {
			return "", Header{}, fmt.Errorf("%s is a baseline, which has the scores of a run, but no questions or answers", dir)
		}
		before := h
		faults := f.faults(&h, edited, o)
		if len(faults) == 0 {
			return f, h, nil
		}
		// Another process may have gone on with the run in between.
		if now, _, err := readHeader(dir); err != nil || reflect.DeepEqual(now, before) {
			err = &Damage{Dir: dir, Faults: faults}
			if o.repair && h.Imported() {
				err = fmt.Errorf("%w; imported questions cannot be asked again; 'bench import' makes the run anew", err)
			}
			return "", Header{}, err
		}
	}
}

// OpenLocked opens a run that no other process changes until unlock is called. Edits
// accepted now stay accepted.
func OpenLocked(dir string, options ...Option) (f Folder, h Header, unlock func() error, err error) {
	// A folder without a run gets no lock.
	if _, err = ReadHeader(dir, options...); err != nil {
		return "", h, nil, err
	}
	if unlock, err = Folder(dir).Lock(); err != nil {
		return "", h, nil, err
	}
	f, h, err = Open(dir, options...)
	if err == nil && len(h.Accepted) > 0 && len(options) > 0 {
		err = f.Seal(&h)
	}
	if err != nil {
		return "", h, nil, errors.Join(err, unlock())
	}
	return f, h, unlock, nil
}

// faults compares the files of a run with its header, in which it notes accepted edits.
func (f Folder) faults(h *Header, edited *Fault, o opening) (faults []*Fault) {
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
		if slices.ContainsFunc(h.Files, func(d Digest) bool { return d.File == name }) {
			continue
		}
		file, err := OpenRegular(f.named(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			faults = append(faults, f.fileFault(name, err))
			continue
		case len(h.Files) > 0 && h.Baseline == nil && slices.Contains(run, name):
			faults = append(faults, faultf(Edited, f.named(name), 0, "is not a file of the run"))
		}
		_ = file.Close() // it was not written to
	}
	if o.repair && !h.Imported() {
		faults = lists.Filter(faults, func(fault *Fault) bool { return f.single(fault.File) })
	}
	if o.accept {
		faults = f.accept(h, faults)
	}
	if len(faults) == 0 && o.scores {
		faults = f.scoresFaults(*h)
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

// fileFault is the fault of a file that cannot be read.
func (f Folder) fileFault(name string, err error) *Fault {
	if errors.Is(err, fs.ErrNotExist) {
		return faultf(Missing, f.named(name), 0, "is missing, but the run wrote it")
	}
	return asFault(f.named(name), err)
}

// asFault returns an error of reading a file as a fault.
func asFault(path string, err error) *Fault {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	return faultOf(Unreadable, path, 0, err)
}

// scoresFaults compares scores.jsonl with what the header says about it.
func (f Folder) scoresFaults(h Header) []*Fault {
	if h.Scored == nil {
		return nil
	}
	path := f.Scores()
	have, err := f.digest(f.name(path))
	if errors.Is(err, fs.ErrNotExist) {
		return []*Fault{faultf(Stale, path, 0, "is missing, but the run was scored")}
	}
	if err != nil {
		return []*Fault{f.fileFault(f.name(path), err)}
	}
	if have.SHA256 != h.Scored.SHA256 {
		return []*Fault{faultf(Stale, path, 0, "has changed since 'bench score' wrote it")}
	}
	run, later := f.inputs(h)
	if !slices.ContainsFunc(append(run, later...), func(name string) bool { return exists(f.named(name)) }) {
		return nil // scores without what they were derived from, as people hand them on
	}
	if from, err := f.Derivation(h); err != nil || from != h.Scored.From {
		return []*Fault{faultf(Stale, path, 0, "was computed from other records or gold answers than the present ones")}
	}
	return nil
}

// compare says how a file differs from what the run wrote: by the first line that cannot be
// read, else as a whole; nil where it does not.
func (f Folder) compare(want Digest) *Fault {
	path := f.named(want.File)
	have, err := f.digest(want.File)
	if err != nil {
		return f.fileFault(want.File, err)
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
	// Faults are in the order of the files; those that are [Fault.Harmless] are no
	// damage.
	Faults []*Fault
}

// Damaged reports whether anything is wrong.
func (v Verification) Damaged() bool {
	return slices.ContainsFunc(v.Faults, func(f *Fault) bool { return !f.Harmless() })
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
		v.Faults = append(f.faults(&h, edited, opening{scores: true}), f.lineFaults(h)...)
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
	read := func(path string) {
		if !slices.ContainsFunc(h.Files, func(d Digest) bool { return d.File == f.name(path) }) {
			faults = append(faults, scan[json.RawMessage](path, nil)...)
		}
	}
	read(f.Payments())
	_, later := f.inputs(h)
	for _, name := range later {
		read(f.named(name))
	}
	if len(h.Files) > 0 {
		return faults
	}
	read(f.Scores())
	golds := make(map[string]map[Asked]bool)
	for _, d := range h.Datasets {
		path := f.Gold(d.Label)
		asked := make(map[Asked]bool)
		faults = append(faults, scan(path, func(_ int, g Gold) *Fault {
			asked[Asked{g.Sample, g.Request}] = true
			return nil
		})...)
		if n := len(asked); n != d.Requests {
			faults = append(faults, faultf(Lost, path, 0, "has %d questions, but run.json says %d", n, d.Requests))
			asked = nil // which records are of no request cannot be said
		}
		golds[d.Label] = asked
		read(f.Trees(d.Label))
		read(f.Turns(d.Label))
	}
	for _, c := range h.Cells {
		faults = append(faults, f.CellFaults(c, golds[c.Dataset], func(any) {})...)
	}
	if h.ConfigSHA256 == "" {
		return faults
	}
	if config, err := f.digest(f.name(f.Config())); err != nil {
		faults = append(faults, f.fileFault(f.name(f.Config()), err))
	} else if config.SHA256 != h.ConfigSHA256 {
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
			return append(faults, asFault(path, err))
		}
		if check == nil {
			continue
		}
		if fault := check(n, value); fault != nil {
			faults = append(faults, fault)
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
		case gold != nil && !gold[Asked{r.Sample, r.Request}]:
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
type Asked struct{ Sample, Request string }
