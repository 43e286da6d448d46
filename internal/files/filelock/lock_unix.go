//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package filelock

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

func tryLock(f *os.File, offset int64) (bool, error) {
	err := set(f, offset, unix.F_WRLCK)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File, offset int64) error { return set(f, offset, unix.F_UNLCK) }

func set(f *os.File, offset int64, kind int16) error {
	for cmd := setCommand; ; {
		lock := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: offset, Len: 1}
		err := control(f, func(fd uintptr) error { return unix.FcntlFlock(fd, cmd, &lock) })
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EINVAL) && cmd != unix.F_SETLK:
			cmd = unix.F_SETLK // the system does not know the other
		default:
			return err
		}
	}
}
