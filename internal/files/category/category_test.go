package category_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/files/category"
	"recallbench/internal/testkit/try"
)

func TestID(t *testing.T) {
	for _, c := range []struct {
		v          *category.Vocabulary
		name, want string
	}{
		{category.LoCoMo, "multi-hop", "1"},
		{category.Mem0, "multi-hop", "3"},
		{category.LoCoMo, " Multi_Hop", "1"},
		{category.Mem0, "SingleHop", "1"},
		{category.LoCoMo, "open domain", "3"},
		{category.Mem0, "open-domain", "4"},
		{category.LoCoMo, "temporal reasoning", "2"},
		{category.Mem0, "temporal", "2"},
		{category.LoCoMo, "2", "2"},
		{category.Mem0, "3.0", "3"},
		{nil, "4", "4"},
		{nil, "9", "9"},
		{category.LoCoMo, "billing", ""},
		{nil, "multi-hop", ""},
		{nil, "", ""},
		{category.Mem0, "1.5", ""},
		{nil, "NaN", ""},
		{nil, "1e300", ""},
	} {
		if id, ok := c.v.ID(c.name); id != c.want || ok != (c.want != "") {
			t.Errorf("%q is %q, %v; want %q", c.name, id, ok, c.want)
		}
	}
	if got, ok := category.Meanings("Multi-Hop"); got != "1 to locomo, 3 to mem0" || !ok {
		t.Errorf("multi-hop is %q, %v", got, ok)
	}
	if got, ok := category.Meanings("billing"); got != "" || ok {
		t.Errorf("billing is %q, %v", got, ok)
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct{ in, name, want, fault string }{
		{in: "multi-hop: 1\nTime: '2'\n", name: "MULTI HOP", want: "1"},
		{in: `{"time": 2, "fact": "4"}`, name: "fact", want: "4"},
		{in: "billing: money\n", name: "Billing", want: "money"},
		{in: "- 1\n", fault: "want names with their ids"},
		{in: "", fault: "the file is empty"},
		{in: "multi-hop: [1]\n", fault: "want the id of a category"},
		{in: "multi-hop:\n", fault: "want the id of a category"},
		{in: "multi-hop: 1\nMulti Hop: 2\n", fault: "maps to both 1 and 2"},
		{in: "'1': 2\n", fault: "is a number, which stands for itself"},
		{in: "\xff", fault: "UTF-8"},
		{in: "a: b: c", fault: "map.yaml:1"},
	} {
		path := filepath.Join(t.TempDir(), "map.yaml")
		try.Do(t, os.WriteFile(path, []byte(c.in), 0o644))
		v, err := category.Open(t.Context(), path)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: error is %v, want %q in it", c.in, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if id, _ := v.ID(c.name); id != c.want {
			t.Errorf("%q: %q is %q, want %q", c.in, c.name, id, c.want)
		}
	}
	if _, err := category.Open(t.Context(), "locmo"); err == nil || !strings.HasPrefix(err.Error(), `unknown map of categories "locmo"; did you mean "locomo"?`) {
		t.Errorf("error is %v", err)
	}
}
