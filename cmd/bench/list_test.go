package main

import (
	"slices"
	"strings"
	"testing"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/internal/result/judge"
)

// TestList lists each kind as lines of JSON and as text, each item with what it is and with
// its options and columns.
func TestList(t *testing.T) {
	byKind := make(map[string][]item)
	for line := range strings.Lines(must(t, "list", "--json").stdout) {
		it := decode[item](t, line)
		byKind[it.Kind] = append(byKind[it.Kind], it)
	}
	for _, kind := range kinds() {
		text := must(t, "list", kind, "-v").stdout
		for _, it := range byKind[kind] {
			if it.Doc == "" || !strings.Contains("\n"+text, "\n"+it.Name+"\n") {
				t.Errorf("%s: %+v has no doc or is not listed", kind, it)
			}
			for _, o := range it.Options {
				// A price is a table's unless an entry has its own, and few adapters are MCP
				// servers.
				if o.Doc == "" || o.Default == nil && !strings.HasSuffix(o.Key, ".price") && o.Key != "mcp" || !strings.Contains(text, "      "+o.Key+" ") || !strings.Contains(text, o.Doc) {
					t.Errorf("%s: option %s has no doc or default, or is not listed", it.Name, o.Key)
				}
			}
			for _, c := range it.Columns {
				if !strings.Contains(text, "      "+c.Name+" ") {
					t.Errorf("%s -v lacks column %s of %s", it.Kind, c.Name, it.Name)
				}
			}
		}
		if len(byKind[kind]) == 0 || !strings.Contains(must(t, "list").stdout, strings.ToUpper(kind)+"\n\n"+byKind[kind][0].Name+"\n") {
			t.Errorf("list without a kind lacks %s", kind)
		}
	}
	names := func(kind string) []string { return lists.Map(byKind[kind], func(it item) string { return it.Name }) }
	if !slices.Equal(names("metrics"), suite.Plugins().MetricNames) || !slices.Equal(names("judges"), judge.ProfileNames()) || len(names("methods")) != len(suite.Plugins().Methods) {
		t.Errorf("listed are %v", byKind)
	}
	text := must(t, "list", "methods", "xmemory", "stateless").stdout
	if !strings.HasPrefix(text, "xmemory\n") || !strings.Contains(text, "\nstateless\n") || strings.Contains(text, "flat-rag\n") || !strings.Contains(text, "reader.max_tokens") {
		t.Errorf("got\n%s", text)
	}
	refused(t, `"stateles"; did you mean "stateless"`, "list", "methods", "xmemori", "stateles")
}
