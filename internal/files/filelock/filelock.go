// Package filelock says which folders lie where locks of files do not suffice.
package filelock

import "os"

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
