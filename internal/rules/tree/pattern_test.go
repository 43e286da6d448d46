package tree

import (
	"regexp"
	"testing"
)

// TestPatterns compiles every pattern: a fault in one must not wait for the
// request that uses it.
func TestPatterns(t *testing.T) {
	if len(patterns) < 300 {
		t.Errorf("%d patterns, want those of the whole package", len(patterns))
	}
	for _, p := range patterns {
		if _, err := regexp.Compile(p.text); err != nil {
			t.Error(err)
		}
	}
}
