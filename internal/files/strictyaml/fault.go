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

// String writes a fault as file:line:column: path: message.
func (f Fault) String() string {
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

// An Error is all that is wrong with a document.
type Error struct {
	// Faults of the file come first, in its order, then those of other files and of
	// assignments.
	Faults []Fault
}

// maxShown is the number of faults that an error prints.
const maxShown = 100

// Error prints a fault on each line.
func (e *Error) Error() string {
	lines := make([]string, 0, min(len(e.Faults), maxShown+1))
	for _, f := range e.Faults[:min(len(e.Faults), maxShown)] {
		lines = append(lines, f.String())
	}
	if more := len(e.Faults) - maxShown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
	}
	return strings.Join(lines, "\n")
}

// sorted returns faults in the order of an [Error]: those of the document's file
// first, then those of others in the order in which they were met, each file's in
// its order.
func sorted(faults []Fault, file string) []Fault {
	files := []string{file}
	for _, f := range faults {
		if !slices.Contains(files, f.File) {
			files = append(files, f.File)
		}
	}
	return slices.SortedStableFunc(slices.Values(faults), func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
		)
	})
}
