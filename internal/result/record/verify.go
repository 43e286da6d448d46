package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
)

// An Option says how [Open] checks a run folder.
type Option func(*opening)

type opening struct{ accept, scores bool }

func openingOf(options []Option) (o opening) {
	for _, option := range options {
		option(&o)
	}
	return o
}

// AcceptEdits takes files that were edited after the run as they are, and notes
// them in the header. Lines that are missing or cannot be read are no edits.
func AcceptEdits(o *opening) { o.accept = true }

// WithScores checks that scores.jsonl is what was derived from the records.
func WithScores(o *opening) { o.scores = true }

// Open returns the run in dir and its header. Every verb opens runs here: what
// the files hold is compared with the digests of the header, and what differs is a
// [Damage]. A baseline is no run: it has scores and nothing that they could be
// derived from.
func Open(dir string, options ...Option) (Folder, Header, error) {
	o := openingOf(options)
	if IsBaseline(dir) {
		return "", Header{}, fmt.Errorf("%s is a baseline: it keeps scores of a run, and neither questions nor answers", dir)
	}
	f := Folder(dir)
	for {
		h, edited, err := readHeader(dir)
		if err != nil {
			return "", Header{}, err
		}
		faults := f.quickFaults(h, o)
		if edited != nil {
			faults = append([]*Fault{edited}, faults...)
		}
		if len(faults) > 0 {
			// Another process may have gone on with the run in between.
			if now, _, err := readHeader(dir); err == nil && !reflect.DeepEqual(now, h) {
				continue
			}
		}
		damage, edits := faults, []*Fault(nil)
		if o.accept {
			damage, edits = split(faults)
			acceptInto(&h, f, edits)
		}
		if len(damage) > 0 {
			return "", Header{}, &Damage{Dir: dir, Faults: damage, accepted: len(edits) > 0}
		}
		return f, h, nil
	}
}

// split parts faults into what nobody can accept, and edits. A file that lost
// lines has none.
func split(faults []*Fault) (damage, edits []*Fault) {
	lost := make(map[string]bool)
	for _, f := range faults {
		lost[f.File] = lost[f.File] || f.Kind != Edited
	}
	return lists.Filter(faults, func(f *Fault) bool { return lost[f.File] }), lists.Filter(faults, func(f *Fault) bool { return !lost[f.File] })
}

// quickFaults holds the files against their digests. No line is decoded as long as
// nothing is wrong.
func (f Folder) quickFaults(h Header, o opening) (faults []*Fault) {
	digests := make(map[string]Digest)
	for _, want := range h.Files {
		have, fault := f.compare(want)
		if fault != nil {
			faults = append(faults, fault)
		}
		digests[want.File] = have
	}
	run, later := f.inputs(h)
	for _, name := range append(run, later...) {
		if _, ok := digests[name]; ok {
			continue
		}
		have, err := f.digest(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			faults = append(faults, f.fileFault(name, err))
		case len(h.Files) > 0 && slices.Contains(run, name):
			faults = append(faults, faultf(Edited, f.path(filepath.FromSlash(name)), 0, "is not of the run, which wrote no such file"))
		}
		digests[name] = have
	}
	if len(digests) == 0 {
		return faults // scores without what they were derived from, as people hand them on
	}
	// Scores are derived: what is wrong with the records comes first.
	if damage, edits := split(faults); o.scores && len(damage) == 0 && (o.accept || len(edits) == 0) {
		faults = append(faults, f.scoresFaults(h, digests)...)
	}
	return faults
}

// fileFault is the fault of a file that cannot be read.
func (f Folder) fileFault(name string, err error) *Fault {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	path := f.path(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return faultf(Missing, path, 0, "is not there, and the run wrote it")
	}
	return faultOf(Unreadable, path, 0, err)
}

