package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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
	for _, f := range faults {
		if lost[f.File] {
			damage = append(damage, f)
		} else {
			edits = append(edits, f)
		}
	}
	return damage, edits
}

// quickFaults holds the files against their digests. No line is decoded as long as
// nothing is wrong.
func (f Folder) quickFaults(h Header, o opening) []*Fault {
	var faults []*Fault
	digests := make(map[string]Digest)
	if len(h.Files) == 0 && o.scores && !f.any(h) {
		return nil // scores without what they were derived from, as people hand them on
	}
	for _, want := range h.Files {
		have, err := f.digest(want.File)
		switch {
		case err != nil:
			faults = append(faults, f.fileFault(want.File, err))
		case have.SHA256 != want.SHA256:
			faults = append(faults, f.changes(want))
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
	// Scores are derived: what is wrong with the records comes first.
	if damage, edits := split(faults); o.scores && len(damage) == 0 && (o.accept || len(edits) == 0) {
		faults = append(faults, f.scoresFaults(h, digests)...)
	}
	return faults
}

// any reports whether a file is there that scores are derived from.
func (f Folder) any(h Header) bool {
	names, _ := f.inputs(h)
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(f.path(filepath.FromSlash(name)))
		return err == nil
	})
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
	have, err := f.digest(f.name(f.Scores()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []*Fault{faultf(Stale, path, 0, "is not there, and the run was scored")}
	case err != nil:
		return []*Fault{f.fileFault(f.name(f.Scores()), err)}
	case have.SHA256 != h.Scored.SHA256:
		return []*Fault{faultf(Stale, path, 0, "is not as 'bench score' wrote it")}
	case f.derivation(h, digests) != h.Scored.From:
		return []*Fault{faultf(Stale, path, 0, "was derived from other records or gold answers than there are now")}
	}
	return nil
}

// changes says how a file differs from what the run wrote: by the first line that
// cannot be read, else as a whole.
func (f Folder) changes(want Digest) *Fault {
	path := f.path(filepath.FromSlash(want.File))
	n := 0
	for line, err := range RawLines(path) {
		n++
		switch {
		case err != nil:
			return f.fileFault(want.File, err)
		case line[len(line)-1] != '\n' && torn(line):
			return faultf(Torn, path, n, "the line ends in the middle")
		case strings.HasSuffix(path, ".jsonl") && !json.Valid(line):
			return faultf(Unparsable, path, n, "is not JSON")
		}
	}
	switch {
	case n < want.Lines:
		return faultf(Lost, path, 0, "has %d of the %d lines that the run wrote", n, want.Lines)
	case n > want.Lines:
		return faultf(Duplicate, path, 0, "has %d lines, and the run wrote %d", n, want.Lines)
	}
	return faultf(Edited, path, 0, "has other content than the run wrote")
}

// readLines reads a file as lines with their line feeds.
func readLines(path string) ([][]byte, error) {
	data, err := ReadRegular(path)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines, nil
}
