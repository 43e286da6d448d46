package main

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestDataBuild builds of the real source and opens what was written.
func TestDataBuild(t *testing.T) {
	longtest.Skip(t)
	data := realdata.Datasets(t)
	out := filepath.Join(t.TempDir(), "long")
	put(t, filepath.Join(out, "x"), nil)
	if err := os.Remove(filepath.Join(out, "x")); err != nil { // an empty folder will do
		t.Fatal(err)
	}
	built := must(t, "data", "build", "multiwoz-long", "--data", data, "--out", out)
	if !strings.Contains(built.stdout, "multiwoz-long, seed 1, built of MultiWOZ 2.1 in the layout of 2.2\n") || !strings.Contains(built.stderr, "not MultiWOZ 2.2") {
		t.Errorf("printed %s, said %s", built.stdout, built.stderr)
	}
	var names []string
	entries := try.Get(os.ReadDir(out))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"audit.csv", "build.json", "dev.jsonl", "sessions.csv", "statistics.json", "test.jsonl"}; !cmp.Equal(names, want) {
		t.Errorf("the folder has %v, want %v", names, want)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	stats := func(options string) counts {
		t.Helper()
		c := decode[counts](t, must(t, "data", "stats", "multiwoz-long", "--data", data, "--json", "--options", options).stdout)
		return c
	}
	folder, memory := stats("{path: "+out+"}"), stats("{}")
	if diff := cmp.Diff(memory, folder); diff != "" {
		t.Errorf("the folder and the build in memory differ (-memory +folder):\n%s", diff)
	}
	if folder.Caveat != "built from MultiWOZ 2.1 labels in the 2.2 layout, not MultiWOZ 2.2" || folder.Questions < 1000 {
		t.Errorf("caveat %q, %d questions", folder.Caveat, folder.Questions)
	}
	checkAudit(t, filepath.Join(out, "audit.csv"), folder)
}

// TestDataBuildReplaces replaces a build only while it is as it was written.
func TestDataBuildReplaces(t *testing.T) {
	data := t.TempDir()
	out := filepath.Join(t.TempDir(), "long")
	a := &app{stdout: io.Discard, stderr: io.Discard}
	split := datasets.Split{Name: "test", Set: &datasets.Set{}}
	try.Do(t, a.writeBuild(t.Context(), out, buildFolder{dataset: "multiwoz-long", seed: 1, build: &datasets.Build{Splits: []datasets.Split{split}}}, false))
	check := func(want string, args ...string) {
		t.Helper()
		got := run(t, append([]string{"data", "build", "multiwoz-long", "--data", data, "--out", out}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: exit %d, stderr %q, want %q", args, got.code, got.stderr, want)
		}
	}
	check("long is not empty; name another folder, or --replace replaces a build")
	put(t, filepath.Join(out, "notes.txt"), nil)
	check("has notes.txt, which the build did not write; take it away first", "--replace")
	try.Do(t, os.Remove(filepath.Join(out, "notes.txt")))
	// What the verb does when it has built: another build takes the place.
	try.Do(t, free(t.Context(), out, "multiwoz-long", true))
	try.Do(t, a.writeBuild(t.Context(), out, buildFolder{dataset: "multiwoz-long", seed: 2, build: &datasets.Build{}}, true))
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(out, "test.jsonl")); err == nil {
		t.Error("the first build is still there")
	}
	put(t, filepath.Join(out, "audit.csv"), []byte("verdicts"))
	check("audit.csv: was changed after it was built; take it away first", "--replace")
	info := try.Get(os.ReadFile(filepath.Join(out, "build.json")))(t)
	put(t, filepath.Join(out, "build.json"), []byte(strings.Replace(string(info), "multiwoz-long", "dialogre-l", 1)))
	check("has a build of dialogre-l, and only one of multiwoz-long is replaced", "--replace")
	try.Do(t, os.Remove(filepath.Join(out, "build.json")))
	check("has no build that could be replaced", "--replace")
}

// checkAudit checks that 5 % of the samples of each split are drawn, with all of
// their questions and no verdict.
func checkAudit(t *testing.T, path string, test counts) {
	t.Helper()
	f := try.Get(os.Open(path))(t)
	defer f.Close()
	rows := try.Get(csv.NewReader(f).ReadAll())(t)
	drawn := make(map[string]int) // questions by sample
	for _, row := range rows[1:] {
		if row[0] == "test" {
			drawn[row[1]]++
		}
		if row[8] == "" || row[9] != "" || row[10] != "" {
			t.Errorf("evidence %q, verdict %q, note %q", row[8], row[9], row[10])
		}
	}
	if want := (test.Conversations + auditShare - 1) / auditShare; len(drawn) != want {
		t.Errorf("%d of %d conversations are audited, want %d", len(drawn), test.Conversations, want)
	}
	for _, d := range test.Detail {
		if n, ok := drawn[d.Sample]; ok && n != d.Questions {
			t.Errorf("%s: %d of %d questions are audited", d.Sample, n, d.Questions)
		}
	}
}

func TestDataBuildRefuses(t *testing.T) {
	alone(t)
	check := func(want string, args ...string) {
		t.Helper()
		got := run(t, append([]string{"data", "build"}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: exit %d, stderr %q, want %q", args, got.code, got.stderr, want)
		}
	}
	check("locomo is not built, it is used as it was published; built are multiwoz-long", "locomo", "--out", "x")
	check(`unknown dataset "multiwoz"; did you mean "multiwoz-long"?`, "multiwoz", "--out", "x")
	check("--out is missing", "multiwoz-long")
	check("there is no data folder; --from names the source", "multiwoz-long", "--out", "x")
	check("nowhere: has no MultiWOZ 2.2", "multiwoz-long", "--out", "x", "--from", "nowhere")
	if _, err := os.Stat("x"); err == nil {
		t.Error("a build that failed left its folder")
	}
	put(t, "file", nil)
	check("--out: ", "multiwoz-long", "--out", "file")
}

// TestBuildCells keeps spreadsheets from taking text for formulas, and draws at
// least one sample for the audit.
func TestBuildCells(t *testing.T) {
	set := new(datasets.Set)
	set.Fill(datasets.Sample{
		ID: "=s", Requests: []datasets.Request{{ID: "q", Text: `=HYPERLINK("x")`}},
		Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "+t", Speaker: "A", Text: "one,\ntwo"}}}},
	})
	set.SetGold("=s", "q", datasets.Gold{Category: "c", Answer: "-1", Variants: []string{"@x", "y"}, Evidence: []string{"+t"}, Labels: map[string]string{"b": "2", "a": "1"}})
	b := buildFolder{build: &datasets.Build{Splits: []datasets.Split{{Name: "dev", Set: set, Sessions: []datasets.BuiltSession{{Sample: "=s", Session: "1", Origin: "\td", Turns: 1, End: "end"}}}}}}
	var audit, sessions strings.Builder
	try.Do(t, b.audit(t.Context(), &audit))
	try.Do(t, b.sessions(&sessions))
	want := "split,sample,request,category,labels,question,answer,variants,evidence,verdict,note\n" +
		`dev,'=s,q,c,a=1 b=2,"'=HYPERLINK(""x"")",-1,'@x | y,"'+t A: one,` + "\ntwo\",,\n"
	try.Equal(t, "audit differs", want, audit.String())
	if want := "split,sample,session,origin,turns,end,gap_hours\ndev,'=s,1,'\td,1,end,0\n"; sessions.String() != want {
		t.Errorf("sessions %s, want %s", strconv.Quote(sessions.String()), strconv.Quote(want))
	}
}
