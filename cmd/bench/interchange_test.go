package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	data := try.Get(os.ReadFile(filepath.Join("..", "..", "docs", "interchange.md")))(t)
	guide := string(data)
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
		if r := must(t, "export", dir, "--format", format, "--out", path, "--methods", "Naive RAG"); r.stdout != "" {
			t.Errorf("%s: stdout has %q", format, r.stdout)
		}
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
			r := must(t, "table", back)
			if !strings.Contains(r.stdout, "Naive RAG [") || !strings.Contains(r.stdout, "imported from "+filepath.Base(answers[format])+" ("+format+", sha256 ") || format != "predictions" && strings.Contains(r.stdout, "stand-in") {
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
	t.Run("whole", func(t *testing.T) { // what comes back is written the same
		back, again := filepath.Join(t.TempDir(), "back"), filepath.Join(t.TempDir(), "again.jsonl")
		must(t, "import", answers["predictions"], "--from", "predictions", "--dataset", "sample", "--out", back)
		must(t, "export", back, "--format", "predictions", "--out", again)
		var lines [2][]string
		for i, path := range []string{answers["predictions"], again} {
			data := try.Get(os.ReadFile(path))(t)
			lines[i] = strings.Split(string(data), "\n")
		}
		if diff := cmp.Diff(lines[0], lines[1]); diff != "" {
			t.Errorf("export, import, export (-first +second):\n%.4000s", diff)
		}
	})
	t.Run("judged", func(t *testing.T) { importedJudgements(t, dir) })
	t.Run("faults", func(t *testing.T) { interchangeFaults(t, dir, answers["mem0"]) })
}

// importedJudgements checks that what several judges said comes back as it was, and that
// verdicts of other programs get columns.
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
	if diff := cmp.Diff(strings.Split(read(t, first), "\n"), strings.Split(read(t, again), "\n")); diff != "" {
		t.Errorf("export, import, export (-first +second):\n%.4000s", diff)
	}
	of := func(dir string) (all map[string][]record.Judgement) {
		h := header(t, dir)
		all = make(map[string][]record.Judgement)
		for _, c := range h.Cells {
			if c.Method != "Naive RAG" {
				continue
			}
			for line := range try.Each(t, record.Lines[record.Judgement](record.Folder(dir).Judgements(c.ID))) {
				all[line.Value.Judge] = append(all[line.Value.Judge], line.Value)
			}
		}
		return all
	}
	if said := of(back); len(said) != 4 || !cmp.Equal(of(dir), said) {
		t.Errorf("judgements (-run +imported):\n%.4000s", cmp.Diff(of(dir), said))
	}
	calls := s.Stats().Answered
	must(t, "judge", back, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none", "--judge", "contains")
	if s.Stats().Answered != calls {
		t.Error("judging an imported run asked again")
	}
	head, rest, _ := strings.Cut(read(t, first), "\n")
	line := decode[map[string]any](t, []byte(strings.SplitN(rest, "\n", 2)[0]))
	bare := decode[map[string]any](t, []byte(head))
	delete(bare, "judges")
	delete(bare, "metrics")
	for said, want := range map[string]string{
		`[{"judge": "other@m", "votes": [1, 0, 1], "why": "two of three"}]`: "judge:other@m",
		`[{"judge": "half", "label": 0.5}]`:                                 "50.0",
		`[{"judge": "more", "label": 7}]`:                                   "more says 7, want 0 to 1",
	} {
		line["judgements"] = json.RawMessage(said)
		data := try.Get(json.Marshal([]any{bare, line}))(t)
		text := strings.Replace(strings.TrimSuffix(strings.TrimPrefix(string(data), "["), "]"), "},{\"answer\"", "}\n{\"answer\"", 1)
		r := run(t, "import", write(t, "other.jsonl", text), "--from", "predictions", "--dataset", "sample", "--metrics", "f1@mem0", "--out", filepath.Join(t.TempDir(), "run"))
		if !strings.Contains(r.stdout+r.stderr, want) {
			t.Errorf("%s: exit %d, want %s\n%s%s", said, r.code, want, r.stdout, r.stderr)
		}
	}
}

