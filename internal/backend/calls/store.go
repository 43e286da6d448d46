package calls

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/ncruces/go-sqlite3"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/files/durable"
	"recallbench/internal/files/filelock"
)

// fileName is the name of the file that processes write to. Other files of a store with
// the same ending are only read.
const (
	fileName  = "calls" + extension
	extension = ".db"
)

// A claim ends after claimLife unless its process renews it, each claimRenewal.
const (
	claimLife    = 12 * time.Second
	claimRenewal = 3 * time.Second
)

// A Store keeps recordings in a folder that many processes of one machine may
// share. It is safe for concurrent use.
type Store struct {
	dir    string
	log    *slog.Logger
	now    func() time.Time
	remote func(dir string) (string, error) // names a network file system
	alone  *flock.Flock                     // on a network file system, against other processes
	owner  string                           // of the claims of this store
	done   chan struct{}                    // closed by Close
	waits  sync.Once                        // the first wait is told

	mu     sync.Mutex
	own    *database // nil while there is none
	others []*database
	queue  []*write
	held   map[Key]struct{} // claims
	// renewing is set while somebody renews them.
	renewing bool
	closed   bool

	writing chan struct{} // is full while somebody uses what follows
	writer  *conn
	table   table
	version int64 // of the database, when the table began
	last    int64 // time of the last recording
}

// A write is what somebody wants to change.
type write struct {
	do   func(*conn) error
	done chan error
}

// Open opens the store in a folder, and creates the folder if needed.
func Open(dir string, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	return OpenToRead(dir, log)
}

// OpenToRead is [Open] for reading only. It creates no folder.
func OpenToRead(dir string, log *slog.Logger) (*Store, error) {
	s := &Store{
		dir: dir, log: log, now: time.Now, remote: filelock.Remote, owner: strings.ToLower(rand.Text()[:12]),
		done: make(chan struct{}), writing: make(chan struct{}, 1), held: make(map[Key]struct{}), table: newTable(),
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, extension) && name != fileName && !strings.HasPrefix(name, ".") {
			s.others = append(s.others, &database{path: filepath.Join(dir, name)})
		}
	}
	return s, nil
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// written returns the file that processes write to; nil if there is none.
func (s *Store) written() *database {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		path := filepath.Join(s.dir, fileName)
		if _, err := os.Stat(path); err != nil {
			return nil
		}
		s.own = &database{path: path, live: true}
	}
	return s.own
}

// databases returns the files of the store, that of the processes first.
func (s *Store) databases() []*database {
	if own := s.written(); own != nil {
		return append([]*database{own}, s.others...)
	}
	return s.others
}

// Close releases the store.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	held := slices.Collect(maps.Keys(s.held))
	s.mu.Unlock()
	s.release(context.Background(), held)
	close(s.done)
	s.writing <- struct{}{} // later writers find it closed
	faults := lists.Map(s.databases(), func(d *database) error { return d.close() })
	if s.writer != nil {
		faults = append(faults, s.writer.Close())
	}
	s.writer = nil
	<-s.writing
	if s.alone != nil {
		faults = append(faults, s.alone.Unlock())
	}
	return errors.Join(faults...)
}

// find returns the recorded replies of keys, the newest of each. A damaged one is as
// good as none.
func (s *Store) find(_ context.Context, keys []Key) (map[Key]Reply, error) {
	found := make(map[Key]Reply, len(keys))
	for _, d := range s.databases() {
		for _, k := range keys {
			r, ok, err := d.reply(k)
			if err != nil && !isDamage(err) {
				return nil, &fault.Error{Kind: fault.Unavailable, Message: "the recordings cannot be read: " + d.name() + ": " + err.Error(), Err: err}
			}
			if err != nil {
				s.log.Warn("a recording cannot be read and is ignored; run 'bench calls verify' for details", "file", d.name(), "id", k.ID(), "error", err)
			}
			if had, twice := found[k]; ok && (!twice || had.Time.Before(r.Time)) {
				found[k] = r
			}
		}
	}
	return found, nil
}

// reply reads the reply of a key; ok is false if there is none.
func (d *database) reply(k Key) (r Reply, ok bool, err error) {
	err = d.read(func(c *conn) error {
		return c.run("SELECT "+replyColumns+", c.sum FROM calls c LEFT JOIN vectors v ON v.id = c.vector WHERE c.id = ?", func(row []any) error {
			if key, _ := row[0].([]byte); len(key) == len(k) && Key(key) != k {
				return nil // they share their first bytes
			}
			r, err = parseReply(k, row)
			ok = err == nil
			return err
		}, k.number())
	})
	return r, ok, err
}

// dimension returns the length of the recorded vectors of an identity; 0 where
// none is recorded.
func (s *Store) dimension(id identity) int {
	for _, d := range s.databases() {
		var n int64
		err := d.read(func(c *conn) (err error) {
			n, _, err = c.number("SELECT dimension FROM models WHERE identity = ?", string(id.json))
			return err
		})
		if err == nil && n > 0 {
			return int(n)
		}
	}
	return 0
}

func (s *Store) where() string { return s.dir }

