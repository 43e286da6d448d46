package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a user can name stays small: verbs in groups, and names of flags over all of
// them.
func TestSurface(t *testing.T) {
	root := newRootCommand(&app{})
	verbs := 0
	for _, cmd := range root.Commands() {
		if cmd.GroupID != "" {
			verbs++
		}
	}
	if verbs > 24 {
		t.Errorf("%d verbs in groups, want 24 at most", verbs)
	}
	flags := make(map[string]bool)
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	if len(flags) > 110 {
		t.Errorf("%d names of flags, want 110 at most: %v", len(flags), slices.Sorted(maps.Keys(flags)))
	}
}
