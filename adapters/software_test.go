package adapters_test

import (
	"os"
	"path/filepath"
	"testing"

	"recallbench/adapters"
	"recallbench/internal/testkit/try"
)

// TestSoftware looks for programs and packages of adapters below one folder.
func TestSoftware(t *testing.T) {
	root := t.TempDir()
	bin, modules := filepath.Join(root, "one", "bin"), filepath.Join(root, "two", "node_modules")
	for _, dir := range []string{bin, modules} {
		try.Do(t, os.MkdirAll(dir, 0o700))
	}
	python := filepath.Join(bin, "python3")
	try.Do(t, os.WriteFile(python, []byte("#!/bin/sh\n"), 0o700))
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
	try.Equal(t, "variables of one", want, s.Variables(getenv))
	try.Equal(t, "variables of two", map[string]string{"NODE_PATH": modules}, adapters.FindSoftware("two", getenv).Variables(getenv))
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
