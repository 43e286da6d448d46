package interchange_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
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

// TestCSV checks that what a reader gets is what was recorded; CSV itself makes
// one line end of \r\n.
func TestCSV(t *testing.T) {
	rows := try.Get(csv.NewReader(strings.NewReader(written(t, export(t, fakeRun(t)), "csv"))).ReadAll())(t)
	if len(rows) != 9 {
		t.Fatalf("%d rows, want a head and 8", len(rows))
	}
	at := func(row int, column string) string {
		for i, name := range rows[0] {
			if name == column {
				return rows[row][i]
			}
		}
		t.Fatalf("no column %q in %q", column, rows[0])
		return ""
	}
	for _, c := range []struct {
		row          int
		column, want string
	}{
		{6, "answer", strings.ReplaceAll(hostile, "\r\n", "\n")},
		{6, "evidence_sources", "D1:1 D1:9"},
		{6, "cost_usd", "0.25"},
		{1, "cost_usd", ""},
		{4, "gold", ""},
		{4, "f1@mem0", ""},
		{1, "f1@mem0", "0"},
		{7, "error_kind", "refused"},
	} {
		if got := at(c.row, c.column); got != c.want {
			t.Errorf("%s of row %d is %q, want %q", c.column, c.row, got, c.want)
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

func TestMethods(t *testing.T) {
	run := fakeRun(t)
	if e := export(t, run, "plain"); len(e.Cells) != 1 || e.Cells[0].ID != "cell1" {
		t.Errorf("cells of the method are %v", e.Cells)
	}
	_, err := interchange.New([]*scored.Run{run}, []string{"plian"}, specs, "")
	if want := `unknown method label "plian"; did you mean "plain"? have plain, a/b <RAG>`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if _, err := interchange.Find("json"); err == nil || !strings.Contains(err.Error(), `did you mean "jsonl"?`) {
		t.Errorf("error is %v", err)
	}
}

// TestRoundTrip checks that what is written of a cell is read back: each answer
// with the ids of its request, failures as failures.
func TestRoundTrip(t *testing.T) {
	run := fakeRun(t)
	e := export(t, run, "a/b <RAG>")
	for _, format := range []string{"inspect", "jsonl", "lm-eval", "mem0"} {
		f := find(t, format)
		var path string
		if f.Folder {
			paths := try.Get(f.WriteFolder(e, t.TempDir(), record.WriteFile))(t)
			path = paths[0]
		} else {
			path = filepath.Join(t.TempDir(), "answers")
			try.Do(t, record.WriteFile(path, func(w io.Writer) error { return f.Write(e, w) }))
		}
		file, err := interchange.Read(t.Context(), format, path)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		m := interchange.Match(golds(), &file, locomoCategories)
		if len(m.Unmatched) > 0 || m.Missing > 0 || len(m.Contradictions) > 0 {
			t.Errorf("%s: %d unmatched, %d missing, contradictions %v", format, len(m.Unmatched), m.Missing, m.Contradictions)
			continue
		}
		var got []string
		for _, a := range m.Answers {
			status := ""
			if a.Record.Error != nil {
				status = string(a.Record.Status) + " " + a.Record.Error.Kind + " " + a.Record.Error.Message
			}
			got = append(got, a.Record.Answer+status)
		}
		want := []string{"answer 0", hostile, "refused refused no: " + hostile, "answer 3"}
		try.Equal(t, format, want, got)
		if a := m.Answers[0]; format != "lm-eval" && a.Record.Time.Total != 250.5 {
			t.Errorf("%s: the answer took %v ms, want 250.5", format, a.Record.Time.Total)
		}
		if u := m.Answers[0].Record.Usage["query"]["reader"]; (format == "inspect" || format == "jsonl") && (u.Input != 100 || u.Output != 5 || format == "inspect" && u.Cached != 40) {
			t.Errorf("%s: usage is %+v, want 100, 40 of them cached, and 5", format, u)
		}
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
