package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

const damageConfig = `
name: damage
seed: 1
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, label: Naive RAG, options: {k: 2}}]
metrics: [f1@mem0, evidence-recall]
limits: {requests: 6}
`

// A damagedRun is a run that tests damage.
type damagedRun struct {
	whole  string            // the folder as the run left it
	files  map[string][]byte // of whole
	table  string
	config string
}

func newDamagedRun(t *testing.T) *damagedRun {
	t.Helper()
	d := &damagedRun{whole: filepath.Join(t.TempDir(), "whole"), config: write(t, "damage.yaml", damageConfig)}
	must(t, "run", d.config, "--out", d.whole, "--display", "none")
	d.files = contentsOf(t, d.whole)
	d.table = must(t, "table", d.whole, "--format", "csv").stdout
	return d
}

// contentsOf returns the files below a folder by their names, without locks.
func contentsOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || e.Name() == ".lock" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	try.Do(t, err)
	return files
}

// copyRun makes a copy of the run to damage.
func (d *damagedRun) copyRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	try.Do(t, os.CopyFS(dir, os.DirFS(d.whole)))
	return dir
}

// readers are the verbs that read a run, without those whose output tests compare.
func (d *damagedRun) readers(dir string) [][]string {
	return [][]string{
		{"compare", d.whole, dir, "--format", "csv"},
		{"diff", d.whole, dir},
		{"gate", dir, "--baseline", d.whole},
		{"export", dir, "--format", "jsonl"},
		{"report", dir, "--out", filepath.Join(filepath.Dir(dir), "report.html")},
		{"plot", dir},
		{"runs", "show", dir},
		{"baseline", "set", "b", dir, "--baselines", filepath.Join(filepath.Dir(dir), "baselines"), "--force"},
		{"resume", dir, "--out", filepath.Join(filepath.Dir(dir), "merged")},
		{"judge", "people", "export", dir, "--out", filepath.Join(filepath.Dir(dir), "sheets"), "--limit", "1"},
	}
}

// damage is a kind of damage to a file. It says what it did.
type damage struct {
	name string
	do   func(random *rand.Rand, path string, data []byte) (string, error)
}

// rewrite makes a damage of one that changes bytes.
func rewrite(name string, change func(random *rand.Rand, data []byte) []byte) damage {
	return damage{name, func(random *rand.Rand, path string, data []byte) (string, error) {
		return name, os.WriteFile(path, change(random, slices.Clone(data)), 0o644)
	}}
}

// changeLines makes a damage of one that changes lines.
func changeLines(name string, change func(random *rand.Rand, lines [][]byte) [][]byte) damage {
	return rewrite(name, func(random *rand.Rand, data []byte) []byte {
		return bytes.Join(change(random, bytes.SplitAfter(data, []byte("\n"))), nil)
	})
}

var damages = []damage{
	rewrite("flip", func(random *rand.Rand, data []byte) []byte {
		if len(data) > 0 {
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
		}
		return data
	}),
	rewrite("cut", func(random *rand.Rand, data []byte) []byte { return data[:random.IntN(len(data)+1)] }),
	rewrite("behead", func(random *rand.Rand, data []byte) []byte { return data[random.IntN(len(data)+1):] }),
	rewrite("hole", func(random *rand.Rand, data []byte) []byte {
		from := random.IntN(len(data) + 1)
		return slices.Delete(data, from, from+random.IntN(len(data)-from+1))
	}),
	rewrite("zeros", func(random *rand.Rand, data []byte) []byte {
		clear(data[random.IntN(len(data)+1):])
		return data
	}),
	rewrite("binary", func(random *rand.Rand, data []byte) []byte {
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		return data
	}),
	rewrite("empty", func(*rand.Rand, []byte) []byte { return nil }),
	rewrite("more", func(_ *rand.Rand, data []byte) []byte { return append(data, "more\n"...) }),
	rewrite("digit", func(random *rand.Rand, data []byte) []byte {
		for range 100 {
			if i := random.IntN(len(data) + 1); i < len(data) && '0' <= data[i] && data[i] <= '8' {
				data[i]++
				return data
			}
		}
		return append(data, '\n')
	}),
	changeLines("lose a line", func(random *rand.Rand, lines [][]byte) [][]byte {
		i := random.IntN(len(lines))
		return slices.Delete(lines, i, i+1)
	}),
	changeLines("repeat a line", func(random *rand.Rand, lines [][]byte) [][]byte {
		return append(lines, lines[random.IntN(len(lines))])
	}),
	changeLines("swap lines", func(random *rand.Rand, lines [][]byte) [][]byte {
		i, j := random.IntN(len(lines)), random.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	}),
	{"delete", func(_ *rand.Rand, path string, _ []byte) (string, error) { return "delete", os.Remove(path) }},
	{"folder", func(_ *rand.Rand, path string, _ []byte) (string, error) {
		return "folder", errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
	}},
	{"swap files", func(random *rand.Rand, path string, data []byte) (string, error) {
		others, err := filepath.Glob(filepath.Join(filepath.Dir(path), "..", "*", "*.jsonl"))
		if err != nil || len(others) == 0 {
			return "nothing", err
		}
		other := others[random.IntN(len(others))]
		there, err := os.ReadFile(other)
		return "swap with " + other, errors.Join(err, os.WriteFile(path, there, 0o644), os.WriteFile(other, data, 0o644))
	}},
	{"delete the folder", func(_ *rand.Rand, path string, _ []byte) (string, error) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "cells")); err == nil { // of the run
			return "delete cells", os.RemoveAll(filepath.Join(filepath.Dir(path), "cells"))
		}
		return "delete the folder", os.RemoveAll(filepath.Dir(path))
	}},
}

