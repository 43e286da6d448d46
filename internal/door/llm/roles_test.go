package llm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// Every role that a request of the program is made with is listed, or no model
// entry could name it. Package provider's own role, of a check, is no run's.
func TestRoles(t *testing.T) {
	root := os.DirFS("../../..")
	found := 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "provider"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, role := range requestRoles(n) {
				found++
				if !slices.Contains(Roles(), role) {
					t.Errorf("%s: requests of the role %q, which is not in the list", name, role)
				}
			}
			return true
		})
		return nil
	})
	try.Do(t, err)
	if found < 5 {
		t.Errorf("found %d requests with a role, want at least 5", found)
	}
}

// roleName matches the names of constants that are roles.
var roleName = regexp.MustCompile(`^Role(Entail|Annotate|External|ExternalAnswer)?$`)

// requestRoles returns the role that a literal of a Request spells out, or a
// constant whose name says that it is a role.
func requestRoles(n ast.Node) (found []string) {
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if role, err := strconv.Unquote(lit.Value); err == nil {
				found = append(found, role)
			}
		}
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		if sel, ok := n.Type.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Request" {
			return nil
		}
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Role" {
					add(kv.Value)
				}
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) && roleName.MatchString(name.Name) {
				add(n.Values[i])
			}
		}
	}
	return found
}
