package calls

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// schema makes the tables; doc.go describes them.
const schema = `
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA page_size = 8192;
PRAGMA application_id = 0x52424331;
BEGIN;
CREATE TABLE models (
	id INTEGER PRIMARY KEY,
	identity TEXT NOT NULL,
	dimension INTEGER,
	class TEXT AS (identity->>'class'),
	provider TEXT AS (identity->>'provider'),
	model TEXT AS (identity->>'model')
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE calls (
	id INTEGER PRIMARY KEY,
	key BLOB NOT NULL,
	kind TEXT NOT NULL,
	model INTEGER NOT NULL,
	role TEXT,
	texts TEXT NOT NULL,
	time INTEGER NOT NULL,
	latency INTEGER,
	reply,
	finish TEXT,
	served_by TEXT,
	fingerprint TEXT,
	calls INTEGER, input INTEGER, cached INTEGER, output INTEGER, reasoning INTEGER, counted INTEGER,
	attempts INTEGER,
	wire,
	logprobs BLOB,
	vector INTEGER,
	sum INTEGER NOT NULL
);
CREATE VIEW recordings AS
	SELECT printf('%016x', c.id) AS id, datetime(c.time / 1000000000, 'unixepoch') AS time, c.kind, c.role, m.provider, m.model,
		c.input, c.output, c.latency / 1000000 AS ms, c.reply
	FROM calls c JOIN models m ON m.id = c.model;
CREATE VIEW prompts AS
	SELECT printf('%016x', c.id) AS id, p.key AS part,
		(SELECT group_concat(text, '') FROM (SELECT t.text
			FROM json_each(p.value) r JOIN texts t ON t.id BETWEEN ifnull(r.value->>0, r.value) AND ifnull(r.value->>1, r.value)
			ORDER BY r.key, t.id)) AS text
	FROM calls c, json_each(c.texts) p;
COMMIT;`

// claimsTable is in the file that processes write to.
const claimsTable = "CREATE TABLE claims (key BLOB PRIMARY KEY, owner TEXT NOT NULL, expiry INTEGER NOT NULL) WITHOUT ROWID;"

// A conn is a connection to a database. One goroutine uses it at a time.
type conn struct {
	*sqlite3.Conn
	prepared map[string]*sqlite3.Stmt
}

// busyTimeout is how long a transaction waits for those of other processes.
const busyTimeout = time.Minute

// connect opens a database. The parameters are those of a SQLite URI.
func connect(path, parameters string) (*conn, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	c, err := sqlite3.Open("file://" + (&url.URL{Path: path}).EscapedPath() + "?" + parameters)
	if err != nil {
		return nil, err
	}
	err = c.BusyTimeout(busyTimeout)
	if err == nil {
		err = c.Exec("PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &conn{c, make(map[string]*sqlite3.Stmt)}, nil
}

// create makes a database with tables and nothing in them, and runs what prepares it for use.
// A crash may leave a part of the file until [durable.SyncFile] has ended.
func create(path, prepare string) (*conn, error) {
	c, err := connect(path, "mode=rwc")
	if err != nil {
		return nil, err
	}
	if err := c.Exec(schema + prepare); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close closes the connection and its statements.
func (c *conn) Close() error {
	for _, st := range c.prepared {
		_ = st.Close() // it repeats the error of its last run
	}
	return c.Conn.Close()
}

// run runs a statement, and calls each for each row.
func (c *conn) run(query string, each func(row []any) error, args ...any) (err error) {
	st := c.prepared[query]
	if st == nil {
		if st, _, err = c.Prepare(query); err != nil {
			return err
		}
		c.prepared[query] = st
	}
	defer func() { err = errors.Join(err, st.Reset()) }() // which has the error of Step
	for i, arg := range args {
		switch a := arg.(type) {
		case nil:
			err = st.BindNull(i + 1)
		case int64:
			err = st.BindInt64(i+1, a)
		case float64:
			err = st.BindFloat(i+1, a)
		case string:
			err = st.BindText(i+1, a)
		case []byte:
			err = st.BindBlob(i+1, a)
		default:
			err = fmt.Errorf("a value of type %T", arg)
		}
		if err != nil {
			return err
		}
	}
	for st.Step() {
		row := make([]any, st.ColumnCount())
		if err := st.Columns(row...); err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

// number returns the number that a query finds; ok is false if it finds none.
func (c *conn) number(query string, args ...any) (n int64, ok bool, err error) {
	err = c.run(query, func(row []any) error {
		n, ok = row[0].(int64)
		return nil
	}, args...)
	return n, ok, err
}

// A database is a file of recordings that is read. It is safe for concurrent use.
type database struct {
	path string
	live bool // a process may write to it

	mu     sync.Mutex
	conn   *conn // nil until it is needed, and after an error
	closed bool
}

func (d *database) name() string { return filepath.Base(d.path) }

// read calls do with the connection.
func (d *database) read(do func(*conn) error) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fs.ErrClosed
	}
	if d.conn == nil {
		if d.conn, err = d.open(); err != nil {
			return err
		}
	}
	if err = do(d.conn); err != nil {
		_ = d.conn.Close() // it was only read
		d.conn = nil
	}
	return err
}

// open opens the file. One that nobody writes to, or whose folder does not let this
// process write, is read as it is, without locks.
func (d *database) open() (*conn, error) {
	if d.live {
		c, err := connect(d.path, "mode=rw")
		if err == nil {
			if _, _, err = c.number("SELECT count(*) FROM models"); err == nil {
				return c, nil
			}
			_ = c.Close() // nothing was written
		}
		if !errors.Is(err, sqlite3.CANTOPEN) && !errors.Is(err, sqlite3.READONLY) {
			return nil, err
		}
	}
	if _, err := os.Stat(d.path); err != nil {
		return nil, err
	}
	return connect(d.path, "immutable=1")
}

func (d *database) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.conn == nil {
		return nil
	}
	return d.conn.Close()
}

// errDamaged says that bytes are not those that were written.
var errDamaged = errors.New("damaged")

// isDamage reports whether an error is one of what a file has.
func isDamage(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.ERROR)
}
