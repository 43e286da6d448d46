package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// A Fault is one thing wrong with a document.
type Fault struct {
	// File is the document's name, or the assignment that brought the value in.
	File string `json:"file"`
	// Line and Col count from 1, columns in characters. They are 0 if there
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
	s := f.File
	if f.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", s, f.Line, f.Col)
	}
	if f.Path != "" {
		s += ": " + f.Path
	}
	return s + ": " + f.Msg
}

// An Error is everything that is wrong with a document.
type Error struct {
	// Faults of the file come first, in its order, then those of other files and of
	// assignments.
	Faults []Fault
}

// maxShown is the number of faults that an error prints.
const maxShown = 100

// Error prints a fault on each line.
func (e *Error) Error() string {
	lines := lists.Map(e.Faults[:min(len(e.Faults), maxShown)], func(f Fault) string { return f.String() })
	if more := len(e.Faults) - maxShown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
	}
	return strings.Join(lines, "\n")
}

// Err returns all faults found so far as an error of type *[Error], or nil.
// Copies of a fault are reported once.
func (d *Document) Err() error {
	files := []string{d.name} // in the order in which they were met
	var faults []Fault
	said := make(map[Fault]bool)
	for _, f := range d.faults {
		files = append(files, f.File)
		if !said[f] {
			said[f] = true
			faults = append(faults, f)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(slices.Index(files, a.File)-slices.Index(files, b.File), a.Line-b.Line, a.Col-b.Col)
	})
	return &Error{faults}
}
