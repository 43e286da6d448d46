package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// quickFaults holds the files against their digests, or where the run has none,
// looks for what a complete run cannot lack. No line is decoded as long as
// nothing is wrong.
func (f Folder) quickFaults(h Header, o opening) []*Fault {
	var faults []*Fault
	digests := make(map[string]Digest)
	if len(h.Files) == 0 && o.scores && !f.any(h) {
		return nil // scores without what they were derived from, as people hand them on
	}
	for _, want := range h.Files {
		have, err := f.hash(want.File)
		switch {
		case err != nil:
			faults = append(faults, f.fileFault(want.File, err))
		case have.SHA256 != want.SHA256:
			faults = append(faults, f.changes(want, h)...)
		}
		digests[want.File] = have
	}
	run, later := f.inputs(h)
	for _, name := range append(run, later...) {
		if _, ok := digests[name]; ok {
			continue
		}
		// Of a run without digests nothing is known but what it had to write.
		have, err := f.hash(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if len(h.Files) == 0 && f.needed(h, name) {
				faults = append(faults, f.fileFault(name, err))
			}
			continue
		case err != nil:
			faults = append(faults, f.fileFault(name, err))
		case len(h.Files) > 0 && slices.Contains(run, name):
			faults = append(faults, faultf(Edited, f.path(filepath.FromSlash(name)), 0, "is not of the run, which wrote no such file"))
		}
		digests[name] = have
	}
	if len(h.Files) == 0 {
		faults = append(faults, f.countFaults(h)...)
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

// needed reports whether a run without digests must have a file.
func (f Folder) needed(h Header, name string) bool {
	if slices.ContainsFunc(h.Datasets, func(d Dataset) bool { return name == f.name(f.Gold(d.Label)) }) {
		return true
	}
	return h.Status == Complete && strings.HasSuffix(name, "/records.jsonl")
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

// countFaults names the cells of a complete run that lack records. Imported
// answers may be fewer than requests.
func (f Folder) countFaults(h Header) (faults []*Fault) {
	if h.Status != Complete {
		return nil
	}
	for _, c := range h.Cells {
		if c.Imported != nil {
			continue
		}
		path := f.Records(c.ID)
		n := 0
		for line, err := range rawLines(path) {
			if err == nil && line[len(line)-1] == '\n' {
				n++
			}
		}
		if n < c.Planned {
			faults = append(faults, faultf(Lost, path, 0, "has %d of the %d records of a complete run", n, c.Planned))
		}
	}
	return faults
}

// scoresFaults holds scores.jsonl against what the header says of it.
func (f Folder) scoresFaults(h Header, digests map[string]Digest) []*Fault {
	if h.Scored == nil {
		return nil
	}
	path := f.Scores()
	have, err := f.hash(f.name(f.Scores()))
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

// changes says in which lines a file differs from what the run wrote.
func (f Folder) changes(want Digest, h Header) []*Fault {
	path := f.path(filepath.FromSlash(want.File))
	lines, err := readLines(path)
	if err != nil {
		return []*Fault{f.fileFault(want.File, err)}
	}
	sums, known := f.sums(h)[want.File]
	if !known {
		faults := []*Fault{faultf(Edited, path, 0, "has other content than the run wrote; which lines, %s does not tell", f.path(sumsFile))}
		if len(lines) < want.Lines {
			faults[0].Kind, faults[0].What = Lost, fmt.Sprintf("has %d of the %d lines that the run wrote", len(lines), want.Lines)
		}
		return faults
	}
	var faults []*Fault
	d := compareLines(lines, sums)
	for i, line := range lines {
		if fault := d.fault(path, i, line); fault != nil {
			faults = append(faults, fault)
		}
	}
	if n := len(sums) - len(lines); n > 0 {
		faults = append(faults, faultf(Lost, path, 0, "has %d of the %d lines that the run wrote", len(lines), len(sums)))
	}
	if len(faults) == 0 {
		at := 0
		for at < len(d.place)-1 && d.place[at] == at {
			at++
		}
		faults = append(faults, faultf(Edited, path, at+1, "the lines are not in the order in which the run wrote them"))
	}
	return faults
}

// lineChanges says which lines of a file are those that the run wrote.
type lineChanges struct {
	// place is, for each line that is there, where the run wrote it; -1 for one
	// that the run did not write.
	place []int
	again []bool // lines that the run wrote once and that are there once more
}

// compareLines finds lines again by their checksums.
func compareLines(lines [][]byte, sums []string) lineChanges {
	places := make(map[string][]int)
	for i, sum := range sums {
		places[sum] = append(places[sum], i)
	}
	wrote := make(map[string]bool, len(places))
	for sum := range places {
		wrote[sum] = true
	}
	c := lineChanges{make([]int, len(lines)), make([]bool, len(lines))}
	for i, line := range lines {
		sum := sumLine(line)
		left := places[sum]
		if len(left) == 0 {
			c.place[i], c.again[i] = -1, wrote[sum]
			continue
		}
		c.place[i], places[sum] = left[0], left[1:]
	}
	return c
}

// fault says what became of a line; nil where it is as it was.
func (c lineChanges) fault(path string, i int, line []byte) *Fault {
	if c.place[i] >= 0 {
		return nil
	}
	var of struct{ Sample, Request, Block string }
	err := json.Unmarshal(line, &of)
	about := ""
	switch {
	case of.Request != "":
		about = fmt.Sprintf(": request %s of %s", of.Request, of.Sample)
	case of.Block != "":
		about = ": block " + of.Block
	case of.Sample != "":
		about = ": sample " + of.Sample
	}
	switch {
	case c.again[i]:
		return faultf(Duplicate, path, i+1, "the line is there twice%s", about)
	case !bytes.HasSuffix(line, []byte("\n")) && torn(line):
		return faultf(Torn, path, i+1, "the line ends in the middle")
	case err != nil && strings.HasSuffix(path, ".jsonl"):
		return faultOf(Unparsable, path, i+1, err)
	default:
		return faultf(Edited, path, i+1, "was edited after the run%s", about)
	}
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

// sums reads the checksums of the lines of all files. There are none where they
// are damaged themselves.
func (f Folder) sums(h Header) map[string][]string {
	i := slices.IndexFunc(h.Files, func(d Digest) bool { return d.File == sumsFile })
	if i < 0 {
		return nil
	}
	have, err := f.hash(sumsFile)
	if err != nil || have.SHA256 != h.Files[i].SHA256 {
		return nil
	}
	data, err := ReadRegular(f.path(sumsFile))
	if err != nil {
		return nil
	}
	all := make(map[string][]string)
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var l lineSums
		if err := dec.Decode(&l); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil
			}
			return all
		}
		sums := make([]string, 0, len(l.CRC32C)/8)
		for s := l.CRC32C; len(s) >= 8; s = s[8:] {
			sums = append(sums, s[:8])
		}
		all[l.File] = sums
	}
}
