package calls

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"recallbench/internal/files/durable"
)

// A Pruned says what [Prune] did, or would do.
type Pruned struct {
	Kept       int   `json:"kept"`
	Removed    int   `json:"removed"`    // as asked for
	Superseded int   `json:"superseded"` // older recordings of a key
	Damaged    int   `json:"damaged"`    // could not be read
	Before     int64 `json:"bytes_before"`
	After      int64 `json:"bytes_after"`
}

// ErrInUse says that other processes have the store open.
var ErrInUse = errors.New("another process uses the recordings")

// Prune rewrites the store in a folder as one segment with the newest recording
// of each key, without those that remove picks and without what is damaged.
// With dry it only says what it would do. It fails with [ErrInUse] while
// another process has the store open.
func Prune(ctx context.Context, dir string, log *slog.Logger, remove func(*Recording) (bool, error), dry bool) (p Pruned, err error) {
	lock := flock.New(filepath.Join(dir, ".lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return p, fmt.Errorf("recordings: %w", err)
	}
	if !ok {
		return p, ErrInUse
	}
	s, err := open(dir, log, lock)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	keep, err := s.plan(ctx, remove, &p)
	if err != nil {
		return p, err
	}
	if dry {
		var n counter
		err = copyTo(ctx, &n, keep)
		p.After = int64(n)
		return p, err
	}
	return p, s.replace(ctx, keep, &p)
}

// plan decides what stays, the oldest first.
func (s *Store) plan(ctx context.Context, remove func(*Recording) (bool, error), p *Pruned) (keep []*Recording, err error) {
	all, err := s.Recordings()
	if err != nil {
		return nil, err
	}
	for _, g := range s.segments {
		p.Before += g.size
	}
	p.Superseded = s.superseded
	slices.Reverse(all)
	for _, r := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.check(); err != nil {
			s.log.Warn("a damaged recording is left out", "error", err)
			p.Damaged++
			continue
		}
		gone, err := remove(r)
		if err != nil {
			return nil, err
		}
		if gone {
			p.Removed++
			continue
		}
		keep = append(keep, r)
	}
	p.Kept = len(keep)
	return keep, nil
}

// replace puts one segment in the place of all. A kill in between leaves both,
// which say the same twice.
func (s *Store) replace(ctx context.Context, keep []*Recording, p *Pruned) error {
	old := slices.Clone(s.segments)
	if len(keep) > 0 {
		if err := s.newSegment(ctx, keep); err != nil {
			return err
		}
	}
	s.files.closeAll()
	var faults []error
	for _, g := range old {
		faults = append(faults, os.Remove(g.path))
	}
	// What imports left that were killed.
	left, err := fs.Glob(os.DirFS(s.dir), ".*"+durable.Unfinished)
	faults = append(faults, err)
	for _, name := range left {
		faults = append(faults, os.Remove(filepath.Join(s.dir, name)))
	}
	faults = append(faults, os.RemoveAll(s.claims.dir)) // nobody else has the store open
	durable.SyncDir(s.dir)
	entries, err := os.ReadDir(s.dir)
	faults = append(faults, err)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == extension {
			p.After += info.Size()
		}
	}
	return errors.Join(faults...)
}

// A counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
