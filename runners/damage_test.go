package runners_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/runners"
)

// killed runs the toy config and leaves the folder as a kill does: without digests.
func killed(t *testing.T) (record.Folder, string) {
	t.Helper()
	r := start(t, newPlan(t, new(toyMethod), toyConfig))
	execute(t, r, runners.Options{})
	r.Close()
	kill(t, r.Folder())
	return r.Folder(), r.Header().Cells[0].ID
}

// kill leaves a complete run as a kill before its end does.
func kill(t *testing.T, f record.Folder) {
	t.Helper()
	edit(t, string(f), func(h *record.Header) { h.Status, h.Files = record.Started, nil })
}

// What cannot be read, or written to, ends Execute with an error that names it, and
// every file is as it was.
func TestExecuteDamaged(t *testing.T) {
	random := strings.Repeat("\x93\x00\xff{x", 200) // without a line feed
	type of = func(record.Folder, string) string
	write := func(content string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o644) }
	}
	change := func(old, with string) func(string) error {
		return func(path string) error {
			return spoil(path, func(s string) string { return strings.Replace(s, old, with, 1) })
		}
	}
	for name, damage := range map[string]struct {
		named, file of // in the error; that is damaged
		do          func(path string) error
	}{
		"a damaged record":     {record.Folder.Records, record.Folder.Records, change(`"sample"`, `"simple"`)},
		"a damaged block":      {record.Folder.Blocks, record.Folder.Blocks, change("", "{")},
		"a damaged memory":     {record.Folder.Ingests, record.Folder.Ingests, change("", "no JSON\n")},
		"random bytes":         {record.Folder.Records, record.Folder.Records, write(random)},
		"a folder for records": {record.Folder.Records, record.Folder.Records, func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }},
		"a file for the cell":  {record.Folder.Cell, record.Folder.Cell, func(path string) error { return errors.Join(os.RemoveAll(path), write("x")(path)) }},
		"no blocks":            {record.Folder.Records, record.Folder.Blocks, os.Remove},
	} {
		t.Run(name, func(t *testing.T) {
			f, cell := killed(t)
			path := damage.named(f, cell)
			try.Do(t, damage.do(damage.file(f, cell)))
			before := contents(t, string(f))
			r, err := newPlan(t, new(toyMethod), toyConfig).Resume(string(f))
			if err == nil {
				_, err = r.Execute(t.Context(), runners.Options{})
				r.Close()
			}
			if err == nil || !strings.Contains(err.Error(), path) || !record.IsDamage(err) {
				t.Errorf("%v, want a damage of %s", err, path)
			}
			if diff := cmp.Diff(before, contents(t, string(f))); diff != "" {
				t.Errorf("the folder has changed (-before +after):\n%s", diff)
			}
			try.Get(newPlan(t, new(toyMethod), toyConfig).Repair(t.Context(), string(f)))(t)
			resume(t, new(toyMethod), f)
			if v, err := record.Verify(string(f)); err != nil || v.Damaged() {
				t.Errorf("repaired and resumed: %v, %v", v.Faults, err)
			}
		})
	}
}

// spoil changes a file.
func spoil(path string, change func(string) string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(change(string(data))), 0o644)
}

// Scores are not replaced by fewer, also where nothing but the scores tells that
// records are lost.
func TestScoreKeepsScores(t *testing.T) {
	f, cell := killed(t)
	h := try.Get(record.ReadHeader(string(f)))(t)
	score(t, f, h, nil)
	before := try.Get(os.ReadFile(f.Scores()))(t)
	for _, lose := range []func(string) string{
		func(s string) string { return s[strings.Index(s, "\n")+1:] },
		func(string) string { return "" },
	} {
		try.Do(t, spoil(f.Records(cell), lose))
		_, _, err := runners.Score(t.Context(), f, h, nil)
		if !record.IsDamage(err) || !strings.Contains(err.Error(), f.Records(cell)+": has no record of question q0 of s0") {
			t.Errorf("scoring what lost records: %v", err)
		}
		if after, err := os.ReadFile(f.Scores()); err != nil || string(after) != string(before) {
			t.Errorf("the scores have become %q, %v", after, err)
		}
		if left, err := filepath.Glob(filepath.Join(string(f), ".*.unfinished")); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}
