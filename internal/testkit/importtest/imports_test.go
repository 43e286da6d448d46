package importtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Imports returns the imports of the module in fsys that go against its
// layers, and the faults of the list of layers itself, sorted. Files of every
// operating system count, and so do all build tags.
func Imports(fsys fs.FS, module string, layers []Layer) ([]string, error) {
	faults := list(layers)
	members := make(map[string]bool)
	err := files(fsys, parser.ImportsOnly, func(name string, file *ast.File) {
		pkg, test := path.Dir(name), strings.HasSuffix(name, "_test.go")
		from, entry := find(layers, pkg)
		if from < 0 {
			faults = append(faults, pkg+": no layer lists this package; "+
				"add it to House in internal/testkit/importtest/layers_test.go, as far down as its imports allow")
			return
		}
		members[entry] = true
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			to, ok := strings.CutPrefix(imported, module+"/")
			if err != nil || !ok || to == pkg {
				continue
			}
			if why := refused(layers, pkg, from, to, test); why != "" {
				faults = append(faults, fmt.Sprintf("%s imports %s: %s", name, to, why))
			}
		}
	})
	for _, l := range layers {
		for _, entry := range l.Packages {
			if !members[entry] {
				faults = append(faults, fmt.Sprintf("layer %q lists %s, which matches no package", l.Name, entry))
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults), err
}

// refused says why the package pkg of the layer from may not import the
// package to. It is empty when it may.
func refused(layers []Layer, pkg string, from int, to string, test bool) string {
	target, _ := find(layers, to)
	if target < 0 {
		return "no layer lists it"
	}
	a, b := layers[from], layers[target]
	switch {
	case from == target && (a.Wing || slices.Contains(a.Inside, [2]string{pkg, to})), slices.Contains(a.Uses, b.Name):
		return ""
	case test && from != target && (a.EndToEnd || !slices.Contains(closed, b.Name)):
		return ""
	case test && b.Tests:
		return ""
	case b.Tests:
		return fmt.Sprintf("only tests use layer %q", b.Name)
	case from == target:
		return fmt.Sprintf("both are in layer %q, which does not list this pair", a.Name)
	default:
		return fmt.Sprintf("layer %q does not use layer %q", a.Name, b.Name)
	}
}

// list returns the faults of the list of layers: with none, imports that keep
// to it have no cycles.
func list(layers []Layer) []string {
	var faults []string
	for i, l := range layers {
		for _, use := range l.Uses {
			j := slices.IndexFunc(layers, func(l Layer) bool { return l.Name == use })
			// What only tests use stands beside the flow, not in it.
			if j < 0 || j <= i && !l.Tests {
				faults = append(faults, fmt.Sprintf("layer %q uses %q, which is not a layer below it", l.Name, use))
			}
		}
	}
	return faults
}

// find returns the index of a package's layer and the entry that lists it
// there, or -1.
func find(layers []Layer, pkg string) (layer int, entry string) {
	layer = -1
	for i, l := range layers {
		for _, e := range l.Packages {
			if matches(e, pkg) && (layer < 0 || exactness(e) > exactness(entry)) {
				layer, entry = i, e
			}
		}
	}
	return layer, entry
}

func matches(entry, pkg string) bool {
	if dir, ok := strings.CutSuffix(entry, "/..."); ok {
		return pkg == dir || strings.HasPrefix(pkg, dir+"/")
	}
	if dir, ok := strings.CutSuffix(entry, "/*"); ok {
		return path.Dir(pkg) == dir
	}
	return pkg == entry
}

// exactness orders entries that match the same package.
func exactness(entry string) int {
	switch {
	case strings.HasSuffix(entry, "/..."):
		return len(entry)
	case strings.HasSuffix(entry, "/*"):
		return 1000 + len(entry)
	default:
		return 2000
	}
}

// files parses the Go files of the module in fsys and hands each to visit.
// Like the go command, it passes over testdata, folders whose names begin with
// a dot or an underscore, and modules within the module.
func files(fsys fs.FS, mode parser.Mode, visit func(name string, file *ast.File)) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			base := path.Base(name)
			if name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			if _, err := fs.Stat(fsys, path.Join(name, "go.mod")); name != "." && !errors.Is(err, fs.ErrNotExist) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go":
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, mode)
		if err != nil {
			return err
		}
		visit(name, file)
		return nil
	})
}
