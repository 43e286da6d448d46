package calls

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// extension ends the names of segments.
const extension = ".calls"

// maxOpen bounds the files that are open at a time; a store may have more
// segments than a process may have files.
const maxOpen = 64

// A segment is a file of frames that only grows.
type segment struct {
	path string
	own  bool         // this process appends to it and indexes what it appends
	file *os.File     // nil while closed
	used atomic.Int64 // when it was last read, by the count of reads

	size  int64 // when it was last scanned
	end   int64 // of the last frame that the scan found
	grown time.Time
	// complete is set when nobody appends to it any more.
	complete bool
}

func (g *segment) name() string { return filepath.Base(g.path) }

// files reads from segments, and keeps some open. Its zero value is ready.
type files struct {
	mu    sync.RWMutex
	open  []*segment
	reads atomic.Int64
}

// readAt fills p from an offset of a segment on.
func (f *files) readAt(g *segment, p []byte, offset int64) (int, error) {
	for {
		f.mu.RLock()
		if g.file != nil {
			defer f.mu.RUnlock()
			g.used.Store(f.reads.Add(1))
			return g.file.ReadAt(p, offset)
		}
		f.mu.RUnlock()
		if err := f.reopen(g); err != nil {
			return 0, err
		}
	}
}

func (f *files) reopen(g *segment) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g.file != nil {
		return nil
	}
	if len(f.open) >= maxOpen {
		oldest := 0
		for i, o := range f.open {
			if o.used.Load() < f.open[oldest].used.Load() {
				oldest = i
			}
		}
		f.open[oldest].close()
		f.open[oldest] = f.open[len(f.open)-1]
		f.open = f.open[:len(f.open)-1]
	}
	file, err := os.Open(g.path)
	if err != nil {
		return err
	}
	g.file = file
	g.used.Store(f.reads.Add(1))
	f.open = append(f.open, g)
	return nil
}

// close closes the file; it was only read.
func (g *segment) close() {
	_ = g.file.Close()
	g.file = nil
}

// closeAll closes all files.
func (f *files) closeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.open {
		g.close()
	}
	f.open = nil
}

// A reader reads one segment.
type reader struct {
	files   *files
	segment *segment
}

// ReadAt implements io.ReaderAt.
func (r reader) ReadAt(p []byte, offset int64) (int, error) {
	return r.files.readAt(r.segment, p, offset)
}
