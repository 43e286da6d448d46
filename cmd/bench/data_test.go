package main

import (
	"bytes"
	"encoding/json"
	"errors"
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
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/testkit/golden"
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

func TestDataList(t *testing.T) {
	alone(t)
	states := func() map[string]string {
		all := make(map[string]string)
		for line := range strings.Lines(must(t, "data", "list").stdout) {
			if fields := regexp.MustCompile(" {2,}").Split(line, -1); len(fields) == 4 && fields[0] != "NAME" {
				all[fields[0]] = fields[2]
			}
		}
		return all
	}
	if got := states(); got["locomo"] != "missing" || got["sample"] != "embedded" || got["jsonl"] != "your files" || got["multiwoz-long"] != "your files" || len(got) != len(datasetsuite.All()) {
		t.Errorf("without a data folder: %v", got)
	}
	put(t, filepath.Join("data", "locomo", "locomo10.json"), []byte("[]"))
	if got := states()["locomo"]; got != "another size" {
		t.Errorf("another file is %q", got)
	}
	try.Do(t, os.Truncate(filepath.Join("data", "locomo", "locomo10.json"), 2805274))
	if got := must(t, "data", "list").stdout; !strings.Contains(got, "present") {
		t.Errorf("a file of the right size is not present:\n%s", got)
	}
	if got := run(t, "data", "list", "--data", "nowhere"); got.code != exitUsage || !strings.Contains(got.stderr, "--data") {
		t.Errorf("exit %d, stderr %q", got.code, got.stderr)
	}
}

func TestDataVerify(t *testing.T) {
	alone(t)
	if got := must(t, "data", "verify").stdout; !strings.Contains(got, "none") {
		t.Errorf("without a data folder: %s", got)
	}
	if got := run(t, "data", "verify", "locomo"); got.code != exitUsage || !strings.Contains(got.stderr, "'bench data fetch locomo' makes one") {
		t.Errorf("no folder: exit %d, stderr %q", got.code, got.stderr)
	}
	put(t, filepath.Join("data", "other", "file"), nil)
	got := run(t, "data", "verify", "locomo", "sample")
	if got.code != exitUsage || !strings.Contains(got.stdout, "0 of 2 files as published, 2 missing") || !strings.Contains(got.stderr, "'bench data fetch locomo' gets the rest") {
		t.Errorf("no file: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	put(t, filepath.Join("data", "locomo", "locomo10.json"), []byte("[]"))
	got = run(t, "data", "verify")
	if got.code != exitFingerprint || !strings.Contains(got.stderr, "locomo10.json") {
		t.Errorf("another file: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	if got := run(t, "data", "verify", "locom"); got.code != exitUsage || !strings.Contains(got.stderr, `did you mean "locomo"?`) {
		t.Errorf("unknown name: exit %d, stderr %q", got.code, got.stderr)
	}
}

func TestDataStats(t *testing.T) {
	check := alone(t)
	check("data_stats_sample.txt", must(t, "data", "stats", "sample").stdout)

	put(t, "chat.jsonl", []byte(`{"type":"turn","sample":"s","session":1,"id":"a","speaker":"A","text":"Hi"}`))
	put(t, "questions.jsonl", []byte(`{"type":"question","sample":"s","question":"Who?","answer":"A","evidence":["a","a"]}`))
	const files = "{files: [chat.jsonl, questions.jsonl]}"
	if got := must(t, "data", "stats", "jsonl", "--options", files).stdout; !strings.Contains(got, "1  evidence names a turn twice; counted once") {
		t.Errorf("the flaw of the data is not told:\n%s", got)
	}

	fails := func(want string, args ...string) {
		t.Helper()
		got := run(t, append([]string{"data", "stats"}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("%v: exit %d, stderr %q, want %q", args, got.code, got.stderr, want)
		}
	}
	fails("want NAME, got nothing")
	fails("there is no data folder", "locomo")
	fails("files is empty", "jsonl")
	fails(`unknown key "file"; did you mean "files"?`, "jsonl", "--options", "{file: [x]}")
	fails("have drop, abstain", "sample", "--options", "{category5: keep}")
	fails("none.jsonl: no such file", "jsonl", "--options", "{files: [none.jsonl]}")
}

// TestDataStatsLocomo compares the counts of the release with counts that were
// made by a scan of the file with another program.
func TestDataStatsLocomo(t *testing.T) {
	dir := realdata.Datasets(t)
	got := decode[counts](t, must(t, "data", "stats", "locomo", "--data", dir, "--json").stdout)
	data := try.Get(os.ReadFile(filepath.Join(dir, "locomo", "expected_stats.json")))(t)
	want := decode[counts](t, data)
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

// fetched downloads a dataset from a folder that stands for its server.
func fetched(t *testing.T, s *datasets.Spec, server string, sizes ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, env: os.Getenv}
	err := a.fetchData(t.Context(), &fetch.Fetcher{Client: &http.Client{Transport: files(server)}}, "data", s, sizes)
	if err != nil && !errors.Is(err, errSilent) {
		a.printError(err)
	}
	return ran{filepath.ToSlash(stdout.String()), filepath.ToSlash(stderr.String()), exitCode(err)}
}

func locomoSpec(t *testing.T) *datasets.Spec {
	t.Helper()
	for _, s := range datasetsuite.All() {
		if s.Name == "locomo" {
			return s
		}
	}
	t.Fatal("there is no locomo")
	return nil
}

// TestDataFetch fetches LoCoMo from a server that has the published files, and
// finds it.
func TestDataFetch(t *testing.T) {
	server := try.Get(filepath.Abs(filepath.Join(realdata.Datasets(t), "locomo")))(t)
	alone(t)
	got := fetched(t, locomoSpec(t), server)
	if got.code != exitOK || strings.Count(got.stdout+got.stderr, "SHA-256 as pinned") != 2 || !strings.Contains(got.stdout+got.stderr, "CC-BY-NC-4.0") {
		t.Fatalf("exit %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := fetched(t, locomoSpec(t), "/nowhere"); got.code != exitOK || !strings.Contains(got.stdout, "present already") {
		t.Errorf("a second time: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	must(t, "data", "verify", "locomo")
	must(t, "data", "stats", "locomo")
}

func TestDataFetchFails(t *testing.T) {
	alone(t)
	put(t, filepath.Join("bad", "locomo10.json"), []byte("<html>"))
	if got := fetched(t, locomoSpec(t), "bad"); got.code != exitUnavailable || !strings.Contains(got.stderr, "the server has 6 bytes, want 2805274") {
		t.Errorf("a page instead: exit %d, stderr %q", got.code, got.stderr)
	}
	if got := fetched(t, locomoSpec(t), "nowhere"); got.code != exitUnavailable || !strings.Contains(got.stderr, "Not Found") {
		t.Errorf("404: exit %d, stderr %q", got.code, got.stderr)
	}
	try.Do(t, os.Truncate(filepath.Join("bad", "locomo10.json"), 2805274))
	got := fetched(t, locomoSpec(t), "bad")
	if got.code != exitFingerprint || !strings.Contains(got.stderr, "want SHA-256 79fa87e9") {
		t.Errorf("another file: exit %d, stderr %q", got.code, got.stderr)
	}
	if entries, err := os.ReadDir(filepath.Join("data", "locomo")); err != nil || len(entries) > 0 {
		t.Errorf("after the failures there is %v, error %v", entries, err)
	}
	if got := must(t, "data", "fetch", "sample", "jsonl").stdout; strings.Count(got, "nothing to fetch") != 2 {
		t.Errorf("what needs no download: %s", got)
	}
	if got := run(t, "data", "fetch"); got.code != exitUsage {
		t.Errorf("no name: exit %d", got.code)
	}
}

// TestDataFetchSizes fetches a dataset that comes in sizes and is pinned by ids in git.
func TestDataFetchSizes(t *testing.T) {
	alone(t)
	const id = "ce013625030ba8dba906f756967f9e9ca394464a" // of "hello\n"
	s := &datasets.Spec{Name: "parts", License: "MIT", Files: []datasets.File{
		{Name: "small/f.json", URL: "https://example.org/f.json", GitBlob: id, Size: 6, Part: "small"},
		{Name: "large/f.json", URL: "https://example.org/f.json", GitBlob: id, Part: "large"},
	}}
	put(t, filepath.Join("server", "f.json"), []byte("hello\n"))
	put(t, filepath.Join("bad", "f.json"), []byte("hello!"))
	if got := fetched(t, s, "bad", "large"); got.code != exitFingerprint || !strings.Contains(got.stderr, "want git blob "+id) {
		t.Errorf("another file: exit %d, %s", got.code, got.stderr)
	}
	if got := fetched(t, s, "server"); got.code != exitOK || !strings.Contains(got.stdout, "small/f.json: fetched, git blob as pinned") || strings.Contains(got.stdout, "large") {
		t.Errorf("the first size: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	if got := fetched(t, s, "server", "small", "large"); got.code != exitOK || !strings.Contains(got.stdout, "small/f.json: present already") || !strings.Contains(got.stdout, "large/f.json: fetched") {
		t.Errorf("both: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	if got := run(t, "data", "fetch", "beam", "--size", "2M"); got.code != exitUsage || !strings.Contains(got.stderr, `beam: unknown size "2M"`) {
		t.Errorf("a size that is not there: exit %d, %s", got.code, got.stderr)
	}
}

// TestDataVerifyBEAM compares the files of BEAM that are there with their ids in git.
func TestDataVerifyBEAM(t *testing.T) {
	got := must(t, "data", "verify", "beam", "--data", realdata.Datasets(t))
	var good, missing int
	_, counts, _ := strings.Cut(got.stdout, ": ")
	if n, err := fmt.Sscanf(counts, "%d of 336 files as published, %d missing", &good, &missing); n != 2 || good < 70 || good+missing != 336 {
		t.Errorf("%d files are as published, %d missing, %v:\n%s", good, missing, err, got.stdout)
	}
}

func TestFetchDir(t *testing.T) {
	none := func(string) string { return "" }
	env := func(string) string { return "env" }
	for _, c := range []struct {
		flag string
		env  func(string) string
		want string
	}{{"flag", env, "flag"}, {"", env, "env"}, {"", none, "data"}} {
		if got := fetchDir(c.flag, c.env); got != c.want {
			t.Errorf("fetchDir(%q, %q) is %q, want %q", c.flag, c.env(""), got, c.want)
		}
	}
}
