package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"recallbench/datasets/errata"
)

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
func Verify(dir string) (Verification, error) {
	f := Folder(dir)
	h, edited, err := readHeader(dir)
	if damage, ok := errors.AsType[*Damage](err); ok {
		return Verification{Faults: append(damage.Faults, f.leftovers()...)}, nil
	}
	if err != nil {
		return Verification{}, err
	}
	v := Verification{Header: h, Digests: len(h.Files) > 0}
	if edited != nil {
		v.Faults = append(v.Faults, edited)
	}
	v.Faults = append(v.Faults, f.quickFaults(h, opening{scores: true})...)
	type place struct {
		file string
		line int
	}
	// What is known of a line, or of a file that is not there, is said once.
	said, gone := make(map[place]bool), make(map[string]bool)
	for _, fault := range v.Faults {
		said[place{fault.File, fault.Line}] = true
		gone[fault.File] = gone[fault.File] || fault.Kind == Missing || fault.Kind == Unreadable
	}
	for _, fault := range f.contentFaults(h) {
		if !gone[fault.File] && !said[place{fault.File, fault.Line}] {
			v.Faults = append(v.Faults, fault)
		}
	}
	if _, err := ReadSummary(dir); err != nil && h.Scored != nil {
		v.Faults = append(v.Faults, faultf(Stale, f.path(summaryFile), 0, "is not as 'bench score' wrote it"))
	}
	v.Faults = append(v.Faults, f.leftovers()...)
	return v, nil
}

// leftovers names what a killed process left.
func (f Folder) leftovers() (faults []*Fault) {
	for _, path := range f.unfinished() {
		faults = append(faults, faultf(Leftover, path, 0, "a killed process left it; the next 'bench score' or 'bench resume' removes it"))
	}
	return faults
}

// contentFaults reads every line of the run.
func (f Folder) contentFaults(h Header) (faults []*Fault) {
	golds := make(map[string]map[Asked]bool)
	for _, d := range h.Datasets {
		path := f.Gold(d.Label)
		golds[d.Label] = make(map[Asked]bool)
		faults = append(faults, scan(path, func(n int, g Gold) *Fault {
			k := Asked{g.Sample, g.Request}
			if golds[d.Label][k] {
				return faultf(Duplicate, path, n, "request %s of %s is there twice", g.Request, g.Sample)
			}
			golds[d.Label][k] = true
			return nil
		})...)
		if n := len(golds[d.Label]); n != d.Requests {
			faults = append(faults, faultf(Lost, path, 0, "has %d requests, run.json says %d", n, d.Requests))
			golds[d.Label] = nil // which records are of no request cannot be said
		}
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
		faults = append(faults, f.CellFaults(c, golds[c.Dataset], nil)...)
		faults = append(faults, scan[Judgement](f.Judgements(c.ID), nil)...)
	}
	faults = append(faults, scan(f.Scores(), func(n int, s Score) *Fault {
		if !cells[s.Cell] {
			return faultf(Unknown, f.Scores(), n, "cell %q is not of the run", s.Cell)
		}
		return nil
	})...)
	faults = append(faults, scan[json.RawMessage](f.Payments(), nil)...)
	return append(faults, f.configFaults(h)...)
}

// configFaults holds config.yaml against the hash that the header has always had.
func (f Folder) configFaults(h Header) []*Fault {
	if h.ConfigSHA256 == "" {
		return nil
	}
	data, err := ReadRegular(f.Config())
	if err != nil {
		return []*Fault{f.fileFault(f.name(f.Config()), err)}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != h.ConfigSHA256 {
		return []*Fault{faultf(Edited, f.Config(), 0, "is not the config that the run began with")}
	}
	return nil
}

// scan reads a file and returns its faults: of a line that cannot be read, and
// what check says of the others.
func scan[T any](path string, check func(n int, value T) *Fault) (faults []*Fault) {
	n := 0
	for line, err := range RawLines(path) {
		n++
		if err != nil {
			fault, ok := errors.AsType[*Fault](err)
			if !ok {
				fault = faultOf(Unreadable, path, n, err)
			}
			return append(faults, fault)
		}
		whole := line[len(line)-1] == '\n'
		if !whole && torn(line) {
			break // it was not written to its end
		}
		value, err := Decode[T](line)
		switch {
		case !whole:
			faults = append(faults, faultf(Unparsable, path, n, noEnd))
		case err != nil:
			faults = append(faults, faultOf(Unparsable, path, n, err))
		case check != nil:
			if fault := check(n, value); fault != nil {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

// CellFaults reads the files of a cell and returns what is wrong with their
// lines. Gold has the requests that records may be of; nil for any. Found is told of
// each [Block], [Ingest] and [Record]; nil for nobody.
func (f Folder) CellFaults(c Cell, gold map[Asked]bool, found func(line any)) []*Fault {
	if found == nil {
		found = func(any) {}
	}
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
		if gold != nil && !gold[Asked{r.Sample, r.Request}] {
			return faultf(Unknown, f.Records(c.ID), n, "request %q of %q is not of the run", r.Request, r.Sample)
		}
		for _, ref := range r.Evidence {
			if !blocks[ref.Block] {
				return faultf(Dangling, f.Records(c.ID), n, "request %s of %s points at block %s, which %s does not have", r.Request, r.Sample, ref.Block, path)
			}
		}
		if slices.Contains([]Status{OK, Error, Refused, Limit}, r.Status) {
			return nil
		}
		return faultf(Unparsable, f.Records(c.ID), n, "request %s of %s has the status %q", r.Request, r.Sample, r.Status)
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
