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
	r := newReading(ctx, ResultOptions{})
	r.take = r.collect
	r.file.Name, r.file.Format = name, f.Name
	r.open(name, in)
	if err := r.read(f); err != nil {
		return File{}, err
	}
	return r.answers()
}