// TestImportWithoutDataset scores answers to the questions of their own file, the same
// whichever dataset they were to, and refuses files without gold answers.
func TestImportWithoutDataset(t *testing.T) {
	dir := t.TempDir()
	config := write(t, "small.yaml", `
datasets: [{use: sample}]
methods: [{use: flat-rag, options: {k: 3}}]
metrics: [f1@mem0, bleu1@nltk]
`)
	first, file, back := filepath.Join(dir, "run"), filepath.Join(dir, "answers.json"), filepath.Join(dir, "back")
	must(t, "run", config, "--out", first, "--display", "none")
	must(t, "export", first, "--format", "jsonl", "--out", filepath.Join(dir, "all.jsonl"))
	var kept strings.Builder // of questions with a gold answer
	for line := range strings.Lines(read(t, filepath.Join(dir, "all.jsonl"))) {
		if !strings.Contains(line, `"gold":null`) {
			kept.WriteString(line)
		}
	}
	put(t, file, []byte(kept.String()))
	must(t, "import", file, "--from", "jsonl", "--dataset", "files", "--label", "flat-rag", "--metrics", "f1@mem0,bleu1@nltk", "--out", back)
	scores := func(dir string) map[string]float64 { return scoresOf(t, dir, "f1@mem0") }
	want, got := scores(first), scores(back)
	if len(got) != strings.Count(kept.String(), "\n") || len(got) == 0 {
		t.Errorf("%d scores of %d answers", len(got), strings.Count(kept.String(), "\n"))
	}
	for request, x := range got {
		if want[request] != x {
			t.Errorf("%s has the score %v, was %v", request, x, want[request])
		}
	}
	r := run(t, "import", write(t, "bare.jsonl", `{"id": "a/q1", "prediction": "x"}`+"\n"), "--from", "jsonl", "--dataset", "files", "--out", back+"2")
	if _, err := os.Stat(back + "2.questions.jsonl"); r.code != exitUsage || err == nil || !strings.Contains(r.stderr, "1 of 1 answers lack the question or the gold answer") {
		t.Errorf("an answer without a gold answer: exit %d, %s, %v", r.code, r.stderr, err)
	}
}

// TestImportSuggested imports a file of unknown format by the layout that is proposed,
// which the refusal of the file shows.
func TestImportSuggested(t *testing.T) {
	dir := t.TempDir()
	config := write(t, "small.yaml", "datasets: [{use: sample}]\nmethods: [{use: flat-rag, options: {k: 3}}]\nmetrics: [f1@mem0]\n")
	first, lines, layout := filepath.Join(dir, "run"), filepath.Join(dir, "all.jsonl"), filepath.Join(dir, "l.yaml")
	must(t, "run", config, "--out", first, "--display", "none")
	must(t, "export", first, "--format", "jsonl", "--out", lines)
	var odd strings.Builder
	for line := range strings.Lines(read(t, lines)) {
		of := decode[map[string]any](t, []byte(line))
		data := try.Get(json.Marshal(map[string]any{"who": of["sample"], "ask": map[string]any{"text": of["question"]}, "said": of["prediction"], "fine": true}))(t)
		odd.Write(append(data, '\n'))
	}
	file := write(t, "odd.jsonl", odd.String())
	r := run(t, "import", file, "--dataset", "sample", "--out", filepath.Join(dir, "no"))
	for _, want := range []string{"unknown format", "its layout may be this", `# unsure: whether "fine" is a verdict`, "question: ask.text", "answer: said"} {
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("exit %d, want %s\n%s", r.code, want, r.stderr)
		}
	}
	must(t, "import", file, "--from", "suggest", "--dataset", "sample", "--out", layout)
	must(t, "import", file, "--from", layout, "--dataset", "sample", "--metrics", "f1@mem0", "--out", filepath.Join(dir, "back"))
	if diff := cmp.Diff(scoresOf(t, first, "f1@mem0"), scoresOf(t, filepath.Join(dir, "back"), "f1@mem0")); diff != "" {
		t.Errorf("scores (-run +imported):\n%s", diff)
	}
}

