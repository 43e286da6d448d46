package calls

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A Recording is a recorded call. Its request and its reply are read on demand.
type Recording struct {
	Key      Key
	Kind     Kind
	Time     time.Time // when the reply came
	Role     string
	Identity Identity
	// Size is the length of the reply and of the vector, in bytes.
	Size int64

	db *database
	id []byte // the identity
}

// Reply reads the reply.
func (r *Recording) Reply() (Reply, error) {
	reply, ok, err := r.db.reply(r.Key)
	if err == nil && !ok {
		err = errors.New("it is gone")
	}
	return reply, r.fault("reply", err)
}

// Call reads the request.
func (r *Recording) Call() (*Call, error) {
	c, _, err := r.request()
	return c, err
}

// request reads the request, also as the entry that it is part of.
func (r *Recording) request() (c *Call, e entry, err error) {
	e = entry{Key: r.Key, Kind: r.Kind, Role: r.Role}
	err = r.db.read(func(c *conn) (err error) {
		e.Texts, err = c.texts(r.Key.number())
		return err
	})
	var id identity
	if err == nil {
		c, id, err = restore(r.id, e.Texts, r.Key)
	}
	if err == nil && (c.Kind != r.Kind || c.Role != r.Role) {
		err = fmt.Errorf("%w: its kind or its role", errDamaged)
	}
	e.Identity = id.json
	return c, e, r.fault("request", err)
}

// content reads the request and the reply, and checks both.
func (r *Recording) content() (entry, error) {
	_, e, err := r.request()
	if err == nil {
		e.Reply, err = r.Reply()
	}
	return e, err
}

// fault says where an error is.
func (r *Recording) fault(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: recording %s: %s: %w", r.db.name(), r.Key.ID(), part, err)
}

// page is how many recordings are read at a time.
const page = 1000

// each calls do for each recording of a range of numbers, in the order of their keys: for
// one whose row is damaged with the error, and what is known of it.
func (d *database) each(from, to int64, do func(*Recording, error) error) error {
	type result struct {
		*Recording
		err error
	}
	for more := true; more; {
		var all []result
		err := d.read(func(c *conn) error {
			return c.run(`SELECT c.id, c.key, c.kind, c.time, c.role, m.identity,
				ifnull(length(c.reply), 0) + ifnull(length(c.logprobs), 0) + ifnull(length(c.wire), 0) + ifnull(length(v.vector), 0)
				FROM calls c LEFT JOIN models m ON m.id = c.model LEFT JOIN vectors v ON v.id = c.vector
				WHERE c.id BETWEEN ? AND ? ORDER BY c.id LIMIT ?`, func(row []any) error {
				r, err := parseRecording(d, row)
				all = append(all, result{r, err})
				return nil
			}, from, to, int64(page))
		})
		for _, r := range all {
			if err := do(r.Recording, r.err); err != nil {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.name(), err)
		}
		if more = len(all) == page && all[page-1].Key.number() < to; more {
			from = all[page-1].Key.number() + 1
		}
	}
	return nil
}

func parseRecording(d *database, row []any) (*Recording, error) {
	number, _ := row[0].(int64)
	key, _ := row[1].([]byte)
	kind, _ := row[2].(string)
	ns, _ := row[3].(int64)
	role, _ := row[4].(string)
	id, _ := row[5].(string)
	size, _ := row[6].(int64)
	r := &Recording{Kind: Kind(kind), Time: time.Unix(0, ns).UTC(), Role: role, Size: size, db: d, id: []byte(id)}
	binary.BigEndian.PutUint64(r.Key[:], uint64(number))
	if len(key) != len(r.Key) || Key(key).number() != number {
		return r, fmt.Errorf("%w: its key", errDamaged)
	}
	r.Key = Key(key)
	if err := json.Unmarshal(r.id, &r.Identity); err != nil {
		return r, fmt.Errorf("%w: its model: %w", errDamaged, err)
	}
	return r, nil
}

// Recordings returns the newest recording of each key, newest first. Damaged ones are
// left out, with a warning.
func (s *Store) Recordings() ([]*Recording, error) { return s.list(math.MinInt64, math.MaxInt64) }

// Find returns the recordings whose key begins with the hexadecimal digits of
// prefix, newest first.
func (s *Store) Find(prefix string) ([]*Recording, error) {
	prefix = strings.ToLower(prefix)
	low, err := hex.DecodeString((prefix + strings.Repeat("0", 16))[:16])
	high, _ := hex.DecodeString((prefix + strings.Repeat("f", 16))[:16])
	if err != nil {
		return nil, nil //nolint:nilerr // what is not a digit matches nothing
	}
	if prefix == "" {
		return s.Recordings()
	}
	key := func(b []byte) int64 { return Key(append(b, make([]byte, 24)...)).number() }
	found, err := s.list(key(low), key(high))
	return slices.DeleteFunc(found, func(r *Recording) bool { return !strings.HasPrefix(r.Key.String(), prefix) }), err
}

func (s *Store) list(from, to int64) ([]*Recording, error) {
	newest := make(map[Key]*Recording)
	for _, d := range s.databases() {
		err := d.each(from, to, func(r *Recording, err error) error {
			if err != nil {
				s.log.Warn("a recording cannot be read; run 'bench calls verify' for details", "id", r.Key.ID(), "error", err)
			} else if had := newest[r.Key]; had == nil || had.Time.Before(r.Time) {
				newest[r.Key] = r
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("recordings: %w", err)
		}
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b *Recording) int {
		return cmp.Or(b.Time.Compare(a.Time), bytes.Compare(a.Key[:], b.Key[:]))
	}), nil
}
