package interchange

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// resultEndings are the endings of files that may be results by a person's own layout.
var resultEndings = []string{".json", ".jsonl", ".ndjson", ".gz", ".csv", ".tsv"}

// sources finds the files of results at a path and their format.
func (r *reading) sources(path string) (paths []string, format string, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir() && r.Format != "": // what a person says counts
		return []string{path}, r.Format, nil
	case err != nil || !info.IsDir():
		format, err := r.formatOf(path)
		return []string{path}, format, err
	}
	formats := make(map[string][]string)
	err = filepath.WalkDir(path, func(name string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		found, err := r.formatOf(name)
		if isLayoutFile(r.Format) && slices.Contains(resultEndings, filepath.Ext(name)) {
			found, err = r.Format, nil
		}
		if err == nil && (r.Format == "" || found == r.Format) { // others are not results
			formats[found] = append(formats[found], name)
		}
		return nil
	})
	found := slices.Sorted(maps.Keys(formats))
	switch {
	case err != nil:
		return nil, "", err
	case len(found) == 0:
		return nil, "", fmt.Errorf("%s: the folder has no file of results; want one of %s", path, strings.Join(ResultFormats(), ", "))
	case len(found) > 1:
		return nil, "", fmt.Errorf("%s: the folder has files of several formats: %s; --from chooses one", path, strings.Join(found, ", "))
	}
	paths = formats[found[0]]
	if at := slices.IndexFunc(paths, func(p string) bool { return filepath.Base(p) == "checkpoint.json" }); found[0] == "memorybench" && at >= 0 {
		paths = paths[at : at+1] // the report is made from it
	}
	return paths, found[0], nil
}

// formatOf finds the format of a file by what it holds. Of a large file it reads as far as
// it must.
func (r *reading) formatOf(path string) (format string, err error) {
	f, archive, err := r.openFile(path, MaxResults, io.Discard)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if archive {
		_, err := zipEntries(path, f)
		return "inspect", err
	}
	head := r.head()
	switch {
	case len(head) == 0:
		return "", fmt.Errorf("%s: the file is empty", path)
	case r.isTable():
		return "csv", nil
	case r.isJSON():
		_, err = r.some(&excerpt{items: 1, left: maxValues, enough: func(top *jsontree.Value) bool {
			format = marked(top)
			return format != "" || top.Kind == jsontree.Array
		}}, 0)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return "", err
	}
	if format == "" {
		return "", fmt.Errorf("%s: unknown format; it begins with %q; want one of %s, or a layout, which 'bench import --from suggest' proposes", path, head[:min(len(head), 80)], strings.Join(ResultFormats(), ", "))
	}
	return format, nil
}

// openFile opens a file of at most limit bytes and begins to read what it holds, unpacked
// where it is gzip; archive tells that it is one. Its own bytes are written to seen as they
// are read.
func (s *stream) openFile(path string, limit int64, seen io.Writer) (f *os.File, archive bool, err error) {
	if f, err = datafile.Open(path, limit); err != nil {
		return nil, false, err
	}
	in, archive, err := unpacked(io.TeeReader(f, seen))
	if err != nil {
		_ = f.Close()
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	s.open(path, in)
	return f, archive, nil
}

// unpacked returns what a file holds, unpacked where it is gzip, and whether it is an
// archive.
func unpacked(f io.Reader) (in io.Reader, archive bool, err error) {
	packed := &counter{in: bufio.NewReader(f)}
	head, _ := packed.in.Peek(4)
	if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return packed.in, bytes.Equal(head, []byte("PK\x03\x04")), nil
	}
	out, err := gzip.NewReader(packed)
	return &bounded{in: out, packed: packed}, false, err
}

// A counter counts what is read through it.
type counter struct {
	in *bufio.Reader
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// mostRatio is how much larger than packed a file may be, above the first 64 MiB.
const mostRatio = 200

// A bounded reader refuses what unpacks to far more than it should.
type bounded struct {
	in     io.Reader
	packed *counter
	n      int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	b.n += int64(n)
	if b.n > MaxResults || b.n > 64<<20 && b.n > mostRatio*b.packed.n {
		return n, fmt.Errorf("it unpacks to more than %d times its size, or more than %d GiB", mostRatio, MaxResults>>30)
	}
	return n, err
}

// source reads the items of a file, and returns its SHA-256.
func (r *reading) source(path string) (string, error) {
	limit := int64(MaxResults)
	if !r.scores {
		limit = MaxSize
	}
	hash := sha256.New()
	f, archive, err := r.openFile(path, limit, hash)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if archive {
		err = r.inspectArchive(path, f)
		_, _ = f.Seek(0, io.SeekStart) // of a regular file
		hash.Reset()
	} else {
		err = r.read()
	}
	if err == nil {
		_, err = io.Copy(hash, f)
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// The entries of a log of Inspect that describe it.
const (
	inspectHeader = "header.json"
	inspectStart  = "_journal/start.json"
)

// zipEntries returns the entries of a log of Inspect by name; of several with one name the
// last counts, as Inspect writes them.
func zipEntries(path string, f *os.File) (map[string]*zip.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: the archive is damaged or cut off: %w", path, err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20)))
	entries := make(map[string]*zip.File)
	for _, e := range archive.File {
		entries[e.Name] = e
	}
	if entries[inspectHeader] == nil && entries[inspectStart] == nil {
		return nil, fmt.Errorf("%s: an archive without %s or %s, want a log of Inspect AI", path, inspectHeader, inspectStart)
	}
	return entries, nil
}

// inspectArchive reads a log of Inspect in its own form, one sample at a time.
func (r *reading) inspectArchive(path string, f *os.File) error {
	entries, err := zipEntries(path, f)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	all := &bounded{packed: &counter{n: info.Size()}} // over all entries, which may share their bytes
	open := func(name string, read func() error) error {
		in, err := entries[name].Open()
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, name, err)
		}
		defer in.Close()
		all.in = in
		r.open(path+": "+name, all)
		return read()
	}
	head := inspectHeader
	if entries[head] == nil {
		head = inspectStart
		if !r.Partial {
			return fmt.Errorf("%s: the log is unfinished, without %s; --force reads it anyway", path, inspectHeader)
		}
	}
	w := &walker{stream: &r.stream, items: r.layout.Items, head: r.saysOfAll, item: r.item}
	if err := open(head, w.top); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if !strings.HasPrefix(name, "samples/") || !strings.HasSuffix(name, ".json") {
			continue
		}
		err := open(name, func() error {
			c, line, err := r.value("")
			if err == nil && c != nil {
				r.item(c.Value, nil, "", line)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
