//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows

package filelock

import "os"

// control calls do with a file that is not closed meanwhile.
func control(f *os.File, do func(fd uintptr) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if failed := raw.Control(func(fd uintptr) { err = do(fd) }); failed != nil {
		return failed
	}
	return err
}
