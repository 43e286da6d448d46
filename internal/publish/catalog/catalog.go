// Package catalog lists the runs and baselines below some folders, with their
// distinguishing properties. It reads headers, summaries of scores and the progress of
// active runs, and neither locks nor changes them. A run without a summary is summarized
// when it is found.
package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// maxDepth is how deep below a folder runs are looked for.
const maxDepth = 8

// Options say how runs are listed.
type Options struct {
	// Metric finds a metric by its name.
	Metric func(name string) (*metrics.Spec, error)
	// Summarize summarizes a run or baseline without a summary.
	Summarize func(dir string) ([]record.SummaryRow, error)
	Now       func() time.Time
	Log       *slog.Logger
}

// A Catalog lists the runs and baselines below some folders. It is safe for
// concurrent use.
type Catalog struct {
	Options
	roots []root

	mu     sync.Mutex
	looked time.Time
	places map[string]*place // by key
	index  Index
}

// A root is a folder that runs are looked for in.
type root struct {
	dir    string
	prefix string // of the paths that keys are made of
}

// A place is where a run or a baseline lies, and what was read of it.
type place struct {
	dir  string
	seen string // stamp of the files that row was read from
	row  Row
}

// New returns a catalog of some folders. Beside is searched as well, unless it lies
// in one of them; empty for none. A missing folder is an error, except for beside.
func New(dirs []string, beside string, o Options) (*Catalog, error) {
	c := &Catalog{Options: o, places: make(map[string]*place)}
	var faults []error
	within := beside == ""
	for i, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			faults = append(faults, fmt.Errorf("no folder of runs: %w; 'bench run' creates results/runs, or name other folders by path", err))
		}
		r := root{dir: dir}
		if len(dirs) > 1 {
			r.prefix = strconv.Itoa(i) + "\x00"
		}
		c.roots = append(c.roots, r)
		from, _ := filepath.Abs(dir) // what has no absolute path holds nothing
		to, _ := filepath.Abs(beside)
		if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
			within = true
		}
	}
	if !within {
		c.roots = append(c.roots, root{beside, "beside\x00"})
	}
	return c, errors.Join(faults...)
}

// Key names a run by its path from the folder that it was found in, with slashes. It
// reveals no other path.
func Key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// How long what was found in folders is not looked for again, and for how long where a
// run is asked for that was not found: it may have come since.
const (
	atRest = 5 * time.Second
	missed = time.Second / 2
)

// Index returns the current runs, at most 5 seconds old. The result is shared and
// must not be changed.
func (c *Catalog) Index() Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(atRest)
	return c.index
}

// Folder returns the folder of a key.
func (c *Catalog) Folder(key string) (dir string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places[key] == nil {
		c.look(missed)
	}
	if p := c.places[key]; p != nil {
		return p.dir, true
	}
	return "", false
}

// look walks the folders and reads what has changed, unless that was done a while ago at
// most; mu is held.
func (c *Catalog) look(rest time.Duration) {
	now := c.Now()
	if d := now.Sub(c.looked); !c.looked.IsZero() && d >= 0 && d < rest {
		return
	}
	c.looked = now
	index := Index{Runs: []Row{}, Columns: make(map[string]Column)}
	found := make(map[string]*place)
	var order []*place
	for i, r := range c.roots {
		index.Cut = walk(r.dir, func(path string) {
			key := Key(r.prefix + path)
			p := c.places[key]
			if p == nil {
				p = &place{dir: filepath.Join(r.dir, filepath.FromSlash(path)), row: Row{Key: key, Argument: i, Path: path}}
			}
			found[key], order = p, append(order, p)
		}) || index.Cut
	}
	c.places = found
	readers := pool.New().WithMaxGoroutines(4)
	for _, p := range order {
		readers.Go(func() { p.read(c) })
	}
	readers.Wait()
	for _, p := range order {
		index.Runs = append(index.Runs, p.row)
		if p.row.Path == "." {
			index.Open = append(index.Open, p.row.Key)
		}
		for _, name := range p.row.Metrics {
			if spec, err := c.Metric(name); err == nil { // else of another version of the program
				for _, col := range spec.Columns {
					index.Columns[col.Name] = ColumnOf(col)
				}
			}
		}
	}
	data, err := json.Marshal(index)
	if err != nil { // a mean that is not a number, which no summary has
		c.Log.Warn("the index of runs cannot be written", "error", err)
	}
	index.Rev = Key(string(data))
	c.index = index
}

// walk calls found with the paths of the runs and baselines below a folder, with slashes. It
// reports whether a folder lay too deep. Symbolic links are not followed.
func walk(dir string, found func(path string)) (cut bool) {
	_ = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		folder := filepath.Join(dir, filepath.FromSlash(path))
		switch {
		case err != nil: // it may be gone by now
			return fs.SkipDir
		case !d.IsDir():
			return nil
		case path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case strings.Count(path, "/") >= maxDepth:
			cut = true
			return fs.SkipDir
		case !record.IsRun(folder):
			return nil
		}
		found(path)
		return fs.SkipDir
	})
	return cut
}
