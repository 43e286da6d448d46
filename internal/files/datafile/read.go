// Package datafile reads the files of datasets and collects what is wrong with
// them.
package datafile

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// Open opens a regular file of at most limit bytes. Anything else is an error
// that names the file: a folder, a device, a larger file (its size is checked
// before anything is read). A missing file wraps fs.ErrNotExist.
func Open(path string, limit int64) (*os.File, error) {
	// Asked by name first, because opening a named pipe would wait.
	info, err := os.Stat(path)
	if err != nil {
		return nil, plain(path, err)
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder, want a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a regular file (%s)", path, info.Mode().Type())
	case info.Size() > limit:
		return nil, tooLarge(path, limit)
	}
	f, err := os.Open(path)
	return f, plain(path, err)
}

// OpenLarge is [Open] without a limit, for files whose parts are read again. Packed
// files are rejected, as no part of them can be read by itself.
func OpenLarge(path string) (*os.File, error) {
	switch filepath.Ext(path) {
	case ".gz", ".zst", ".bz2", ".xz":
		return nil, fmt.Errorf("%s: is packed; unpack it first", path)
	}
	return Open(path, math.MaxInt64)
}

// plain puts the path before the reason of an error, if there is one, as all faults of data
// have it.
func plain(path string, err error) error {
	if err == nil {
		return nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, pe.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func tooLarge(path string, limit int64) error {
	return fmt.Errorf("%s: is larger than %d MiB, the limit", path, limit>>20)
}

// Read returns the bytes of a file that [Open] accepts.
func Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1)) // it may have grown
	if int64(len(data)) > limit {
		return nil, tooLarge(path, limit)
	}
	return data, plain(path, err)
}

// CheckText returns an error if data is not UTF-8 text: the name of the file,
// with the line and the offset of the first invalid byte.
func CheckText(name string, data []byte) error {
	i := Invalid(data)
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%s:%d: "+notUTF8, name, Line(data, i), data[i], "offset", i)
}

// notUTF8 takes the byte, and its place with the unit.
const notUTF8 = "byte %#02x at %s %d is not UTF-8; save the file as UTF-8"

// Invalid returns the offset of the first byte that is not UTF-8, or -1.
func Invalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// Line returns the number of the line, from 1, that holds the offset.
func Line(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// TrimBOM returns data without the byte order mark that some editors put
// before UTF-8.
func TrimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// ReadPacked is [Read] for a file that may be gzipped, as the ending .gz tells, with
// at most limit bytes unpacked. It also returns the SHA-256 in hex of the file as
// stored.
func ReadPacked(ctx context.Context, path string, limit int64) (data []byte, sum string, err error) {
	if data, err = Read(ctx, path, limit); err != nil {
		return nil, "", err
	}
	sum = Sum(data)
	if filepath.Ext(path) != ".gz" {
		return data, sum, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(z, limit+1))
	}
	switch {
	case err != nil:
		return nil, sum, fmt.Errorf("%s: is not a gzip file, or is damaged: %w", path, err)
	case int64(len(data)) > limit:
		return nil, sum, tooLarge(path, limit)
	}
	return data, sum, nil
}

// Sum returns the SHA-256 of data in hex.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
