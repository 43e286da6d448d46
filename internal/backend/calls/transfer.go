package calls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/durable"
)

// A Damage is a part of a file that is not what was written.
type Damage struct {
	File string `json:"file"`
	ID   string `json:"id,omitzero"` // of the recording; empty for the file as a whole
	What string `json:"what"`
}

// String says where the damage is.
func (d Damage) String() string {
	if d.ID == "" {
		return d.File + ": " + d.What
	}
	return d.File + ": recording " + d.ID + ": " + d.What
}

// A Check is what a look at everything found.
type Check struct {
	Files      int      `json:"files"`
	Bytes      int64    `json:"bytes"`
	Recordings int      `json:"recordings"` // whole ones
	Damages    []Damage `json:"damages"`
}

// Verify reads the whole store. It checks the structure of each file, the checksum of each
// reply, and that keys are those of the requests.
func (s *Store) Verify(ctx context.Context) (Check, error) {
	c := Check{Damages: []Damage{}}
	for _, d := range s.databases() {
		if err := d.verify(ctx, &c, func(entry) error { return nil }); err != nil {
			return c, err
		}
	}
	return c, nil
}

// verify reads a whole file, calls do for each whole recording, and adds what it found to c.
func (d *database) verify(ctx context.Context, c *Check, do func(entry) error) error {
	info, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	c.Files++
	c.Bytes += info.Size()
	damage := func(id, what string) { c.Damages = append(c.Damages, Damage{d.name(), id, what}) }
	err = d.read(func(conn *conn) error {
		return conn.run("PRAGMA integrity_check", func(row []any) error {
			if row[0] != "ok" {
				damage("", fmt.Sprint(row[0]))
			}
			return ctx.Err()
		})
	})
	if isDamage(err) {
		damage("", err.Error())
	} else if err != nil {
		return err
	}
	return d.each(math.MinInt64, math.MaxInt64, func(id int64, err error) { damage(hexID(id), err.Error()) }, func(r *Recording) error {
		e, err := r.content()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isDamage(err) {
			damage(r.Key.ID(), strings.TrimPrefix(err.Error(), d.name()+": recording "+r.Key.ID()+": "))
			return nil
		}
		if err != nil {
			return err
		}
		c.Recordings++
		return do(e)
	})
}

// Export writes recordings as one file, which [Store.Import] reads. The same recordings
// give the same bytes wherever they come from; times are kept.
func Export(ctx context.Context, w io.Writer, recordings []*Recording) error {
	dir, err := os.MkdirTemp("", "recordings")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, fileName)
	if err := writeFile(ctx, path, "PRAGMA journal_mode = DELETE", recordings, nil); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// writeFile makes a file of recordings, in the order of their keys. Damaged ones are
// an error, unless damaged is set, which is called for them.
func writeFile(ctx context.Context, path, finish string, recordings []*Recording, damaged func(error)) (err error) {
	c, err := create(path, "PRAGMA journal_mode = OFF")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Exec("BEGIN"); err != nil {
		return err
	}
	t := newTable()
	for _, r := range slices.SortedFunc(slices.Values(recordings), func(a, b *Recording) int { return bytes.Compare(a.Key[:], b.Key[:]) }) {
		e, err := r.content()
		switch {
		case isDamage(err) && damaged != nil:
			damaged(err)
			err = nil
		case err == nil:
			err = t.put(c, &e)
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return c.Exec("COMMIT; VACUUM;" + finish)
}

// An Imported says what became of the recordings of a file.
type Imported struct {
	New   int // were not in the store
	Newer int // replace an older recording of the same key
	Known int // are in the store, or older than what is
	Check Check
}

// Whole reports whether everything in the file is as it was written.
func (in *Imported) Whole() bool { return len(in.Check.Damages) == 0 }

// Import adds the recordings of an exported file, or of one of another store, at once.
// Of a file that is not whole it adds nothing.
func (s *Store) Import(ctx context.Context, path string) (in Imported, err error) {
	_, stat := os.Stat(path + "-wal") // beside a file that a process may write to, or was killed while it did
	d := &database{path: path, live: stat == nil}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.verify(ctx, &in.Check, func(entry) error { return nil }); err != nil || !in.Whole() {
		return in, err
	}
	err = s.change(func(c *conn) error {
		return d.verify(ctx, new(Check), func(e entry) error {
			had, ok, err := c.number("SELECT time FROM calls WHERE id = ?", e.key.number())
			switch {
			case err != nil:
				return err
			case !ok:
				in.New++
			case had >= e.reply.Time.UnixNano():
				in.Known++
				return nil
			default:
				in.Newer++
			}
			return s.table.put(c, &e)
		})
	})
	return in, err
}

// A Pruned says what [Prune] did, or would do.
type Pruned struct {
	Kept    int   `json:"kept"`
	Removed int   `json:"removed"` // as asked for
	Damaged int   `json:"damaged"` // could not be read
	Before  int64 `json:"bytes_before"`
	After   int64 `json:"bytes_after"`
}

// ErrInUse says that other processes have the store open.
var ErrInUse = errors.New("another process uses the recordings")

// Prune rewrites the store in a folder as one file with the newest recording of each key,
// without those that remove picks and without what is damaged. With dry it only says what
// it would do. It fails with [ErrInUse] while another process has the store open.
func Prune(ctx context.Context, dir string, log *slog.Logger, remove func(*Recording) bool, dry bool) (p Pruned, err error) {
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
	damaged := func(err error) {
		s.log.Warn("a damaged recording is left out", "error", err)
		p.Damaged++
	}
	all, err := s.list(math.MinInt64, math.MaxInt64, func(_ int64, err error) { damaged(err) })
	if err != nil {
		return p, err
	}
	keep := lists.Filter(all, func(r *Recording) bool { return !remove(r) })
	p.Removed = len(all) - len(keep)
	fresh := filepath.Join(dir, "."+s.owner+durable.Unfinished)
	defer os.Remove(fresh)
	listed := p.Damaged
	if err := writeFile(ctx, fresh, claimsTable+"PRAGMA journal_mode = WAL", keep, damaged); err != nil {
		return p, err
	}
	p.Kept = len(keep) - p.Damaged + listed
	for _, d := range s.databases() {
		n, err := fileSize(d.path)
		if err != nil {
			return p, err
		}
		p.Before += n
	}
	if p.After, err = fileSize(fresh); err != nil || dry {
		return p, err
	}
	return p, s.replace(fresh, p.Damaged > 0)
}

// replace puts one file in the place of all. A kill in between leaves recordings twice. Of
// damaged files a copy stays.
func (s *Store) replace(fresh string, damaged bool) error {
	path := filepath.Join(s.dir, fileName)
	var faults []error
	for _, d := range s.databases() {
		faults = append(faults, d.close())
		if damaged {
			faults = append(faults, os.Link(d.path, d.path+".damaged"))
		}
	}
	others := s.others
	s.own, s.others = nil, nil
	for _, suffix := range []string{"-wal", "-shm"} { // where a damaged file did not take them up
		if err := os.Remove(path + suffix); !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(append(faults, os.Rename(fresh, path))...); err != nil {
		return err
	}
	for _, d := range others {
		faults = append(faults, os.Remove(d.path))
	}
	durable.SyncDir(s.dir)
	return errors.Join(faults...)
}

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
