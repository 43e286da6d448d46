package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
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
func put(t *testing.T, name string, data []byte) {
	t.Helper()
	try.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
	try.Do(t, os.WriteFile(name, data, 0o644))
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
	if got := must(t, "data", "verify").stdout; !strings.Contains(got, "none") {
		t.Errorf("without a data folder: %s", got)
	}
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
	if got := must(t, "data", "stats", "jsonl", "--options", "{files: [chat.jsonl, questions.jsonl]}").stdout; !strings.Contains(got, "1  evidence names a turn twice; counted once") {
		t.Errorf("the flaw of the data is not told:\n%s", got)
	}
	for want, args := range map[string][]string{
		"want NAME, got nothing":                    nil,
		"there is no data folder":                   {"locomo"},
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
	model := pinnedOnHub("tiny", "somebody/tiny", "0123abcd", "MIT", []datasets.File{{Name: "onnx/model.onnx", Size: 7, SHA256: hex.EncodeToString(sum[:])}})
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
		if got := must(t, append([]string{"data"}, args...)...).stdout; !strings.Contains(got, want) {
			t.Errorf("the example has not %q:\n%s", want, got)
		}
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
