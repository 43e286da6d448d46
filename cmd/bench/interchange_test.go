package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets/locomo"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestInterchangeDocs checks that the guide has each format.
func TestInterchangeDocs(t *testing.T) {
	guide := read(t, "../../docs/interchange.md")
	for _, format := range interchange.ExportFormats() {
		if !strings.Contains(guide, "\n| `"+format+"` | ") {
			t.Errorf("the guide has no row about %s", format)
		}
	}
}

// values returns the numbers of the tables of a run by row and column.
func values(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	doc := decode[report.Document](t, must(t, "table", dir, "--published", "", "--format", "json").stdout)
	all := make(map[string]float64)
	for _, table := range doc.Tables {
		for _, row := range table.Rows {
			for i, cell := range row {
				if cell.Value != nil {
					all[row[0].Text+" "+table.Columns[i].Name] = *cell.Value
				}
			}
		}
	}
	return all
}

// TestInterchange writes a run in every format, reads it back from those that can
// be read, and compares the scores.
func TestInterchange(t *testing.T) {
	dir, out := filepath.Join(t.TempDir(), "run"), t.TempDir()
	config := write(t, "small.yaml", `
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, label: Naive RAG, options: {k: 3}}]
metrics: [f1@span, f1@mem0, bleu1@nltk, tokens, hit-density, structure, failures]
`)
	must(t, "run", config, "--out", dir, "--display", "none", "--limit", "30")
	want := values(t, dir)
	answers := make(map[string]string)
	for _, format := range interchange.ExportFormats() {
		path := filepath.Join(out, format)
		must(t, "export", dir, "--format", format, "--out", path, "--methods", "Naive RAG")
		answers[format] = path
		for _, pattern := range []string{"*.json", "*/samples_*"} {
			if found, _ := filepath.Glob(filepath.Join(path, pattern)); len(found) > 0 {
				answers[format] = found[0]
			}
		}
	}
	for _, format := range interchange.ImportFormats() {
		if answers[format] == "" { // it is read, and not written
			continue
		}
		t.Run(format, func(t *testing.T) {
			back := filepath.Join(t.TempDir(), "back")
			must(t, "import", answers[format], "--from", format, "--dataset", "sample", "--label", "Naive RAG", "--out", back)
			if r := must(t, "table", back); !strings.Contains(r.stdout, "imported from "+filepath.Base(answers[format])+" ("+format+", sha256 ") {
				t.Errorf("the tables say\n%s", r.stdout)
			}
			got := values(t, back)
			for _, column := range []string{"n", "f1@span", "recall@span", "f1@mem0", "words"} {
				if got["Naive RAG "+column] != want["Naive RAG "+column] {
					t.Errorf("%s is %v, was %v", column, got["Naive RAG "+column], want["Naive RAG "+column])
				}
			}
			if x, ok := got["Naive RAG tokens-query"]; ok != (format == "inspect" || format == "jsonl" || format == "predictions") || ok && x != want["Naive RAG tokens-query"] {
				t.Errorf("tokens-query is %v, %v", x, ok)
			}
		})
	}
	t.Run("again", func(t *testing.T) { importedAgain(t, answers["mem0"]) })
	t.Run("verbs", func(t *testing.T) { importedVerbs(t, dir, answers["mem0"]) })
	t.Run("judged", func(t *testing.T) { importedJudgements(t, dir) })
	t.Run("faults", func(t *testing.T) { interchangeFaults(t, dir, answers["mem0"]) })
}

