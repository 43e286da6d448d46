package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Repaired says what [Folder.Repair] moved.
type Repaired struct {
	Lines int      // that were moved aside
	Files []string // with something wrong, by path
	// Judgements and Ratings are how many lines of each are among Lines: nobody
	// asks for them again by itself.
	Judgements, Ratings int
}

// Repairable returns the header of a run that [Folder.Repair] can mend. What it
// cannot is a [Damage]: the header, the config and the key to ratings, which have no
// other copy. With [AcceptEdits] edits to header and config are taken as they are.
func Repairable(dir string, options ...Option) (Header, error) {
	o := openingOf(options)
	f := Folder(dir)
	h, edited, err := readHeader(dir)
	if err != nil {
		return h, err
	}
	if h.Imported() {
		_, _, err := Open(dir)
		if err != nil {
			err = fmt.Errorf("%w; imported answers cannot be asked for again: 'bench import' makes the run anew", err)
		}
		return h, err
	}
	var faults []*Fault
	if edited != nil {
		faults = append(faults, edited)
	}
	only := h
	only.Files = slices.DeleteFunc(slices.Clone(h.Files), func(d Digest) bool {
		return d.File != f.name(f.Config()) && !strings.HasSuffix(d.File, askedEnd)
	})
	for _, d := range only.Files {
		have, err := f.digest(d.File)
		switch {
		case err != nil:
			faults = append(faults, f.fileFault(d.File, err))
		case have.SHA256 != d.SHA256:
			faults = append(faults, f.changes(d))
		}
	}
	if o.accept {
		var edits []*Fault
		faults, edits = split(faults)
		acceptInto(&h, f, edits)
	}
	if len(faults) > 0 {
		return h, &Damage{Dir: dir, Faults: faults}
	}
	return h, nil
}

// Repair moves what of a run is not as it was written into the folder "damaged", for
// the run to go on: what it was about has no record then, and is asked again. Remake writes the gold answers of the run. The caller holds the
// lock. Nothing is changed in a run without faults, and nothing is removed.
func (f Folder) Repair(h *Header, remake func() error) (Repaired, error) {
	var r Repaired
	v, err := Verify(string(f))
	if err != nil || !v.Damaged() {
		return r, err
	}
	m := mender{Folder: f, header: *h, repaired: &r}
	for _, c := range h.Cells {
		blocks := make(map[string]bool)
		if _, err := m.mend(f.Blocks(c.ID), func(line []byte) bool {
			b, err := Decode[Block](line)
			ok := err == nil && BlockID(b.Sample, b.Name, b.Text, b.Sources) == b.Block
			if ok {
				blocks[b.Block] = true
			}
			return ok
		}); err != nil {
			return r, err
		}
		if _, err := m.mend(f.Ingests(c.ID), decodes[Ingest]); err != nil {
			return r, err
		}
		if _, err := m.mend(f.Records(c.ID), func(line []byte) bool {
			record, err := Decode[Record](line)
			return err == nil && !slices.ContainsFunc(record.Evidence, func(ref BlockRef) bool { return !blocks[ref.Block] })
		}); err != nil {
			return r, err
		}
		n, err := m.mend(f.Judgements(c.ID), decodes[Judgement])
		if err != nil {
			return r, err
		}
		r.Judgements += n
	}
	for _, d := range h.Datasets {
		n, err := m.mend(f.Ratings(d.Label), decodes[json.RawMessage])
		if err != nil {
			return r, err
		}
		r.Ratings += n
	}
	if _, err := m.mend(f.Payments(), decodes[json.RawMessage]); err != nil {
		return r, err
	}
	if err := m.remakeGold(v.Faults, remake); err != nil {
		return r, err
	}
	if err := errors.Join(m.clear(f.Scores()), m.clear(f.path(summaryFile))); err != nil {
		return r, err
	}
	h.Files, h.Status = nil, Started
	return r, f.WriteHeader(*h)
}

func decodes[T any](line []byte) bool {
	_, err := Decode[T](line)
	return err == nil
}

