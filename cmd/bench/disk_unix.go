//go:build linux || darwin

package main

import "syscall"

// freeBytes returns how much a user may still write below a folder, where that is
// known.
func freeBytes(dir string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ between systems
}
