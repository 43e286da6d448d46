package filelock

import "golang.org/x/sys/unix"

// setCommand sets a lock that belongs to the open file, so that closing another
// one does not release it.
const setCommand = unix.F_OFD_SETLK
