package suite_test

import (
	"testing"

	"recallbench/internal/testkit/try"
	"recallbench/methods/suite"
)

// TestSwitches checks what tables say of the versions that default options follow.
func TestSwitches(t *testing.T) {
	want := map[string]string{
		"lightmem": "prune idf",
	}
	got := make(map[string]string)
	for _, s := range suite.All() {
		if s.Switches != nil {
			got[s.Name] = s.Switches(s.Options)
		}
	}
	try.Equal(t, "switches", want, got)
}
