package datasets

import "io/fs"

// NoFolder is the error of a dataset whose files are looked for in the data folder
// where there is none; the remedy says what would be right. It is [fs.ErrNotExist].
func NoFolder(remedy string) error { return noFolderError(remedy) }

type noFolderError string

func (e noFolderError) Error() string { return "there is no data folder; " + string(e) }

func (noFolderError) Is(target error) bool { return target == fs.ErrNotExist }
