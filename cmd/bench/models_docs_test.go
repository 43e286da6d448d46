package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/backend/price"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/modelserver"
)

const modelsManual = "../../docs/models.md"

// TestModelsManual has the parts of docs/models.md that commands print.
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
	text := part(t, read(t, modelsManual), "doctor", "```\n$ bench doctor configs/quickstart.yaml --model my.yaml\n"+found+"```\n")

	const command = "bench estimate configs/quickstart.yaml --model configs/models/openai.yaml --set 'datasets=[{use: sample}]'"
	estimate := must(t, "estimate", quickstart, "--model", filepath.Join("..", "..", "configs", "models", "openai.yaml"),
		"--set", "datasets=[{use: sample}]", "--runs", "", "--format", "markdown").stdout
	text = part(t, text, "estimate", "```sh\n"+command+"\n```\n\n#"+estimate+"\n")
	golden.Check(t, filepath.Join("..", modelsManual), text)
}

// TestModelsManualExamples reads what docs/models.md shows of files.
func TestModelsManualExamples(t *testing.T) {
	counts := make(map[string]int)
	for i, block := range strings.Split(read(t, modelsManual), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		name := fmt.Sprintf("example%d.yaml", i+1)
		switch {
		case strings.HasPrefix(block, "use: "):
			counts["entries"]++
			entry := write(t, name, block)
			_, err := config.Parse(name, []byte("datasets: [{use: sample}]\nmethods: [{use: stateless}]\nmodels: ["+entry+"]\n"), suite.Plugins())
			if err != nil {
				t.Error(err)
			}
		case strings.HasPrefix(block, "datasets: "):
			counts["configs"]++
			if _, err := config.Parse(name, []byte(block), suite.Plugins()); err != nil {
				t.Error(err)
			}
		default:
			counts["prices"]++
			table, err := price.Load(write(t, name, block))
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := table.Find("some-model"); !ok || r.Output != 2 {
				t.Errorf("the price of some-model is %+v", r)
			}
		}
	}
	if counts["entries"] < 5 || counts["configs"] != 1 || counts["prices"] != 1 {
		t.Errorf("the page has %v", counts)
	}
}
