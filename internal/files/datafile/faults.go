package datafile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/termsafe"
)

// MaxFaults is how many faults of a file an error shows.
const MaxFaults = 20

// maxText is how many bytes of a fault's text an error shows.
const maxText = 600

// Faults collects what is wrong with one or several files.
type Faults struct {
	File string // that of the faults to come

	list []error
	more int
}

// Addf adds a fault at a line, from 1. Quotes from the file may have any length
// and content: a long text loses its middle.
func (f *Faults) Addf(line int, format string, args ...any) {
	if f.Full() {
		f.more++
		return
	}
	err := fmt.Errorf(format, args...)
	text := err.Error()
	if n := len(text); n > maxText {
		text = text[:maxText/2] + "…" + text[n-maxText/2:]
	}
	f.list = append(f.list, fault{fmt.Sprintf("%s:%d: %s", f.File, line, termsafe.Text(text)), err})
}

// A fault is an error with a text that is fit for a line.
type fault struct {
	text string
	err  error
}

func (f fault) Error() string { return f.text }

func (f fault) Unwrap() error { return f.err }

// Root parses the JSON of a file and returns a cursor at its top, whose path begins
// with name; nil if it is not JSON. Faults, including those reported at the cursor,
// are faults of the file.
func (f *Faults) Root(data []byte, name string) *jsontree.Cursor {
	if i := Invalid(data); i >= 0 {
		f.Addf(Line(data, i), notUTF8, data[i], i)
		return nil
	}
	data = TrimBOM(data)
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		f.Addf(Line(data, se.Offset), "offset %d: %w", se.Offset, se)
		return nil
	}
	return jsontree.Root(tree, name, f.Report(data, 1))
}

// Line parses a line of JSON and returns a cursor at its top; nil if it is not JSON.
// Faults, including those reported at the cursor, are faults of the line.
func (f *Faults) Line(data []byte, line int) *jsontree.Cursor {
	if i := Invalid(data); i >= 0 {
		f.Addf(line, "byte %#02x at column %d is not UTF-8; save the file as UTF-8", data[i], i+1)
		return nil
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		f.Addf(line, "column %d: %w", se.Offset+1, se)
		return nil
	}
	return jsontree.Root(tree, "", f.Report(data, line))
}

// Report returns a function that records the faults of a text that begins at a line of
// the file.
func (f *Faults) Report(data []byte, line int) jsontree.Report {
	file := f.File
	return func(offset int, path, fault string) {
		at := line
		if !f.Full() { // else it is only counted: spare the search
			at += Line(data, offset) - 1
		}
		if path = strings.TrimSuffix(path, ": "); path != "" {
			fault = path + ": " + fault
		}
		f.File = file
		f.Addf(at, "%s", fault)
	}
}

// Count returns how many faults there are.
func (f *Faults) Count() int { return len(f.list) + f.more }

// Full reports whether more faults would only be counted.
func (f *Faults) Full() bool { return len(f.list) == MaxFaults }

// Err returns the faults as one error, a line for each, or nil if there are
// none.
func (f *Faults) Err() error {
	if f.more > 0 {
		return errors.Join(append(slices.Clip(f.list),
			fmt.Errorf("%s: and %d more faults", f.File, f.more))...)
	}
	return errors.Join(f.list...)
}
