package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

const ratingManual = "../../docs/judging.md"

// toRate runs three methods over twelve conversations with two questions each.
func toRate(t *testing.T) string {
	t.Helper()
	var data strings.Builder
	for i := range 12 {
		sample := fmt.Sprintf("s%d", i)
		day := []string{"Monday", "Tuesday", "Friday"}[i%3]
		for j, text := range []string{"I am moving to the " + day + " class.", "My bike is at the shop.", "It costs 40 euros."} {
			fmt.Fprintf(&data, `{"type":"turn","sample":%q,"session":"1","id":"t%d","speaker":"Ana","text":%q}`+"\n", sample, j, text)
		}
		fmt.Fprintf(&data, `{"type":"question","sample":%q,"id":"q0","question":"When is Ana's class?","answer":%q,"evidence":["t0"]}`+"\n", sample, day)
		fmt.Fprintf(&data, `{"type":"question","sample":%q,"id":"q1","question":"Where is Ana's bike?","answer":"at the shop","evidence":["t1"]}`+"\n", sample)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "data.jsonl"), []byte(data.String()))
	put(t, filepath.Join(dir, "run.yaml"), []byte("datasets: [{use: jsonl, options: {files: [data.jsonl]}}]\nmethods: [{use: stateless}, {use: in-context}, {use: flat-rag, options: {k: 1}}]\nmetrics: [f1@mem0]\n"))
	folder := filepath.Join(dir, "run")
	must(t, "run", filepath.Join(dir, "run.yaml"), "--out", folder, "--display", "none")
	return folder
}

// fillIn fills in cells of a sheet by a rule of the test: no rating of it is of a person.
func fillIn(t *testing.T, sheet, rater string, fill func(n int, response string) map[string]string) string {
	t.Helper()
	rows := try.Get(csv.NewReader(strings.NewReader(strings.TrimPrefix(read(t, sheet), "\ufeff"))).ReadAll())(t)
	at := func(name string) int { return slices.Index(rows[0], name) }
	for i, row := range rows[1:] {
		row[at("rater")] = rater
		for name, value := range fill(i, row[at("response")]) {
			row[at(name)] = value
		}
	}
	var b strings.Builder
	try.Do(t, csv.NewWriter(&b).WriteAll(rows))
	return write(t, filepath.Base(sheet), b.String())
}

// fromHistory reports whether a response has a word of the conversation.
func fromHistory(response string) bool {
	return slices.ContainsFunc([]string{"Monday", "Tuesday", "Friday", "shop"}, func(word string) bool { return strings.Contains(response, word) })
}

// byWords rates responses high that have a word of the conversation, by some
// raters more than by others, and one of them low.
func byWords(rater int) func(int, string) map[string]string {
	return func(row int, response string) map[string]string {
		ucs := []string{"1", "2"}[(row+rater)%2]
		right := fromHistory(response)
		switch {
		case row == 3+rater:
			ucs = ""
		case right && rater == 2 && row == 11:
			ucs = "1"
		case right:
			ucs = []string{"4", "5"}[row*rater%2]
		case rater == 2:
			ucs = "4"
		}
		return map[string]string{"ucs": ucs, "hallucination": "0"}
	}
}

// TestRate goes the way of a study: sheets, ratings, tables.
func TestRate(t *testing.T) {
	folder := toRate(t)
	sheets := filepath.Join(t.TempDir(), "sheets")
	export := slices.Clip([]string{"judge", "people", "export", folder, "--out", sheets, "--limit", "10", "--raters", "3", "--seed", "4"})
	exported := must(t, export...).stdout
	first := read(t, filepath.Join(sheets, "rater-1.csv"))
	if again := must(t, export...).stdout; again != exported || read(t, filepath.Join(sheets, "rater-1.csv")) != first {
		t.Error("the same command writes other sheets")
	}
	for _, id := range []string{"stateless", "flat-rag", "in-context", "Naive RAG"} {
		if strings.Contains(first, id) {
			t.Errorf("a sheet names %s", id)
		}
	}
	if !strings.Contains(first, "I am moving to the") {
		t.Error("no sheet shows what the answer rests on")
	}

	var filled []string
	for i := range 3 {
		rater := fmt.Sprintf("rater-%d", i+1)
		filled = append(filled, fillIn(t, filepath.Join(sheets, rater+".csv"), rater, byWords(i+1)))
	}
	before := read(t, filepath.Join(folder, "run.json"))
	for want, args := range map[string][]string{
		"it was drawn with other flags":            append(export, "--limit", "9"),
		"whose files must not be overwritten":      append(export, "--out", filepath.Join(folder, "sheets")),
		"give the folder for the sheets":           {"judge", "people", "export", folder},
		`unknown dataset "x"`:                      append(export, "--dataset", "x"),
		"or a rater filled it in":                  append(export, "--out", filepath.Dir(filled[0])),
		"nothing is filled in":                     {"judge", "people", "import", folder, filepath.Join(sheets, "rater-1.csv")},
		"none.csv":                                 {"judge", "people", "import", folder, "none.csv"},
		"nobody was asked about the continuity of": {"judge", "people", "import", toRate(t), filled[0]},
	} {
		refused(t, want, args...)
	}
	if after := read(t, filepath.Join(folder, "run.json")); after != before {
		t.Error("what was refused changed the run")
	}

	imported := must(t, append([]string{"judge", "people", "import", folder}, filled...)...).stdout
	if again := must(t, append([]string{"judge", "people", "import", folder}, filled...)...).stdout; again != imported {
		t.Error("importing twice counts ratings twice")
	}
	compared := must(t, "compare", folder+":flat-rag", folder+":stateless", folder+":in-context", "--columns", "ucs").stdout
	has(t, "compare", compared, "-2.13", "-0.20", "0.0020", "0.0039", "0.2656")
	table := must(t, "table", folder, "--columns", "ucs").stdout
	rated := scoresOf(t, folder, "ucs")
	if len(rated) != 10 || !strings.Contains(table, "ucs") {
		t.Errorf("ratings of %d requests, want 10; the table is\n%s", len(rated), table)
	}

	// docs/judging.md has what a command prints.
	exported = strings.NewReplacer(folder, "results/runs/mine", sheets, "sheets").Replace(exported)
	text := part(t, read(t, ratingManual), "export", "```\n$ bench judge people export results/runs/mine --out sheets --limit 10 --raters 3 --seed 4\n"+exported+"```\n")
	golden.Check(t, "rate_import.txt", imported)
	golden.Check(t, filepath.Join("..", ratingManual), text)

	// Ratings of answers that the run no longer has count for none that it has.
	path := record.Folder(folder).Ratings("jsonl")
	other := strings.ReplaceAll(read(t, path), `"answer_sha256":"`, `"answer_sha256":"0`)
	try.Do(t, os.WriteFile(path, []byte(other), 0o644))
	must(t, "score", folder, "--accept-edited")
	if rated := scoresOf(t, folder, "ucs"); len(rated) != 0 {
		t.Errorf("%d requests have ratings of other answers", len(rated))
	}
}

