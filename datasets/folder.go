package datasets

import "io/fs"

// NoFolder is the error of a dataset whose files are looked for in the data folder
// where there is none; the remedy says what would be right. It is [fs.ErrNotExist].
func NoFolder(remedy string) error { return noFolder(remedy) }

type noFolder string

func (e noFolder) Error() string { return "there is no data folder; " + string(e) }

func (noFolder) Is(target error) bool { return target == fs.ErrNotExist } //nolint:errorlint // Is compares
