package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManual runs the commands of the manual that begin with "$ bench" and
// compares what they print with what the manual says they do.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for block := range strings.SplitSeq(string(manual), "\n//\n") {
		command, want, ok := strings.Cut(strings.ReplaceAll(block+"\n", "//\t", ""), "\n")
		args, isCommand := strings.CutPrefix(command, "$ bench ")
		if !ok || !isCommand {
			continue
		}
		ran++
		if diff := cmp.Diff(want, must(t, strings.Fields(args)...).stdout); diff != "" {
			t.Errorf("bench %s (-manual +printed):\n%s", args, diff)
		}
	}
	if ran < 2 {
		t.Errorf("the manual has %d commands to run, want at least 2", ran)
	}
}
