package interchange

import (
	"context"
	"io"
)

// ReadFrom is Read for what stands in no file.
func ReadFrom(ctx context.Context, format, name string, in io.Reader) (File, error) {
	l, err := findLayout(format, ImportFormats())
	if err != nil {
		return File{}, err
	}
	r := newReading(ctx, ResultOptions{})
	r.take = r.collect
	r.layout, r.file.Name, r.file.Format = l, name, l.Name
	r.open(name, in)
	if err := r.read(); err != nil {
		return File{}, err
	}
	return r.answers()
}