// TestDamage damages run folders at random and tries the verbs: none panics or
// ends with 0 and other figures, none makes a file shorter, and what
// resume --repair calls whole has the records and scores of the run. With
// BENCH_LONG=1 it does so 2,000 times.
func TestDamage(t *testing.T) {
	longtest.SkipRace(t)
	d := newDamagedRun(t)
	want := recorded(t, d.whole)
	repaired := 0
	n := longtest.N(10, 2000)
	for i := range n {
		random := rand.New(rand.NewPCG(14, uint64(i)))
		dir := d.copyRun(t)
		did := d.damage(t, random, dir)
		readers := d.readers(dir)
		random.Shuffle(len(readers), func(i, j int) { readers[i], readers[j] = readers[j], readers[i] })
		damaged := contentsOf(t, dir)
		changed := !maps.EqualFunc(damaged, d.files, bytes.Equal)
		verbs := append([][]string{{"runs", "verify", dir}, {"table", dir, "--format", "csv"}, {"resume", dir, "--display", "none"}, {"score", dir}}, readers[:longtest.N(1, len(readers))]...)
		for _, args := range verbs {
			r := run(t, args...)
			switch {
			case r.code == exitOK && slices.Equal(args[:2], []string{"runs", "verify"}) && changed && !harmless(damaged, d.files):
				t.Errorf("%d: %s: bench verify says\n%s", i, did, r.stdout)
			case r.code == exitOK && args[0] == "table" && r.stdout != d.table:
				t.Errorf("%d: %s: the table is\n%s\nof the run it was\n%s", i, did, r.stdout, d.table)
			case r.code == exitOK && !slices.Contains([]string{"resume"}, args[0]), r.code == exitDamaged, r.code == exitUsage:
			case r.code == exitOK && args[0] == "resume" && changed:
				try.Equal(t, fmt.Sprintf("%d: %s: resumed", i, did), want, recorded(t, dir))
			case r.code == exitOK:
			default:
				t.Errorf("%d: %s: bench %s: exit %d\n%s", i, did, strings.Join(args, " "), r.code, r.stderr)
			}
			if r.code != exitOK && r.stderr == "" && r.stdout == "" {
				t.Errorf("%d: %s: bench %s: exit %d without a word", i, did, args[0], r.code)
			}
			if s := d.shorter(damaged, contentsOf(t, dir)); s != "" && (r.code != exitOK || args[0] != "resume") {
				t.Errorf("%d: %s: bench %s made %s shorter", i, did, args[0], s)
			}
		}
		switch r := run(t, "resume", dir, "--repair", "--display", "none"); r.code {
		case exitOK:
			repaired++
			must(t, "runs", "verify", dir)
			try.Equal(t, fmt.Sprintf("%d: %s: repaired", i, did), want, recorded(t, dir))
			if table := must(t, "table", dir, "--format", "csv").stdout; table != d.table {
				t.Errorf("%d: %s: repaired, the table is\n%s\nof the run it was\n%s", i, did, table, d.table)
			}
		case exitDamaged, exitUsage:
			has(t, fmt.Sprintf("%d: %s: resume --repair", i, did), r.stderr, dir)
		default:
			t.Errorf("%d: %s: resume --repair: exit %d\n%s", i, did, r.code, r.stderr)
		}
		if t.Failed() {
			t.Fatalf("the first damage that is not held up: %d, %s", i, did)
		}
		_ = os.RemoveAll(filepath.Dir(dir))
	}
	t.Logf("%d of %d damaged runs were repaired", repaired, n)
	if repaired < n/2 {
		t.Errorf("only %d of %d damaged runs were repaired", repaired, n)
	}
}

