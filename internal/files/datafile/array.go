package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"recallbench/internal/files/jsontree"
)

// MaxElement is how many bytes an element of an array may have, 1 GiB.
const MaxElement = 1 << 30

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
		report := f.Report(e.Data, e.Line)
		if i := Invalid(e.Data); i >= 0 {
			report(i, "", fmt.Sprintf(notUTF8, e.Data[i], e.Start+int64(i)))
			continue
		}
		tree, err := jsontree.Parse(e.Data)
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			report(se.Offset, "", fmt.Sprintf("offset %d: %v", e.Start+int64(se.Offset), se))
			continue
		}
		each(e, jsontree.Root(tree, name(n, e), report))
	}
	return ctx.Err()
}
