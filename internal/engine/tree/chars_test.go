package tree

import (
	"strings"
	"testing"
)

// TestNameLength takes names of up to 256 bytes.
func TestNameLength(t *testing.T) {
	for n, want := range map[int]bool{0: false, 1: true, 256: true, 257: false} {
		if got := validName(strings.Repeat("a", n)); got != want {
			t.Errorf("a name of %d bytes: %v, want %v", n, got, want)
		}
	}
	for name, want := range map[string]bool{"a:b": true, ":a": false, "a:": false, "a:b:c": false, "a-1.x": true, "-a": false, "1a": false, "_": true, "é": true, "a b": false} {
		if got := validName(name); got != want {
			t.Errorf("validName(%q) = %v, want %v", name, got, want)
		}
	}
}