// importedJudgements checks that what several judges said comes back as it was, and that
// nothing is asked again.
func importedJudgements(t *testing.T, dir string) {
	t.Helper()
	s := modelserver.New(t, modelserver.Options{})
	live := []string{"judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none"}
	must(t, append(live, "--judge", "strict", "--judge", "recallbench", "--judge", "contains")...)
	must(t, live...)
	temp := t.TempDir()
	first, back, again := filepath.Join(temp, "first.jsonl"), filepath.Join(temp, "back"), filepath.Join(temp, "again.jsonl")
	must(t, "export", dir, "--format", "predictions", "--methods", "Naive RAG", "--out", first)
	must(t, "import", first, "--from", "predictions", "--dataset", "sample", "--out", back)
	must(t, "export", back, "--format", "predictions", "--out", again)
	try.Equal(t, "export, import, export", strings.Split(read(t, first), "\n"), strings.Split(read(t, again), "\n"))
	of := func(dir string) (lines []string) {
		for _, c := range header(t, dir).Cells {
			if c.Method == "Naive RAG" {
				lines = strings.Split(read(t, record.Folder(dir).Judgements(c.ID)), "\n")
			}
		}
		return slices.Sorted(slices.Values(lines))
	}
	try.Equal(t, "judgements", of(dir), of(back))
	calls := s.Stats().Answered
	must(t, "judge", back, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none", "--judge", "contains")
	if s.Stats().Answered != calls {
		t.Error("judging an imported run asked again")
	}
}

// exported runs flat-rag on the sample, and returns the run and its lines as JSON.
func exported(t *testing.T) (dir string, lines []map[string]any) {
	t.Helper()
	dir = runOf(t, write(t, "small.yaml", "datasets: [{use: sample}]\nmethods: [{use: flat-rag, options: {k: 3}}]\nmetrics: [f1@mem0, bleu1@nltk]\n"))
	for line := range strings.Lines(must(t, "export", dir, "--format", "jsonl").stdout) {
		lines = append(lines, decode[map[string]any](t, line))
	}
	return dir, lines
}

// jsonLines writes a file of lines.
func jsonLines(t *testing.T, lines []map[string]any) string {
	t.Helper()
	var b strings.Builder
	for _, line := range lines {
		try.Do(t, json.NewEncoder(&b).Encode(line))
	}
	return write(t, "lines.jsonl", b.String())
}

// TestImportWithoutDataset scores answers to the questions of their own file, the same
// whichever dataset they were to, and refuses files without gold answers.
func TestImportWithoutDataset(t *testing.T) {
	dir, lines := exported(t)
	var gold []map[string]any // lines with a gold answer
	for _, line := range lines {
		if line["gold"] != nil {
			gold = append(gold, line)
		}
	}
	back := filepath.Join(t.TempDir(), "back")
	must(t, "import", jsonLines(t, gold), "--from", "jsonl", "--dataset", "files", "--label", "flat-rag", "--metrics", "f1@mem0,bleu1@nltk", "--out", back)
	want, got := scoresOf(t, dir, "f1@mem0"), scoresOf(t, back, "f1@mem0")
	if len(got) != len(gold) || len(got) == 0 {
		t.Errorf("%d scores of %d answers", len(got), len(gold))
	}
	for request, x := range got {
		if want[request] != x {
			t.Errorf("%s has the score %v, was %v", request, x, want[request])
		}
	}
	refused(t, "1 of 1 answers lack the question or the gold answer", "import", write(t, "bare.jsonl", `{"id": "a/q1", "prediction": "x"}`+"\n"), "--from", "jsonl", "--dataset", "files", "--out", back+"2")
	if _, err := os.Stat(back + "2.questions.jsonl"); err == nil {
		t.Error("a refused file left a dataset")
	}
}

// TestImportSuggested imports a file of unknown format by the layout that is proposed.
func TestImportSuggested(t *testing.T) {
	dir, lines := exported(t)
	for i, of := range lines {
		lines[i] = map[string]any{"who": of["sample"], "ask": map[string]any{"text": of["question"]}, "said": of["prediction"], "fine": true}
	}
	file, layout, back := jsonLines(t, lines), filepath.Join(t.TempDir(), "l.yaml"), filepath.Join(t.TempDir(), "back")
	refused(t, "which 'bench import --from suggest' proposes", "import", file, "--dataset", "sample", "--out", back)
	must(t, "import", file, "--from", "suggest", "--dataset", "sample", "--out", layout)
	must(t, "import", file, "--from", layout, "--dataset", "sample", "--metrics", "f1@mem0", "--out", back)
	try.Equal(t, "scores", scoresOf(t, dir, "f1@mem0"), scoresOf(t, back, "f1@mem0"))
}

// TestImportKeeps imports a file with all that a layout can say, and exports it again: no
// field is lost, and evidence that names turns by their ids has its recall.
func TestImportKeeps(t *testing.T) {
	_, lines := exported(t)
	back := filepath.Join(t.TempDir(), "back")
	layout := write(t, "full.yaml", `name: full
items: "[*]"
question: q
answer: a
cluster: who
category: kind
evidence: [ids]
milliseconds: {search: [t.search], answer: [t.answer]}
tokens: {input: [in], cached: [hit], output: [out]}
cost: usd
failed: [{path: state, is: [timeout], message: why}]
verdicts: [{judge: panel, path: "votes[*]", why: because}, {judge: other, path: other}, {judge: person, path: human, values: {good: 1, bad: 0}}]
`)
	for i, of := range lines {
		lines[i] = map[string]any{
			"who": of["sample"], "q": of["question"], "a": of["prediction"], "kind": of["category"], "ids": of["gold_evidence"], "in": 100, "hit": 40, "out": 7, "usd": 0.25,
			"t": map[string]any{"search": 20, "answer": 480}, "votes": []bool{true, false, true}, "because": "two of three", "other": 0, "human": "good",
		}
	}
	must(t, "import", jsonLines(t, lines), "--from", layout, "--dataset", "sample", "--label", "full", "--out", back)
	_, rest, _ := strings.Cut(must(t, "export", back, "--format", "predictions").stdout, "\n")
	for line := range strings.Lines(rest) {
		for _, want := range []string{
			`"input":100,"cached":40,"output":7`, `"cost":0.25`, `"stages_ms":{"answer":480,"search":20}`, `"total_ms":500`,
			`"judge":"panel","label":0.6666666666666666,"why":"two of three"`, `"judge":"other","label":0,`, `"judge":"person","label":1,`,
		} {
			if !strings.Contains(line, want) {
				t.Fatalf("what came back has no %s: %s", want, line)
			}
		}
	}
	recalls := scoresOf(t, back, "evidence-recall")
	for request, recall := range recalls {
		if recall != 1 {
			t.Errorf("%s: evidence recall is %v, want 1", request, recall)
		}
	}
	if strings.Count(rest, "\n") != len(lines) || len(recalls) == 0 {
		t.Errorf("%d answers of %d, %d with evidence recall", strings.Count(rest, "\n"), len(lines), len(recalls))
	}
}

// importedAgain checks that the same files give the same run, and that such a run
// is neither run nor resumed.
func importedAgain(t *testing.T, file string) {
	t.Helper()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, out := range []string{first, second} {
		must(t, "import", file, "--from", "mem0", "--dataset", "sample", "--out", out)
	}
	try.Equal(t, "two imports", recorded(t, first), recorded(t, second))
	header := header(t, first)
	c, m := header.Cells[0], header.Models[0]
	if c.Use != "import" || c.Imported == nil || m.Backend != "imported" || m.Reader != "not known" || m.Offline || header.Status != record.Complete {
		t.Errorf("header has the cell %+v and the model %+v", c, m)
	}
	for _, args := range [][]string{{"resume", first}, {"run", filepath.Join(first, "config.yaml")}} {
		refused(t, "holds imported answers, which cannot be run or resumed", args...)
	}
	must(t, "score", first, "--metrics", "f1@mem0,evidence-recall,tokens")
	for line := range try.Each(t, record.Lines[record.Score](record.Folder(first).Scores())) {
		if v := line.Value.Values; v["evidence-recall"] != nil || v["tokens-query"] != nil || v["f1@mem0"] == nil {
			t.Fatalf("scores are %v, want none of what is not known", v)
		}
	}
}

// importedVerbs gives an imported run to the verbs that take any run. None of them
// says of it what only the sources of its blocks would tell.
func importedVerbs(t *testing.T, base, file string) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	// A memory that rewrites what it hears: no text of a turn stands in it.
	rewritten := regexp.MustCompile(`"memory": ?"(?:[^"\\]|\\.)*"`).ReplaceAllString(read(t, file), `"memory": "They told each other something."`)
	must(t, "import", write(t, "rewritten.json", rewritten), "--from", "mem0", "--dataset", "sample", "--label", "Naive RAG", "--metrics", "f1@span,failures", "--out", in)
	must(t, "compare", base, in)
	must(t, "report", in, "--out", filepath.Join(dir, "report.html"))
	must(t, "baseline", "set", "imported", in, "--baselines", filepath.Join(dir, "baselines"), "--note", "elsewhere", "--force")
	if r := run(t, "gate", in, "--baseline", "imported", "--baselines", filepath.Join(dir, "baselines")); r.code != exitGate || !strings.Contains(r.stdout, "imported answer to 30 of 55 questions; 'bench import --missing error'") {
		t.Errorf("gate of a run with missing answers: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	diff := must(t, "diff", base, in, "--all").stdout
	if !strings.Contains(diff, "unknown-evidence: ") || !strings.Contains(diff, ", unknown in B") || strings.Contains(diff, "not retrieved in B") {
		t.Errorf("diff with an imported run says\n%s", diff)
	}
	wrong := scoresOf(t, in, "wrong")
	if len(wrong) == 0 || !cmp.Equal(wrong, scoresOf(t, in, "unknown-evidence")) {
		t.Errorf("wrong are %v, want all of evidence that nobody knows", wrong)
	}
	for request, x := range scoresOf(t, in, "not-retrieved") {
		if x != 0 {
			t.Errorf("%s: evidence that nobody knows is called not retrieved", request)
		}
	}
}

// interchangeFaults holds what export and import say when they cannot.
func interchangeFaults(t *testing.T, dir, file string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	partly := write(t, "partly.json", `{"0": [
 {"question": "What is the name of Nadia's dinghy?", "response": "Kittiwake"},
 {"question": "Who was the first on the moon?", "response": "Neil", "category": 1},
 {"question": "Who was the last?", "response": "Gene", "category": 5}
]}`)
	other := write(t, "other.json", `[{"question": "What is the name of Nadia's dinghy?", "answer": "Puffin", "category": "single-hop", "response": "Kittiwake"}]`)
	sample := func(file string, more ...string) []string {
		return append([]string{"import", file, "--from", "mem0", "--dataset", "sample", "--out", out, "--metrics", "f1@mem0"}, more...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--format is missing", []string{"export", dir}},
		{"--out is missing: mem0 is a folder", []string{"export", dir, "--format", "mem0"}},
		{`did you mean "Naive RAG"`, []string{"export", dir, "--format", "csv", "--methods", "Naive"}},
		{"--dataset is missing, want the dataset that was answered, or files\nbench: --out is missing, want a run folder to make", []string{"import", file}},
		{`did you mean "mem0"`, sample(file, "--from", "mem1")},
		{"--label: want one for each file, or none; got 2 labels and 1 file", sample(file, "--label", "a", "--label", "b")},
		{"are the same file", sample(file, file, "--label", "a", "--label", "b")},
		{"give each file its own with --label", sample(file, file)},
		{`--options:1:2: unknown key "category"; did you mean "category5"`, sample(file, "--options", "{category: 1}")},
		{"partly.json:3: \"0\"[1]: the dataset does not have the question \"Who was the first on the moon?\"", sample(partly)},
		{"--skip-unmatched ignores these answers", sample(partly)},
		{"no such file", sample(file + "x")},
		{"category is single-hop, the dataset's 4", sample(other)},
		{"--categories locomo|mem0|FILE defines the names of categories", sample(other)},
		{`gold is "Puffin", the dataset's `, sample(other, "--categories", "locomo")},
		{`--accept: unknown value "golds"; did you mean "gold"?`, sample(other, "--accept", "golds")},
	} {
		refused(t, c.want, c.args...)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("after faults there is a run folder")
	}
	r := must(t, sample(partly, "--skip-unmatched", "--missing", "error", "--label", "x\x1b[31m|y", "--metrics", "f1@span")...)
	golden.Check(t, "import_partly.txt", strings.ReplaceAll(strings.ReplaceAll(r.stdout+r.stderr, out, "OUT"), filepath.Dir(partly), "DIR"))
	out += "2"
	r = must(t, sample(other, "--categories", "locomo", "--accept", "gold")...)
	if table := must(t, "table", out).stdout; !strings.Contains(table, "accepted although the file contradicts the dataset: gold (1)") || !strings.Contains(r.stderr, "whose gold differs from the dataset's, which counts: 1") {
		t.Errorf("what was accepted is not told:\n%s%s", table, r.stderr)
	}
}

// TestImportLoCoMo matches answers to all questions of LoCoMo as mem0's evaluation
// writes them: by the place of the conversation and the text, adversarial questions
// among them, without an id. Then it does what docs/interchange.md shows of ids that count
// from 1.
func TestImportLoCoMo(t *testing.T) {
	longtest.SkipRace(t)
	guide := read(t, "../../docs/interchange.md")
	root := try.Get(filepath.Abs(realdata.Datasets(t)))(t)
	data := filepath.Join(root, "locomo", "locomo10.json")
	set := try.Get(locomo.Parse(data, try.Get(os.ReadFile(data))(t), locomo.Spec.All.(locomo.Options)))(t)
	results := make(map[string][]map[string]any)
	var lines []map[string]any
	for i, s := range try.All(t, set.All(t.Context())) {
		for k, r := range s.Requests {
			gold, _ := set.Gold(s.ID, r.ID)
			key := strconv.Itoa(i)
			results[key] = append(results[key], map[string]any{"question": r.Text, "answer": gold.Answer, "category": gold.Category, "response": gold.Answer})
			line := map[string]any{"id": fmt.Sprintf("%s/q%d", s.ID, k+1), "question": r.Text, "category": gold.Category, "prediction": gold.Answer}
			if !gold.Abstain {
				line["gold"] = gold.Answer
			}
			lines = append(lines, line)
		}
	}
	t.Chdir(t.TempDir())
	put(t, "results.json", try.Get(json.Marshal(results))(t))
	put(t, "off.jsonl", []byte(read(t, jsonLines(t, lines))))
	args := []string{"--dataset", "locomo", "--data", root, "--metrics", "exact-match", "--label", "gold", "--out"}
	r := must(t, append([]string{"import", "results.json", "--from", "mem0"}, append(args, "all")...)...)
	if got := values(t, "all"); got["gold n"] != 1540 || got["gold errors"] != 0 || got["gold exact-match"] != 100 || !strings.Contains(r.stderr, "exclude category 5: 446") {
		t.Errorf("answers that are the gold ones give %v\n%s", got, r.stderr)
	}
	byID := append([]string{"import", "off.jsonl", "--from", "jsonl"}, append(args, "off")...)
	off := run(t, byID...)
	if _, err := os.Stat("off"); off.code != exitUsage || err == nil {
		t.Errorf("ids that are off: exit %d, %v", off.code, err)
	}
	_, after, _ := strings.Cut(guide, "ids count from 1")
	if end, said := fenced(t, after, "```\n"), strings.ReplaceAll(off.stderr, "bench: ", ""); !strings.HasSuffix(said, end) {
		t.Errorf("the guide says\n%s\nthe command\n%s", end, said[max(0, len(said)-600):])
	}
	must(t, append(byID, "--match", "question")...)
	if got := values(t, "off"); got["gold n"] != 1540 || got["gold exact-match"] != 100 {
		t.Errorf("matched by the question: %v", got)
	}
}

// TestCategoryNames refuses to score names of categories that mean other things to
// LoCoMo than to mem0 by a metric with rules for their numbers, wherever they come
// from.
func TestCategoryNames(t *testing.T) {
	const question = `{"type": "turn", "sample": "s", "session": "1", "id": "a", "speaker": "Ann", "text": "I like Rome and Oslo."}
{"type": "question", "sample": "s", "question": "What cities does Ann like?", "answer": "Rome, Oslo", "category": "multi-hop"}
`
	chat := write(t, "chat.jsonl", question)
	config := func(categories, metrics string) string {
		return write(t, "run.yaml", "datasets: [{use: jsonl, label: support, options: {files: ["+chat+"]"+categories+"}}]\nmethods: [{use: in-context}]\nmetrics: ["+metrics+"]\n")
	}
	const fault = `dataset support: f1@locomo needs category numbers, but these are names: "multi-hop" (1 to locomo, 3 to mem0)`
	out := filepath.Join(t.TempDir(), "run")
	refused(t, fault, "run", config("", "f1@locomo"), "--out", out, "--display", "none")
	must(t, "run", config("", "f1@mem0"), "--out", out, "--display", "none")
	refused(t, fault, "score", out, "--metrics", "f1@locomo")
	has(t, "with a map the run", must(t, "run", config(", categories: mem0", "f1@locomo"), "--out", out+"2", "--display", "none").stdout, "f1@locomo")
	predictions := write(t, "p.jsonl", `{"id": 1, "category": "multi-hop", "prediction": "Oslo", "gold": "Rome, Oslo"}`+"\n")
	refused(t, "is a name, 1 to locomo, 3 to mem0", "score", "--predictions", predictions, "--metrics", "f1@locomo")
	for categories, want := range map[string]string{"locomo": "0.5", "mem0": "0.6666666666666666"} {
		has(t, "with "+categories, must(t, "score", "--predictions", predictions, "--metrics", "f1@locomo", "--categories", categories).stdout, `"f1@locomo":`+want)
	}
	refused(t, "--categories is for --predictions", "score", out, "--categories", "mem0")
	refused(t, `--categories: unknown map of categories "memo"; did you mean "mem0"?`, "score", "--predictions", predictions, "--metrics", "f1@mem0", "--categories", "memo")
}
