package importtest

import (
	"go/ast"
	"go/parser"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// room returns the room of a package: its folder of internal/, else its top
// folder.
func room(pkg string) string {
	parts := strings.Split(pkg, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return "internal/" + parts[1]
	}
	return parts[0]
}

// rooms returns the rooms of the module with the number of their packages, and
// for each the rooms that it imports from. Tests are left out.
func rooms(t *testing.T) (sizes map[string]int, uses map[string]map[string]bool) {
	t.Helper()
	packages := make(map[string]bool)
	uses = make(map[string]map[string]bool)
	err := files(moduleRoot, parser.ImportsOnly, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		pkg := path.Dir(name)
		packages[pkg] = true
		from := room(pkg)
		if uses[from] == nil {
			uses[from] = make(map[string]bool)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if to, ok := strings.CutPrefix(imported, module+"/"); err == nil && ok && room(to) != from {
				uses[from][room(to)] = true
			}
		}
	})
	try.Do(t, err)
	sizes = make(map[string]int)
	for pkg := range packages {
		sizes[room(pkg)]++
	}
	return sizes, uses
}

// TestWings checks that internal/ holds wings and nothing else, a dozen at most,
// each with a document of its own.
func TestWings(t *testing.T) {
	entries := try.Get(os.ReadDir("../.."))(t)
	if len(entries) > 12 {
		t.Errorf("internal/ has %d wings, want at most 12", len(entries))
	}
	for _, e := range entries {
		if !slices.ContainsFunc(House, func(l Layer) bool {
			return slices.ContainsFunc(l.Packages, func(p string) bool { return strings.HasPrefix(p+"/", "internal/"+e.Name()+"/") })
		}) {
			t.Errorf("internal/%s is no wing of the house", e.Name())
		}
		if _, err := os.Stat(path.Join("../..", e.Name(), "doc.go")); err != nil {
			t.Errorf("the wing %s has no doc.go: %v", e.Name(), err)
		}
	}
}

// TestNoCircle checks that the rooms can be ordered so that each stands above all that
// it imports from.
func TestNoCircle(t *testing.T) {
	sizes, uses := rooms(t)
	for len(sizes) > 0 {
		var top []string // rooms that no room left imports from
		for name := range sizes {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(sizes)), func(other string) bool { return uses[other][name] }) {
				top = append(top, name)
			}
		}
		if len(top) == 0 {
			t.Fatalf("the imports of these make a circle: %v", slices.Sorted(maps.Keys(sizes)))
		}
		for _, name := range top {
			delete(sizes, name)
		}
	}
}
