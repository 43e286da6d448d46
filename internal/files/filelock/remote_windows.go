package filelock

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

func remote(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path, err := windows.UTF16PtrFromString(full)
	if err != nil {
		return "", err
	}
	volume := make([]uint16, len(full)+windows.MAX_PATH)
	if err := windows.GetVolumePathName(path, &volume[0], uint32(len(volume))); err != nil {
		return "", err
	}
	if windows.GetDriveType(&volume[0]) == windows.DRIVE_REMOTE {
		return "a network drive", nil
	}
	return "", nil
}
