package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing wrong with a document.
type Fault struct {
	// File is the document's name, or the assignment that brought the value in.
	File string `json:"file"`
	// Line and Col count from 1, columns in characters. They are 0 where there
	// is no position.
	Line int `json:"line,omitzero"`
	Col  int `json:"column,omitzero"`
	// Path leads to the value, such as methods[2].options.k; empty for the
	// whole document.
	Path string `json:"path,omitzero"`
	Msg  string `json:"message"`
}

func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Col)
	}
	b.WriteString(": ")
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Msg)
	return b.String()
}

// Faults are all faults of a document, those of the file in its order first.
type Faults []Fault

// maxShown is the number of faults that an error prints.
const maxShown = 100

// Error prints a fault on each line.
func (f Faults) Error() string {
	lines := make([]string, 0, min(len(f), maxShown+1))
	for _, fault := range f[:min(len(f), maxShown)] {
		lines = append(lines, fault.Error())
	}
	if more := len(f) - maxShown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
	}
	return strings.Join(lines, "\n")
}

// sorted returns the faults in the order of the file, then those of
// assignments in the order given.
func (f Faults) sorted(file string) Faults {
	return slices.SortedStableFunc(slices.Values(f), func(a, b Fault) int {
		switch {
		case a.File == file && b.File == file:
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
		case a.File == file:
			return -1
		case b.File == file:
			return 1
		}
		return 0
	})
}
