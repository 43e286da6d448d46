package record

import (
	"errors"
	"fmt"

	"github.com/gofrs/flock"
)

// Lock takes the folder for this process until it calls unlock or ends, however
// it ends, and removes the unfinished files that a killed process left. The file .lock stays: removing it could take the lock of a process
// that came in between.
func (f Folder) Lock() (unlock func() error, err error) {
	lock := flock.New(f.path(".lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("run folder %s is in use by another process", string(f))
	}
	if err := f.sweep(); err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %w", err), lock.Unlock())
	}
	return lock.Unlock, nil
}
