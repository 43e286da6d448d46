package multiwoz

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
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/files/datafile"
)

const (
	// MaxSize is the size in bytes, unpacked, of all files together above which
	// no more is read, 384 MiB: more than the whole release has.
	MaxSize = 384 << 20
	// maxFiles is how many files of dialogues a split may have. The release has
	// 17.
	maxFiles = 1000
)

// sample is where the datasets of the project's users have a few dialogues of
// the release; it is read only where it is named.
const sample = "v2.2-genuine-sample"

// folders are where in a folder the layout may be, in order of preference: the
// folder itself, the release as a clone of its repository has it, and what the
// project's own folder of datasets has.
var folders = []string{".", "MultiWOZ_2.2", "data/MultiWOZ_2.2", "v2.2-genuine", "v2.2-layout-derived-from-2.1"}

// Find returns the folder within dir, or dir itself, that has the layout: one
// with a folder test, dev or train that holds files of dialogues. A sample of the
// release in a folder of dir is not taken. That there is none is an error that
// wraps fs.ErrNotExist.
func Find(dir string) (string, error) {
	for _, f := range folders {
		at := filepath.Join(dir, filepath.FromSlash(f))
		for _, split := range []string{"test", "dev", "train"} {
			if names, err := dialogueFiles(filepath.Join(at, split)); err == nil && len(names) > 0 {
				return at, nil
			}
		}
	}
	err := fmt.Errorf("%s: has no MultiWOZ 2.2: %w; want a folder with test/dialogues_001.json in it, as data/MultiWOZ_2.2 of github.com/budzianowski/multiwoz", dir, fs.ErrNotExist)
	if names, other := dialogueFiles(filepath.Join(dir, sample, "test")); other == nil && len(names) > 0 {
		err = fmt.Errorf("%w; the sample in %s is too small to be taken unless it is named", err, filepath.Join(dir, sample))
	}
	return "", err
}

// dialogueFiles returns the names of the files of dialogues of a split, in
// order. A plain file goes before one of the same name with gzip.
func dialogueFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		base := strings.TrimSuffix(name, ".gz")
		ok, _ := filepath.Match("dialogues_*.json", base)
		if ok && (base == name || !slices.Contains(names, base)) {
			names = append(names, name)
		}
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("%s: has %d files of dialogues, want at most %d", dir, len(names), maxFiles)
	}
	return names, nil
}

// A reader reads files and keeps account of them.
type reader struct {
	left int64 // bytes that may still be read, unpacked
	sums bytes.Buffer
	// digests are those of the files read, in hex.
	digests []string
}

// read returns the content of a file, unpacked.
func (r *reader) read(ctx context.Context, path string) ([]byte, error) {
	data, err := datafile.Read(ctx, path, r.left)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	r.digests = append(r.digests, digest)
	fmt.Fprintln(&r.sums, digest)
	if strings.HasSuffix(path, ".gz") {
		if data, err = unpack(data, r.left); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := datafile.CheckText(path, data); err != nil {
		return nil, err
	}
	r.left -= int64(len(data))
	return datafile.TrimBOM(data), nil
}

// unpack returns what gzip packed, of at most limit bytes.
func unpack(data []byte, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("is no gzip file: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, limit+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the gzip file is cut off")
	case err != nil:
		return nil, fmt.Errorf("the gzip file is damaged: %w", err)
	case int64(len(out)) > limit:
		return nil, fmt.Errorf("unpacked, the files are larger than %d MiB together, the most that is read", MaxSize>>20)
	}
	return out, nil
}

// sum returns the SHA-256 of what was read, in hex.
func (r *reader) sum() string {
	sum := sha256.Sum256(r.sums.Bytes())
	return hex.EncodeToString(sum[:])
}
