package external

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

const (
	folderPrefix = "recallbench-adapter-"
	ownerFile    = ".owner" // locked as long as this program needs the folder
)

// A folder is where a process works. The adapter learns its path, so it lies apart
// from the run, whose name may tell the dataset.
type folder struct {
	dir   string
	owner *flock.Flock
}

var sweepOnce sync.Once

// newFolder makes a folder. The first one sweeps away those that killed programs
// left.
func newFolder() (folder, error) {
	sweepOnce.Do(func() { sweep(os.TempDir()) })
	for {
		dir, err := os.MkdirTemp("", folderPrefix)
		if err != nil {
			return folder{}, err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return folder{}, err
		}
		f := folder{dir, flock.New(filepath.Join(dir, ownerFile))}
		locked, err := f.owner.TryLock()
		if err != nil { // no file can be locked here, and so none is swept away
			return f, errors.Join(f.owner.Close(), os.Remove(f.owner.Path()))
		}
		if _, err := os.Stat(f.owner.Path()); locked && err == nil {
			return f, nil
		}
		_ = f.remove() // the sweep of another program got hold of it first
	}
}

// remove removes the folder.
func (f folder) remove() error {
	_ = f.owner.Close() // it may be closed
	return os.RemoveAll(f.dir)
}

// sweep removes the folders whose owner is no more. Folders of other users, and
// those that were left for good, stay.
func sweep(temp string) {
	owners, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*", ownerFile)) // the pattern is a good one
	for _, owner := range owners {
		f := folder{filepath.Dir(owner), flock.New(owner)}
		if locked, err := f.owner.TryLock(); locked && err == nil {
			_ = f.remove() // the next program tries again
		}
	}
}
