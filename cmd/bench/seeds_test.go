package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/publish/report"
	"recallbench/internal/testkit/modelserver"
)

// A run with several seeds holds what the runs with each of them hold, its
// table has one row for each method, and the config in its folder repeats it.
func TestSeeds(t *testing.T) {
	config := write(t, "small.yaml", strings.Replace(smallConfig, "seed: 1\n", "", 1))
	all := filepath.Join(t.TempDir(), "all")
	r := must(t, "run", config, "--set", "seeds=[1, 2, 3]", "--out", all, "--display", "plain", "--limit", "6")
	for _, want := range []string{"means over 3 seeds", "sample: 6 questions about 1 conversation"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the screen lacks %q:\n%s", want, r.stdout)
		}
	}
	if !strings.Contains(r.stderr, "36/36 questions") {
		t.Errorf("progress is\n%s", r.stderr)
	}
	want := make(map[string]string)
	for _, seed := range []string{"1", "2", "3"} {
		one := filepath.Join(t.TempDir(), "one")
		must(t, "run", config, "--set", "seed="+seed, "--out", one, "--display", "none", "--limit", "6")
		for name, text := range recorded(t, one) {
			want[name] += text
		}
	}
	if diff := cmp.Diff(want, recorded(t, all)); diff != "" {
		t.Errorf("three seeds in a run differ from three runs (-runs +seeds):\n%s", diff)
	}
	again := filepath.Join(t.TempDir(), "again")
	must(t, "run", filepath.Join(all, "config.yaml"), "--out", again, "--display", "none")
	if diff := cmp.Diff(recorded(t, all), recorded(t, again)); diff != "" {
		t.Errorf("its config does not repeat the run (-first +again):\n%s", diff)
	}
	must(t, "score", all, "--metrics", "f1@mem0,exact-match")
	doc := decode[report.Document](t, must(t, "table", all, "--seeds", "--format", "json").stdout)
	if rows := doc.Tables[0].Rows; len(rows) != 6 || doc.Tables[0].Columns[1].Name != "seed" {
		t.Errorf("--seeds prints %d rows, want one for each of 2 methods and 3 seeds", len(rows))
	}
	for args, want := range map[string]int{
		all + ":stateless":                           1,
		all + ":stateless@stand-in":                  1,
		all + ":stateless#2":                         1,
		all + ":stateless#1 " + all + ":stateless#3": 1,
	} {
		doc := decode[report.Document](t, must(t, append([]string{"table", "--format", "json"}, strings.Fields(args)...)...).stdout)
		if rows := doc.Tables[0].Rows; len(rows) != want {
			t.Errorf("table %s has %d rows, want %d", args, len(rows), want)
		}
	}
	for args, want := range map[string]string{
		all + ":nobody": `unknown method label "nobody"`,
		all + ":":       "no method label after the colon",
		all + ":stateless " + all + ":stateless#1": "named twice",
	} {
		if r := run(t, append([]string{"table"}, strings.Fields(args)...)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("table %s: exit %d: %s", args, r.code, r.stderr)
		}
	}
	both := write(t, "both.yaml", smallConfig+"seeds: [1, 2]\n")
	if r := run(t, "run", both); r.code != exitUsage || !strings.Contains(r.stderr, "seeds: seed is set") {
		t.Errorf("seed and seeds: exit %d: %s", r.code, r.stderr)
	}
}

// Each seed reaches the model, whose replies are recorded apart; the judge is
// asked about the answers of all seeds; an estimate counts all.
func TestSeedsLive(t *testing.T) {
	var mu sync.Mutex
	sent := make(map[int]int)
	s := modelserver.New(t, modelserver.Options{Observe: func(_ *http.Request, body []byte) {
		var req struct {
			Seed     *int
			Messages []any
		}
		if json.Unmarshal(body, &req) == nil && req.Seed != nil && len(req.Messages) > 0 {
			mu.Lock()
			sent[*req.Seed]++
			mu.Unlock()
		}
	}})
	config, model := questions(t, 2, 3, "seeds: [4, 5]\n"), liveModel(t, s, "")
	store := filepath.Join(t.TempDir(), "calls")
	if text := must(t, "run", config, "--plan", "--model", model, "--store", store).stdout; !strings.Contains(text, "12 questions in 2 cells") || !strings.Contains(text, "│ seed │") || !strings.Contains(text, "│ 5    │") {
		t.Errorf("the estimate is\n%s", text)
	}
	dir := filepath.Join(t.TempDir(), "run")
	for _, mode := range []string{"record", "replay"} {
		r := must(t, "run", config, "--model", model, "--calls", mode, "--store", store, "--out", dir+mode, "--display", "none")
		if n := strings.Count(r.stderr, "the tokenizer of test-model is unknown"); n != 1 {
			t.Errorf("a remark about the model is made %d times, want once:\n%s", n, r.stderr)
		}
	}
	if want := map[int]int{4: 6, 5: 6}; !cmp.Equal(want, sent) {
		t.Errorf("calls by seed: %v, want %v", sent, want)
	}
	h := header(t, dir+"record")
	if len(h.Cells) != 2 || h.Paid == nil || h.Paid.Calls != 12 {
		t.Errorf("%d cells, paid %+v; want 2 and 12 calls", len(h.Cells), h.Paid)
	}
	must(t, "judge", dir+"record", "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none")
	for name, js := range judgements(t, dir+"record") {
		if len(js) != 2 {
			t.Errorf("%s has %d judgements, want one for each seed", name, len(js))
		}
	}
	if text := must(t, "table", dir+"record").stdout; !strings.Contains(text, "over 2 seeds (4, 5)") {
		t.Errorf("the table is\n%s", text)
	}
}
