package config_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/try"
)

// shippedDir holds the run files of the project.
const shippedDir = "../../configs"

// shipped returns the run files of the project.
func shipped(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(shippedDir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "models" || d.Name() == "gates") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".yaml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no run files (%v)", err)
	}
	return files
}

// Every run file of the project loads, is valid by the schema, says where the
// schema is, and stays what it is when written out in full.
func TestShipped(t *testing.T) {
	s := validator(t, "schema.json")
	for _, file := range shipped(t) {
		t.Run(file, func(t *testing.T) {
			data := try.Get(os.ReadFile(file))(t)
			loaded := try.Get(config.Load(file, suite.Plugins()))(t)
			if err := s.Validate(asJSON(t, data)); err != nil {
				t.Errorf("%#v", err)
			}
			first, _, _ := strings.Cut(string(data), "\n")
			ref, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
			if !ok || filepath.Join(filepath.Dir(file), ref) != filepath.Join(shippedDir, "schema.json") {
				t.Errorf("first line is %q; want one that names the schema", first)
			}
			full := try.Get(loaded.Marshal())(t)
			if err := s.Validate(asJSON(t, full)); err != nil {
				t.Errorf("%#v\n%s", err, full)
			}
			try.Equal(t, "written out and read again", loaded, try.Get(config.Parse("again.yaml", full, suite.Plugins()))(t))
		})
	}
}

// The default options of each plug-in are right and stay what they are when
// written out in full, but for those that the user must give.
func TestDefaults(t *testing.T) {
	check := func(list, name string, options any) {
		t.Helper()
		if v, ok := options.(interface{ Validate() error }); ok && v.Validate() != nil {
			return
		}
		file := "datasets: [{use: sample}]\nmethods: [{use: stateless}]\n"
		first, err := config.Parse("x.yaml", []byte(file), suite.Plugins(), list+"=[{use: "+name+"}]")
		if err != nil {
			t.Errorf("%s %s: %v", list, name, err)
			return
		}
		second := try.Get(config.Parse("x.yaml", try.Get(first.Marshal())(t), suite.Plugins()))(t)
		try.Equal(t, list+" "+name+", written out and read again", first, second, cmpopts.EquateEmpty())
	}
	p := suite.Plugins()
	eachPlugin(p, check)
	// The first metric of a dataset may decide, and words stand beside what falls with length.
	for _, d := range p.Datasets {
		c, err := config.Parse("x.yaml", []byte("datasets: [{use: sample}]\nmethods: [{use: stateless}]\n"), p, "datasets=[{use: "+d.Name+"}]")
		if err != nil {
			continue // it has options that must be given
		}
		if len(c.Metrics) != len(d.Metrics) {
			t.Errorf("%s: metrics %q, want all of %q", d.Name, c.Metrics, d.Metrics)
		}
		for i, name := range c.Metrics {
			spec, err := p.Metrics(name)
			if err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			if i == 0 && !spec.Leads() || spec.Columns[0].FallsWithLength && !slices.Contains(c.Metrics, "words") {
				t.Errorf("%s: metrics %q: %s is first and decides nothing, or has no words beside it", d.Name, c.Metrics, name)
			}
		}
	}
}
