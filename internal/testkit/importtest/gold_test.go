package importtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// shown are the names of package datasets that a method may use: what it
// ingests and what it is asked. The rest of the package, gold answers and the
// sets that look them up, stays with loaders and scoring.
var shown = []string{"Image", "Request", "Sample", "Session", "Turn"}

// Gold returns the places of fsys where a method takes from package datasets
// more than a method may see, sorted. It looks at all packages below methods,
// and leaves tests out.
func Gold(fsys fs.FS, module string) ([]string, error) {
	var faults []string
	err := files(fsys, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if !strings.HasPrefix(name, "methods/") || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "methods/methodtest/") {
			return
		}
		local, ok := localName(file, module+"/datasets", "datasets")
		if !ok {
			return
		}
		if local == "." {
			faults = append(faults, name+": a dot import of datasets hides what a method takes from it")
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local && !slices.Contains(shown, sel.Sel.Name) {
				faults = append(faults, fmt.Sprintf("%s: a method may not see datasets.%s, only %s",
					name, sel.Sel.Name, strings.Join(shown, ", ")))
			}
			return true
		})
	})
	slices.Sort(faults)
	return slices.Compact(faults), err
}

// localName returns the name under which a file imports a package whose own
// name is given, and whether it does.
func localName(file *ast.File, importPath, name string) (string, bool) {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name, true
		}
		return name, true
	}
	return "", false
}
