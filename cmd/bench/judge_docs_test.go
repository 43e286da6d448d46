package main

import (
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/modelserver"
)

const judgingManual = "../../docs/judging.md"

// TestJudgingManual has the parts of docs/judging.md that are files or printed
// by commands.
func TestJudgingManual(t *testing.T) {
	template := strings.TrimSpace(read(t, "../../internal/result/judge/judge.tmpl"))
	text := part(t, read(t, judgingManual), "prompt", "```\n"+template+"\n```\n")

	s := modelserver.New(t, modelserver.Options{})
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", questions(t, 5, 8, ""), "--model", liveModel(t, s, ""), "--out", dir, "--calls", "off", "--display", "none")
	judge := write(t, "judge.yaml", "use: live\noptions: {chat: {base_url: "+s.URL+", provider: test, model: some-judge}, tokenizer: o200k_base}\n")
	printed := must(t, "judge", dir, "--model", judge, "--calls", "off", "--display", "none")
	out := strings.ReplaceAll(printed.stderr+printed.stdout, dir, "results/runs/mine")
	text = part(t, text, "judge", "```\n$ bench judge results/runs/mine --model judge.yaml\n"+out+"```\n")
	golden.Check(t, filepath.Join("..", judgingManual), text)
}
