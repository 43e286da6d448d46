//go:build darwin || dragonfly || freebsd || netbsd || openbsd || solaris

package filelock

import "golang.org/x/sys/unix"

// setCommand sets a lock that belongs to the process. All of a file's are
// released when the process closes any open file of it.
const setCommand = unix.F_SETLK
