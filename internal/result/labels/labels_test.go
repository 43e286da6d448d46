package labels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
)

func annotation(id, request, value, more string) string {
	return `{"schema": 1, "id": "` + id + `", "reviewer": "ann", "cell": "c", "sample": "s", "request": "` + request +
		`", "answer_sha256": "` + strings.Repeat("0", 64) + `", "kind": "correct", "value": ` + value + more + "}\n"
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "annotations", "ann.jsonl"), annotation("a1", "q1", "true", `, "blind": true`)+
		annotation("a2", "q2", "false", "")+annotation("a3", "q2", "true", `, "replaces": "a2"`)+
		annotation("a4", "q3", `"unsure"`, "")+annotation("a5", "q4", "true", "")+annotation("a6", "q4", "null", `, "replaces": "a5"`)+
		`{"schema": 1, "id": "a7", "reviewer": "ann", "cell": "c", "sample": "s", "request": "q1", "answer_sha256": "0", "kind": "note", "value": "odd", "text": "t", "time": "2026-01-01T00:00:00Z"}`+"\n")
	got, err := Folder(record.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	of := func(request string) Answer { return Answer{"c", "s", request, strings.Repeat("0", 64)} }
	want := []Label{{of("q1"), "ann", true, true}, {of("q2"), "ann", true, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if none, err := Folder(record.Folder(t.TempDir())); none != nil || err != nil {
		t.Errorf("a run without labels: %v, %v", none, err)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		annotation("a1", "q1", `"yes"`, ""):                                  `a.jsonl:1: the value of label a1 is "yes", want true`,
		annotation("a1", "q1", "true", "") + annotation("", "q", "true", ""): "a.jsonl:2: a label lacks one of id",
		`{"kind": "correct", "verdict": true}` + "\n":                        "verdict",
		"{\n": "a.jsonl:1",
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		write(t, path, text)
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.jsonl")); err == nil {
		t.Error("a file that is not there has labels")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