// TestImportKeeps imports a file with all that a layout can say, and exports it again: no
// field is lost, and evidence that names turns by their ids has its recall.
func TestImportKeeps(t *testing.T) {
	dir := t.TempDir()
	first, lines, back, out := filepath.Join(dir, "run"), filepath.Join(dir, "all.jsonl"), filepath.Join(dir, "back"), filepath.Join(dir, "back.jsonl")
	must(t, "run", write(t, "small.yaml", "datasets: [{use: sample}]\nmethods: [{use: flat-rag, options: {k: 3}}]\nmetrics: [f1@mem0]\n"), "--out", first, "--display", "none")
	must(t, "export", first, "--format", "jsonl", "--out", lines)
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
	var full strings.Builder
	for line := range strings.Lines(read(t, lines)) {
		of := decode[map[string]any](t, []byte(line))
		data := try.Get(json.Marshal(map[string]any{
			"who": of["sample"], "q": of["question"], "a": of["prediction"], "kind": of["category"], "ids": of["gold_evidence"], "in": 100, "hit": 40, "out": 7, "usd": 0.25,
			"t": map[string]any{"search": 20, "answer": 480}, "votes": []bool{true, false, true}, "because": "two of three", "other": 0, "human": "good",
		}))(t)
		full.Write(append(data, '\n'))
	}
	must(t, "import", write(t, "full.jsonl", full.String()), "--from", layout, "--dataset", "sample", "--label", "full", "--out", back)
	must(t, "export", back, "--format", "predictions", "--out", out)
	_, rest, _ := strings.Cut(read(t, out), "\n")
	n := 0
	for line := range strings.Lines(rest) {
		n++
		p := decode[struct {
			Category string
			Usage    map[string]struct{ Input, Cached, Output int }
			Cost     *float64           `json:"cost_usd"`
			Latency  map[string]float64 `json:"latency_ms"`
			Total    float64            `json:"total_ms"`
			Gold     []string           `json:"gold_evidence"`
			Evidence []struct{ Sources []string }
			Scores   map[string]*float64
			Verdicts []struct {
				Judge string
				Label *float64
				Votes []float64
				Why   string
			} `json:"judgements"`
		}](t, []byte(line))
		u := p.Usage["query"]
		if u.Input != 100 || u.Cached != 40 || u.Output != 7 || p.Cost == nil || *p.Cost != 0.25 || p.Latency["search"] != 20 || p.Latency["answer"] != 480 || p.Total != 500 || p.Category == "" || len(p.Evidence) != len(p.Gold) {
			t.Fatalf("what came back is %s", line)
		}
		for i, e := range p.Evidence {
			if !cmp.Equal(e.Sources, p.Gold[i:i+1]) {
				t.Errorf("evidence %v, want %s", e, p.Gold[i])
			}
		}
		said := make(map[string]string)
		for _, v := range p.Verdicts {
			said[v.Judge] = fmt.Sprintf("%.2f %s", *v.Label, v.Why)
		}
		if want := map[string]string{"panel": "0.67 two of three", "other": "0.00 ", "person": "1.00 "}; !cmp.Equal(said, want) {
			t.Fatalf("verdicts (-want +got):\n%s", cmp.Diff(want, said))
		}
	}
	recalls := scoresOf(t, back, "evidence-recall")
	for request, recall := range recalls {
		if recall != 1 {
			t.Errorf("%s: evidence recall is %v, want 1", request, recall)
		}
	}
	if n == 0 || len(recalls) == 0 {
		t.Errorf("%d answers, %d with evidence recall", n, len(recalls))
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
	if diff := cmp.Diff(recorded(t, first), recorded(t, second)); diff != "" {
		t.Errorf("two imports differ (-a +b):\n%s", diff)
	}
	header := header(t, first)
	c, m := header.Cells[0], header.Models[0]
	if c.Use != "import" || c.Imported == nil || m.Backend != "imported" || m.Reader != "not known" || m.Offline || header.Status != record.Complete {
		t.Errorf("header has the cell %+v and the model %+v", c, m)
	}
	for _, args := range [][]string{{"resume", first}, {"run", filepath.Join(first, "config.yaml")}} {
		if r := run(t, args...); r.code != exitUsage || !strings.Contains(r.stderr, "holds imported answers, which cannot be run or resumed") {
			t.Errorf("bench %s: exit %d, %s", args, r.code, r.stderr)
		}
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
	in, page := filepath.Join(dir, "in"), filepath.Join(dir, "report.html")
	// A memory that rewrites what it hears: no text of a turn stands in it.
	rewritten := regexp.MustCompile(`"memory": ?"(?:[^"\\]|\\.)*"`).ReplaceAllString(read(t, file), `"memory": "They told each other something."`)
	must(t, "import", write(t, "rewritten.json", rewritten), "--from", "mem0", "--dataset", "sample", "--label", "Naive RAG", "--metrics", "f1@span,failures", "--out", in)
	must(t, "table", in)
	must(t, "compare", base, in)
	must(t, "report", in, "--out", page)
	must(t, "baseline", "set", "imported", in, "--baselines", filepath.Join(dir, "baselines"), "--note", "elsewhere", "--force")
	if r := run(t, "gate", in, "--baseline", "imported", "--baselines", filepath.Join(dir, "baselines")); r.code != exitGate || !strings.Contains(r.stdout, "imported answer to 30 of 55 questions; 'bench import --missing error'") {
		t.Errorf("gate of a run with missing answers: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	must(t, "export", in, "--format", "csv")
	diff := must(t, "diff", base, in, "--all", "--full").stdout
	if !strings.Contains(diff, "unknown-evidence: ") || !strings.Contains(diff, ", unknown in B") || strings.Contains(diff, "not retrieved in B") {
		t.Errorf("diff with an imported run says\n%s", diff)
	}
	wrong := 0.0
	for line := range try.Each(t, record.Lines[record.Score](record.Folder(in).Scores())) {
		v := line.Value.Values
		if v["wrong"] == nil {
			continue
		}
		wrong += *v["wrong"]
		if *v["not-retrieved"] != 0 || *v["unknown-evidence"] != *v["wrong"] {
			t.Fatalf("failures are %v, want those of evidence that nobody knows", v)
		}
	}
	if wrong == 0 {
		t.Error("no answer is wrong, which tests nothing")
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
	nothing := write(t, "nothing.json", `[{"question": "Who was the last?", "response": "Gene", "category": 5}]`)
	var b strings.Builder
	for _, args := range [][]string{
		{"export", dir},
		{"export", dir, "--format", "json"},
		{"export", dir, "--format", "mem0"},
		{"export", dir, "--format", "csv", "--methods", "Naive"},
		{"export", filepath.Dir(dir), "--format", "csv"},
		{"import", file},
		{"import", file, "--from", "mem1", "--dataset", "sampel", "--out", out, "--missing", "zero", "--label", "a", "--label", "b", "--metrics", "f1"},
		{"import", file, "--from", "mem0", "--dataset", "sampel", "--out", out},
		{"import", file, file, "--from", "mem0", "--dataset", "sample", "--out", out, "--label", "a", "--label", "b"},
		{"import", file, file, "--from", "mem0", "--dataset", "sample", "--out", out},
		{"import", file, "--from", "mem0", "--dataset", "sample", "--out", out, "--options", "{category: 1}"},
		{"import", file, "--from", "lm-eval", "--dataset", "sample", "--out", out},
		{"import", partly, "--from", "mem0", "--dataset", "sample", "--out", out},
		{"import", nothing, "--from", "mem0", "--dataset", "sample", "--out", out},
		{"import", file + "x", "--from", "mem0", "--dataset", "sample", "--out", out},
	} {
		r := run(t, args...)
		if r.code != exitUsage {
			t.Errorf("bench %s: exit %d, want %d", args, r.code, exitUsage)
		}
		said := strings.NewReplacer(file, "FILE", filepath.Base(file), "FILE", filepath.Dir(partly), "DIR", filepath.Dir(nothing), "DIR", filepath.Dir(dir), "DIR", out, "OUT").Replace(strings.Join(args, " ") + "\n" + r.stderr)
		if i := strings.Index(said, "FILE:1: "); i > 0 { // what follows is another package's business
			said = said[:i] + "FILE:1: ...\n"
		}
		b.WriteString("$ bench " + said + "\n")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("after faults there is a run folder")
	}
	golden.Check(t, "interchange_faults.txt", b.String())

	r := must(t, "import", partly, "--from", "mem0", "--dataset", "sample", "--out", out, "--skip-unmatched", "--missing", "error", "--label", "x\x1b[31m|y")
	golden.Check(t, "import_partly.txt", strings.ReplaceAll(strings.ReplaceAll(r.stdout+r.stderr, out, "OUT"), filepath.Dir(partly), "DIR"))
}

// TestImportAccept imports a file with another gold answer than the dataset's when
// a person says so, and the tables tell of it.
func TestImportAccept(t *testing.T) {
	file := write(t, "other.json", `[{"question": "What is the name of Nadia's dinghy?", "answer": "Puffin", "category": "single-hop", "response": "Kittiwake"}]`)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"import", file, "--from", "mem0", "--dataset", "sample", "--out", out, "--metrics", "f1@mem0"}
	refused := func(want string, more ...string) {
		t.Helper()
		if r := run(t, append(args, more...)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%q: exit %d, want %q in\n%s", more, r.code, want, r.stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatal("after an error there is a run folder")
		}
	}
	refused(`category is single-hop, the dataset's 4`)
	refused("--categories locomo|mem0|FILE defines the names of categories")
	refused(`gold is "Puffin", the dataset's `, "--categories", "locomo")
	refused(`category is single-hop (1), the dataset's 4`, "--categories", "mem0")
	refused(`--accept: unknown value "golds"; did you mean "gold"?`, "--accept", "golds")
	refused(`--match: unknown value "ids"`, "--match", "ids")
	r := must(t, append(args, "--categories", "locomo", "--accept", "gold")...)
	if want := "accepted although the file contradicts the dataset: gold (1)"; !strings.Contains(must(t, "table", out).stdout, want) {
		t.Errorf("the tables have no %q:\n%s", want, r.stdout)
	}
	if want := "in 1 answer the gold differs from the dataset's, which counts"; !strings.Contains(r.stderr, want) {
		t.Errorf("stderr has no %q:\n%s", want, r.stderr)
	}
}

// TestImportLoCoMo matches answers to all questions of LoCoMo as mem0's evaluation
// writes them: by the place of the conversation and the text, adversarial questions
// among them, without an id.
func TestImportLoCoMo(t *testing.T) {
	longtest.SkipRace(t)
	guide := read(t, filepath.Join("..", "..", "docs", "interchange.md"))
	root := try.Get(filepath.Abs(realdata.Datasets(t)))(t)
	data := filepath.Join(root, "locomo", "locomo10.json")
	raw := try.Get(os.ReadFile(data))(t)
	all := locomo.Spec.All.(locomo.Options)
	set := try.Get(locomo.Parse(data, raw, all))(t)
	results := make(map[string][]map[string]any)
	for i, s := range try.All(t, set.All(t.Context())) {
		for _, r := range s.Requests {
			gold, _ := set.Gold(s.ID, r.ID)
			key := strconv.Itoa(i)
			results[key] = append(results[key], map[string]any{"question": r.Text, "answer": gold.Answer, "category": gold.Category, "response": gold.Answer})
		}
	}
	encoded := try.Get(json.Marshal(results))(t)
	out := filepath.Join(t.TempDir(), "out")
	r := must(t, "import", write(t, "results.json", string(encoded)), "--from", "mem0", "--dataset", "locomo", "--data", root,
		"--metrics", "exact-match", "--label", "gold", "--out", out)
	if got := values(t, out); got["gold n"] != 1540 || got["gold errors"] != 0 || got["gold exact-match"] != 100 {
		t.Errorf("answers that are the gold ones give %v", got)
	}
	if want := "exclude category 5: 446"; !strings.Contains(r.stderr, want) {
		t.Errorf("stderr is %q, want %q in it", r.stderr, want)
	}

	// The same answers as docs/interchange.md has them: with ids that count from 1.
	t.Chdir(t.TempDir())
	var lines strings.Builder
	enc := json.NewEncoder(&lines)
	for _, s := range try.All(t, set.All(t.Context())) {
		for i, r := range s.Requests {
			gold, _ := set.Gold(s.ID, r.ID)
			line := map[string]any{"id": fmt.Sprintf("%s/q%d", s.ID, i+1), "question": r.Text, "category": gold.Category, "prediction": gold.Answer}
			if !gold.Abstain {
				line["gold"] = gold.Answer
			}
			try.Do(t, enc.Encode(line))
		}
	}
	put(t, "off.jsonl", []byte(lines.String()))
	args := []string{"import", "off.jsonl", "--from", "jsonl", "--dataset", "locomo", "--data", root, "--metrics", "exact-match", "--out", out + "2"}
	off := run(t, args...)
	if _, err := os.Stat(out + "2"); off.code != exitUsage || err == nil {
		t.Errorf("ids that are off: exit %d, %v", off.code, err)
	}
	_, after, _ := strings.Cut(guide, "ids count from 1")
	end := fenced(t, after, "```\n")
	if said := strings.ReplaceAll(off.stderr, "bench: ", ""); !strings.HasSuffix(said, end) {
		t.Errorf("the guide says\n%s\nthe command\n%s", end, said[max(0, len(said)-600):])
	}
	must(t, append(args, "--match", "question", "--label", "gold")...)
	if got := values(t, out+"2"); got["gold n"] != 1540 || got["gold exact-match"] != 100 {
		t.Errorf("matched by the question: %v", got)
	}
}
