package interchange_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// written writes an export in a format of one file.
func written(t *testing.T, e *interchange.Export, format string) string {
	t.Helper()
	var b bytes.Buffer
	try.Do(t, find(t, format).Write(e, &b))
	return b.String()
}

func TestText(t *testing.T) {
	e := export(t, fakeRun(t))
	for _, format := range []string{"csv", "jsonl"} {
		out := written(t, e, format)
		golden.Check(t, "run."+format, out)
		if again := written(t, e, format); again != out {
			t.Errorf("%s: the same run gives other bytes", format)
		}
	}
}

// TestFolders compares the files of each format, as indented JSON, with goldens.
func TestFolders(t *testing.T) {
	run := fakeRun(t)
	for _, format := range []string{"mem0", "inspect", "lm-eval"} {
		dir := t.TempDir()
		paths := try.Get(find(t, format).WriteFolder(export(t, run), dir, record.WriteFile))(t)
		var b strings.Builder
		for _, path := range paths {
			data := try.Get(os.ReadFile(path))(t)
			name := try.Get(filepath.Rel(dir, path))(t)
			b.WriteString("== " + filepath.ToSlash(name) + "\n")
			if !utf8.Valid(data) {
				t.Errorf("%s is not UTF-8", name)
			}
			dec := json.NewDecoder(bytes.NewReader(data))
			for dec.More() {
				var v json.RawMessage
				if err := dec.Decode(&v); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var indented bytes.Buffer
				try.Do(t, json.Indent(&indented, v, "", " "))
				b.WriteString(indented.String() + "\n")
			}
		}
		golden.Check(t, format+".txt", b.String())
	}
}

// TestDocHash holds the hashes to those that lm-eval 0.4.13 makes of the documents
// of the golden: hash_string(json.dumps(doc, indent=2, ensure_ascii=False)).
func TestDocHash(t *testing.T) {
	paths := try.Get(find(t, "lm-eval").WriteFolder(export(t, fakeRun(t), "a/b <RAG>"), t.TempDir(), record.WriteFile))(t)
	data := try.Get(os.ReadFile(paths[0]))(t)
	var got []string
	for line := range strings.Lines(string(data)) {
		var s struct {
			Hash string `json:"doc_hash"`
		}
		try.Do(t, json.Unmarshal([]byte(line), &s))
		got = append(got, s.Hash[:16])
	}
	want := []string{"1ec7252c4913b74c", "b771c1fece4aad39", "9ffce0090d9e9015", "711798cfa9222718"}
	try.Equal(t, "", want, got)
}
