package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/try"
)

const manual = "../../docs/config.md"

// mistakes is the run file whose faults the manual shows.
const mistakes = `sed: 2
datasets: [{use: lokomo}, {use: locomo, optional: yes}]
methods:
  - {use: flat-rag, options: {k: 0, chunk: {unit: token}}}
  - {use: flat-rag}
metrics: [f1, tokens]
`

// The parts of the manual that the program can write are as it writes them.
func TestManualIsCurrent(t *testing.T) {
	config.WithSchema(t, generated(t))
	text := readManual(t)
	_, err := config.Parse("mistakes.yaml", []byte(mistakes), suite.Plugins())
	if err == nil {
		t.Fatal("no fault found")
	}
	line := "mistakes.yaml:4:34: methods[0].options.k: is 0, want at least 1\n"
	if !strings.Contains(text, "bench: "+line) || !strings.Contains(err.Error(), line) {
		t.Errorf("%s and the faults do not both have %q", manual, line)
	}
}

func readManual(t *testing.T) string {
	t.Helper()
	data := try.Get(os.ReadFile(manual))(t)
	return string(data)
}

// Every run file in the manual loads and is valid by the schema.
func TestManualExamples(t *testing.T) {
	s := validator(t, "schema.json")
	parts := strings.Split(readManual(t), "```yaml\n")
	if len(parts) < 3 {
		t.Fatalf("%s has %d examples, want at least 2", manual, len(parts)-1)
	}
	for i, part := range parts[1:] {
		example, _, _ := strings.Cut(part, "```\n")
		if _, err := config.Parse(fmt.Sprintf("example%d.yaml", i+1), []byte(example), suite.Plugins()); err != nil {
			t.Error(err)
		}
		if err := s.Validate(asJSON(t, []byte(example))); err != nil {
			t.Errorf("example %d: %#v", i+1, err)
		}
	}
}

// The manual has each key that a run file may have.
func TestManualHasEveryKey(t *testing.T) {
	text := readManual(t)
	var s struct {
		Properties map[string]struct {
			Properties map[string]any
			Items      struct{ Properties map[string]any }
		}
	}
	try.Do(t, json.Unmarshal(generated(t), &s))
	want := func(key string) {
		if !strings.Contains(text, "`"+key+"`") {
			t.Errorf("%s does not describe %s", manual, key)
		}
	}
	for key, p := range s.Properties {
		if len(p.Properties) == 0 {
			want(key)
		}
		for inner := range p.Properties {
			want(key + "." + inner)
		}
		for inner := range p.Items.Properties {
			want(inner)
		}
	}
	if len(s.Properties) == 0 {
		t.Error("the schema has no keys")
	}
}