// record adds calls to the store; when it returns they survive the end of the process.
func (s *Store) record(_ context.Context, all []entry) error {
	for _, e := range all {
		size := len(e.Reply.Chat.Text)
		for _, text := range e.Texts {
			size += len(text)
		}
		if size > maxRecording {
			return fmt.Errorf("a recording of %d bytes, want at most %d", size, maxRecording)
		}
	}
	keys := lists.Map(all, func(e entry) Key { return e.Key })
	claimed := s.claimed(keys)
	err := s.change(func(c *conn) error {
		for i := range all {
			s.last = max(s.now().UnixNano(), s.last+1)
			all[i].Reply.Time = time.Unix(0, s.last).UTC()
			if err := s.table.put(c, &all[i]); err != nil {
				return err
			}
		}
		return s.unclaim(c, claimed)
	})
	if err == nil {
		s.forget(claimed)
	}
	return err
}

// gathering is how long a transaction waits for more to write, where several calls are in
// flight: a call takes a hundred times as long, and a transaction of many costs little more
// than that of one.
const gathering = time.Millisecond

// change runs do in a transaction, together with what others want to write by then.
func (s *Store) change(do func(*conn) error) error {
	own := &write{do, make(chan error, 1)}
	s.mu.Lock()
	s.queue = append(s.queue, own)
	s.mu.Unlock()
	select {
	case err := <-own.done:
		return err
	case s.writing <- struct{}{}:
	}
	runtime.Gosched() // replies come together: those that are about to write join
	s.mu.Lock()
	if len(s.queue) > 1 {
		s.mu.Unlock()
		time.Sleep(gathering)
		s.mu.Lock()
	}
	all := s.queue
	s.queue = nil
	s.mu.Unlock()
	if len(all) > 0 {
		err := s.transact(all)
		for _, c := range all {
			c.done <- err
		}
	}
	<-s.writing
	return <-own.done
}

// transact makes changes; it has s.writing.
func (s *Store) transact(all []*write) (err error) {
	select {
	case <-s.done:
		return fs.ErrClosed
	default:
	}
	if s.writer == nil {
		if s.writer, err = s.begin(); err != nil {
			return s.told(err)
		}
	}
	if err := s.writer.Exec("BEGIN IMMEDIATE"); err != nil {
		return s.told(err)
	}
	version, _, err := s.writer.number("PRAGMA user_version")
	if version != s.version { // somebody has pruned it
		s.table, s.version = newTable(), version
	}
	for _, c := range all {
		if err == nil {
			err = c.do(s.writer)
		}
	}
	if err == nil {
		err = s.writer.Exec("COMMIT")
	}
	if err != nil {
		s.table = newTable() // it may know rows that are not there
		if !s.writer.GetAutocommit() {
			_ = s.writer.Exec("ROLLBACK") // what failed says more
		}
		return s.told(err)
	}
	return nil
}

// told adds to an error of the database the system's own, such as that the disk is full.
func (s *Store) told(err error) error {
	err = fmt.Errorf("%s: %w", fileName, err)
	if !errors.Is(err, sqlite3.IOERR) && !errors.Is(err, sqlite3.FULL) {
		return err
	}
	probe := filepath.Join(s.dir, "."+s.owner+durable.Unfinished)
	defer os.Remove(probe)
	if failed := os.WriteFile(probe, make([]byte, 1<<16), 0o644); failed != nil {
		return fmt.Errorf("%w (%w)", err, failed)
	}
	return err
}

// errUnshared says that processes cannot share a folder.
var errUnshared = errors.New("set a folder on a local disk, for example with --store, or replay the recordings with --calls replay")

// Share prepares the store for several processes that make missing calls, so
// that each call is made once. It fails if the file system does not allow that:
// on a network file system only one process may record. A folder that cannot be
// written to is an error of the first call.
func (s *Store) Share() error {
	if err := s.change(func(*conn) error { return nil }); errors.Is(err, errUnshared) {
		return fmt.Errorf("recordings: %w", err)
	}
	return nil
}

// begin opens the file for writing, and makes it if there is none.
func (s *Store) begin() (*conn, error) {
	kind, err := s.remote(s.dir)
	if err != nil {
		return nil, err
	}
	mode := "PRAGMA journal_mode = WAL"
	if kind != "" && s.alone == nil {
		alone := flock.New(filepath.Join(s.dir, ".alone"))
		if ok, err := alone.TryLock(); err != nil || !ok {
			return nil, errors.Join(err, fmt.Errorf("%s is on %s, where only one process at a time can record without paying twice, and another is running; %w", s.dir, kind, errUnshared))
		}
		s.alone, mode = alone, "PRAGMA journal_mode = DELETE" // the other mode needs memory that processes share
	}
	path := filepath.Join(s.dir, fileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// It appears as a whole: nobody sees one without tables.
		fresh := filepath.Join(s.dir, "."+s.owner+durable.Unfinished)
		c, err := create(fresh, claimsTable+mode)
		if err == nil {
			err = errors.Join(c.Close(), durable.SyncFile(fresh))
		}
		if err == nil {
			if err = os.Link(fresh, path); errors.Is(err, fs.ErrExist) {
				err = nil
			}
		}
		err = errors.Join(err, os.Remove(fresh))
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.READONLY) {
			return nil, fmt.Errorf("%w; the mode replay only reads recordings", err)
		}
		if err != nil {
			return nil, err
		}
	}
	c, err := connect(path, "mode=rw")
	if err == nil && kind != "" {
		err = c.Exec(mode)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}
