package interchange_test

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// TestExportsComeBack writes a run in each format and reads it again: what does not come
// back is what the format lists as lost, and nothing else.
func TestExportsComeBack(t *testing.T) {
	run := fakeRun(t)
	const method = "a/b <RAG>"
	e := export(t, run, method)
	for _, name := range interchange.ExportFormats() {
		f, path := find(t, name), filepath.Join(t.TempDir(), "out")
		if !f.Folder {
			try.Do(t, record.WriteFile(path, func(w io.Writer) error { return f.Write(e, w) }))
		} else {
			paths := try.Get(f.WriteFolder(e, path, record.WriteFile))(t)
			path = paths[0]
			for _, p := range paths {
				if strings.HasPrefix(filepath.Base(p), "samples_") {
					path = p
				}
			}
		}
		lost := lostScores(t, name, path)
		if slices.Contains(interchange.ImportFormats(), name) {
			lost = lists.AddNew(lost, lostAnswers(t, name, path)...)
		} else {
			lost = lists.AddNew(lost, "everything but scores")
		}
		slices.Sort(lost)
		if !slices.Equal(lost, slices.Sorted(slices.Values(f.Lost))) {
			t.Errorf("%s: lost are %q, listed %q", name, lost, f.Lost)
		}
	}
}

// lostScores returns what the scores of a file lack.
func lostScores(t *testing.T, format, path string) (lost []string) {
	t.Helper()
	r, err := interchange.ReadResults(t.Context(), path, interchange.ResultOptions{Format: format})
	if err != nil {
		t.Logf("%s: %v", format, err)
		return []string{"scores"}
	}
	have := make(map[string]float64)
	clusters := make(map[string]bool)
	for _, it := range r.Items {
		clusters[it.Cluster] = true
		for i, c := range r.Columns {
			have[it.Key+" "+c.Name] = it.Value(i)
		}
	}
	for i, g := range golds() {
		if x, ok := have[g.Sample+"/"+g.Request+" f1@mem0"]; i == 0 && (!ok || x != 0) || i == 1 && x != 0.25 || i == 3 && ok && !math.IsNaN(x) {
			t.Logf("%s: %s/%s has %v, %t", format, g.Sample, g.Request, x, ok)
			lost = lists.AddNew(lost, "scores")
		}
	}
	if len(clusters) != 3 {
		lost = append(lost, "conversation")
	}
	return lost
}

// lostAnswers returns what the answers of a file lack.
func lostAnswers(t *testing.T, format, path string) (lost []string) {
	t.Helper()
	file, err := interchange.Read(t.Context(), format, path)
	if err != nil || len(file.Answers) != 4 {
		t.Fatalf("%s: %d answers, %v", format, len(file.Answers), err)
	}
	check := func(what string, ok bool) {
		if !ok {
			lost = lists.AddNew(lost, what)
		}
	}
	for i, g := range golds() {
		a := file.Answers[i]
		switch i {
		case 1:
			check("answer", a.Record.Answer == hostile)
			check("blocks", len(a.Evidence) == 2 && a.Evidence[0].Text == hostile && a.Evidence[0].Score == 0.5)
			check("sources", len(a.Evidence) == 2 && slices.Equal(a.Evidence[0].Sources, []string{"D1:1", "D1:9"}))
		case 2:
			check("status", a.Record.Status == record.Refused && a.Record.Error != nil && a.Record.Error.Message == "no: "+hostile)
		}
		check("category", a.Gold.Category == g.Category)
		check("conversation", a.Gold.Sample == g.Sample || a.Conversation == g.Sample)
		check("question", a.Gold.Question == g.Question)
		check("gold", a.Gold.Answer == g.Answer)
		check("evidence", slices.Equal(a.Gold.Evidence, g.Evidence))
		u := a.Record.Usage["query"]["reader"]
		check("usage", i == 2 || u.Input == 100+i && u.Cached == 40 && u.Output == 5)
		check("times", a.Record.Time.Total > 0)
		check("stages", a.Record.Time.Stages["reader"] == 200)
		check("cost", i != 1 || a.Record.Cost != nil && *a.Record.Cost == 0.25)
		check("attempts", i != 2 || a.Record.Attempts == 3)
	}
	return lost
}
