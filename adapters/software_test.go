package adapters_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/adapters"
)

// TestSoftware looks for programs and packages of adapters below one folder.
func TestSoftware(t *testing.T) {
	root := t.TempDir()
	bin, modules := filepath.Join(root, "one", "bin"), filepath.Join(root, "two", "node_modules")
	for _, dir := range []string{bin, modules} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	python := filepath.Join(bin, "python3")
	if err := os.WriteFile(python, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{adapters.FolderVariable: root, "PATH": "/usr/bin"}
	getenv := func(name string) string { return environment[name] }

	s := adapters.FindSoftware("one", getenv)
	if got := s.Program("python3"); got != python {
		t.Errorf("python3 is %s, want %s", got, python)
	}
	for _, word := range []string{"node", "/usr/bin/python3", "./python3"} {
		if got := s.Program(word); got != word {
			t.Errorf("%s is %s, want it as it was", word, got)
		}
	}
	want := map[string]string{"PATH": bin + string(filepath.ListSeparator) + "/usr/bin"}
	if diff := cmp.Diff(want, s.Variables(getenv)); diff != "" {
		t.Errorf("variables of one (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"NODE_PATH": modules}, adapters.FindSoftware("two", getenv).Variables(getenv)); diff != "" {
		t.Errorf("variables of two (-want +got):\n%s", diff)
	}
	for _, name := range []string{"three", "../" + filepath.Base(root) + "/one", "", "."} {
		if s := adapters.FindSoftware(name, getenv); s != (adapters.Software{}) {
			t.Errorf("%q has the software %v, want none", name, s)
		}
	}
	delete(environment, adapters.FolderVariable)
	if s := adapters.FindSoftware("one", getenv); s != (adapters.Software{}) {
		t.Errorf("without the variable there is %v, want nothing", s)
	}
}
