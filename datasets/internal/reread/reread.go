// Package reread reads parts of a large file again, and notices when they have
// changed.
package reread

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"sync"

	"recallbench/datasets"
)

// A File is an open file with the parts to read again.
type File struct {
	file  *os.File
	parts []part
	seed  maphash.Seed
	room  sync.Pool // of *bytes.Buffer
}

type part struct {
	start int64
	size  int
	sum   uint64
}

// New returns a file without parts. Close closes the file.
func New(f *os.File) *File { return &File{file: f, seed: maphash.MakeSeed()} }

// Add adds the part that begins at an offset and held data.
func (f *File) Add(start int64, data []byte) {
	f.parts = append(f.parts, part{start, len(data), maphash.Bytes(f.seed, data)})
}

// Read calls use with the i-th part, whose bytes are valid until use returns. It may
// be called concurrently. The error wraps [datasets.ErrChanged] if the part has
// changed.
func (f *File) Read(ctx context.Context, i int, use func(data []byte) error) error {
	at := f.parts[i]
	buf, ok := f.room.Get().(*bytes.Buffer)
	if !ok {
		buf = new(bytes.Buffer)
	}
	defer f.room.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(io.NewSectionReader(f.file, at.start, int64(at.size))); err != nil {
		return err
	}
	if buf.Len() != at.size || maphash.Bytes(f.seed, buf.Bytes()) != at.sum {
		return fmt.Errorf("%w: %s, bytes %d to %d", datasets.ErrChanged, f.file.Name(), at.start, at.start+int64(at.size))
	}
	if err := use(buf.Bytes()); err != nil {
		return err
	}
	return ctx.Err()
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
