package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// chats writes a dataset of conversations, each longer than the one before.
func chats(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	things := []string{"a kite", "two loaves", "a red lamp", "an old map", "seven plums", "a canoe", "the blue coat", "a drum"}
	line := func(fields map[string]any) {
		data := try.Get(json.Marshal(fields))(t)
		b.Write(append(data, '\n'))
	}
	for i := range n {
		sample := fmt.Sprintf("chat %d", i)
		for j := range 2 + 3*i {
			line(map[string]any{
				"type": "turn", "sample": sample, "session": strconv.Itoa(j / 4), "time": fmt.Sprintf("2024-03-%02d", 1+j/4),
				"id": fmt.Sprint("t", j), "speaker": []string{"Ann", "Raj"}[j%2], "text": fmt.Sprintf("On day %d I bought %s.", j, things[(i+j)%len(things)]),
			})
		}
		for j := range 1 + i {
			line(map[string]any{
				"type": "question", "sample": sample, "question": fmt.Sprintf("What was bought on day %d?", j),
				"answer": things[(i+j)%len(things)], "evidence": []string{fmt.Sprint("t", j)},
			})
		}
	}
	return write(t, "chats.jsonl", b.String())
}

// allOf returns what is the same in a run and in its merged shards: every file but
// the header and locks, without times, and the header without what names the run.
func allOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := recorded(t, dir)
	for _, pattern := range []string{"config.yaml", "gold/*"} {
		files := try.Get(filepath.Glob(filepath.Join(dir, pattern)))(t)
		for _, path := range files {
			data := try.Get(os.ReadFile(path))(t)
			name := try.Get(filepath.Rel(dir, path))(t)
			all[name] = string(data)
		}
	}
	h := header(t, dir)
	h.Files, h.Scored = nil, nil // of files that have times in them
	h.ID, h.Argv, h.Start, h.End = "", nil, h.Start.UTC().Truncate(1<<62), h.End.Truncate(1<<62)
	data := try.Get(json.MarshalIndent(h, "", "  "))(t)
	all["run.json"] = string(data)
	all["table"] = strings.ReplaceAll(must(t, "table", dir, "--by", "category", "--format", "json").stdout, filepath.Base(dir), "RUN")
	return all
}

// Real methods on real data in shards: conversations of various lengths, trees, and
// dialogues that edit them.
func TestMerge(t *testing.T) {
	longtest.SkipRace(t)
	for _, tt := range []struct {
		name, config string
		n            int
	}{
		{"conversations", fmt.Sprintf(`
name: split
datasets: [{use: jsonl, label: chats, options: {files: [%s]}}, {use: jsonl, label: more chats, options: {files: [%s]}}]
methods: [{use: flat-rag, label: Naive RAG, options: {k: 5}}, {use: xmemory}]
metrics: [f1@mem0, evidence-recall, tokens]
`, chats(t, 7), chats(t, 3)), 4},
		{"trees", `
name: split
datasets: [{use: tasks, options: {turns: single, domains: [mealkit]}}, {use: tasks, label: dialogues, options: {turns: multi, domains: [todo]}}]
methods: [{use: semantic-xpath}]
metrics: [pass, tokens]
limits: {requests: 18}
`, 2},
		{"locomo", `
name: split
datasets: [{use: locomo}]
methods: [{use: stateless}]
metrics: [f1@mem0, tokens]
limits: {requests: 400}
`, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := t.TempDir()
			if tt.name == "locomo" {
				longtest.Skip(t)
				data = realdata.Datasets(t)
			}
			config, root := write(t, "split.yaml", tt.config), t.TempDir()
			one := filepath.Join(root, "whole")
			must(t, "run", config, "--data", data, "--out", one, "--display", "none")
			var dirs []string
			for i := tt.n; i >= 1; i-- {
				dir := filepath.Join(root, fmt.Sprint("shard-", i))
				must(t, "run", config, "--data", data, "--shard", fmt.Sprintf("%d/%d", i, tt.n), "--out", dir, "--display", "none")
				dirs = append(dirs, dir)
			}
			merged := filepath.Join(root, "merged")
			r := must(t, append([]string{"resume", "--out", merged}, dirs...)...)
			if !strings.Contains(r.stdout, "bench table "+merged) {
				t.Errorf("no tables:\n%s", r.stdout)
			}
			if diff := cmp.Diff(allOf(t, one), allOf(t, merged)); diff != "" {
				t.Errorf("(-whole +merged):\n%s", diff)
			}
		})
	}
}

