package treeview_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/treeview"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
)

const xml = `<Plan id="n1"><Day id="n2"><index>1</index><Stop id="n3"><name>Museum</name></Stop><Stop id="n4"><name>Cove</name></Stop></Day></Plan>`

func write[T any](t *testing.T, path string, lines ...T) {
	t.Helper()
	try.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	log, _, err := record.OpenLog(path)
	try.Do(t, err)
	defer log.Close()
	for _, l := range lines {
		try.Do(t, log.Append(l))
	}
}

// A request of a dialogue sees the edits of those before, in the order of the dataset;
// one of another sample does not.
func TestOf(t *testing.T) {
	folder := record.Folder(t.TempDir())
	write(t, folder.Trees("d"), record.Tree{Samples: []string{"talk"}, Dialogue: true, XML: xml}, record.Tree{Samples: []string{"alone"}, XML: xml})
	var golds []record.Gold
	for _, id := range []string{"talk/r1", "talk/r2", "talk/r3", "alone/r1", "alone/r2", "bare/r1"} {
		sample, request, _ := strings.Cut(id, "/")
		golds = append(golds, record.Gold{Sample: sample, Request: request})
	}
	write(t, folder.Gold("d"), golds...)
	gone := []tree.Edit{{Op: tree.Delete, ID: "n3"}}
	named := []tree.Edit{{Op: tree.Update, ID: "n4", Set: []tree.Field{{Name: "name", Values: []string{"Bay"}}}}}
	steps := []semxpath.Step{{Query: "//Stop", Candidates: []semxpath.Candidate{{ID: "n4", Weight: 0.75}}}}
	write(t, folder.Records("c"),
		record.Record{Sample: "talk", Request: "r3", Status: record.OK, Edits: named, Nodes: []string{"n4"}, Trace: []methods.Step{
			{Name: "version", Data: map[string]any{"query": "//Version"}},
			{Name: "query", Data: map[string]any{"query": "//Stop"}},
			{Name: "matches", Data: map[string]any{"steps": steps}},
		}},
		record.Record{Sample: "talk", Request: "r1", Status: record.OK, Edits: gone},
		record.Record{Sample: "alone", Request: "r1", Status: record.OK, Edits: gone},
		record.Record{Sample: "alone", Request: "r2", Status: record.OK},
		record.Record{Sample: "bare", Request: "r1", Status: record.OK},
	)
	run, err := scored.Open(folder, record.Header{Datasets: []record.Dataset{{Label: "d"}}, Cells: []record.Cell{{ID: "c", Dataset: "d"}}})
	try.Do(t, err)
	find := func(sample, request string) (found scored.Request) {
		for q := range try.Each(t, run.Requests(run.Header.Cells[0])) {
			if q.Record.Sample == sample && q.Record.Request == request {
				found = q
			}
		}
		return found
	}
	of := func(sample, request string) (structure.Structure, error) {
		return treeview.Of(run, find(sample, request))
	}
	s, err := of("talk", "r3")
	try.Do(t, err)
	var rows []string
	for _, n := range s.Nodes {
		rows = append(rows, n.ID+" "+n.Label+" "+string(n.Mark))
	}
	try.Equal(t, "rows", []string{"n1 Plan ", "n2 Day 1 ", "n4 Bay updated"}, rows)
	if last := s.Nodes[2]; s.Version != 3 || s.Base != 2 || s.Query != "//Stop" || !cmp.Equal(s.Steps, steps) || last.Weight == nil || *last.Weight != 0.75 || !last.About {
		t.Errorf("%+v", s)
	}
	if b := s.Before; len(b) != 3 || b[2].Label != "Cove" || b[2].Mark != "" {
		t.Errorf("before: %+v", b)
	}
	try.Equal(t, "notes", []string{"task r2 has no record; its edits are not shown"}, s.Notes)
	if s, err = of("alone", "r2"); err != nil || len(s.Nodes) != 4 || s.Version != 1 || s.Base != 0 {
		t.Errorf("a request alone: %+v, %v", s, err)
	}
	if _, err = of("bare", "r1"); !errors.Is(err, treeview.ErrNoTree) {
		t.Errorf("a conversation: %v", err)
	}
	write(t, folder.Structures("c"), record.Structure{Sample: "other"}, record.Structure{Sample: "bare", Holds: structure.Structure{
		Kind: structure.Hierarchy, Nodes: []structure.Node{{ID: "fact 1"}, {ID: "fact 2"}, {ID: "turn t1"}, {ID: "turn t2"}},
	}})
	q := find("bare", "r1")
	q.Evidence = []scored.Block{{Block: record.Block{Name: "fact 2", Sources: []string{"t1"}}}}
	s, err = treeview.Of(run, q)
	var about []string
	for _, n := range s.Nodes {
		if n.About {
			about = append(about, n.ID)
		}
	}
	if err != nil || s.Kind != structure.Hierarchy || !slices.Equal(about, []string{"fact 2", "turn t1"}) {
		t.Errorf("what a memory held: about %s, %v", about, err)
	}
}