// damage damages a file of a run and says how.
func (d *damagedRun) damage(t *testing.T, random *rand.Rand, dir string) string {
	t.Helper()
	names := slices.Sorted(maps.Keys(d.files))
	// Records and what belongs to them are damaged more often than the rest.
	name := names[random.IntN(len(names))]
	for range 2 {
		if !strings.HasPrefix(name, "cells/") {
			name = names[random.IntN(len(names))]
		}
	}
	kind := damages[random.IntN(len(damages))]
	did := try.Get(kind.do(random, filepath.Join(dir, filepath.FromSlash(name)), d.files[name]))(t)
	return fmt.Sprintf("%s: %s", name, did)
}

// harmless reports whether files differ in nothing that says anything: in how the header is
// written, or in its own checksum.
func harmless(damaged, whole map[string][]byte) bool {
	for name, data := range whole {
		if name != "run.json" && !bytes.Equal(damaged[name], data) {
			return false
		}
	}
	var now, was record.Header
	if json.Unmarshal(damaged["run.json"], &now) != nil || json.Unmarshal(whole["run.json"], &was) != nil {
		return false
	}
	now.Sum, was.Sum = "", ""
	return reflect.DeepEqual(now, was)
}

// shorter names a file that has become shorter or is gone. The header may, and scores and
// their summary may be what they were in the run.
func (d *damagedRun) shorter(before, after map[string][]byte) string {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		derived := (name == "scores.jsonl" || name == "summary.json") && bytes.Equal(after[name], d.files[name])
		if name != "run.json" && !derived && len(after[name]) < len(before[name]) {
			return name
		}
	}
	return ""
}

// TestDamagedFolders tries every verb on folders that are no run any more: each
// says so, and none succeeds in silence.
func TestDamagedFolders(t *testing.T) {
	d := newDamagedRun(t)
	cells, err := filepath.Glob(filepath.Join(d.whole, "cells", "*"))
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	every := func(change func(path string, data []byte) error) func(dir string) error {
		return func(dir string) error {
			var faults []error
			for name, data := range d.files {
				faults = append(faults, change(filepath.Join(dir, filepath.FromSlash(name)), slices.Clone(data)))
			}
			return errors.Join(faults...)
		}
	}
	rewritten := func(change func(data []byte) []byte) func(dir string) error {
		return every(func(path string, data []byte) error { return os.WriteFile(path, change(data), 0o644) })
	}
	noise := rand.New(rand.NewPCG(1, 1))
	shapes := map[string]func(dir string) error{
		"missing":     os.RemoveAll,
		"empty":       func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
		"a file":      func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, []byte("x"), 0o644)) },
		"empty files": rewritten(func([]byte) []byte { return nil }),
		"binary": rewritten(func(data []byte) []byte {
			for i := range data {
				data[i] = byte(noise.Uint32())
			}
			return data
		}),
		"truncated":         rewritten(func(data []byte) []byte { return data[:len(data)/2] }),
		"folders for files": every(func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }),
		"unreadable": every(func(path string, _ []byte) error { // also for who may read everything
			return errors.Join(os.Remove(path), os.Symlink(filepath.Base(path), path))
		}),
		"swapped": func(dir string) error {
			a, b := filepath.Join(dir, "cells", filepath.Base(cells[0])), filepath.Join(dir, "cells", filepath.Base(cells[1]))
			return errors.Join(os.Rename(a, a+"x"), os.Rename(b, a), os.Rename(a+"x", b))
		},
	}
	model := write(t, "model.yaml", "use: openai\noptions: {base_url: http://127.0.0.1:1, model: none}\n")
	for shape, damage := range shapes {
		dir := d.copyRun(t)
		try.Do(t, damage(dir))
		verbs := append(d.readers(dir),
			[]string{"runs", "verify", dir}, []string{"runs", "verify", dir, "--json"}, []string{"table", dir}, []string{"table", dir, "--accept-edited"}, []string{"score", dir},
			[]string{"compare", dir, d.whole}, []string{"diff", dir, d.whole}, []string{"gate", d.whole, "--baseline", dir},
			[]string{"judge", dir, "--model", model}, []string{"judge", "people", "show", dir}, []string{"judge", "people", "import", dir, model},
			[]string{"calls", "list", "--run", dir, "--store", t.TempDir()}, []string{"resume", dir}, []string{"resume", dir, "--repair", "--display", "none"},
		)
		for _, args := range verbs {
			r := run(t, args...)
			repaired := shape == "swapped" && slices.Contains(args, "--repair") && r.code == exitOK
			if !repaired && r.code != exitUsage && r.code != exitDamaged || r.stderr == "" && args[0] != "runs" && !repaired {
				t.Errorf("%s: bench %s: exit %d\n%s%s", shape, strings.Join(args, " "), r.code, r.stdout, r.stderr)
			}
			if repaired {
				must(t, "runs", "verify", dir)
			}
		}
	}
}