// Shards that called models are paid together, and the merged run is judged as any other.
func TestMergeLive(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	config, model, root := questions(t, 5, 2, "name: live\n"), liveModel(t, s, ""), t.TempDir()
	var dirs []string
	for i, shard := range []string{"", "1/2", "2/2"} {
		dir := filepath.Join(root, fmt.Sprint("run-", i))
		must(t, "run", config, "--model", model, "--calls", "off", "--shard", shard, "--out", dir, "--display", "none")
		dirs = append(dirs, dir)
	}
	merged := filepath.Join(root, "merged")
	must(t, "resume", dirs[2], dirs[1], "--out", merged)
	calls := s.Stats().Arrived
	must(t, "resume", merged, "--calls", "off", "--display", "none")
	if h := header(t, merged); s.Stats().Arrived != calls || h.Paid == nil || h.Paid.Calls != 10 {
		t.Errorf("resuming a merged run made %d calls, want none; paid %+v", s.Stats().Arrived-calls, h.Paid)
	}
	for _, dir := range []string{dirs[0], merged} {
		must(t, "judge", dir, "--model", model, "--calls", "off", "--display", "none")
	}
	if diff := cmp.Diff(allOf(t, dirs[0]), allOf(t, merged)); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
}

// What is wrong with shards is said in full, and what a shard is in its tables.
func TestMergeFaults(t *testing.T) {
	config := write(t, "split.yaml", smallConfig+"limits: {requests: 9}\n")
	data := "datasets=[{use: jsonl, options: {files: [" + chats(t, 3) + "]}}]"
	var table string
	var b strings.Builder
	say := func(name string, r ran) {
		fmt.Fprintf(&b, "$ bench %s\n%s%sexit %d\n\n", name, r.stdout, r.stderr, r.code)
	}
	t.Run("run", func(t *testing.T) {
		t.Chdir(t.TempDir())
		for name, args := range map[string][]string{
			"one": {"--shard", "1/3"}, "two": {"--shard", "2/3"}, "again": {"--shard", "2/3"}, "all": nil,
			"half": {"--shard", "1/2"}, "other": {"--shard", "3/3", "--set", "metrics=[f1@mem0]", "--set", "seed=2"},
		} {
			must(t, append([]string{"run", config, "--set", data, "--display", "none", "--out", name}, args...)...)
		}
		table = must(t, "table", "two", "--columns", "f1@mem0").stdout
		if e := must(t, "run", config, "--plan", "--set", data, "--set", "shard=2/3").stdout; !strings.Contains(e, "shard 2/3: this part of the conversations only") {
			t.Errorf("the estimate of a shard is\n%s", e)
		}
		try.Do(t, os.Mkdir("none", 0o755))
		for _, args := range [][]string{
			{"resume", "one", "two"},
			{"resume", "one", "two", "again", "other", "half", "all", "none", "--out", "merged"},
		} {
			say(strings.Join(args, " "), run(t, args...))
		}
		for _, shard := range []string{"1/2", "2/2"} {
			if r := run(t, "run", config, "--set", data, "--set", "limits.request.tokens=1", "--shard", shard, "--out", "failed-"+shard[:1], "--display", "none"); r.code != exitErrors {
				t.Errorf("a shard whose requests fail: exit %d: %s", r.code, r.stderr)
			}
		}
		if r := run(t, "resume", "failed-1", "failed-2", "--json", "--out", "failed"); r.code != exitErrors || !strings.Contains(r.stderr, "12 of 12 questions failed, above the limit of 0 (limits.errors)") || !strings.Contains(r.stdout, `{"dir":"failed","event":"done","exit":3,"failed":12,"requests":12,"status":"complete"}`) {
			t.Errorf("merged shards whose requests fail: exit %d: %s%s", r.code, r.stderr, r.stdout)
		}
		if r := run(t, "resume", "\x1b[2J\u202eone"); r.stderr != `bench: there is no folder \x1b[2J\u202eone; want the folder of a run, such as one below results/runs`+"\n" {
			t.Errorf("a name that moves the cursor is said as %q", r.stderr)
		}
		for _, shard := range []string{"0/2", "3/2", "half", "4/4"} {
			say("run split.yaml --shard "+shard, run(t, "run", config, "--set", data, "--shard", shard, "--out", "none"))
		}
	})
	golden.Check(t, "shard.txt", table)
	golden.Check(t, "merge_faults.txt", b.String())
}
