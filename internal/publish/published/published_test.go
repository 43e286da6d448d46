package published

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// Every line of every file is a cell, and every embedded file is a table.
func TestNothingIsLeftOut(t *testing.T) {
	files := try.Get(data.ReadDir("data"))(t)
	lines := make(map[string]int)
	for _, f := range files {
		content := try.Get(data.ReadFile("data/" + f.Name()))(t)
		records := try.Get(csv.NewReader(bytes.NewReader(content)).ReadAll())(t)
		lines[f.Name()] = len(records) - 1
	}
	for _, table := range List() {
		cells := 0
		for _, r := range table.Rows {
			cells += len(r.Cells)
		}
		lines[table.File] -= cells
	}
	for name, left := range lines {
		if left != 0 {
			t.Errorf("%s: %d lines more than cells in tables", name, left)
		}
	}
}

// The embedded files are the published ones, each cell with its line beside it.
func TestDataIsAsPublished(t *testing.T) {
	dir := realdata.Published(t)
	embedded := try.Get(data.ReadDir("data"))(t)
	records := func(name string, content []byte, err error) [][]string {
		try.Do(t, err)
		all, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return all
	}
	field := make(map[string]bool)
	for _, table := range List() {
		field[table.File] = table.Paper.Secondary != ""
	}
	for _, f := range embedded {
		file := filepath.Join(dir, f.Name())
		if field[f.Name()] {
			file = filepath.Join(dir, "field", f.Name())
		}
		content, err := os.ReadFile(file)
		want := records(file, content, err)
		content, err = data.ReadFile("data/" + f.Name())
		got := records(f.Name(), content, err)
		for i, r := range got {
			if field[f.Name()] {
				break // as they are
			}
			if last := len(r) - 1; i == 0 && r[last] != "line" {
				t.Fatalf("%s: the last column is %q, want line", f.Name(), r[last])
			}
			got[i] = r[:len(r)-1]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-published +embedded):\n%s", f.Name(), diff)
		}
	}
}

// A protocol covers its table: methods, readers and groups of all rows.
func TestProtocolsCoverTables(t *testing.T) {
	for _, table := range List() {
		if table.Paper.Citation() == "" || table.Number == "" || table.Title == "" {
			t.Errorf("%s lacks a citation, number or title", table.Name)
		}
		for _, r := range table.Rows {
			for i, c := range r.Cells {
				if _, ok := table.Metric(c.Metric); !ok {
					t.Errorf("%s: metric %q is not in the protocol", table.Name, c.Metric)
				}
				if slices.ContainsFunc(r.Cells[:i], func(other Cell) bool { return other.Name() == c.Name() }) || c.Line < 1 && table.Paper.Secondary == "" {
					t.Errorf("%s, %s: %s is there twice, or has no line", table.Name, r.Key(), c.Name())
				}
			}
			if r.Model == "" {
				continue
			}
			if _, ok := table.Reader(r.Model); !ok {
				t.Errorf("%s: reader %q is not in the protocol", table.Name, r.Model)
			}
			if m, ok := table.Method(r); !ok || m.Use == "" {
				t.Errorf("%s: method %q is not in the protocol", table.Name, r.Label)
			}
		}
		for _, g := range table.Groups() {
			known := slices.ContainsFunc(table.Parts, func(p Part) bool { return p.Name == g })
			if g != "" && g != table.Average && !known {
				t.Errorf("%s: group %q is not in the protocol", table.Name, g)
			}
		}
	}
}

func TestGet(t *testing.T) {
	table := try.Get(Get("XMemory-Table1"))(t)
	row, ok := table.Row("Qwen3-8B", "Naive RAG")
	if !ok {
		t.Fatal("no row of Naive RAG with Qwen3-8B")
	}
	c, ok := row.Cell("temporal", "f1")
	if want := (Cell{Group: "temporal", Metric: "f1", Printed: "21.18", Value: 21.18, Line: 129}); !ok || c != want {
		t.Errorf("cell = %+v, want %+v", c, want)
	}
	m, _ := table.Metric("f1")
	if n := table.N("temporal", m); n != 321 {
		t.Errorf("temporal has %d questions, want 321", n)
	}
	if n := table.N("average", m); n != 1540 {
		t.Errorf("average has %d questions, want 1540", n)
	}
	tokens, _ := table.Metric("tokens_per_query")
	if n := table.N("average", tokens); n != 1986 {
		t.Errorf("tokens are over %d questions, want 1986", n)
	}

	xpath := try.Get(Get("semantic-xpath-table1"))(t)
	if _, ok := xpath.Row("GPT-5 mini", "Semantic XPath (Sem)"); !ok {
		t.Error("no row Semantic XPath (Sem)")
	}
}

func TestGetUnknown(t *testing.T) {
	_, err := Get("xmemory-tabel1")
	if err == nil || !strings.Contains(err.Error(), `unknown published table "xmemory-tabel1"; did you mean "xmemory-table1"?`) {
		t.Errorf("error = %v", err)
	}
}