// A server that answers 200 with garbage ends the run with what it said, within 100
// calls and with nothing saved, and the run goes on when the server is well.
func TestGarbage(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	for _, tt := range []struct{ name, method, reply, want string }{
		{"page", "stateless", "<html>Sign in to the \x1b[31mWi-Fi</html>", "the reply is not JSON (invalid character '<' looking for beginning of value); it is: <html>Sign in to the [31mWi-Fi</html>"},
		{"nothing", "stateless", "", "the reply has no body"},
		{"empty object", "stateless", "{}", "the reply has no choice; it is: {}"},
		{"cut off", "stateless", `{"choices": [{"message": {"con`, "the reply is not JSON (unexpected end of JSON input); it is: "},
		{"other types", "stateless", `{"choices": [{"message": {"content": 5}}]}`, "choices.message.content is of the type number"},
		{"other content", "stateless", `{"choices": [{"message": {"role": "assistant"}}]}`, "the reply has neither text nor a finish reason"},
		{"too long", "stateless", `{"choices": [{"message": {"content": "` + strings.Repeat("long ", 200_000), "the reply is longer than 532480 bytes, the limit for max_tokens"},
		{"no vectors", "flat-rag", "{}", "the reply has 0 vectors for 1 texts; it is: {}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int64
			well := false
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				switch {
				case !well:
					_, _ = io.WriteString(w, tt.reply) // a client hangs up on what is too long
				case strings.HasSuffix(r.URL.Path, "/embeddings"):
					_, _ = io.WriteString(w, `{"data": [{"index": 0, "embedding": [1]}]}`)
				default:
					_, _ = io.WriteString(w, `{"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "none"}}]}`)
				}
			}))
			defer s.Close()
			base := t.TempDir()
			dir, store := filepath.Join(base, "run"), filepath.Join(base, "calls")
			config := questions(t, 30, 4, fmt.Sprintf("concurrency: {samples: 64, requests: 64}\nmodels: [{use: live, label: a, options: {chat: {base_url: %[1]q, model: m}, embed: {use: openai, base_url: %[1]q, model: e}}}]\n", s.URL))
			r := run(t, "run", config, "--set", "methods=[{use: "+tt.method+"}]", "--out", dir, "--store", store)
			if r.code != exitUnavailable || !strings.Contains(r.stderr, tt.want) || strings.Contains(r.stderr, "paid for") {
				t.Errorf("exit %d, want %d and %q\n%s", r.code, exitUnavailable, tt.want, r.stderr)
			}
			if n := asked.Load(); n > 100 {
				t.Errorf("%d calls, want at most 100", n)
			}
			if all := recordsOf(t, dir); len(all) > 0 {
				t.Errorf("%d records, the first %+v", len(all), all[0])
			}
			well = true
			if r := run(t, "resume", dir, "--store", store); r.code != exitOK {
				t.Errorf("resume: exit %d\n%s", r.code, r.stderr)
			}
			all := recordsOf(t, dir)
			if len(all) != 120 {
				t.Errorf("%d records, want 120", len(all))
			}
			for _, rec := range all {
				if rec.Status != record.OK {
					t.Fatalf("record %+v", rec)
				}
			}
		})
	}
}
