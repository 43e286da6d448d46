//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows)

package filelock

import (
	"errors"
	"os"
)

func tryLock(*os.File, int64) (bool, error) { return false, errors.ErrUnsupported }
func unlock(*os.File, int64) error          { return errors.ErrUnsupported }
