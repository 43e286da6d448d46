package calls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Damage is a part of a file that has changed since it was written.
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

// A Check is the result of verifying a store.
type Check struct {
	Files      int      `json:"files"`
	Bytes      int64    `json:"bytes"`
	Recordings int      `json:"recordings"` // whole ones
	Damages    []Damage `json:"damages"`
}

// Verify reads the whole store. It checks the structure of each file, the checksum of
// each reply, and that keys match their requests.
func (s *Store) Verify(ctx context.Context) (Check, error) {
	c := Check{Damages: []Damage{}}
	for _, d := range s.databases() {
		if err := d.verify(ctx, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// verify reads a whole file and adds what it found to c.
func (d *database) verify(ctx context.Context, c *Check) error {
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
	if err == nil {
		err = d.contents(ctx, func(r *Recording, _ entry, err error) error {
			if err != nil {
				damage(r.Key.ID(), strings.TrimPrefix(err.Error(), d.name()+": recording "+r.Key.ID()+": "))
			} else {
				c.Recordings++
			}
			return nil
		})
	}
	if isDamage(err) {
		damage("", err.Error()+"; the command .recover of sqlite3 saves the readable part")
		return nil
	}
	return err
}

// contents calls do for each recording of a file with its request and its reply, or with
// the damage that one of them has.
func (d *database) contents(ctx context.Context, do func(*Recording, entry, error) error) error {
	return d.each(math.MinInt64, math.MaxInt64, func(r *Recording, err error) error {
		var e entry
		if err == nil {
			e, err = r.content()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !isDamage(err) {
			return err
		}
		return do(r, e, err)
	})
}

// Export writes recordings to one file, which [Store.Import] reads. The same recordings
// always give the same bytes; times are kept.
func Export(ctx context.Context, w io.Writer, recordings []*Recording) error {
	dir, err := os.MkdirTemp("", "recordings")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, fileName)
	if err := writeFile(ctx, path, recordings); err != nil {
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

// writeFile makes a file of recordings, in the order of their keys.
func writeFile(ctx context.Context, path string, recordings []*Recording) (err error) {
	c, err := create(path, "BEGIN")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	t := newTable()
	for _, r := range slices.SortedFunc(slices.Values(recordings), func(a, b *Recording) int { return bytes.Compare(a.Key[:], b.Key[:]) }) {
		e, err := r.content()
		if err == nil {
			err = t.put(c, &e)
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return c.Exec("COMMIT; VACUUM; PRAGMA journal_mode = DELETE")
}

// An Imported counts the recordings of an imported file.
type Imported struct {
	New   int // were not in the store
	Newer int // replace an older recording of the same key
	Known int // are in the store, or older than the one there
	Check Check
}

// Whole reports whether the file is undamaged.
func (in *Imported) Whole() bool { return len(in.Check.Damages) == 0 }

// Import adds the recordings of an exported file, or of another store's file, in one
// step. Of a damaged file it adds nothing.
func (s *Store) Import(ctx context.Context, path string) (in Imported, err error) {
	_, stat := os.Stat(path + "-wal") // beside a file that a process may write to, or was killed while it did
	d := &database{path: path, live: stat == nil}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.verify(ctx, &in.Check); err != nil || !in.Whole() {
		return in, err
	}
	err = s.change(func(c *conn) error {
		return d.contents(ctx, func(_ *Recording, e entry, damage error) error {
			had, ok, err := c.number("SELECT time FROM calls WHERE id = ?", e.Key.number())
			switch {
			case cmp.Or(damage, err) != nil:
				return cmp.Or(damage, err)
			case !ok:
				in.New++
			case had >= e.Reply.Time.UnixNano():
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

// A Pruned says what [Store.Prune] did, or would do.
type Pruned struct {
	Kept    int   `json:"kept"`
	Removed int   `json:"removed"` // as asked for
	Damaged int   `json:"damaged"` // could not be read
	Before  int64 `json:"bytes_before"`
	After   int64 `json:"bytes_after"`
}

// Prune deletes damaged recordings and those that remove selects from the file that
// processes write to, and shrinks it; other files stay. With dry it only reports what it
// would delete. What is recorded anew meanwhile stays.
func (s *Store) Prune(ctx context.Context, remove func(*Recording) bool, dry bool) (p Pruned, err error) {
	d := s.written()
	if d == nil {
		return p, nil
	}
	if p.Before, err = fileSize(d.path); err != nil {
		return p, err
	}
	p.After = p.Before
	var gone []*Recording
	err = d.contents(ctx, func(r *Recording, _ entry, damage error) error {
		switch {
		case damage != nil:
			s.log.Warn("a damaged recording is deleted", "id", r.Key.ID(), "error", damage)
			p.Damaged++
		case remove(r):
			p.Removed++
		default:
			p.Kept++
			return nil
		}
		gone = append(gone, r)
		return nil
	})
	if err != nil || dry {
		return p, err
	}
	err = s.change(func(c *conn) error {
		for _, r := range gone {
			if err := c.run("DELETE FROM calls WHERE id = ? AND time = ?", nil, r.Key.number(), r.Time.UnixNano()); err != nil {
				return err
			}
		}
		return c.sweep()
	})
	if err == nil {
		s.writing <- struct{}{}
		err = s.writer.Exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
		<-s.writing
	}
	if err != nil {
		return p, err
	}
	p.After, err = fileSize(d.path)
	return p, err
}

// sweep deletes the vectors and lines that no call has. Who remembers rows of lines sees
// by the version of the database that they are gone.
func (c *conn) sweep() error {
	used := make(map[int64]bool)
	err := c.run("SELECT texts FROM calls", func(row []any) error {
		parts, err := parseTexts(row[0])
		for _, r := range slices.Concat(parts...) {
			for id := r.first; id <= r.last; id++ {
				used[id] = true
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	var unused []int64
	err = c.run("SELECT id FROM texts", func(row []any) error {
		if id, ok := row[0].(int64); ok && !used[id] {
			unused = append(unused, id)
		}
		return nil
	})
	for _, id := range unused {
		err = cmp.Or(err, c.run("DELETE FROM texts WHERE id = ?", nil, id))
	}
	version, _, failed := c.number("PRAGMA user_version")
	return cmp.Or(err, failed, c.Exec(fmt.Sprintf(`DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM calls WHERE vector IS NOT NULL);
		PRAGMA user_version = %d`, version+1)))
}

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
