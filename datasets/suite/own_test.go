package suite_test

import (
	"slices"
	"testing"

	"recallbench/datasets/jsonl"
	"recallbench/datasets/suite"
)

// Only the user's own data may be sent to other machines.
func TestOwn(t *testing.T) {
	for _, s := range suite.All() {
		if (s.Own != nil) != (s.License == jsonl.Spec.License) {
			t.Errorf("dataset %s with the licence %s: sent is %t", s.Name, s.License, s.Own != nil)
		}
	}
	for categories, want := range map[string][]string{"": {"a"}, "Locomo": {"a"}, "names.yaml": {"a", "names.yaml"}} {
		if got := jsonl.Spec.Own(jsonl.Options{Files: []string{"a"}, Categories: categories}); !slices.Equal(got, want) {
			t.Errorf("categories %q: own files %q, want %q", categories, got, want)
		}
	}
}
