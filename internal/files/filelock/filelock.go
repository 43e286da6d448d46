// Package filelock reports folders in which file locks are not sufficient.
package filelock

import "os"

// Remote names the file system of a folder, such as "nfs", if several machines
// may use the folder, or if that is unknown: data that one of them wrote before
// releasing a lock may not be visible to the next that gets it. It is empty for
// local file systems, and on systems other than Linux, macOS, FreeBSD and
// Windows.
func Remote(dir string) (string, error) {
	kind, err := remote(dir)
	if err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return kind, nil
}