// A mender moves damaged lines of a run.
type mender struct {
	Folder
	header   Header
	repaired *Repaired
}

// digestOf returns the digest that the header has of a file; nil for none.
func (m mender) digestOf(path string) *Digest {
	i := slices.IndexFunc(m.header.Files, func(d Digest) bool { return d.File == m.name(path) })
	if i < 0 {
		return nil
	}
	return &m.header.Files[i]
}

// mend moves the lines of a file that fail a check. A file that is not the one of which
// the run noted the digest loses all its lines: any of them may have been changed. It
// returns how many it moved.
func (m mender) mend(path string, check func(line []byte) bool) (moved int, err error) {
	lines, err := readLines(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	d := m.digestOf(path)
	later := strings.HasSuffix(path, "judgements.jsonl") || strings.HasPrefix(m.name(path), "ratings/") || path == m.Payments()
	if err != nil || d == nil && len(m.header.Files) > 0 && !later { // the run wrote no such file
		return 0, m.moveAway(path)
	}
	whole := true
	if d != nil {
		have, err := m.digest(d.File)
		if err != nil {
			return 0, err
		}
		whole = have.SHA256 == d.SHA256
	}
	var good, bad []byte
	for _, line := range lines {
		if whole && line[len(line)-1] == '\n' && check(line) {
			good = append(good, line...)
			continue
		}
		bad = append(bad, line...)
		moved++
	}
	if whole && moved == 0 {
		return 0, nil
	}
	if moved > 0 {
		if err := SetAside(m.aside(path), bad); err != nil {
			return 0, err
		}
	}
	m.repaired.Lines += moved
	m.repaired.Files = append(m.repaired.Files, path)
	return moved, WriteBytes(path, good)
}

// remakeGold writes the gold answers again where they are not those of the run.
func (m mender) remakeGold(faults []*Fault, remake func() error) error {
	var paths []string
	for _, fault := range faults {
		if strings.HasPrefix(m.name(fault.File), "gold/") && !fault.Harmless() && !slices.Contains(paths, fault.File) {
			paths = append(paths, fault.File)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	for _, path := range paths {
		lines, err := readLines(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || m.digestOf(path) == nil && len(m.header.Files) > 0:
			if err := m.moveAway(path); err != nil {
				return err
			}
		default:
			if err := SetAside(m.aside(path), bytes.Join(lines, nil)); err != nil {
				return err
			}
			m.repaired.Lines += len(lines)
			m.repaired.Files = append(m.repaired.Files, path)
		}
	}
	if err := os.MkdirAll(m.path("gold"), 0o755); err != nil {
		return err
	}
	if err := remake(); err != nil {
		return err
	}
	for _, path := range paths {
		d := m.digestOf(path)
		if d == nil {
			continue
		}
		have, err := m.digest(d.File)
		if err != nil {
			return &Damage{Dir: string(m.Folder), Faults: []*Fault{m.fileFault(d.File, err)}}
		}
		if have.SHA256 != d.SHA256 {
			return &Damage{Dir: string(m.Folder), Faults: []*Fault{faultf(Edited, path, 0, "the dataset no longer gives the questions and gold answers of the run")}}
		}
	}
	return nil
}

// clear moves away what stands where a file is to be written and is none.
func (m mender) clear(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return m.moveAway(path)
	}
	return nil
}

// moveAway moves a file, or what is in its place, into the folder of damaged
// lines.
func (m mender) moveAway(path string) error {
	// A file may be in the place of its folder.
	for {
		if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == filepath.Clean(string(m.Folder)) {
			break
		}
		path = filepath.Dir(path)
	}
	into := m.aside(path)
	if err := os.MkdirAll(filepath.Dir(into), 0o755); err != nil {
		return err
	}
	for n := 2; ; n++ {
		if _, err := os.Lstat(into); errors.Is(err, fs.ErrNotExist) {
			break
		}
		into = fmt.Sprintf("%s.%d", m.aside(path), n)
	}
	m.repaired.Files = append(m.repaired.Files, path)
	return os.Rename(path, into)
}
