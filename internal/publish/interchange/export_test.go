package interchange

import (
	"context"
	"io"
)

// ReadFrom is Read for what stands in no file.
func ReadFrom(ctx context.Context, format, name string, in io.Reader) (File, error) {
	f, err := find("format", format, ImportFormats())
	if err != nil {
		return File{}, err
	}
	r := newReading(ctx, name, f.Name, in)
	r.take = r.collect
	if err := r.all(f); err != nil {
		return File{}, err
	}
	return r.answers()
}
