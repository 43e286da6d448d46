package llm

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// spelled matches where a request, or a constant, spells out a role.
var spelled = regexp.MustCompile(`(?m)(?:(?:Request|Call)\{|^\s+)Role:\s+"([^"]+)"|^(?:const)?\s+Role(?:Annotate|External|ExternalAnswer)?\s+=\s+"([^"]+)"`)

// Every role that a request of the program is made with is listed, or no model
// entry could name it. Package provider's own role, of a check, is no run's.
func TestRoles(t *testing.T) {
	root := os.DirFS("../../..")
	found := 0
	try.Do(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "provider"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		for _, m := range spelled.FindAllSubmatch(try.Get(fs.ReadFile(root, name))(t), -1) {
			found++
			if role := string(m[1]) + string(m[2]); !slices.Contains(Roles(), role) {
				t.Errorf("%s: requests of the role %q, which is not in the list", name, role)
			}
		}
		return nil
	}))
	if found < 20 {
		t.Errorf("found %d requests with a role, want at least 20", found)
	}
}
