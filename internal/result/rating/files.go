package rating

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
)

// Write writes the key to a path, and sheets with instructions into a folder. It never
// overwrites a file with other content, which may hold ratings.
func (a Asked) Write(path, dir string) error {
	var key bytes.Buffer
	instructions, err := a.Instructions()
	if err := errors.Join(err, jsonout.Indented(&key, a)); err != nil {
		return err
	}
	files := map[string][]byte{path: key.Bytes(), filepath.Join(dir, "instructions.txt"): instructions}
	for _, r := range a.Raters {
		if files[filepath.Join(dir, r+".csv")], err = a.Sheet(r); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(files))
	faults := []error{os.MkdirAll(dir, 0o755), os.MkdirAll(filepath.Dir(path), 0o755)}
	for _, name := range names {
		have, err := os.ReadFile(name)
		if err == nil && !bytes.Equal(have, files[name]) {
			err = fmt.Errorf("%s has other content: it was drawn with other flags, or a rater filled it in. Use the same flags or another folder, or remove the file to start over", name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, name := range names {
		if err := record.WriteBytes(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// ReadSheets reads the sheets that came back, and reports the faults of all. It is an error
// if nothing is filled in.
func (a Asked) ReadSheets(names []string) (all []Rating, err error) {
	var faults []error
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err == nil {
			var ratings []Rating
			ratings, err = a.Read(name, data)
			all = append(all, ratings...)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing is filled in: %s", strings.Join(names, ", "))
	}
	return all, nil
}

// AddNotes turns labels of correctness into notes of a run, except for those that it has.
// One that the same rater gave otherwise before is a fault, unless replace is set.
func AddNotes(run record.Folder, queue string, added []Rating, now time.Time, replace bool) error {
	have, err := note.Read(run)
	if err != nil {
		return err
	}
	have = note.Standing(have)
	var notes []note.Note
	var faults []error
	for _, r := range added {
		for _, n := range r.AsNotes(queue, now) {
			same := lists.Filter(have, func(o note.Note) bool {
				return o.Reviewer == n.Reviewer && o.Subject == n.Subject && o.Answer == n.Answer && o.Kind == n.Kind
			})
			switch {
			case slices.ContainsFunc(same, func(o note.Note) bool { return bytes.Equal(o.Value, n.Value) }):
				continue
			case n.Kind == note.Correct && len(same) > 0 && !replace:
				faults = append(faults, fmt.Errorf("%s labelled item %[3]s %[2]s before, and now %[4]s; --force takes the new label", r.Rater, same[0].Value, r.Item, n.Value))
			}
			notes, have = append(notes, n), append(have, n)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	_, err = note.Append(run, notes)
	return err
}
