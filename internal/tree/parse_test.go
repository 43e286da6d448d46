package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/golden"
	"recallbench/internal/realdata"
)

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Fixtures(t), "semantic-xpath", "trees", "*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tr, err := ParseXML(filepath.Base(file), f, XMLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(tr.Len(), "\n"+tr.Schema().Text())
		again := reparse(t, tr, WriteOptions{IDs: true, Indent: true})
		if d := diffNodes(tr.Root(), again.Root()); d != "" {
			t.Errorf("%s: after writing and reading:\n%s", file, d)
		}
	}
}

var _ = golden.Check

func reparse(t testing.TB, tr *Tree, o WriteOptions) *Tree {
	t.Helper()
	text, err := XML(tr.Root(), tr.Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseXML("again.xml", strings.NewReader(text), XMLOptions{Schema: tr.Schema()})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return again
}
