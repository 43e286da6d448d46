package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/try"
)

// Every ready model entry loads, as a config's and by --set, is valid by the
// schema of entries, and names that schema.
func TestModelEntries(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shippedDir, "models", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no model entries (%v)", err)
	}
	s := validator(t, "models/schema.json")
	labels := make(map[string]string)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := try.Get(os.ReadFile(file))(t)
			if err := s.Validate(asJSON(t, data)); err != nil {
				t.Errorf("%#v", err)
			}
			if first, _, _ := strings.Cut(string(data), "\n"); first != "# yaml-language-server: $schema=schema.json" {
				t.Errorf("first line is %q; want one that names the schema", first)
			}
			const rest = "datasets: [{use: sample}]\nmethods: [{use: stateless}]\n"
			parsed := try.Get(config.Parse("x.yaml", []byte(rest+"models: ["+file+"]\n"), suite.Plugins()))(t)
			if _, err := config.Parse("x.yaml", []byte(rest), suite.Plugins(), "models=["+file+"]"); err != nil {
				t.Errorf("by --set: %v", err)
			}
			label := parsed.Models[0].Label
			if other, ok := labels[label]; ok {
				t.Errorf("label %q is that of %s too, so both cannot stand in one config", label, other)
			}
			labels[label] = file
		})
	}
}
