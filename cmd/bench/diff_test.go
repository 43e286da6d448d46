package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

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
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", config, "--out", dir, "--display", "none", "--limit", "30")
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
				Changed []scored.ID
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

	quick := filepath.Join(t.TempDir(), "run")
	must(t, "run", quickstart, "--out", quick, "--display", "none")
	doc := must(t, "diff", quick+":stateless", quick+":Flat RAG", "--limit", "1").stdout
	text := part(t, read(t, "../../docs/comparing.md"), "diff", "```\n"+strings.ReplaceAll(doc, quick, "run")+"```\n")
	golden.Check(t, "../../../docs/comparing.md", text)
}
