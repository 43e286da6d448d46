// Package filelock locks single bytes of files against other processes, and says
// which folders lie where such locks do not suffice.
//
// The system releases the locks of a process that ends, however it ends. A byte
// need not be there to be locked.
package filelock

import "os"

// TryLock locks the byte at an offset of a file that is open for writing. It
// returns false where another process has locked it. Whether a second open file
// of the same process may lock the byte too depends on the system.
func TryLock(f *os.File, offset int64) (bool, error) {
	ok, err := tryLock(f, offset)
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return ok, nil
}

// Unlock releases a byte.
func Unlock(f *os.File, offset int64) error {
	if err := unlock(f, offset); err != nil {
		return &os.PathError{Op: "unlock", Path: f.Name(), Err: err}
	}
	return nil
}

// Remote names the file system of a folder, such as "nfs", where several
// machines may see the folder or where nobody can tell: what one of them wrote
// before it released a lock another one need not see after it got the lock. It
// is empty for local file systems, and on systems other than Linux, macOS,
// FreeBSD and Windows.
func Remote(dir string) (string, error) {
	kind, err := remote(dir)
	if err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return kind, nil
}
