package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/termsafe"
)

const (
	// MaxFaults is how many faults of a file an error shows.
	MaxFaults = 20
	// maxText is how many bytes of a fault's text an error shows.
	maxText = 600
	// MaxElement is how many bytes an element of an array may have, 1 GiB.
	MaxElement = 1 << 30
)

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
	return f.parse(TrimBOM(data), name, 1, "offset", 0)
}

// Line parses a line of JSON and returns a cursor at its top; nil if it is not JSON.
// Faults, including those reported at the cursor, are faults of the line.
func (f *Faults) Line(data []byte, line int) *jsontree.Cursor {
	return f.parse(data, "", line, "column", 1)
}

// Each reads the elements of the JSON array or object in a file, which may be larger than
// memory. It calls each with the element and a cursor at its top, whose path begins with
// name(n, e) for the n-th, from 1. Faults in the text, and those reported at the cursor,
// are recorded; the error is that of reading.
func (f *Faults) Each(ctx context.Context, r io.Reader, kind jsontree.Kind, name func(n int, e jsontree.Element) string, each func(jsontree.Element, *jsontree.Cursor)) error {
	n := 0
	for e, err := range jsontree.Elements(r, kind, MaxElement) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			f.Addf(e.Line, "offset %d: %w", se.Offset, se)
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.File, e.Line, err)
		}
		n++
		if c := f.parse(e.Data, name(n, e), e.Line, "offset", int(e.Start)); c != nil {
			each(e, c)
		}
	}
	return ctx.Err()
}

// parse parses JSON that begins at a line, and whose bytes are counted from a number on in
// offsets or columns.
func (f *Faults) parse(data []byte, name string, line int, unit string, from int) *jsontree.Cursor {
	file := f.File
	report := func(offset int, path, fault string) {
		at := line
		if unit == "offset" && !f.Full() { // else it is only counted: spare the search
			at += Line(data, offset) - 1
		}
		if path = strings.TrimSuffix(path, ": "); path != "" {
			fault = path + ": " + fault
		}
		f.File = file
		f.Addf(at, "%s", fault)
	}
	if i := Invalid(data); i >= 0 {
		report(i, "", fmt.Sprintf(notUTF8, data[i], unit, from+i))
		return nil
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		report(se.Offset, "", fmt.Sprintf("%s %d: %v", unit, from+se.Offset, se))
		return nil
	}
	return jsontree.Root(tree, name, report)
}

// Count returns how many faults there are.
func (f *Faults) Count() int { return len(f.list) + f.more }

// Full reports whether more faults would only be counted.
func (f *Faults) Full() bool { return len(f.list) == MaxFaults }

// Err returns the faults as one error, a line for each, or nil if there are
// none.
func (f *Faults) Err() error {
	all := f.list
	if f.more > 0 {
		all = append(slices.Clip(all), fmt.Errorf("%s: and %d more faults", f.File, f.more))
	}
	return errors.Join(all...)
}
