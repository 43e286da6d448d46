package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"recallbench/internal/result/record"
)

// cached is the row of a run with what it was read from.
type cached struct {
	Seen stamp `json:"seen"`
	Row  Row   `json:"row"`
	// Derived is set where the files were checked and the row lacks nothing that can be
	// derived.
	Derived bool `json:"derived,omitempty"`
}

// cacheVersion is another one where rows have other fields.
const cacheVersion = 2

type cacheFile struct {
	Version int               `json:"version"`
	Rows    map[string]cached `json:"rows"` // by folder
}

// cachePath is where the rows of the catalog's folders are kept.
func (c *Catalog) cachePath() string {
	all := sha256.New()
	for _, r := range c.roots {
		fmt.Fprintf(all, "%s\x00", absolute(r.dir))
	}
	return filepath.Join(c.Cache, "runs-"+hex.EncodeToString(all.Sum(nil)[:8])+".json")
}

// readCache reads the rows of an earlier process. One that cannot be read holds
// nothing.
func (c *Catalog) readCache() map[string]cached {
	if c.Cache == "" {
		return nil
	}
	var file cacheFile
	data, err := os.ReadFile(c.cachePath())
	if err != nil || json.Unmarshal(data, &file) != nil || file.Version != cacheVersion {
		return nil
	}
	return file.Rows
}

// writeCache keeps the rows for the next process; mu is held.
func (c *Catalog) writeCache() {
	if c.Cache == "" || !c.dirty.Swap(false) {
		return
	}
	file := cacheFile{cacheVersion, make(map[string]cached, len(c.places))}
	for _, p := range c.places {
		file.Rows[absolute(p.dir)] = p.cached
	}
	err := os.MkdirAll(c.Cache, 0o700)
	if err == nil {
		err = record.WriteFile(c.cachePath(), func(w io.Writer) error { return json.NewEncoder(w).Encode(file) })
	}
	if err != nil {
		c.Log.Warn("the index of runs is not kept for the next start", "error", err)
	}
}

// derive checks the runs, and sums up those without a summary, one after another, and keeps all rows
// when that is done; mu is held.
func (c *Catalog) derive(order []*place) {
	busy := len(c.queue) > 0
	c.queue = c.queue[:0]
	for _, p := range order {
		if !p.Derived && p.Row.Error == "" && p.Row.Status != Running {
			c.queue = append(c.queue, p)
		}
	}
	if busy || c.ending || len(c.queue) == 0 && !c.dirty.Load() {
		return
	}
	c.worker.Go(c.work)
}

// work checks and sums up what is in the queue.
func (c *Catalog) work() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 || c.ending {
			c.writeCache()
			c.mu.Unlock()
			return
		}
		p := c.queue[0]
		seen, summed := p.Seen, p.Row.Finished != nil
		c.mu.Unlock()
		var rows []record.SummaryRow
		err := c.Check(p.dir)
		damage, damaged := errors.AsType[*record.Damage](err)
		if err == nil && !summed {
			rows, err = c.Summarize(p.dir)
		}
		c.mu.Lock()
		if len(c.queue) > 0 && c.queue[0] == p {
			c.queue = c.queue[1:]
		}
		if p.Seen == seen { // else it is in the queue again
			p.Derived = true
			c.dirty.Store(true)
			switch {
			case damaged:
				p.Row.Status, p.Row.Damage, p.Row.Resume = Damaged, firstLine(damage), ""
			case err == nil && !summed:
				c.sumUp(&p.Row, rows)
			case err != nil:
				c.Log.Warn("a run is not summed up", "folder", p.dir, "error", firstLine(err))
			}
		}
		c.mu.Unlock()
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Wait returns when all runs that an index found are summed up.
func (c *Catalog) Wait() { c.worker.Wait() }

// Close ends that work with the run that is under way, and keeps what is known.
func (c *Catalog) Close() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.worker.Wait()
}
