package calls

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"recallbench/internal/files/filelock"
)

// claimFiles is how many files share the locks of claims: what a lock takes
// grows with the locks of its file, and ten processes may have 100,000 texts in
// flight.
const claimFiles = 64

// The locks of keys are below 1<<62 and of 62 bits of the key. Keys that share
// them would only wait for each other.
const (
	aloneLock = 1<<62 + iota // of the only process that records in a folder
	probeLock
)

// A process that waits for another one's call looks for it after firstLook, and then
// ever less often. It waits a quarter longer than the call takes at most.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// claims keep several processes from calling for the same key. A claim is the
// lock of a byte in a file of the store, which the system releases when its
// process ends. Whoever has it calls; whoever does not waits until it has, and
// then looks first whether the other one has recorded a reply.
type claims struct {
	dir    string
	log    *slog.Logger
	remote func(dir string) (string, error)

	mu     sync.Mutex
	opened bool
	err    error // why nothing can be claimed
	// alone is set where no other process may call, so that nothing is locked.
	alone bool
	files [claimFiles]*os.File // nil before their first use
	waits sync.Once            // the first wait is told
}

// errUnshared says that processes cannot share a folder.
var errUnshared = errors.New("name a folder on a local disk, such as with --store, or replay what is recorded with --calls replay")

// Share makes the store ready for several processes that call for what it does
// not have, so that they call for nothing twice. It is an error where the file
// system does not let them: on one of a network only one process may record. A
// folder that cannot be written to is an error of the first call.
func (s *Store) Share() error {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if err := s.claims.open(); errors.Is(err, errUnshared) {
		return fmt.Errorf("recordings: %w", err)
	}
	return nil
}

// open finds out whether keys can be claimed, once; mu is held.
func (c *claims) open() error {
	if c.opened {
		return c.err
	}
	c.opened = true
	c.err = c.prepare()
	return c.err
}

func (c *claims) prepare() error {
	if err := os.Mkdir(c.dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	file, err := c.file(0)
	if err != nil {
		return err
	}
	store := filepath.Dir(c.dir)
	kind, err := c.remote(c.dir)
	if err != nil {
		return err
	}
	offset := int64(probeLock)
	if kind != "" {
		offset = aloneLock
	}
	ok, err := filelock.TryLock(file, offset)
	switch {
	case err != nil:
		return fmt.Errorf("%s: two processes could pay for the same call here, because no file can be locked (%w); %w", store, err, errUnshared)
	case kind != "" && !ok:
		return fmt.Errorf("%s is on %s, where only one process at a time can record without paying for another one's calls again, and one is at work; %w", store, kind, errUnshared)
	case kind != "":
		c.alone = true
		return nil
	case ok:
		return filelock.Unlock(file, offset)
	default: // another process probes, too
		return nil
	}
}

// file returns one of the files of claims; mu is held.
func (c *claims) file(n int) (*os.File, error) {
	if c.files[n] == nil {
		file, err := os.OpenFile(filepath.Join(c.dir, fmt.Sprintf("%02x", n)), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		c.files[n] = file
	}
	return c.files[n], nil
}

// at returns where the lock of a key is; the file is nil where nothing is
// locked.
func (c *claims) at(k Key) (file *os.File, offset int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(); err != nil || c.alone {
		return nil, 0, err
	}
	file, err = c.file(int(k[0]) % claimFiles)
	return file, int64(binary.LittleEndian.Uint64(k[8:]) >> 2), err
}

// take claims a key. It returns false where another process has it.
func (c *claims) take(k Key) (bool, error) {
	file, offset, err := c.at(k)
	if err != nil || file == nil {
		return err == nil, err
	}
	return filelock.TryLock(file, offset)
}

// release gives a key back.
func (c *claims) release(k Key) {
	file, offset, err := c.at(k)
	if err == nil && file != nil {
		err = filelock.Unlock(file, offset)
	}
	if err != nil { // it ends with the process
		c.log.Debug("a claim is not released", "key", k.ID(), "error", err)
	}
}

// waiting tells, once, that another process makes the same calls.
func (c *claims) waiting() {
	c.waits.Do(func() {
		c.log.Info("waiting for calls that another process makes; they are not paid for again", "folder", filepath.Dir(c.dir))
	})
}

// A segment is claimed by the process that appends to it, so that others know
// when it grows no more.
func segmentClaim(name string) Key { return sha256.Sum256([]byte(name)) }

// appended reports whether a process still appends to a segment, as far as it
// can be told.
func (c *claims) appended(name string) bool {
	c.mu.Lock()
	ready := c.opened && c.err == nil && !c.alone
	c.mu.Unlock()
	if !ready {
		return false
	}
	free, err := c.take(segmentClaim(name))
	if free {
		c.release(segmentClaim(name))
	}
	return !free && err == nil
}

// close releases everything.
func (c *claims) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var faults []error
	for _, f := range c.files {
		if f != nil {
			faults = append(faults, f.Close())
		}
	}
	c.files = [claimFiles]*os.File{}
	c.opened, c.err = true, os.ErrClosed
	return errors.Join(faults...)
}
