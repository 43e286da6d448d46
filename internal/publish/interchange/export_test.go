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
	return f.answers(ctx, name, in)
}
