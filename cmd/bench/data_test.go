package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// alone runs the test in an empty folder with no data in sight, and returns a
// function that checks goldens in the package's folder all the same.
func alone(t *testing.T) (check func(name, got string)) {
	t.Helper()
	home := try.Get(os.Getwd())(t)
	t.Setenv(datadir.Env, "")
	dir := filepath.Join(t.TempDir(), "work")
	try.Do(t, os.Mkdir(dir, 0o755))
	t.Chdir(dir)
	return func(name, got string) {
		t.Helper()
		t.Chdir(home)
		golden.Check(t, name, got)
		t.Chdir(dir)
	}
}

// put writes a file with its folders.
func put(tb testing.TB, name string, data []byte) {
	tb.Helper()
	try.Do(tb, os.MkdirAll(filepath.Dir(name), 0o755))
	try.Do(tb, os.WriteFile(name, data, 0o644))
}

func TestDataListAndVerify(t *testing.T) {
	alone(t)
	const size = 2805274 // of LoCoMo
	states := func() map[string]string {
		all := make(map[string]string)
		for line := range strings.Lines(must(t, "data", "list").stdout) {
			if fields := regexp.MustCompile(" {2,}").Split(line, -1); len(fields) == 4 && fields[0] != "NAME" {
				all[fields[0]] = fields[2]
			}
		}
		return all
	}
	if got := states(); got["locomo"] != "missing" || got["sample"] != "embedded" || got["jsonl"] != "your files" || len(got) != len(datasetsuite.All()) {
		t.Errorf("without a data folder: %v", got)
	}
	refused(t, "--data", "data", "list", "--data", "nowhere")
	has(t, "without a data folder", must(t, "data", "verify").stdout, "none")
	refused(t, "'bench data fetch locomo' makes one", "data", "verify", "locomo")
	refused(t, `did you mean "locomo"?`, "data", "verify", "locom")
	put(t, filepath.Join("data", "other", "file"), nil)
	refused(t, "'bench data fetch locomo' gets the rest", "data", "verify", "locomo", "sample")
	put(t, filepath.Join("data", "locomo", "locomo10.json"), []byte("[]"))
	if got := states()["locomo"]; got != "missing" {
		t.Errorf("a file of another size is %q", got)
	}
	if got := run(t, "data", "verify"); got.code != exitFingerprint || !strings.Contains(got.stderr, "locomo10.json") || !strings.Contains(got.stdout, "0 of 2 files as published, 1 missing") {
		t.Errorf("another file: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	try.Do(t, os.Truncate(filepath.Join("data", "locomo", "locomo10.json"), size))
	if got := states()["locomo"]; got != "present" {
		t.Errorf("a file of the right size is %q", got)
	}
}

func TestDataStats(t *testing.T) {
	check := alone(t)
	check("data_stats_sample.txt", must(t, "data", "stats", "sample").stdout)
	put(t, "chat.jsonl", []byte(`{"type":"turn","sample":"s","session":1,"id":"a","speaker":"A","text":"Hi"}`))
	put(t, "questions.jsonl", []byte(`{"type":"question","sample":"s","question":"Who?","answer":"A","evidence":["a","a"]}`))
	has(t, "the flaw of the data is not told", must(t, "data", "stats", "jsonl", "--options", "{files: [chat.jsonl, questions.jsonl]}").stdout, "1  evidence names a turn twice; counted once")
	for want, args := range map[string][]string{
		"want NAME, got nothing":                    nil,
		"no data folder: file does not exist; set":  {"locomo"},
		"files is empty":                            {"jsonl"},
		`unknown key "file"; did you mean "files"?`: {"jsonl", "--options", "{file: [x]}"},
		"have drop, abstain":                        {"sample", "--options", "{category5: keep}"},
	} {
		refused(t, want, append([]string{"data", "stats"}, args...)...)
	}
}

// TestDataStatsLocomo compares the counts of the release with counts that were
// made by a scan of the file with another program.
func TestDataStatsLocomo(t *testing.T) {
	dir := realdata.Datasets(t)
	got := decode[datasets.Counts](t, must(t, "data", "stats", "locomo", "--data", dir, "--json").stdout)
	data := try.Get(os.ReadFile(filepath.Join(dir, "locomo", "expected_stats.json")))(t)
	want := decode[datasets.Counts](t, data)
	var speakers struct {
		Detail []struct {
			A string `json:"speaker_a"`
			B string `json:"speaker_b"`
		} `json:"conversations_detail"`
	}
	try.Do(t, json.Unmarshal(data, &speakers))
	for i, s := range speakers.Detail {
		want.Detail[i].Speakers = []string{s.A, s.B}
	}
	// What the scan counted under other names is compared by the loader's test.
	want.Dataset, want.Version, want.Settings, want.Warnings = got.Dataset, got.Version, got.Settings, got.Warnings
	want.Abstain, want.References, want.Unproven = got.Abstain, got.References, got.Unproven
	try.Equal(t, "counts differ", want, got)
}

// files answers requests for the base name of a path from a folder.
type files string

func (dir files) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := os.ReadFile(filepath.Join(string(dir), path.Base(r.URL.Path)))
	status := http.StatusOK
	if err != nil {
		status = http.StatusNotFound
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: http.Header{},
		ContentLength: int64(len(data)), Body: io.NopCloser(bytes.NewReader(data)), Request: r,
	}, nil
}

// TestDataFetch fetches a dataset that comes in sizes and a local model, from a folder that
// stands for their server.
func TestDataFetch(t *testing.T) {
	check := alone(t)
	sum := sha256.Sum256([]byte("weights"))
	model := datasetsuite.OnHub("tiny", "somebody/tiny", "0123abcd", "MIT", []datasets.File{{Name: "onnx/model.onnx", Size: 7, SHA256: hex.EncodeToString(sum[:])}})
	if want := "https://huggingface.co/somebody/tiny/resolve/0123abcd/onnx/model.onnx"; model.Files[0].URL != want {
		t.Errorf("it is fetched from %s, want %s", model.Files[0].URL, want)
	}
	knownModels = append(knownModels, model)
	defer func() { knownModels = knownModels[:len(knownModels)-1] }()
	const id = "ce013625030ba8dba906f756967f9e9ca394464a" // of "hello\n"
	parts := &datasets.Spec{Name: "parts", License: "MIT", Files: []datasets.File{
		{Name: "small/f.json", URL: "https://example.org/f.json", GitBlob: id, Size: 6, Part: "small"},
		{Name: "large/f.json", URL: "https://example.org/f.json", GitBlob: id, Part: "large"},
	}}
	put(t, filepath.Join("server", "f.json"), []byte("hello\n"))
	put(t, filepath.Join("server", "model.onnx"), []byte("weights"))
	put(t, filepath.Join("bad", "f.json"), []byte("hello!"))
	put(t, filepath.Join("bad", "model.onnx"), []byte("<html>"))
	fetched := func(s *datasets.Spec, server string, sizes ...string) (out string, code int) {
		var stdout, stderr bytes.Buffer
		a := &app{stdout: &stdout, stderr: &stderr, env: os.Getenv}
		err := a.fetchData(t.Context(), &fetch.Fetcher{Client: &http.Client{Transport: files(server)}}, "models", s, sizes)
		if err != nil {
			a.printError(err)
		}
		return filepath.ToSlash(stdout.String() + stderr.String()), exitCode(err)
	}
	for _, c := range []struct {
		of     *datasets.Spec
		server string
		sizes  []string
		code   int
		want   string
	}{
		{parts, "nowhere", nil, exitUnavailable, "Not Found"},
		{parts, "bad", []string{"large"}, exitFingerprint, "want git blob " + id},
		{model, "bad", nil, exitUnavailable, "the server has 6 bytes, want 7"},
		{parts, "server", nil, exitOK, "small/f.json: fetched, git blob as pinned"},
		{parts, "server", []string{"small", "large"}, exitOK, "small/f.json: present already, git blob as pinned\nmodels/parts/large/f.json: fetched"},
		{model, "server", nil, exitOK, "onnx/model.onnx: fetched, 7 bytes, SHA-256 as pinned"},
		{model, "nowhere", nil, exitOK, "present already"},
	} {
		out, code := fetched(c.of, c.server, c.sizes...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s from %s: exit %d, want %d and %q\n%s", c.of.Name, c.server, code, c.code, c.want, out)
		}
		if c.of == model && c.server == "server" {
			check("models_fetch.txt", out)
		}
	}
	put(t, filepath.Join("models", "tiny", "onnx", "model.onnx"), []byte("WEIGHTS"))
	if out, code := fetched(model, "server"); code != exitFingerprint {
		t.Errorf("another file: exit %d\n%s", code, out)
	}
	if got := must(t, "data", "fetch", "sample", "jsonl").stdout; strings.Count(got, "nothing to fetch") != 2 {
		t.Errorf("what needs no download: %s", got)
	}
	refused(t, `did you mean "minilm"`, "data", "fetch", "minilmm")
	refused(t, `beam: unknown size "2M"`, "data", "fetch", "beam", "--size", "2M")
	for _, m := range knownModels { // the pins can be right
		for _, f := range m.Files {
			if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != sha256.Size || f.Size <= 0 || !filepath.IsLocal(f.Name) || !strings.HasSuffix(f.URL, "/"+f.Name) {
				t.Errorf("%s: %+v", m.Name, f)
			}
		}
	}
}

// TestFetchedData has what bench data lists, verifies and counts in the real files.
func TestFetchedData(t *testing.T) {
	longtest.Skip(t)
	dir := realdata.Datasets(t)
	list, _, _ := strings.Cut(must(t, "data", "list", "--data", dir).stdout, "\n\n")
	golden.Check(t, "data_list.txt", list+"\n")
	golden.Check(t, "data_errata_locomo-audit.txt", must(t, "data", "errata", "locomo-audit", "--data", dir).stdout)
	for _, name := range []string{"locomo", "multiwoz-long", "dialogre-l"} {
		golden.Check(t, "data_stats_"+name+".txt", must(t, "data", "stats", name, "--data", dir).stdout)
	}
	got := must(t, "data", "verify", "beam", "--data", dir)
	var good, missing int
	_, counts, _ := strings.Cut(got.stdout, ": ")
	if n, err := fmt.Sscanf(counts, "%d of 336 files as published, %d missing", &good, &missing); n != 2 || good < 70 || good+missing != 336 {
		t.Errorf("%d files are as published, %d missing, %v:\n%s", good, missing, err, got.stdout)
	}
}

// TestDataManual loads what docs/data.md shows of own data, suites and errata.
func TestDataManual(t *testing.T) {
	manual := read(t, "../../docs/data.md")
	t.Chdir(t.TempDir())
	shown := func(after, fence string) string {
		t.Helper()
		_, rest, _ := strings.Cut(manual, after)
		return fenced(t, rest, fence)
	}
	example := shown("<!-- own errata -->", "```json\n")
	put(t, "chat.jsonl", []byte(shown("", "```jsonl\n")))
	put(t, "questions.jsonl", []byte("\n"))
	put(t, "mine.jsonl", []byte(example))
	put(t, "suites/shelf/single.yaml", []byte(shown("<!-- own suite -->", "```yaml\n")))
	put(t, "suites/shelf/tree.xml", []byte(`<Shelf id="s"><Book id="b1" title="Salt Roads" pages="310" lent="no"/><Book id="b2" title="Low Tide" pages="120" lent="no"/></Shelf>`))
	for want, args := range map[string][]string{
		"questions         3\n":    {"stats", "jsonl", "--options", "{files: [chat.jsonl, questions.jsonl]}"},
		"2, 2 of them judged":      {"stats", "tasks", "--options", "{dir: suites}"},
		"matched                2": {"errata", "mine.jsonl"},
	} {
		has(t, "the example", must(t, append([]string{"data"}, args...)...).stdout, want)
	}
	for _, after := range []string{"Questions may stand anywhere", "### Suites of your own"} {
		if _, err := config.Parse("data.md", []byte(shown(after, "```yaml\n")), suite.Plugins()); err != nil {
			t.Errorf("the run file after %q: %v", after, err)
		}
	}
	// The fault that it shows: an entry with the text of another question.
	put(t, "mine.jsonl", []byte(strings.Replace(strings.Replace(example, `"nadia-owen/q1"`, `"nadia-owen/q3"`, 1), `"nadia-owen/q2"`, `"nadia-owen/q1"`, 1)))
	got := strings.TrimSpace(run(t, "data", "errata", "mine.jsonl").stderr)
	if _, last, _ := strings.Cut(got, "\n"); last == "" || !strings.Contains(manual, strings.TrimPrefix(last, "bench: ")) {
		t.Errorf("the manual does not show the last fault:\n%s", got)
	}
}

// part puts text between the marks of a part.
func part(t *testing.T, doc, name, text string) string {
	t.Helper()
	head, rest, ok := strings.Cut(doc, "<!-- "+name+" -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- end of "+name+" -->\n")
	if !ok || !ok2 {
		t.Fatalf("there is no part %s", name)
	}
	return head + "<!-- " + name + " -->\n" + text + "<!-- end of " + name + " -->\n" + tail
}

// fenced returns the first block after a fence.
func fenced(t *testing.T, doc, fence string) string {
	t.Helper()
	_, rest, ok := strings.Cut(doc, fence)
	block, _, ok2 := strings.Cut(rest, "```")
	if !ok || !ok2 {
		t.Fatalf("there is no block %q", fence)
	}
	return block
}

// TestRecordedAnswersUnderKeys scores the recorded answers of the audit under each
// key, and wants the means and the counts of accepted answers that another program
// worked out.
func TestRecordedAnswersUnderKeys(t *testing.T) {
	longtest.SkipRace(t)
	longtest.Skip(t)
	dir, folder := realdata.Datasets(t), t.TempDir()
	files := make(map[string]*strings.Builder)
	accepted := make(map[string]bool) // by system and id, whether most of the three recorded votes accept the answer
	for line := range strings.Lines(read(t, filepath.Join(dir, "locomo-audit", "model_answers.jsonl"))) {
		a := decode[struct {
			System, ID, Answer string
			Category           int
			Votes              []bool
		}](t, line)
		if files[a.System] == nil {
			files[a.System] = new(strings.Builder)
		}
		try.Do(t, json.NewEncoder(files[a.System]).Encode(map[string]any{"id": a.ID, "category": a.Category, "prediction": a.Answer}))
		for i, right := range a.Votes {
			for _, other := range a.Votes[:i] {
				accepted[a.System+" "+a.ID] = accepted[a.System+" "+a.ID] || right && other
			}
		}
	}
	out := filepath.Join(folder, "run")
	args := []string{"import", "--from", "jsonl", "--dataset", "locomo", "--metrics", "f1@mem0", "--out", out, "--data", dir}
	for system, text := range files {
		args = append(args, filepath.Join(folder, system+".jsonl"))
		put(t, args[len(args)-1], []byte(text.String()))
	}
	must(t, args...)
	must(t, "score", out, "--errata", "locomo-audit", "--data", dir)

	want := decode[struct {
		Scores map[errata.Key]map[string]map[string]struct {
			N        int
			F1       float64 `json:"f1@mem0"`
			Majority int
		} `json:"scores_by_key"`
	}](t, read(t, filepath.Join(dir, "locomo-audit", "expected_stats.json")))
	header := try.Get(record.ReadHeader(out))(t)
	systems := make(map[string]string)
	for _, c := range header.Cells {
		systems[c.ID] = c.Method
	}
	type sums struct {
		n, majority int
		f1          float64
	}
	all := make(map[string]sums) // by key, system and category
	for _, key := range errata.Keys() {
		for s := range try.Each(t, record.ScoresUnder(record.Folder(out), header, key)) {
			if s.Out != (s.Values["f1@mem0"] == nil) {
				t.Fatalf("%s of %s under %s: left out %v, f1@mem0 %v", s.Request, s.Sample, key, s.Out, s.Values["f1@mem0"])
			}
			for _, category := range []string{s.Category, "all"} {
				at := fmt.Sprint(key, " ", systems[s.Cell], " ", category)
				if of := all[at]; !s.Out {
					of.n++
					of.f1 += *s.Values["f1@mem0"]
					if accepted[systems[s.Cell]+" "+s.Sample+"/"+s.Request] {
						of.majority++
					}
					all[at] = of
				}
			}
		}
		for system := range files {
			for category, want := range want.Scores[key][system] {
				of := all[fmt.Sprint(key, " ", system, " ", category)]
				if of.n != want.N || of.majority != want.Majority || math.Abs(100*of.f1/float64(of.n)-want.F1) > 1e-4 {
					t.Errorf("%s, %s, category %s: got %+v, want %+v", key, system, category, of, want)
				}
			}
		}
	}
	for system := range files {
		lenient, published := all["lenient "+system+" all"], all["published "+system+" all"]
		if lenient.n != published.n || lenient.f1 <= published.f1 {
			t.Errorf("%s: lenient %+v, want the questions of published %+v and more", system, lenient, published)
		}
	}
	// The rows whose order changes are named, with their means.
	table := must(t, "table", out, "--keys").stdout
	if !strings.Contains(table, "ap-v1 over fc-gpt-4o-mini-cot under published (21.95, 21.54)") || !strings.Contains(table, "fc-gpt-4o-mini-cot over ap-v1 under excluded (21.93, 21.90)") || strings.Contains(table, "under corrected (") {
		t.Errorf("the table does not name the rows whose order changes:\n%s", table)
	}
}

// overlay writes errata of the embedded sample, an entry for each of its first questions, and
// returns their path.
func overlay(t *testing.T, golds []record.Gold, entries ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"errata":"recallbench-errata/1","name":"mine","dataset":"sample","license":"CC0-1.0","source":"https://example.org"}` + "\n")
	for i, more := range entries {
		fmt.Fprintf(&b, `{"id":"%s/%s","question":%s,%s}`+"\n", golds[i].Sample, golds[i].Request, try.Get(json.Marshal(golds[i].Question))(t), more)
	}
	return write(t, "mine.jsonl", b.String())
}

// corrects, excludes and moves are entries of errata.
const (
	corrects = `"action":"correct","answers":["no such answer"]`
	excludes = `"action":"exclude"`
	moves    = `"action":"evidence","evidence":["D8:1"]`
)

// erratumRun asks the sample with more of its entry, and returns the run and its golds.
func erratumRun(t *testing.T, more string) (dir string, golds []record.Gold, stdout string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	stdout = must(t, "run", erratumConfig(t, more), "--out", dir, "--display", "none").stdout
	for g := range try.Each(t, record.Values[record.Gold](record.Folder(dir).Gold("sample"))) {
		golds = append(golds, g)
	}
	return dir, golds, stdout
}

func erratumConfig(t *testing.T, more string) string {
	t.Helper()
	return write(t, "run.yaml", "datasets: [{use: sample"+more+"}]\nmethods: [{use: flat-rag, options: {k: 5}}]\nmetrics: [f1@mem0, evidence-recall, tokens]\n")
}

// valuesUnder returns the values of a run by request, under a key or, if it is empty, the one
// that counts.
func valuesUnder(t *testing.T, dir string, key errata.Key) map[string]map[string]*float64 {
	t.Helper()
	header := try.Get(record.ReadHeader(dir))(t)
	scores := record.Scores(record.Folder(dir), header)
	if key != "" {
		scores = record.ScoresUnder(record.Folder(dir), header, key)
	}
	all := make(map[string]map[string]*float64)
	for s := range try.Each(t, scores) {
		all[s.Request] = s.Values
	}
	return all
}

// TestRunWithErrata wants the same records as without them, values that differ by the
// key where an entry is, and the run of before when they are taken away.
func TestRunWithErrata(t *testing.T) {
	longtest.SkipRace(t)
	plain, golds, _ := erratumRun(t, "")
	mine := overlay(t, golds, corrects, excludes, moves)
	keyed, _, screen := erratumRun(t, ", errata: ["+mine+"], answer_key: corrected")
	printed := must(t, "table", keyed).stdout
	if want := "answer key corrected by mine ("; !strings.Contains(screen, want) || !strings.Contains(printed, want) || !strings.Contains(printed, "leaves out 1 of 55 questions") {
		t.Errorf("the tables do not say %q:\n%s", want, printed)
	}
	before, after := recorded(t, plain), recorded(t, keyed)
	delete(before, "scores.jsonl")
	delete(after, "scores.jsonl")
	try.Equal(t, "records", before, after)
	published, excluded, corrected := valuesUnder(t, keyed, errata.Published), valuesUnder(t, keyed, errata.Excluded), valuesUnder(t, keyed, errata.Corrected)
	try.Equal(t, "values under the published key", valuesUnder(t, plain, ""), published)
	try.Equal(t, "the key that counts", corrected, valuesUnder(t, keyed, ""))
	zero := func(x *float64) bool { return x != nil && *x == 0 }
	for what, ok := range map[string]bool{
		"q0 is out of the excluded key":              excluded["q0"]["f1@mem0"] == nil && excluded["q0"]["evidence-recall"] == nil,
		"q0 has another answer in the corrected key": zero(corrected["q0"]["f1@mem0"]) && !zero(published["q0"]["f1@mem0"]),
		"q1 is out of both":                          excluded["q1"]["f1@mem0"] == nil && corrected["q1"]["f1@mem0"] == nil && published["q1"]["f1@mem0"] != nil,
		"what was used is counted all the same":      excluded["q1"]["tokens-query"] != nil,
		"q2 has other evidence":                      zero(published["q2"]["evidence-recall"]) && *excluded["q2"]["evidence-recall"] == 1 && *corrected["q2"]["evidence-recall"] == 1,
		"q2 has the same answer":                     cmp.Equal(published["q2"]["f1@mem0"], excluded["q2"]["f1@mem0"]),
		"q3 is the same":                             cmp.Equal(published["q3"], excluded["q3"]) && cmp.Equal(published["q3"], corrected["q3"]),
	} {
		if !ok {
			t.Errorf("not so: %s", what)
		}
	}
	has(t, "compare does not name the answer keys", must(t, "compare", plain, keyed).stdout, "rows differ in key: published (")
	doc := decode[report.Document](t, must(t, "table", keyed, "--keys", "--format", "json").stdout)
	if len(doc.Tables) != 3 || doc.Tables[0].Name != "sample, answer keys" || doc.Tables[2].Name != "sample by key: evidence-recall" {
		t.Errorf("got %d tables", len(doc.Tables))
	}
	must(t, "runs", "verify", keyed)
	must(t, "resume", keyed)
	must(t, "score", keyed, "--errata", "none")
	if read(t, filepath.Join(keyed, "scores.jsonl")) != read(t, filepath.Join(plain, "scores.jsonl")) {
		t.Error("scores are not as without errata")
	}
	must(t, "resume", keyed)
	must(t, "runs", "verify", keyed)
}

// TestShardsWithErrata wants of two shards the scores of one run.
func TestShardsWithErrata(t *testing.T) {
	longtest.SkipRace(t)
	dir := realdata.Datasets(t)
	file := write(t, "run.yaml", "datasets: [{use: locomo, errata: [locomo-audit], options: {categories: [3], conversations: [conv-42, conv-43]}}]\nmethods: [{use: stateless}]\nmetrics: [f1@mem0]\n")
	whole, shards, joined := inShards(t, 2, file, "--data", dir)
	for _, name := range []string{"scores.jsonl", filepath.Join("gold", "locomo.errata.jsonl")} {
		if one := read(t, filepath.Join(whole, name)); one == "" || one != read(t, filepath.Join(joined, name)) {
			t.Errorf("%s of the merged run is not that of one run", name)
		}
	}
	must(t, "score", shards[1], "--key", "corrected")
	refused(t, "another answer key", "resume", "--out", filepath.Join(t.TempDir(), "other"), shards[0], shards[1])
}

// TestErrataFaults wants faults named, and leaves the run as it was; an option passes over
// stale entries, and stands in the name of the key.
func TestErrataFaults(t *testing.T) {
	plain, golds, _ := erratumRun(t, "")
	mine := overlay(t, golds, corrects, excludes, moves)
	wrong := write(t, "wrong.jsonl", strings.NewReplacer("/q0", "/q999", golds[1].Question, "What else?").Replace(read(t, mine)))
	fault := wrong + ":3: " + golds[1].Sample + "/q1: the question reads"
	for _, c := range []struct {
		want string
		args []string
	}{
		{fault, []string{"run", erratumConfig(t, ", errata: ["+wrong+"]"), "--out", filepath.Join(t.TempDir(), "new")}},
		{fault, []string{"data", "errata", wrong}},
		{fault, []string{"score", plain, "--errata", wrong}},
		{`unknown errata "lokomo-audit"; did you mean "locomo-audit"?`, []string{"score", plain, "--errata", "lokomo-audit"}},
		{"the run has no errata", []string{"score", plain, "--key", "corrected"}},
		{`did you mean "corrected"?`, []string{"score", plain, "--errata", mine, "--key", "correct"}},
		{"errata mine is listed twice", []string{"score", plain, "--errata", mine + "," + mine}},
		{`stale: unknown value "apply"`, []string{"score", plain, "--errata", mine, "--options", "{stale: apply}"}},
		{"nothing to print", []string{"table", plain, "--keys"}},
		{"errata are about answers", []string{"run", write(t, "tasks.yaml", "datasets: [{use: tasks, errata: ["+mine+"]}]\nmethods: [{use: in-context}]\n"), "--out", filepath.Join(t.TempDir(), "new")}},
	} {
		refused(t, c.want, c.args...)
	}
	must(t, "runs", "verify", plain)
	stale := overlay(t, golds, `"gold":"another","action":"premise"`)
	must(t, "score", plain, "--errata", stale, "--key", "corrected", "--options", "{stale: skip}")
	if by := header(t, plain).Datasets[0].AnswerKey(); !strings.HasSuffix(by, "with stale skip") || valuesUnder(t, plain, "")["q0"]["f1@mem0"] == nil {
		t.Errorf("the key is %s, or a stale entry counts", by)
	}
}

// TestJudgeWithErrata wants a judge to be told what the selected key accepts, and to be
// asked again only where that differs from what it was told before.
func TestJudgeWithErrata(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	s := modelserver.New(t, modelserver.Options{Observe: func(_ *http.Request, body []byte) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, string(body))
	}})
	dir, golds, _ := erratumRun(t, "")
	mine := overlay(t, golds, corrects, `"action":"also","answers":["nor this one"]`, moves)
	judge := judgeArgs(dir, liveModel(t, s, ""))
	judged := func() map[string]map[string]*float64 {
		all := valuesUnder(t, dir, "")
		for request, values := range all {
			all[request] = map[string]*float64{"judge": values["judge"]}
		}
		return all
	}
	calls := func() []string {
		asked = nil
		must(t, judge...)
		return asked
	}
	if n := len(calls()); n == 0 || n > len(golds) {
		t.Fatalf("%d calls for %d answers", n, len(golds))
	}
	before := judged()
	must(t, "score", dir, "--errata", mine, "--key", "corrected")
	if all := judged(); all["q0"]["judge"] != nil || all["q1"]["judge"] != nil {
		t.Error("there are values that the judge gave by the published answer")
	}
	again := strings.Join(calls(), "\n")
	if n := len(asked); n != 2 || !strings.Contains(again, "no such answer") || !strings.Contains(again, "any one of these is right: "+golds[1].Answer+"; nor this one") {
		t.Errorf("%d calls, want two that tell the accepted answers:\n%s", n, again)
	}
	if all := judged(); all["q0"]["judge"] == nil || all["q1"]["judge"] == nil {
		t.Error("there are no values after the judge was told the right answers")
	}
	must(t, "score", dir, "--key", "published")
	if n := len(calls()); n != 0 {
		t.Errorf("%d calls under the key of before, want none", n)
	}
	try.Equal(t, "values under the published key", before, judged())
}
