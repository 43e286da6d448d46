//go:build darwin || freebsd

package filelock

import (
	"cmp"

	"golang.org/x/sys/unix"
)

func remote(dir string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Flags&unix.MNT_LOCAL != 0 {
		return "", err
	}
	return cmp.Or(unix.ByteSliceToString(s.Fstypename[:]), "a network file system"), nil
}
