package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestRecordings replays each config that has recordings, without a network, and
// finds its table in the document that shows it.
func TestRecordings(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	t.Chdir(filepath.Join("..", ".."))
	documents := map[string]string{
		"quickstart":           "README.md",
		"quickstart-embedders": "docs/models.md",
		"semantic-xpath-small": "docs/reproduce.md",
	}
	for _, folder := range try.Get(os.ReadDir(filepath.Join("configs", "recordings")))(t) {
		if documents[folder.Name()] == "" {
			t.Errorf("no document shows what the recordings %s answer", folder.Name())
		}
	}
	for name, path := range documents {
		document := try.Get(os.ReadFile(path))(t)
		config, recordings := filepath.Join("configs", name+".yaml"), filepath.Join("configs", "recordings", strings.TrimSuffix(name, "-embedders"))
		before := folderOf(t, recordings)
		dir := filepath.Join(t.TempDir(), "run")
		r := run(t, "run", config, "--out", dir, "--display", "none")
		if r.code != 0 {
			t.Fatalf("%s: exit %d; where a prompt or a method has changed, the recordings are stale, and scripts/record.sh %s records them anew\n%s", config, r.code, name, r.stderr)
		}
		table, _, _ := strings.Cut(must(t, "table", dir, "--format", "markdown").stdout, "\n### ")
		screen, _, _ := strings.Cut(r.stdout, "\nbench view")
		table, screen = strings.TrimSpace(table), strings.TrimSpace(screen)
		if !strings.Contains(string(document), table) && !strings.Contains(string(document), screen) {
			t.Errorf("%s has neither the screen nor the table that %s prints:\n%s\n\n%s", path, config, screen, table)
		}
		again := must(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none")
		if table, _, _ := strings.Cut(r.stdout, "\nbench view"); !strings.HasPrefix(again.stdout, table) {
			t.Errorf("the second run prints\n%s\nthe first\n%s", again.stdout, r.stdout)
		}
		if diff := cmp.Diff(before, folderOf(t, recordings)); diff != "" {
			t.Errorf("%s has changed (-before +after):\n%s", recordings, diff)
		}
	}
}

// folderOf returns the sizes of a folder's files.
func folderOf(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	entries := try.Get(os.ReadDir(dir))(t)
	sizes := make(map[string]int64)
	for _, e := range entries {
		info := try.Get(e.Info())(t)
		if sizes[e.Name()] = info.Size(); info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes, want at most 1 MiB", e.Name(), info.Size())
		}
	}
	return sizes
}

// TestStaleRecording checks what a user is told whose prompt is not the recorded
// one, and that other models need no recording.
func TestStaleRecording(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	t.Chdir(filepath.Join("..", ".."))
	config := filepath.Join("configs", "quickstart.yaml")
	r := run(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none", "--set", "methods.stateless.options.reader.max_tokens=63")
	for _, want := range []string{"replay-miss", "--calls reuse", "--model stand-in"} {
		if r.code != exitMiss || !strings.Contains(r.stderr, want) {
			t.Errorf("exit %d, want %d and %q in\n%s", r.code, exitMiss, want, r.stderr)
		}
	}
	tried := must(t, "run", config, "--model", "stand-in", "--limit", "1", "--out", filepath.Join(t.TempDir(), "run"), "--display", "none")
	if !strings.Contains(tried.stdout, "The stand-in answered") {
		t.Errorf("--model stand-in printed\n%s", tried.stdout)
	}
}

// TestTrials tries the run files of papers with the stand-in, on four questions of small
// conversations where they do not bring their data.
func TestTrials(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	files, err := filepath.Glob(filepath.Join("..", "..", "configs", "papers", "*.yaml"))
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	small := "datasets=[{use: jsonl, options: {files: [" + chats(t, 3) + "]}}]"
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			args := []string{"run", file, "--model", "stand-in", "--limit", "4", "--display", "none", "--out", filepath.Join(t.TempDir(), "run")}
			switch text := read(t, file); {
			case strings.Contains(text, "\ntuning: "): // needs the data that weights are chosen on
				longtest.Skip(t)
				args = append(args, "--data", realdata.Datasets(t), "--set", "tuning.requests=5")
			case !strings.Contains(text, "use: tasks"):
				args = append(args, "--set", small)
			}
			if r := must(t, args...); !strings.Contains(r.stdout, "The stand-in answered") {
				t.Errorf("the screen does not say who answered:\n%s", r.stdout)
			}
		})
	}
}
