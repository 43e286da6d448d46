// Package follow reads the lines of files that other processes append to, cut and
// replace. It opens files for reading only, takes no lock and writes nothing.
package follow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A File is a file of lines that is followed from its beginning.
type File struct {
	path   string
	seen   fs.FileInfo // when all was read; nil where there may be more
	info   fs.FileInfo // of what was read; nil before the first time
	offset int64       // behind the last line that was read
	lines  int         // up to there
	tail   []byte      // the last bytes before offset
	long   bool        // offset is within a line that is too long
}

// New returns the file of a path, which need not be there yet.
func New(path string) *File { return &File{path: path} }

// tailSize is how many bytes before the offset tell whether a file still holds what
// was read of it.
const tailSize = 64

// A Line is a line without its line feed.
type Line struct {
	Number int // from 1
	Data   []byte
	// Err says why there is no Data: the line is longer than what is read at once.
	Err error
}

// News is what is new of a file.
type News struct {
	Lines []Line
	// Reset is set where what was read before is gone: the file is another one, has
	// shrunk or has another beginning, or is not there. Lines are from its beginning.
	Reset bool
	// More is set where more can be read at once.
	More bool
	Read int64 // bytes
}

// Next returns the whole lines that have come since the last time, reading at most
// limit bytes. A line whose end has not come yet waits for it.
func (f *File) Next(limit int64) (News, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return News{Reset: f.forget()}, nil
	}
	if err != nil {
		return News{}, err
	}
	if f.seen != nil && os.SameFile(f.seen, info) && f.seen.Size() == info.Size() && f.seen.ModTime().Equal(info.ModTime()) {
		return News{}, nil
	}
	if !info.Mode().IsRegular() { // reading it could wait for ever
		return News{}, fmt.Errorf("%s: not a regular file", f.path)
	}
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return News{Reset: f.forget()}, nil
	}
	if err != nil {
		return News{}, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil { // of the one that is read
		return News{}, err
	}
	var news News
	same, err := f.same(file, info)
	if err != nil {
		return News{}, err
	}
	if !same {
		news.Reset = f.forget()
	}
	f.info, f.seen = info, nil
	data := make([]byte, min(limit, max(0, info.Size()-f.offset)))
	n, err := file.ReadAt(data, f.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return news, err
	}
	data, news.Read = data[:n], int64(n)
	news.Lines = f.split(data, int64(n) == limit)
	news.More = int64(n) == limit
	if !news.More {
		f.seen = info
	}
	return news, nil
}

// forget begins anew, and reports whether anything was read before.
func (f *File) forget() bool {
	read := f.offset > 0
	*f = File{path: f.path}
	return read
}

// same reports whether a file still holds what was read.
func (f *File) same(file *os.File, info fs.FileInfo) (bool, error) {
	if f.info == nil {
		return true, nil
	}
	if !os.SameFile(f.info, info) || info.Size() < f.offset {
		return false, nil
	}
	now := make([]byte, len(f.tail))
	if _, err := file.ReadAt(now, f.offset-int64(len(now))); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.Equal(now, f.tail), nil
}

// split takes the whole lines from data, which begins at the offset. Full is set where
// there is no room for more: a line without an end is then too long.
func (f *File) split(data []byte, full bool) []Line {
	var lines []Line
	rest := data
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			break
		}
		f.lines++
		if !f.long {
			lines = append(lines, Line{Number: f.lines, Data: rest[:end:end]})
		}
		f.long = false
		rest = rest[end+1:]
	}
	if full && len(rest) == len(data) {
		if !f.long {
			lines = append(lines, Line{Number: f.lines + 1, Err: fmt.Errorf("%s:%d: the line is longer than %d bytes", f.path, f.lines+1, len(data))})
		}
		f.long, rest = true, nil
	}
	read := data[:len(data)-len(rest)]
	f.offset += int64(len(read))
	f.tail = append(f.tail, read[max(0, len(read)-tailSize):]...)
	f.tail = bytes.Clone(f.tail[max(0, len(f.tail)-tailSize):])
	return lines
}
