package main

import (
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

func TestReport(t *testing.T) {
	dir := smallRun(t)
	file := filepath.Join(dir, "report.html")
	if got := must(t, "report", dir).stdout; got != file+"\n" {
		t.Errorf("bench report prints %q, want the file's path", got)
	}
	first := try.Get(os.ReadFile(file))(t)
	for want, part := range map[string]string{
		`"judging":{"by":"","column":"f1@mem0"}`: "index", "Naive RAG": "overview", "stand-in: no language model": "tables", "f1@mem0 by category": "tables", `"config":`: "settings", `"svg":`: "figures",
	} {
		if !strings.Contains(reportPart(t, first, part), want) {
			t.Errorf("the part %s has no %q", part, want)
		}
	}
	if want := "<title>small</title>"; !strings.Contains(string(first), want) {
		t.Errorf("the page has no %q", want)
	}
	must(t, "report", dir)
	if again, err := os.ReadFile(file); err != nil || string(again) != string(first) {
		t.Errorf("the same run gives another page the second time (%v)", err)
	}

	out := filepath.Join(t.TempDir(), "page.html")
	must(t, "report", dir, "--out", out, "--anonymous")
	page := try.Get(os.ReadFile(out))(t)
	for _, bad := range []string{`"config":`, `"argv"`} {
		if strings.Contains(reportPart(t, page, "settings"), bad) {
			t.Errorf("the settings have %q", bad)
		}
	}

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{dir, dir}, "several runs need --out"},
		{[]string{dir, dir, "--out", out}, dir + " is named twice"},
		{[]string{dir, "--column", "f1@mem0"}, "no column decides which answers are right"},
		{[]string{t.TempDir()}, "is not a run folder"},
	} {
		r := run(t, append([]string{"report"}, c.args...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.want) {
			t.Errorf("bench report %v: exit %d, want 2 and %q:\n%s", c.args, r.code, c.want, r.stderr)
		}
	}
}

// reportPart inflates a data element of a report.
func reportPart(t *testing.T, page []byte, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(string(page), `id="_`+name+`">`)
	text, _, _ := strings.Cut(rest, "</script>")
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		t.Fatalf("part %s: %v", name, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("part %s: %v", name, err)
	}
	return string(data)
}