// scoresFaults holds scores.jsonl against what the header says of it.
func (f Folder) scoresFaults(h Header, digests map[string]Digest) []*Fault {
	if h.Scored == nil {
		return nil
	}
	path := f.Scores()
	have, err := f.digest(f.name(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []*Fault{faultf(Stale, path, 0, "is not there, and the run was scored")}
	case err != nil:
		return []*Fault{f.fileFault(f.name(path), err)}
	case have.SHA256 != h.Scored.SHA256:
		return []*Fault{faultf(Stale, path, 0, "is not as 'bench score' wrote it")}
	case f.derivation(h, digests) != h.Scored.From:
		return []*Fault{faultf(Stale, path, 0, "was derived from other records or gold answers than there are now")}
	}
	return nil
}

// compare returns the digest of a file as it is, and how it differs from what the run
// wrote: by the first line that cannot be read, else as a whole; nil where it does not.
func (f Folder) compare(want Digest) (Digest, *Fault) {
	path := f.path(filepath.FromSlash(want.File))
	have, err := f.digest(want.File)
	if err != nil {
		return have, f.fileFault(want.File, err)
	}
	if have.SHA256 == want.SHA256 {
		return have, nil
	}
	n := 0
	for line, err := range RawLines(path) {
		n++
		switch {
		case err != nil:
			return have, f.fileFault(want.File, err)
		case line[len(line)-1] != '\n' && torn(line):
			return have, faultf(Torn, path, n, "the line ends in the middle")
		case strings.HasSuffix(path, ".jsonl") && !json.Valid(line):
			return have, faultf(Unparsable, path, n, "is not JSON")
		}
	}
	switch {
	case n < want.Lines:
		return have, faultf(Lost, path, 0, "has %d of the %d lines that the run wrote", n, want.Lines)
	case n > want.Lines:
		return have, faultf(Duplicate, path, 0, "has %d lines, and the run wrote %d", n, want.Lines)
	}
	return have, faultf(Edited, path, 0, "has other content than the run wrote")
}

// A Verification says what [Verify] found.
type Verification struct {
	Header Header
	// Digests reports whether the run has digests that it was compared with.
	Digests bool
	// Faults are in the order of the files; those that are [Fault.Harmless] are no
	// damage.
	Faults []*Fault
}

// Damaged reports whether anything is wrong.
func (v Verification) Damaged() bool {
	return slices.ContainsFunc(v.Faults, func(f *Fault) bool { return !f.Harmless() })
}

// Verify reads all of a run folder and says what is wrong with it. The error is
// that of a folder that holds no run.
func Verify(dir string) (v Verification, err error) {
	f := Folder(dir)
	h, edited, err := readHeader(dir)
	damage, damaged := errors.AsType[*Damage](err)
	switch {
	case damaged:
		v.Faults = damage.Faults
	case err != nil:
		return v, err
	default:
		v.Header, v.Digests = h, len(h.Files) > 0
		if edited != nil {
			v.Faults = append(v.Faults, edited)
		}
		v.Faults = append(v.Faults, f.quickFaults(h, opening{scores: true})...)
		// What is known of a line, or of a file that is not there, is said once.
		known := slices.Clone(v.Faults)
		v.Faults = append(v.Faults, lists.Filter(f.contentFaults(h), func(fault *Fault) bool {
			return !slices.ContainsFunc(known, func(k *Fault) bool {
				return k.File == fault.File && (k.Line == fault.Line || k.Kind == Missing || k.Kind == Unreadable)
			})
		})...)
		if _, err := ReadSummary(dir); err != nil && h.Scored != nil {
			v.Faults = append(v.Faults, faultf(Stale, f.path(summaryFile), 0, "is not as 'bench score' wrote it"))
		}
	}
	for _, path := range f.unfinished() {
		v.Faults = append(v.Faults, faultf(Leftover, path, 0, "a killed process left it; the next 'bench score' or 'bench resume' removes it"))
	}
	return v, nil
}

// contentFaults reads every line of the run.
func (f Folder) contentFaults(h Header) (faults []*Fault) {
	golds := make(map[string]map[Asked]bool)
	for _, d := range h.Datasets {
		path := f.Gold(d.Label)
		asked := make(map[Asked]bool)
		faults = append(faults, scan(path, func(n int, g Gold) *Fault {
			k := Asked{g.Sample, g.Request}
			if asked[k] {
				return faultf(Duplicate, path, n, "request %s of %s is there twice", g.Request, g.Sample)
			}
			asked[k] = true
			return nil
		})...)
		if n := len(asked); n != d.Requests {
			faults = append(faults, faultf(Lost, path, 0, "has %d requests, run.json says %d", n, d.Requests))
			asked = nil // which records are of no request cannot be said
		}
		golds[d.Label] = asked
		faults = append(faults, scan[errata.Change](f.Errata(d.Label), nil)...)
		faults = append(faults, scan[Tree](f.Trees(d.Label), nil)...)
		faults = append(faults, scan[Turn](f.Turns(d.Label), nil)...)
		faults = append(faults, scan[json.RawMessage](f.Ratings(d.Label), nil)...)
		if data, err := ReadRegular(f.Asked(d.Label)); err == nil && !json.Valid(data) {
			faults = append(faults, faultf(Unparsable, f.Asked(d.Label), 0, "is not JSON"))
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, f.fileFault(f.name(f.Asked(d.Label)), err))
		}
	}
	cells := make(map[string]bool)
	for _, c := range h.Cells {
		cells[c.ID] = true
		faults = append(faults, f.CellFaults(c, golds[c.Dataset], func(any) {})...)
		faults = append(faults, scan[Judgement](f.Judgements(c.ID), nil)...)
	}
	faults = append(faults, scan(f.Scores(), func(n int, s Score) *Fault {
		if !cells[s.Cell] {
			return faultf(Unknown, f.Scores(), n, "cell %q is not of the run", s.Cell)
		}
		return nil
	})...)
	faults = append(faults, scan[json.RawMessage](f.Payments(), nil)...)
	if h.ConfigSHA256 == "" {
		return faults
	}
	config, err := ReadRegular(f.Config())
	if err != nil {
		return append(faults, f.fileFault(f.name(f.Config()), err))
	}
	if sum := sha256.Sum256(config); hex.EncodeToString(sum[:]) != h.ConfigSHA256 {
		faults = append(faults, faultf(Edited, f.Config(), 0, "is not the config that the run began with"))
	}
	return faults
}

