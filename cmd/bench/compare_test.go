package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/gate"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// comparedRuns makes a run of three methods, and one in which a method has other
// options.
func comparedRuns(t *testing.T) (base, side string) {
	t.Helper()
	dirs := make([]string, 2)
	for i, k := range []string{"8", "2"} {
		config := write(t, "small.yaml", `
name: `+[]string{"main", "change"}[i]+`
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, label: Naive RAG, options: {k: `+k+`, chunk: {unit: turns, size: 1}}}]
metrics: [f1@mem0, exact-match, evidence-recall, tokens]
`)
		dirs[i] = filepath.Join(t.TempDir(), "run")
		must(t, "run", config, "--out", dirs[i], "--display", "none")
	}
	return dirs[0], dirs[1]
}

// TestPlanOfRuns plans by a run: the calls are those of the pilot's questions in as many
// conversations, of both sides.
func TestPlanOfRuns(t *testing.T) {
	var data strings.Builder
	for i := range 8 {
		for j := range 3 {
			fmt.Fprintf(&data, `{"type":"turn","sample":"s%[1]d","session":"1","id":"t%[2]d","speaker":"Ana","text":"My lucky number %[2]d is %[3]d."}`+"\n", i, j, 100+7*i+j)
			fmt.Fprintf(&data, `{"type":"question","sample":"s%[1]d","id":"q%[2]d","question":"What is lucky number %[2]d of Ana?","answer":"%[3]d"}`+"\n", i, j, 100+7*i+j*(i%3))
		}
	}
	out := runOf(t, write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: jsonl, options: {files: [%q]}}]