// TestRateCorrectness goes from sheets to calibrated judges: two people say which answers
// are right, one of them in JSON, and what they say holds a judge against itself.
func TestRateCorrectness(t *testing.T) {
	folder := toRate(t)
	sheets := filepath.Join(t.TempDir(), "sheets")
	export := []string{"judge", "people", "export", folder, "--out", sheets, "--what", "correctness", "--limit", "20", "--raters", "2"}
	must(t, "judge", folder, "--judge", "contains", "--display", "none")
	must(t, export...)
	first := read(t, filepath.Join(sheets, "rater-1.csv"))
	if must(t, export...); read(t, filepath.Join(sheets, "rater-1.csv")) != first {
		t.Error("the same command writes other sheets")
	}
	if strings.Contains(first, "stateless") || strings.Contains(first, "ucs") || !strings.Contains(read(t, filepath.Join(sheets, "instructions.txt")), "does the response answer the question rightly") {
		t.Errorf("a sheet names a method or asks for another thing:\n%s", first)
	}
	q := try.Get(note.ReadQueue(record.Folder(folder), "correctness-jsonl"))(t)
	strata := make(map[string]float64)
	for _, it := range q.Items {
		strata[it.Stratum]++
	}
	if strata["accepted"] != 10 || strata["refused"] != 10 || !q.Blind {
		t.Errorf("drawn %v, want half that the judge accepts", strata)
	}

	// Ann finds right what says a day or the shop, and Bob doubts the first of them.
	sheet := func(rater, file string, label func(n int, response string) string) string {
		return fillIn(t, filepath.Join(sheets, file), rater, func(n int, response string) map[string]string {
			cells := map[string]string{"correct": label(n, response)}
			if rater != "bob" {
				cells["wrong_value"], cells["notes"] = []string{"0", "1"}[n%2], "seen"
			}
			return cells
		})
	}
	by := func(_ int, text string) string { return map[bool]string{true: "yes", false: "no"}[fromHistory(text)] }
	ann := sheet("ann", "rater-1.csv", by)
	bob := sheet("bob", "rater-2.csv", func(n int, text string) string {
		if n < 2 {
			return []string{"partly", "unsure"}[n]
		}
		return by(n, text)
	})
	take := slices.Clip([]string{"judge", "people", "import", folder, "--what", "correctness"})
	refused(t, `correct is "maybe", want yes, no, partly or unsure`, append(take, sheet("ann", "rater-1.csv", func(int, string) string { return "maybe" }))...)
	refused(t, `reviewer is "ann k"`, append(take, sheet("ann k", "rater-1.csv", by))...)
	if left := try.Get(note.Read(record.Folder(folder)))(t); len(left) > 0 {
		t.Errorf("what was refused left %v", left)
	}
	imported := must(t, append(take, ann, bob)...).stdout
	has(t, "judge people import", imported, "labels of 20 answers", "Krippendorff's nominal alpha", "19 answers with two labels or more", "people differ on 1 of them")
	notes := try.Get(note.Read(record.Folder(folder)))(t)
	if again := must(t, append(take, ann, bob)...).stdout; again != imported {
		t.Errorf("importing again prints\n%s", again)
	}
	if again, err := note.Read(record.Folder(folder)); err != nil || len(again) != len(notes) || len(notes) != 20+10+20+20 {
		t.Errorf("%d notes after importing twice, %d before, %v; want labels of both, and Ann's tags and remarks", len(again), len(notes), err)
	}
	other := sheet("ann", "rater-1.csv", func(int, string) string { return "no" })
	refused(t, "--force takes the new label", append(take, other)...)

	calibrated := must(t, "judge", "calibrate", folder, "--format", "csv").stdout
	has(t, "calibrate does not read the labels", calibrated, "truth: labels of 20 answers")
	h := header(t, folder)
	if c := h.FindJudge("contains").Calibrations["jsonl"]; c.Labels != 19 || c.Sensitivity == nil || c.Alpha == nil {
		t.Errorf("calibration %+v, want 19 labels: of one the two people say yes and partly", c)
	}
	has(t, "replaced labels", must(t, append(take, other, "--force")...).stdout, "31.7 %")
}
