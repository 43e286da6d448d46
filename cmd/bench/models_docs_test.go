package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/backend/price"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

const modelsManual = "../../docs/models.md"

// TestModelsManual finds the lines of docs/models.md in what bench doctor prints.
func TestModelsManual(t *testing.T) {
	t.Setenv("EXAMPLE_API_KEY", "sk-example-0123456789")
	data := t.TempDir()
	t.Setenv("BENCH_DATA", data)
	t.Setenv("BENCH_CALLS", filepath.Join(data, "calls"))
	s := modelserver.New(t, modelserver.Options{
		Models: []string{"some-model", "some-embedder"}, NoTemperature: true, WantMaxCompletionTokens: true, NoLogprobs: true,
	})
	entry := write(t, "my.yaml", fmt.Sprintf(`
use: live
label: my model
options:
  chat: {base_url: %[1]s, key: {env: EXAMPLE_API_KEY}, model: some-model}
  embed: {use: openai, base_url: %[1]s, key: {env: EXAMPLE_API_KEY}, model: some-embedder, price: {input: 0.02, output: 0}}
`, s.URL))
	doctor := run(t, "doctor", quickstart, "--model", entry)
	if doctor.code != exitUnavailable {
		t.Errorf("doctor: exit %d", doctor.code)
	}
	found := strings.NewReplacer(s.URL, "https://api.example.com/v1", filepath.Join(data, "calls"), "results/calls", data, "data").Replace(doctor.stdout + doctor.stderr)
	_, rest, _ := strings.Cut(read(t, modelsManual), "<!-- doctor -->\n```\n")
	shown, _, _ := strings.Cut(rest, "```\n<!-- end of doctor -->")
	lines := 0
	for line := range strings.Lines(shown) {
		if lines++; !strings.Contains(found, line) {
			t.Errorf("doctor does not print %q but\n%s", line, found)
		}
	}
	if lines < 2 {
		t.Errorf("the page shows %d lines of doctor, want at least 2", lines)
	}
}

// TestModelsManualExamples reads what docs/models.md shows of files.
func TestModelsManualExamples(t *testing.T) {
	counts := make(map[string]int)
	for _, block := range strings.Split(read(t, modelsManual), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		kind, text := "prices", block
		if strings.HasPrefix(block, "use: ") {
			kind, text = "entries", "datasets: [{use: sample}]\nmethods: [{use: stateless}]\nmodels: ["+write(t, "entry.yaml", block)+"]\n"
		} else if strings.HasPrefix(block, "datasets: ") {
			kind = "configs"
		}
		counts[kind]++
		if kind == "prices" {
			if r, ok := try.Get(price.Load(write(t, "prices.yaml", block)))(t).Find("some-model"); !ok || r.Output != 2 {
				t.Errorf("the price of some-model is %+v", r)
			}
		} else if _, err := config.Parse("models.md", []byte(text), suite.Plugins()); err != nil {
			t.Errorf("%v:\n%s", err, block)
		}
	}
	if counts["entries"] < 5 || counts["configs"] != 1 || counts["prices"] != 1 {
		t.Errorf("the page has %v", counts)
	}
}
