// Package catalog lists the runs and baselines below some folders with what tells
// them apart. It reads headers, summaries of scores and the progress of runs that go
// on, and neither locks nor changes them. A run without a summary is summed up when it is
// found.
package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// The bounds of a walk.
const (
	maxDepth = 8
	maxRuns  = 10_000
)

// Options say how runs are listed.
type Options struct {
	// Metric finds a metric by its name.
	Metric func(name string) (*metrics.Spec, error)
	// Summarize sums up a run or baseline whose summary is not there.
	Summarize func(dir string) ([]record.SummaryRow, error)
	Now       func() time.Time
	Log       *slog.Logger
}

// A Catalog lists the runs and baselines below some folders. It is safe for
// concurrent use.
type Catalog struct {
	Options
	roots []root
	host  string // of progress files

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
	dir, path string
	argument  int
	seen      string // stamp of the files that row was read from
	row       Row
}

// New returns a catalog of some folders. Beside is looked in as well, unless it lies
// in one of them; empty for none. A folder that is not there is an error, but
// for beside.
func New(dirs []string, beside string, o Options) (*Catalog, error) {
	c := &Catalog{Options: o, host: record.Host(), places: make(map[string]*place)}
	var faults []error
	for i, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			faults = append(faults, err)
			continue
		}
		r := root{dir: dir}
		if len(dirs) > 1 {
			r.prefix = strconv.Itoa(i) + "\x00"
		}
		c.roots = append(c.roots, r)
	}
	if beside != "" && !slices.ContainsFunc(dirs, func(dir string) bool { return within(dir, beside) }) {
		c.roots = append(c.roots, root{beside, "beside\x00"})
	}
	return c, errors.Join(faults...)
}

// within reports whether a path is that of a folder or of what lies in it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(absolute(dir), absolute(path))
	return err == nil && filepath.IsLocal(rel)
}

// absolute returns a path that does not depend on the working directory, as far as
// there is one.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Key names a run by its path from the folder that it was found in, with slashes. No
// path can be had from it.
func Key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// atRest is how long what was found in folders is not looked for again.
const atRest = 5 * time.Second

// Index returns the runs as they are now, or were at most 5 seconds ago. The result
// is shared and must not be changed.
func (c *Catalog) Index() Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(false)
	return c.index
}

// Folder returns the folder of a key.
func (c *Catalog) Folder(key string) (dir string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.places[key]; !ok {
		c.look(true) // it may have come since
	}
	p, ok := c.places[key]
	if !ok {
		return "", false
	}
	return p.dir, true
}

// look walks the folders and reads what has changed; mu is held.
func (c *Catalog) look(again bool) {
	now := c.Now()
	if least := atRest; !c.looked.IsZero() {
		if again {
			least = time.Second / 2
		}
		if d := now.Sub(c.looked); d >= 0 && d < least {
			return
		}
	}
	c.looked = now
	var w walk
	for i, r := range c.roots {
		w.root, w.argument = r, i
		w.folder(r.dir, ".", 0)
	}
	found := make(map[string]*place, len(w.found))
	var order []*place
	for _, p := range w.found {
		key := Key(c.roots[p.argument].prefix + p.path)
		if old, ok := c.places[key]; ok {
			p = old
		}
		found[key] = p
		p.row.Key, p.row.Argument, p.row.Path = key, p.argument, p.path
		order = append(order, p)
	}
	c.places = found
	readers := pool.New().WithMaxGoroutines(4)
	for _, p := range order {
		readers.Go(func() { p.read(c) })
	}
	readers.Wait()
	c.makeIndex(order, w.cut)
}

// A walk looks for runs and baselines below a root.
type walk struct {
	root     root
	argument int
	found    []*place
	cut      bool // something lay beyond the bounds
}

// folder looks at a folder and those in it. Symbolic links are not followed.
func (w *walk) folder(dir, path string, depth int) {
	if record.Describe(dir) == "the folder of a run" || record.IsBaseline(dir) {
		if len(w.found) == maxRuns {
			w.cut = true
			return
		}
		w.found = append(w.found, &place{dir: dir, path: path, argument: w.argument})
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil { // it may be gone by now
		return
	}
	for _, e := range entries {
		if !e.IsDir() || e.Type()&fs.ModeSymlink != 0 || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if depth == maxDepth {
			w.cut = true
			return
		}
		sub := e.Name()
		if path != "." {
			sub = path + "/" + sub
		}
		w.folder(filepath.Join(dir, e.Name()), sub, depth+1)
	}
}

// makeIndex makes the index of places in their order; mu is held.
func (c *Catalog) makeIndex(order []*place, cut bool) {
	rev := sha256.New()
	index := Index{Cut: cut, Runs: make([]Row, len(order)), Columns: make(map[string]Column)}
	for i, p := range order {
		index.Runs[i] = p.row
		if p.path == "." {
			index.Open = append(index.Open, p.row.Key)
		}
		fmt.Fprintln(rev, p.row.Key, p.seen, p.row.Status, p.row.Since, value(p.row.Finished), value(p.row.Errors))
		for _, name := range p.row.Metrics {
			c.addColumns(index.Columns, name)
		}
	}
	index.Rev = base64.RawURLEncoding.EncodeToString(rev.Sum(nil)[:9])
	c.index = index
}

func (c *Catalog) addColumns(columns map[string]Column, metric string) {
	spec, err := c.Metric(metric)
	if err != nil { // of another version of the program
		return
	}
	for _, col := range spec.Columns {
		columns[col.Name] = Column{col.Scale, col.Digits, col.Lower, col.Neutral}
	}
}

func value(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}
