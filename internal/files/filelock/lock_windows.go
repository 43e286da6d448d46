package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func tryLock(f *os.File, offset int64) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := control(f, func(fd uintptr) error { return windows.LockFileEx(windows.Handle(fd), flags, 0, 1, 0, at(offset)) })
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File, offset int64) error {
	return control(f, func(fd uintptr) error { return windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, at(offset)) })
}

func at(offset int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
}
