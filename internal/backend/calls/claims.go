package calls

import (
	"context"
	"time"

	"recallbench/internal/calc/lists"
)

// claim claims keys, so that no other process makes their calls. It returns those
// that nobody else has claimed. A claim ends when it is released, when its call is
// recorded, or some time after its process was killed.
func (s *Store) claim(_ context.Context, keys []Key) (free []Key, err error) {
	err = s.change(func(c *conn) error {
		now := s.now().UnixNano()
		for _, k := range keys {
			err := c.run(`INSERT INTO claims (key, owner, expiry) VALUES (?, ?, ?)
				ON CONFLICT DO UPDATE SET owner = excluded.owner, expiry = excluded.expiry WHERE expiry < ?`,
				nil, k[:], s.owner, now+int64(claimLife), now)
			if err != nil {
				return err
			}
			if c.Changes() > 0 {
				free = append(free, k)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(free) < len(keys) {
		s.waits.Do(func() {
			s.log.Info("waiting for calls that another process is making; they are paid for only once", "folder", s.dir)
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.renewing && len(free) > 0 {
		s.renewing = true
		go s.renew()
	}
	for _, k := range free {
		s.held[k] = struct{}{}
	}
	return free, nil
}

// renew lets the claims of this store live on, as long as there are any.
func (s *Store) renew() {
	for {
		select {
		case <-s.done:
			return
		case <-time.After(claimRenewal):
		}
		s.mu.Lock()
		s.renewing = len(s.held) > 0
		more := s.renewing
		s.mu.Unlock()
		if !more {
			return
		}
		err := s.change(func(c *conn) error {
			return c.run("UPDATE claims SET expiry = ? WHERE owner = ?", nil, s.now().Add(claimLife).UnixNano(), s.owner)
		})
		if err != nil {
			s.log.Debug("claims are not renewed", "folder", s.dir, "error", err)
		}
	}
}

// release ends claims; those of calls that were recorded are gone.
func (s *Store) release(_ context.Context, keys []Key) {
	held := s.claimed(keys)
	if len(held) == 0 {
		return
	}
	if err := s.change(func(c *conn) error { return s.unclaim(c, held) }); err != nil {
		s.log.Debug("claims are not released; they expire", "folder", s.dir, "error", err)
	}
	s.forget(held)
}

// claimed returns the keys that this store has claims on.
func (s *Store) claimed(keys []Key) []Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lists.Filter(keys, func(k Key) bool {
		_, held := s.held[k]
		return held
	})
}

// unclaim deletes the claims that this store has on keys.
func (s *Store) unclaim(c *conn, keys []Key) error {
	for _, k := range keys {
		if err := c.run("DELETE FROM claims WHERE key = ? AND owner = ?", nil, k[:], s.owner); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) forget(keys []Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		delete(s.held, k)
	}
}
