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
	_, h, err := record.Open(string(r.Folder()))
	try.Do(t, err)
	h.Status, h.Files = record.Started, nil
	try.Do(t, r.Folder().WriteHeader(h))
	return r.Folder(), h.Cells[0].ID
}

// What cannot be read, or written to, ends Execute with an error that names it, and
// every file is as it was.
func TestExecuteDamaged(t *testing.T) {
	random := strings.Repeat("\x93\x00\xff{x", 200) // without a line feed
	for name, damage := range map[string]func(f record.Folder, cell string) (string, error){
		"a damaged record": func(f record.Folder, cell string) (string, error) {
			return f.Records(cell), spoil(f.Records(cell), func(s string) string { return strings.Replace(s, `"sample"`, `"simple"`, 1) })
		},
		"a damaged block": func(f record.Folder, cell string) (string, error) {
			return f.Blocks(cell), spoil(f.Blocks(cell), func(s string) string { return "{" + s })
		},
		"a damaged memory": func(f record.Folder, cell string) (string, error) {
			return f.Ingests(cell), spoil(f.Ingests(cell), func(s string) string { return "no JSON\n" + s })
		},
		"random bytes": func(f record.Folder, cell string) (string, error) {
			return f.Records(cell), os.WriteFile(f.Records(cell), []byte(random), 0o644)
		},
		"a folder for records": func(f record.Folder, cell string) (string, error) {
			return f.Records(cell), errors.Join(os.Remove(f.Records(cell)), os.Mkdir(f.Records(cell), 0o755))
		},
		"a file for the cell": func(f record.Folder, cell string) (string, error) {
			return f.Cell(cell), errors.Join(os.RemoveAll(f.Cell(cell)), os.WriteFile(f.Cell(cell), []byte("x"), 0o644))
		},
		"no blocks": func(f record.Folder, cell string) (string, error) {
			return f.Records(cell), os.Remove(f.Blocks(cell))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, cell := killed(t)
			path := try.Get(damage(f, cell))(t)
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
			again := try.Get(newPlan(t, new(toyMethod), toyConfig).Resume(string(f)))(t)
			execute(t, again, runners.Options{})
			again.Close()
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
