package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/config/suite"
	"recallbench/internal/publish/published"
	"recallbench/internal/result/judge"
)

// names returns the names of what a config may name under a key.
func names(kind string) []string {
	p := suite.Plugins()
	var names []string
	switch kind {
	case "datasets":
		for _, d := range p.Datasets {
			names = append(names, d.Name)
		}
	case "methods":
		for _, m := range p.Methods {
			names = append(names, m.Name)
		}
	case "models":
		for _, m := range p.Models {
			names = append(names, m.Name)
		}
	case "metrics":
		names = p.MetricNames
	case "judges":
		names = judge.ProfileNames()
	case "published":
		names = published.Names()
	}
	return names
}

// Each kind lists its names, in the order of tables, each with what it is.
func TestList(t *testing.T) {
	var all []string
	for _, kind := range kinds() {
		var got []string
		for line := range strings.Lines(must(t, "list", kind).stdout) {
			if !strings.HasPrefix(line, " ") {
				got = append(got, strings.TrimSpace(line))
			} else if strings.TrimSpace(line) == "" {
				t.Errorf("%s: %v has no doc", kind, got)
			}
		}
		if len(got) == 0 || !slices.Equal(got, names(kind)) {
			t.Errorf("%s: got %v, want %v", kind, got, names(kind))
		}
		all = append(all, strings.ToUpper(kind), "")
		all = append(all, got...)
		all = append(all, "")
	}
	var got []string
	for line := range strings.Lines(must(t, "list").stdout) {
		if !strings.HasPrefix(line, " ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if want := all[:len(all)-1]; !slices.Equal(got, want) {
		t.Errorf("list without a kind: got %q, want %q", got, want)
	}
}

func TestListVerbose(t *testing.T) {
	for _, it := range listed(t, "list", "--json") {
		text := must(t, "list", it.Kind, "-v").stdout
		for _, o := range it.Options {
			// A price is a table's unless an entry has its own, and few adapters are MCP
			// servers.
			if o.Doc == "" || o.Default == nil && !strings.HasSuffix(o.Key, ".price") && o.Key != "mcp" {
				t.Errorf("%s: option %s has no doc or default", it.Name, o.Key)
			}
			if !strings.Contains(text, "      "+o.Key+" ") || !strings.Contains(text, o.Doc) {
				t.Errorf("%s -v lacks option %s of %s", it.Kind, o.Key, it.Name)
			}
		}
		for _, c := range it.Columns {
			if !strings.Contains(text, "      "+c.Name+" ") {
				t.Errorf("%s -v lacks column %s of %s", it.Kind, c.Name, it.Name)
			}
		}
	}
}

func TestListJSON(t *testing.T) {
	for _, kind := range kinds() {
		var got []string
		for _, it := range listed(t, "list", kind, "--json") {
			if it.Kind != kind || it.Doc == "" {
				t.Errorf("%s: %+v", kind, it)
			}
			got = append(got, it.Name)
		}
		if !slices.Equal(got, names(kind)) {
			t.Errorf("%s: got %v, want %v", kind, got, names(kind))
		}
	}
}

// listed runs a command whose stdout is JSON lines of items.
func listed(t *testing.T, args ...string) []item {
	t.Helper()
	var items []item
	for line := range strings.Lines(must(t, args...).stdout) {
		var it item
		if err := json.Unmarshal([]byte(line), &it); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		items = append(items, it)
	}
	return items
}

// Names choose what is listed, and come with their options; all unknown ones are named
// at once.
func TestListNames(t *testing.T) {
	text := must(t, "list", "methods", "xmemory", "stateless").stdout
	if !strings.HasPrefix(text, "xmemory\n") || !strings.Contains(text, "\nstateless\n") || strings.Contains(text, "flat-rag\n") || !strings.Contains(text, "reader.max_tokens") {
		t.Errorf("got\n%s", text)
	}
	got := run(t, "list", "methods", "xmemori", "stateles")
	if got.code != exitUsage || !strings.Contains(got.stderr, "xmemori") || !strings.Contains(got.stderr, "stateless") {
		t.Errorf("exit code %d, want %d: %s", got.code, exitUsage, got.stderr)
	}
}