methods: [{use: stateless}, {use: flat-rag}]
metrics: [f1@mem0]
`, write(t, "data.jsonl", data.String()))))
	calls := 0.0
	for _, r := range recordsOf(t, out) {
		for _, u := range r.Usage["query"] {
			calls += float64(u.Calls)
		}
	}
	doc := decode[report.Document](t, must(t, "compare", out+":stateless", out+":flat-rag", "--detect", "20", "--questions", "3,6", "--format", "json").stdout)
	for i, questions := range []float64{3, 6} {
		value := make(map[string]float64)
		for k, cell := range doc.Tables[0].Rows[i] {
			if cell.Value != nil {
				value[doc.Tables[0].Columns[k].Name] = *cell.Value
			}
		}
		want := value["conversations"] * questions * calls / 24
		if calls == 0 || value["conversations"] < 2 || math.Abs(value["calls"]-want) > want/2 || value["calls"] < want {
			t.Errorf("%v questions: %v calls in %v conversations, want %v and those of building", questions, value["calls"], value["conversations"], want)
		}
	}
}

// Whether runs or files are compared, the exit code says what came of it, and what was
// refused prints nothing.
func TestCompare(t *testing.T) {
	base, side := comparedRuns(t)
	one, two := answers(t)
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"runs":                {[]string{"compare", base, side}, exitOK},
		"a fall":              {[]string{"compare", base + ":naive rag", base + ":stateless", side + ":Naive RAG", "--unit", "request", "--fail-on-regression"}, exitGate},
		"of overlap":          {[]string{"compare", base + ":naive rag", base + ":stateless", "--columns", "f1@mem0", "--unit", "request", "--fail-on-regression"}, exitGate},
		"a rise":              {[]string{"compare", base + ":stateless", base + ":Naive RAG", "--columns", "f1@mem0", "--unit", "request", "--fail-on-regression"}, exitOK},
		"the same":            {[]string{"compare", base, side, "--columns", "f1@mem0", "--fail-on-regression"}, exitOK},
		"one conversation":    {[]string{"compare", base + ":stateless", base + ":Naive RAG", "--columns", "f1@mem0", "--fail-on-regression"}, exitUsage},
		"missing":             {[]string{"compare", base, filepath.Join(base, "none"), base + ":stateles", side + ":"}, exitUsage},
		"twice":               {[]string{"compare", base, base}, exitUsage},
		"flags":               {[]string{"compare", base, side, "--by", "dataste", "--unit", "samples", "--correct", "bonferroni"}, exitUsage},
		"column":              {[]string{"compare", base, side, "--columns", "f1@mem,tokens-query"}, exitUsage},
		"loss of files":       {[]string{"compare", one, two, "--id", "case", "--column", "loss=better:lower,scale:1", "--fail-on-regression"}, exitGate},
		"files without ids":   {[]string{"compare", one, two}, exitUsage},
		"settings of files":   {[]string{"compare", one, two, "--id", "case", "--column", "loss=bettr:lower,scale:x", "--from", "inspct"}, exitUsage},
		"power and questions": {[]string{"compare", one, two, "--id", "case", "--power", "2", "--questions", "0"}, exitUsage},
	} {
		r := run(t, c.args...)
		if r.code != c.code || (r.code == exitOK) != (r.stderr == "") {
			t.Errorf("%s: exit %d, want %d\n%s%s", name, r.code, c.code, r.stdout, r.stderr)
		}
	}

	file := filepath.Join(t.TempDir(), "compare.json")
	must(t, "compare", base, side, "--out", file)
	doc := decode[report.Document](t, read(t, file))
	if len(doc.Tables) != 1 || !slices.ContainsFunc(doc.Tables[0].Columns, func(c report.Column) bool { return c.Name == "effective-n" }) {
		t.Errorf("json has %+v, want one table with all columns", doc)
	}

	// Of a run on other data nothing is paired.
	path := filepath.Join(side, "run.json")
	h := decode[record.Header](t, read(t, path))
	h.Datasets[0].SHA256, h.Sum = strings.Repeat("0", 64), ""
	try.Do(t, record.WriteFile(path, func(w io.Writer) error { return jsonout.Indented(w, h) }))
	has(t, "a run on other data", must(t, "compare", base, side).stdout, "cannot be paired: the data differ, sha256 e5eed906efd4 and 000000000000")
}

// TestRegressionUnknown has falls that nobody may take for a pass: of a column whose
// direction is known from lm-eval's own file or not at all, and of few pairs.
func TestRegressionUnknown(t *testing.T) {
	folder := func(right int, results string) string {
		var samples strings.Builder
		for i := range 30 {
			fmt.Fprintf(&samples, `{"doc_id":%[1]d,"doc":{"question":"q%[1]d"},"filtered_resps":["a"],"filter":"none","metrics":["acc"],"doc_hash":"h%[1]d","acc":%[2]d}`+"\n", i, min(1, max(0, right-i)))
		}
		dir := t.TempDir()
		put(t, filepath.Join(dir, "samples_trips_2026-11-01T10-00-00.jsonl"), []byte(samples.String()))
		if results != "" {
			put(t, filepath.Join(dir, "results_2026-11-01T10-00-00.json"), []byte(results))
		}
		return dir
	}
	lines := func(from, to, right int) string {
		var text strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&text, "q%d,%d\n", i, min(1, max(0, right-i)))
		}
		return write(t, fmt.Sprintf("%d.csv", from), "id,score\n"+text.String())
	}
	const higher, perplexity = `{"results":{"x":NaN},"higher_is_better":{"trips":{"acc":true}}}`, `{"higher_is_better":{"trips":{"acc":false}}}`
	for name, c := range map[string]struct {
		base, side string
		flags      []string
		code       int
	}{
		"no direction":       {folder(8, ""), folder(0, ""), nil, exitUsage},
		"null":               {folder(8, `{"higher_is_better":{"trips":{"acc":null}}}`), folder(0, ""), nil, exitUsage},
		"of another task":    {folder(8, `{"higher_is_better":{"tours":{"acc":true}}}`), folder(0, ""), nil, exitUsage},
		"a fall":             {folder(8, higher), folder(0, higher), nil, exitGate},
		"a rise":             {folder(0, higher), folder(8, higher), nil, exitOK},
		"a loss that falls":  {folder(8, perplexity), folder(0, perplexity), nil, exitOK},
		"said by a person":   {folder(8, ""), folder(0, ""), []string{"--column", "acc=better:higher"}, exitGate},
		"few pairs":          {lines(0, 40, 30), lines(33, 73, 66), []string{"--column", "score=better:higher"}, exitUsage},
		"few pairs, partial": {lines(0, 40, 30), lines(33, 73, 66), []string{"--column", "score=better:higher", "--force"}, exitOK},
		"most pairs":         {lines(0, 40, 30), lines(0, 36, 30), []string{"--column", "score=better:higher"}, exitOK},
	} {
		r := run(t, append([]string{"compare", c.base, c.side, "--fail-on-regression"}, c.flags...)...)
		if r.code != c.code {
			t.Errorf("%s: exit %d, want %d\n%s%s", name, r.code, c.code, r.stdout, r.stderr)
		}
	}
	// The means of few pairs are those of all items of a side: 30 of 40, and 33 of 40.
	doc := decode[report.Document](t, must(t, "compare", lines(0, 40, 30), lines(33, 73, 66), "--format", "json").stdout)
	got := make(map[string]report.Cell)
	for i, column := range doc.Tables[0].Columns {
		got[column.Name] = doc.Tables[0].Rows[0][i]
	}
	if *got["base"].Value != 75 || *got["new"].Value != 82.5 || *got["pairs"].Value != 7 || got["verdict"].Text != "insufficient" || got["p"].Value != nil {
		t.Errorf("the row of few pairs is %+v", got)
	}
}

// altered copies a run and changes the records of a method.
func altered(t *testing.T, dir, method string, change func(*record.Record)) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "altered")
	try.Do(t, os.CopyFS(out, os.DirFS(dir)))
	folder, h, err := record.Open(out)
	try.Do(t, err)
	for _, c := range h.Cells {
		if c.Method != method {
			continue
		}
		var b bytes.Buffer
		for line := range try.Each(t, record.Lines[record.Record](folder.Records(c.ID))) {
			change(&line.Value)
			try.Do(t, json.NewEncoder(&b).Encode(line.Value))
		}
		try.Do(t, os.WriteFile(folder.Records(c.ID), b.Bytes(), 0o644))
	}
	h.Files, h.Scored = nil, nil // as of a program without digests
	try.Do(t, folder.WriteHeader(h))
	must(t, "score", out)
	return out
}

// hostile are texts that would break lines, tables, pages and terminals.
const hostile = "one | two\n| three |\r\n\x1b[2J\x1b]0;x\a \u202egnitirw \x00<script>alert(1)</script> ![x](https://example.org/x.png) **b** `c` # d @team $x^2$"

func TestDiff(t *testing.T) {
	longtest.SkipRace(t)
	config := write(t, "small.yaml", smallConfig)
	dir := runOf(t, config, "--limit", "30")
	n := 0
	other := altered(t, dir, "Naive RAG", func(r *record.Record) {
		switch n++; n {
		case 1, 2:
			r.Hash = "other"
		case 3, 4:
			r.Answer = hostile
		case 5:
			r.Answer = strings.Repeat("long answer ", 50_000)
		case 6:
			r.Answer = strings.Repeat("é", 600_000)
		case 7, 8:
			r.Status, r.Answer, r.Error = record.Error, "", &record.Failure{Kind: "answer", Message: "model is \x1b[31mdown"}
		}
	})
	show := func(args ...string) string {
		out := must(t, append([]string{"diff"}, args...)...).stdout
		return strings.NewReplacer(dir, "RUN", other, "OTHER").Replace(out)
	}
	golden.Check(t, "diff.txt", show(dir, other))
	golden.Check(t, "diff_limit.txt", show(dir+":stateless", dir+":Naive RAG", "--category", "temporal", "--limit", "1", "--all"))

	t.Run("safe", func(t *testing.T) {
		for _, format := range []string{"text", "json"} {
			out := show(dir, other, "--all", "--format", format)
			for _, r := range out {
				if r != '\n' && (unicode.IsControl(r) || format != "json" && unicode.Is(unicode.Cf, r)) {
					t.Fatalf("%s holds %q", format, r)
				}
			}
			if !utf8.ValidString(out) || len(out) < 600_000 == (format == "json") {
				t.Errorf("%s has %d bytes; want the long answers in full in JSON only", format, len(out))
			}
		}
	})

	t.Run("json", func(t *testing.T) {
		shown, compared := make(map[scored.Verdict]int), 0
		for line := range strings.Lines(show(dir, other, "--all", "--format", "json")) {
			var l struct {
				Type    string
				Counts  map[scored.Verdict]int
				Unclear int
				Changed []record.Asked
				Verdict scored.Verdict
				A, B    struct{ Answer, Method string }
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%v in %.200s", err, line)
			}
			if l.Type == "request" {
				shown[l.Verdict]++
				continue
			}
			sum := l.Counts[scored.Lost] + l.Counts[scored.Gained] + l.Counts[scored.BothRight] + l.Counts[scored.BothWrong]
			if want := map[string]int{"stateless": 30, "Naive RAG": 28}[l.A.Method]; sum+l.Unclear != want || want+len(l.Changed) != 30 {
				t.Errorf("%s: %d compared, %d unclear, changed %v; want %d", l.A.Method, sum, l.Unclear, l.Changed, want)
			}
			compared += sum
		}
		if shown[scored.Lost] == 0 || shown[scored.Gained] != 0 || shown[scored.Lost]+shown[scored.BothRight]+shown[scored.BothWrong] != compared {
			t.Errorf("shown: %v; want %d and some lost", shown, compared)
		}
	})

	quick := runOf(t, quickstart)
	doc := must(t, "diff", quick+":stateless", quick+":Flat RAG", "--limit", "1").stdout
	text := part(t, read(t, "../../docs/comparing.md"), "diff", "```\n"+strings.ReplaceAll(doc, quick, "run")+"```\n")
	golden.Check(t, "../../../docs/comparing.md", text)
}

// Each verdict ends the command with its exit code.
func TestGate(t *testing.T) {
	first, baselines := blessed(t)
	t.Setenv("BENCH_BASELINES", baselines)
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	strict := write(t, "strict.yaml", "fail_on: [regression, soft, insufficient data]\nrules: [{columns: [f1@span, evidence-recall], margin: 0}, {columns: [tokens-query], ratio: 1.05}]\n")
	loose := write(t, "loose.yaml", "rules: [{columns: [f1@span], margin: 50}]\n")
	floor := write(t, "floor.yaml", "rules: [{columns: [f1@span], methods: [Naive RAG], min: 20}, {columns: [f1@span], categories: [temporal], methods: ['*RAG'], min: 5}]\n")
	alike := write(t, "alike.yaml", "allow: []\nrules: [{columns: [f1@span, evidence-recall], margin: 0}]\n")
	of := func(s *record.Score, every int) bool {
		return *s.Values["f1@span"] > 0 && len(s.Request) > 1 && int(s.Request[len(s.Request)-1]-'0')%every == 0
	}
	worse := rescored(t, first, nil, func(s *record.Score) {
		if of(s, 2) {
			s.Values["f1@span"] = new(0.0)
		}
	})
	little := rescored(t, first, nil, func(s *record.Score) {
		if s.Request == "q11" {
			s.Values["f1@span"] = new(*s.Values["f1@span"] * 0.9)
		}
	})
	better := rescored(t, first, nil, func(s *record.Score) {
		if *s.Values["f1@span"] > 0 {
			s.Values["f1@span"] = new(1.0)
		}
	})
	other := rescored(t, first, func(h *record.Header) { h.Models[0].Reader = "other-model" }, nil)
	unfinished := rescored(t, first, func(h *record.Header) { h.Status, h.Cells[0].Planned = record.Interrupted, 60 }, nil)
	for _, c := range []struct {
		name, run, rules string
		code             int
		said             string // how often each verdict was reached, but for stable
	}{
		{"same", first, "", exitOK, ""},
		{"regression", worse, "", exitGate, "regression:1 soft:1"},
		{"soft", little, "", exitOK, "soft:1"},
		{"soft_fails", little, strict, exitGate, "soft:1"},
		{"within_the_margin", worse, loose, exitOK, "soft:1"},
		{"improvement", better, strict, exitOK, "improvement:1"},
		{"unlike", other, alike, exitGate, "insufficient data:4"},
		{"unlike_allowed", other, "", exitOK, ""},
		{"unfinished", unfinished, "", exitGate, "insufficient data:4"},
		{"floor", worse, floor, exitGate, "regression:2"},
		{"floor_holds", first, floor, exitOK, ""},
		{"one_conversation", little, "", exitGate, "insufficient data:1"},
	} {
		args := []string{"gate", c.run}
		if !strings.HasPrefix(c.name, "floor") {
			args = append(args, "--baseline", "main")
		}
		if c.rules != "" {
			args = append(args, "--rules", c.rules)
		}
		if c.name != "one_conversation" {
			args = append(args, "--unit", "request")
		}
		r := run(t, append(args, "--format", "json")...)
		result := decode[gate.Result](t, []byte(r.stdout))
		delete(result.Counts, gate.Stable)
		if said := fmt.Sprint(result.Counts); r.code != c.code || r.stderr != "" || said != "map["+c.said+"]" || result.Failed != (c.code != exitOK) {
			t.Errorf("%s: exit %d, %s, want %d, %s; %s", c.name, r.code, said, c.code, c.said, r.stderr)
		}
		if c.name == "regression" {
			golden.Check(t, "gate.txt", strings.ReplaceAll(run(t, args...).stdout, runID(t, first), "RUNID"))
		}
	}

	// A gate writes several files at once, and a step summary behind what is there.
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary")
	try.Do(t, os.WriteFile(summary, []byte("before\n"), 0o644))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	args := []string{"gate", worse, "--baseline", filepath.Join(baselines, "main"), "--unit", "request", "--format", "json"}
	for _, name := range []string{"a.xml", "a.md", "a.txt", "a.json"} {
		args = append(args, "--out", filepath.Join(dir, name))
	}
	r := run(t, args...)
	for file, want := range map[string]string{
		"summary": "before\n### gate FAILED: 1 regression", "a.xml": "<?xml", "a.md": "### gate FAILED", "a.txt": "gate FAILED", "a.json": r.stdout,
	} {
		if got := read(t, filepath.Join(dir, file)); !strings.HasPrefix(got, want) {
			t.Errorf("%s is\n%s", file, got)
		}
	}
	if r.code != exitGate || r.stderr != "" {
		t.Errorf("exit %d, stderr %s", r.code, r.stderr)
	}
}

// blessed makes a run and a folder in which it is the baseline "main".
func blessed(t *testing.T) (run, baselines string) {
	t.Helper()
	run = runOf(t, write(t, "small.yaml", strings.Replace(smallConfig, "f1@mem0", "f1@span", 1)))
	baselines = filepath.Join(t.TempDir(), "baselines")
	setAt(t, "2026-01-02T03:04:05Z", "main", run, "--baselines", baselines, "--note", "the first | of them")
	return run, baselines
}

// setAt sets a baseline at a time.
func setAt(t *testing.T, at string, args ...string) {
	t.Helper()
	now := try.Get(time.Parse(time.RFC3339, at))(t)
	var out bytes.Buffer
	cmd := newBaselineSetCommand(&app{stdout: &out, env: os.Getenv}, func() time.Time { return now })
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "110 answers in 2 cells") {
		t.Fatalf("%v: %s", err, out.String())
	}
}

// rescored copies a run's header and scores to another folder, changed.
func rescored(t *testing.T, run string, header func(*record.Header), score func(*record.Score)) string {
	t.Helper()
	folder, h, err := record.Open(run)
	try.Do(t, err)
	dir := filepath.Join(t.TempDir(), "altered")
	to := try.Get(record.Create(dir))(t)
	h.ID, h.Files, h.Scored = "altered", nil, nil // as of a program without digests
	if header != nil {
		header(&h)
	}
	lines := new(bytes.Buffer)
	for line := range try.Each(t, record.Lines[record.Score](folder.Scores())) {
		if score != nil {
			score(&line.Value)
		}
		try.Do(t, json.NewEncoder(lines).Encode(line.Value))
	}
	try.Do(t, os.WriteFile(to.Scores(), lines.Bytes(), 0o644))
	config := try.Get(os.ReadFile(folder.Config()))(t)
	try.Do(t, os.WriteFile(to.Config(), config, 0o644))
	try.Do(t, to.WriteHeader(h))
	return dir
}

// runID returns the id of a run.
func runID(t *testing.T, dir string) string {
	t.Helper()
	h := header(t, dir)
	return h.ID
}

// A baseline opens wherever a scored run does, by its name or its folder, and says
// what the run says.
func TestBaseline(t *testing.T) {
	first, baselines := blessed(t)
	t.Setenv("BENCH_BASELINES", baselines)
	want := must(t, "table", first, "--by", "category", "--ci").stdout
	for _, arg := range []string{"main", filepath.Join(baselines, "main")} {
		if got := must(t, "table", arg, "--by", "category", "--ci").stdout; got != want {
			t.Errorf("the table of %s is\n%s\nwant\n%s", arg, got, want)
		}
	}
	same := rescored(t, first, nil, nil)
	has(t, "a method of a baseline compares as", must(t, "compare", "main:Naive RAG", same+":stateless", "--unit", "request").stdout, "worse")
	has(t, "runs list does not have the baseline", must(t, "runs", "list", baselines).stdout, filepath.Join(baselines, "main"))
	for _, verb := range []string{"score", "resume"} {
		refused(t, "is a baseline, which has the scores of a run", verb, filepath.Join(baselines, "main"))
	}
}

// A baseline is set by a person alone, who is told of all that speaks against it.
func TestBaselineRefusals(t *testing.T) {
	first, baselines := blessed(t)
	bad := rescored(t, first, func(h *record.Header) {
		h.Status, h.Shard = record.Interrupted, &record.Shard{Index: 1, Of: 3}
	}, func(s *record.Score) { s.Status = record.Error })
	fewer := rescored(t, first, func(h *record.Header) { h.Cells[0].Planned = 99 }, nil)
	unscored := rescored(t, first, nil, nil)
	try.Do(t, os.Remove(record.Folder(unscored).Scores()))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"main", first}, []string{"the baseline main exists"}},
		{[]string{"other", bad}, []string{"is a shard; 'bench resume' joins them", "is interrupted; 'bench resume ", "110 of 110 questions of ", "failed, above the limit of 0"}},
		{[]string{"other", fewer}, []string{"has scores of 110 of 154 questions"}},
		{[]string{"other", unscored, "--force"}, []string{"has no scores yet; 'bench score "}},
		{[]string{"../other", first}, []string{`baseline name is "../other", want at most 64 letters`}},
		{[]string{"other", filepath.Join(baselines, "main")}, []string{"is a baseline, which has"}},
		{[]string{"other"}, []string{"want NAME RUN, got other"}},
	} {
		r := run(t, append([]string{"baseline", "set", "--baselines", baselines}, c.args...)...)
		for _, want := range c.want {
			if r.code != exitUsage || !strings.Contains(r.stderr, want) {
				t.Errorf("set %q: exit %d, want %d, and %q in\n%s", c.args, r.code, exitUsage, want, r.stderr)
			}
		}
	}
	if names := baselineNames(baselines); len(names) != 1 {
		t.Errorf("what was refused is kept: %v", names)
	}
	must(t, "baseline", "set", "main", bad, "--baselines", baselines, "--force")
}
