package interchange

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"recallbench/internal/datafile"
)

// ReadFrom is Read for what stands in no file.
func ReadFrom(ctx context.Context, format, name string, in io.Reader) (File, error) {
	f, err := Find(format)
	if err != nil {
		return File{}, err
	}
	var read strings.Builder
	r := reading{
		ctx: ctx, in: io.TeeReader(newNullReader(in), &read), file: File{Name: name, Format: format}, faults: datafile.Faults{File: name},
		lines: func(offset int64) int { return 1 + strings.Count(read.String()[:min(int(offset), read.Len())], "\n") },
	}
	r.dec = json.NewDecoder(r.in)
	return r.file, r.read(f)
}