// scan reads a file and returns its faults: of a line that cannot be read, and
// what check says of the others. A last line that was not written to its end is none.
func scan[T any](path string, check func(n int, value T) *Fault) (faults []*Fault) {
	n := 0
	for line, err := range RawLines(path) {
		n++
		if fault, ok := errors.AsType[*Fault](err); ok {
			return append(faults, fault)
		}
		if err != nil {
			return append(faults, faultOf(Unreadable, path, n, err))
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			if !torn(line) {
				faults = append(faults, faultf(Unparsable, path, n, noEnd))
			}
			break
		}
		value, err := Decode[T](line)
		if err != nil {
			faults = append(faults, faultOf(Unparsable, path, n, err))
		} else if check != nil {
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
	path := f.Blocks(c.ID)
	blocks := make(map[string]bool)
	faults := scan(path, func(n int, b Block) *Fault {
		found(b)
		blocks[b.Block] = true
		if id := BlockID(b.Sample, b.Name, b.Text, b.Sources); id != b.Block {
			return faultf(Edited, path, n, "block %s has other content than the one that was given this id", b.Block)
		}
		return nil
	})
	samples := make(map[string]bool)
	for k := range gold {
		samples[k.Sample] = true
	}
	faults = append(faults, scan(f.Ingests(c.ID), func(n int, i Ingest) *Fault {
		found(i)
		if gold != nil && !samples[i.Sample] {
			return faultf(Unknown, f.Ingests(c.ID), n, "sample %q is not of the run", i.Sample)
		}
		return nil
	})...)
	return append(faults, scan(f.Records(c.ID), func(n int, r Record) *Fault {
		found(r)
		switch {
		case gold != nil && !gold[Asked{r.Sample, r.Request}]:
			return faultf(Unknown, f.Records(c.ID), n, "request %q of %q is not of the run", r.Request, r.Sample)
		case !slices.Contains([]Status{OK, Error, Refused, Limit}, r.Status):
			return faultf(Unparsable, f.Records(c.ID), n, "request %s of %s has the status %q", r.Request, r.Sample, r.Status)
		}
		for _, ref := range r.Evidence {
			if !blocks[ref.Block] {
				return faultf(Dangling, f.Records(c.ID), n, "request %s of %s points at block %s, which %s does not have", r.Request, r.Sample, ref.Block, path)
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
