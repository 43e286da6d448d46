package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// A Digest says what a file of a run folder held when the run ended.
type Digest struct {
	File   string `json:"file"` // in the run folder, with slashes
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Lines  int    `json:"lines"`
}

// A Scored says what scores.jsonl holds and what it was derived from.
type Scored struct {
	Digest
	// From is a hash of the digests of what the scores were derived from.
	From string `json:"from"`
}

// name returns a path in the folder as digests have it.
func (f Folder) name(path string) string {
	rel, err := filepath.Rel(string(f), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// inputs returns the names of the files that a run's scores are derived from.
// Errata, judgements and ratings may come after the run, and who changes them scores
// the run again.
func (f Folder) inputs(h Header) (run, later []string) {
	for _, d := range h.Datasets {
		run = append(run, f.name(f.Gold(d.Label)), f.name(f.Turns(d.Label)), f.name(f.Trees(d.Label)))
		later = append(later, f.name(f.Errata(d.Label)), f.name(f.Ratings(d.Label)))
	}
	for _, c := range h.Cells {
		run = append(run, f.name(f.Records(c.ID)), f.name(f.Ingests(c.ID)), f.name(f.Blocks(c.ID)), f.name(f.Structures(c.ID)))
		later = append(later, f.name(f.Judgements(c.ID)))
	}
	return run, later
}

// Seal notes in a header what the files of the run hold, for later readers to check.
// Of later files it notes those that have a digest already or are given by path. The
// caller writes the header.
func (f Folder) Seal(h *Header, added ...string) error { return f.SealWritten(h, nil, added...) }

// SealWritten is [Folder.Seal] where the digests of some files are known, by their paths,
// as whoever wrote them knows them.
func (f Folder) SealWritten(h *Header, written map[string]Digest, added ...string) error {
	names, _ := f.inputs(*h)
	names = append(names, f.name(f.Config()))
	names = append(names, f.After(*h)...)
	for _, path := range added {
		names = lists.AddNew(names, f.name(path))
	}
	slices.Sort(names)
	h.Files = nil
	for _, name := range names {
		d, known := written[f.path(filepath.FromSlash(name))]
		d.File = name
		if !known {
			var err error
			if d, err = f.digest(name); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return err
			}
		}
		h.Files = append(h.Files, d)
	}
	return nil
}

// After returns the names of the files with a digest that may come after the run:
// errata, judgements and ratings.
func (f Folder) After(h Header) (names []string) {
	_, later := f.inputs(h)
	for _, d := range h.Files {
		if slices.Contains(later, d.File) || strings.HasSuffix(d.File, askedEnd) {
			names = append(names, d.File)
		}
	}
	return names
}

// Unseal takes the digests of files that are about to grow out of the header, and
// writes it: what a killed process has appended is no damage.
func (f Folder) Unseal(h *Header, paths ...string) error {
	n := len(h.Files)
	h.Files = slices.DeleteFunc(slices.Clone(h.Files), func(d Digest) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return f.name(path) == d.File })
	})
	if len(h.Files) == n {
		return nil
	}
	return f.WriteHeader(*h)
}

// digest reads a file of the folder. A last line without a line feed is one.
func (f Folder) digest(name string) (Digest, error) {
	path := f.path(filepath.FromSlash(name))
	file, err := OpenRegular(path)
	if err != nil {
		return Digest{}, err
	}
	defer file.Close()
	h := newHasher()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{file}, make([]byte, 256<<10)); err != nil {
		return Digest{}, faultOf(Unreadable, path, 0, err)
	}
	d := h.digest()
	d.File = name
	return d, nil
}

// A hasher makes the digest of what is written to it.
type hasher struct {
	sum   hash.Hash
	bytes int64
	lines int
	last  byte
}

func newHasher() *hasher { return &hasher{sum: sha256.New(), last: '\n'} }

// Write implements [io.Writer].
func (h *hasher) Write(p []byte) (int, error) {
	if len(p) > 0 {
		h.bytes, h.lines, h.last = h.bytes+int64(len(p)), h.lines+bytes.Count(p, []byte("\n")), p[len(p)-1]
	}
	return h.sum.Write(p)
}

func (h *hasher) digest() Digest {
	d := Digest{SHA256: hex.EncodeToString(h.sum.Sum(nil)), Bytes: h.bytes, Lines: h.lines}
	if h.last != '\n' {
		d.Lines++
	}
	return d
}

// derivation hashes the digests of what scores are derived from.
func (f Folder) derivation(h Header, digests map[string]Digest) string {
	names, _ := f.inputs(h)
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		if d, ok := digests[name]; ok {
			fmt.Fprintf(sum, "%s %s\n", d.SHA256, name)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Derivation hashes what the scores of a run are derived from: the files that the header
// has digests of, which the caller has checked or written, and the others as they are now.
func (f Folder) Derivation(h Header) (string, error) {
	names, _ := f.inputs(h)
	digests := make(map[string]Digest)
	for _, d := range h.Files {
		digests[d.File] = d
	}
	for _, name := range names {
		if _, known := digests[name]; known {
			continue
		}
		d, err := f.digest(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		digests[name] = d
	}
	return f.derivation(h, digests), nil
}

// OpenRegular opens a file to read it. What is no file is a [Fault]: opening a
// pipe would wait for ever.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, faultOf(Unreadable, path, 0, err)
	case info.IsDir():
		return nil, faultf(Unreadable, path, 0, "is a folder, want a file")
	case !info.Mode().IsRegular():
		return nil, faultf(Unreadable, path, 0, "is no regular file")
	}
	f, err := os.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = faultOf(Unreadable, path, 0, err)
	}
	return f, err
}

// maxWhole is the largest file that is read as a whole, in bytes.
const maxWhole = 256 << 20

// ReadRegular returns the bytes of a file of a run. A folder, a pipe, which reading
// could wait on for ever, and a file of more than 256 MiB are errors.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	if err != nil {
		return nil, faultOf(Unreadable, path, 0, err)
	}
	if len(data) > maxWhole {
		return nil, faultf(Unreadable, path, 0, "is larger than %d MiB, the most that is read", maxWhole>>20)
	}
	return data, nil
}
