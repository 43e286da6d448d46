package record

import (
	"errors"
	"fmt"
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

// Repair moves the files of a run, opened [ForRepair], that are not as they were written
// into the folder "damaged", so that the run can continue; the questions they belong to are asked again.
// Remake writes the gold answers of the run. The caller holds the lock. Nothing is changed
// in a run without faults, and nothing is removed.
func (f Folder) Repair(h *Header, remake func() error) (r Repaired, err error) {
	v, err := Verify(string(f))
	if err != nil || !v.Damaged() {
		return r, err
	}
	damaged := make(map[string]bool) // by path
	gold := false
	for _, fault := range v.Faults {
		if fault.Kind != Leftover && !f.single(fault.File) {
			damaged[fault.File] = true
			gold = gold || strings.HasPrefix(f.name(fault.File), "gold/")
		}
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
	for _, file := range slices.Sorted(maps.Keys(damaged)) {
		path := f.standing(file)
		if !damaged[file] || path == "" {
			continue
		}
		if err := f.moveAway(path); err != nil {
			return r, err
		}
		r.Files = append(r.Files, path)
	}
	if gold {
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
		if strings.HasPrefix(d.File, "gold/") && f.compare(d) != nil {
			return &Damage{Dir: string(f), Faults: []*Fault{faultf(Edited, f.named(d.File), 0, "the dataset no longer has the questions and gold answers of the run")}}
		}
	}
	return nil
}

// standing returns what stands at a path, or the file in the place of a folder on the way to
// it; empty for nothing.
func (f Folder) standing(path string) string {
	for on := path; on != filepath.Clean(string(f)); on = filepath.Dir(on) {
		if info, err := os.Lstat(on); err == nil && (on == path || !info.IsDir()) {
			return on
		}
	}
	return ""
}

// moveAway moves a file, or what is in its place, into the folder of damaged files.
func (f Folder) moveAway(path string) error {
	into := f.aside(path)
	for n := 2; exists(into); n++ {
		into = fmt.Sprintf("%s.%d", f.aside(path), n)
	}
	return errors.Join(os.MkdirAll(filepath.Dir(into), 0o755), os.Rename(path, into))
}
