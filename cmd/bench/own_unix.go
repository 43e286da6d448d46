//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// ownAlone reports whether a file belongs to this user and nobody else may read or
// write it.
func ownAlone(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
