package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Repaired says what [Folder.Repair] moved.
type Repaired struct {
	Files []string // by path
	// Judgements and Ratings say that some are among them: nobody asks for these again by
	// itself.
	Judgements, Ratings bool
}

// Repairable returns the header of a run that [Folder.Repair] can mend. What it
// cannot is a [Damage]: the header, the config and the key to ratings, which have no
// other copy. With [AcceptEdits] edits to header and config are taken as they are.
func Repairable(dir string, options ...Option) (Header, error) {
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
	for _, d := range h.Files {
		if d.File == f.name(f.Config()) || strings.HasSuffix(d.File, askedEnd) {
			if _, fault := f.compare(d); fault != nil {
				faults = append(faults, fault)
			}
		}
	}
	if openingOf(options).accept {
		var edits []*Fault
		faults, edits = split(faults)
		acceptInto(&h, f, edits)
	}
	if len(faults) > 0 {
		return h, &Damage{Dir: dir, Faults: faults}
	}
	return h, nil
}

// Repair moves the files of a run that are not as they were written into the folder
// "damaged", for the run to go on: what they were about is asked again. Remake writes the
// gold answers of the run. The caller holds the lock. Nothing is changed in a run without
// faults, and nothing is removed.
func (f Folder) Repair(h *Header, remake func() error) (r Repaired, err error) {
	v, err := Verify(string(f))
	if err != nil || !v.Damaged() {
		return r, err
	}
	damaged := make(map[string]bool) // by path
	var gold []string
	for _, fault := range v.Faults {
		if fault.Harmless() || damaged[fault.File] {
			continue
		}
		if strings.HasPrefix(f.name(fault.File), "gold/") {
			gold = append(gold, fault.File)
		} else if fault.Kind == Unknown && len(gold) > 0 {
			continue // which requests there are is not known
		}
		damaged[fault.File] = true
	}
	for _, c := range h.Cells {
		// Records point at blocks, and what a memory holds is written when it is built.
		damaged[f.Records(c.ID)] = damaged[f.Records(c.ID)] || damaged[f.Blocks(c.ID)]
		built := damaged[f.Ingests(c.ID)] || damaged[f.Structures(c.ID)]
		damaged[f.Ingests(c.ID)], damaged[f.Structures(c.ID)] = built, built
		r.Judgements = r.Judgements || damaged[f.Judgements(c.ID)]
	}
	for _, d := range h.Datasets {
		r.Ratings = r.Ratings || damaged[f.Ratings(d.Label)]
	}
	for _, derived := range []string{f.Scores(), f.path(summaryFile)} { // are written over, unless something else is in their place
		info, err := os.Lstat(derived)
		damaged[derived] = err == nil && !info.Mode().IsRegular()
	}
	for _, path := range slices.Sorted(maps.Keys(damaged)) {
		if !damaged[path] {
			continue
		}
		moved, err := f.moveAway(path)
		if err != nil {
			return r, err
		}
		if moved != "" {
			r.Files = append(r.Files, moved)
		}
	}
	if len(gold) > 0 {
		if err := f.remakeGold(*h, remake); err != nil {
			return r, err
		}
	}
	h.Files, h.Status = nil, Started
	return r, f.WriteHeader(*h)
}

// remakeGold writes the gold answers again, which have to be those of the run.
func (f Folder) remakeGold(h Header, remake func() error) error {
	if err := errors.Join(os.MkdirAll(f.path("gold"), 0o755), remake()); err != nil {
		return err
	}
	for _, d := range h.Files {
		if !strings.HasPrefix(d.File, "gold/") {
			continue
		}
		if _, fault := f.compare(d); fault != nil {
			return &Damage{Dir: string(f), Faults: []*Fault{faultf(Edited, fault.File, 0, "the dataset no longer gives the questions and gold answers of the run")}}
		}
	}
	return nil
}

// moveAway moves a file, or what is in its place, into the folder of damaged files, and
// returns the path of what it moved; empty where nothing is there.
func (f Folder) moveAway(path string) (moved string, err error) {
	_, err = os.Lstat(path)
	for err != nil { // a file may be in the place of its folder
		var info fs.FileInfo
		if path = filepath.Dir(path); path == filepath.Clean(string(f)) {
			return "", nil
		}
		if info, err = os.Lstat(path); err == nil && info.IsDir() {
			return "", nil
		}
	}
	into := f.aside(path)
	for n := 2; ; n++ {
		if _, err := os.Lstat(into); errors.Is(err, fs.ErrNotExist) {
			break
		}
		into = fmt.Sprintf("%s.%d", f.aside(path), n)
	}
	return path, errors.Join(os.MkdirAll(filepath.Dir(into), 0o755), os.Rename(path, into))
}
