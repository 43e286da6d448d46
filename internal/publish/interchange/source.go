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
)

// Exists reports whether an argument names a file or folder, or FILE#SIDE.
func Exists(arg string) bool {
	at := strings.LastIndexByte(arg, '#')
	return exists(arg) || at > 0 && exists(arg[:at])
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A source is a file of results.
type source struct {
	path string
	zip  bool
}

// sourcesOf finds the files of results at a path and their format.
func sourcesOf(path, format string) ([]source, string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		s, found, err := sourceOf(path)
		if exists(path) && format != "" { // what a person says counts
			found, err = format, nil
		}
		return []source{s}, found, err
	}
	var sources []source
	formats := make(map[string][]source)
	err = filepath.WalkDir(path, func(name string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		s, found, err := sourceOf(name)
		if isLayoutFile(format) && !s.zip && slices.Contains([]string{".json", ".jsonl", ".ndjson", ".gz"}, filepath.Ext(name)) {
			found, err = format, nil
		}
		if err == nil && found != "" && (format == "" || found == format) {
			formats[found] = append(formats[found], s)
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	for found := range formats {
		if format != "" && format != found || len(formats) > 1 && format == "" {
			return nil, "", fmt.Errorf("%s: the folder has files of several formats: %s; --from chooses one", path, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
		}
		sources, format = formats[found], found
	}
	if len(sources) == 0 {
		return nil, "", fmt.Errorf("%s: the folder has no file of results; want one of %s", path, strings.Join(ResultFormats(), ", "))
	}
	if at := slices.IndexFunc(sources, func(s source) bool { return filepath.Base(s.path) == "checkpoint.json" }); format == "memorybench" && at >= 0 {
		sources = sources[at : at+1] // the report is made from it
	}
	return sources, format, nil
}

// An UnknownFormatError is that of a file which no format or layout knows.
type UnknownFormatError struct{ File, Head string }

func (e *UnknownFormatError) Error() string {
	return fmt.Sprintf("%s: no known format; it begins with %q; want one of %s, or a layout, which 'bench import --from suggest' proposes", e.File, e.Head, strings.Join(ResultFormats(), ", "))
}

// sourceOf finds the format of a file.
func sourceOf(path string) (source, string, error) {
	s := source{path: path}
	f, err := datafile.Open(path, MaxResults)
	if err != nil {
		return s, "", err
	}
	defer f.Close()
	head := make([]byte, 80)
	n, err := io.ReadFull(f, head)
	if head = head[:n]; err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return s, "", fmt.Errorf("%s: %w", path, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return s, "", fmt.Errorf("%s: %w", path, err)
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		s.zip = true
		entries, err := zipEntries(f)
		if err != nil {
			return s, "", fmt.Errorf("%s: %w", path, err)
		}
		if entries[inspectHeader] == nil && entries[inspectStart] == nil {
			return s, "", fmt.Errorf("%s: an archive without %s or %s, want a log of Inspect AI", path, inspectHeader, inspectStart)
		}
		return s, "inspect", nil
	}
	in, err := unpacked(f)
	if err != nil {
		return s, "", fmt.Errorf("%s: %w", path, err)
	}
	format, err := detect(in)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", path, err)
	case format == "":
		err = &UnknownFormatError{File: path, Head: string(head)}
	}
	return s, format, err
}

// unpacked returns what a file holds, unpacked where it is gzip.
func unpacked(f io.Reader) (io.Reader, error) {
	in := bufio.NewReader(f)
	if head, _ := in.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	packed := &counter{in: in}
	out, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return &bounded{in: out, packed: packed}, nil
}

// A counter counts what is read through it.
type counter struct {
	in io.Reader
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

// The entries of a log of Inspect that describe it.
const (
	inspectHeader = "header.json"
	inspectStart  = "_journal/start.json"
)

// zipEntries returns the entries of an archive by name; of several with one name the
// last counts, as Inspect writes them.
func zipEntries(f *os.File) (map[string]*zip.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("an archive that is damaged or cut off: %w", err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20)))
	entries := make(map[string]*zip.File)
	for _, e := range archive.File {
		entries[e.Name] = e
	}
	return entries, nil
}

// read reads the items of the source, and returns its SHA-256.
func (s source) read(r *reading, format *Format) (string, error) {
	limit := int64(MaxResults)
	if !r.scores {
		limit = MaxSize
	}
	f, err := datafile.Open(s.path, limit)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if s.zip {
		if _, err := io.Copy(hash, f); err != nil {
			return "", fmt.Errorf("%s: %w", s.path, err)
		}
		return hex.EncodeToString(hash.Sum(nil)), r.inspectArchive(s.path, f)
	}
	raw := io.TeeReader(f, hash)
	in, err := unpacked(raw)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.path, err)
	}
	r.open(s.path, in)
	if err := r.all(format); err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return "", fmt.Errorf("%s: %w", s.path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// inspectArchive reads a log of Inspect in its own form, one sample at a time.
func (r *reading) inspectArchive(path string, f *os.File) error {
	entries, err := zipEntries(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
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
		if !r.partial {
			return fmt.Errorf("%s: the log is not finished: it has no %s; --force takes what there is", path, inspectHeader)
		}
	}
	w := newWalker(r, shippedLayouts()["inspect"])
	err = open(head, func() error {
		bracket, err := r.begin("", "the head of a log of Inspect AI", '{')
		if err != nil {
			return err
		}
		return w.walk(bracket, "", w.ways(), nil)
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if !strings.HasPrefix(name, "samples/") || !strings.HasSuffix(name, ".json") {
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		err := open(name, func() error {
			c, line, err := r.value("")
			if err == nil && c != nil {
				w.item(c.Value, nil, "", line)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
