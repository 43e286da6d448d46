package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// CheckList returns the faults of an option that lists values: unknown ones, given
// the valid ones (nil allows any), and duplicates.
func CheckList[T comparable](option string, values, have []T) error {
	text := func(v T) string { return fmt.Sprint(v) }
	var faults []error
	for i, v := range values {
		if have != nil && !slices.Contains(have, v) {
			faults = append(faults, fmt.Errorf("%s: %s", option, suggest.Unknown("value", text(v), lists.Map(have, text))))
		}
		if slices.Contains(values[:i], v) {
			faults = append(faults, fmt.Errorf("%s has %q twice", option, text(v)))
		}
	}
	return errors.Join(faults...)
}

// CheckChoice returns the fault of an option with an unknown value.
func CheckChoice[T interface {
	~string
	Values() []string
}](option string, value T) error {
	return CheckList(option, []string{string(value)}, value.Values())
}

// Resolve returns a path of an option, relative to Base.
func (e Env) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Base, path)
}

// Find returns the path that an option names or, if it names none, the first existing
// one of some paths in the data folder. If none exists, the error wraps
// [fs.ErrNotExist] and ends with the remedy.
func (e Env) Find(option, remedy string, paths ...string) (string, error) {
	if option != "" {
		return e.Resolve(option), nil
	}
	if e.Dir == "" {
		return "", noFolderError("there is no data folder; set one with --data or BENCH_DATA; " + remedy)
	}
	for _, p := range paths {
		path := filepath.Join(e.Dir, filepath.FromSlash(p))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w; %s, or set another folder with --data or BENCH_DATA", filepath.Join(e.Dir, filepath.FromSlash(paths[0])), fs.ErrNotExist, remedy)
}

// Fetch is the remedy for a dataset that can be fetched.
func Fetch(name string) string { return fmt.Sprintf("run 'bench data fetch %s'", name) }

type noFolderError string

func (e noFolderError) Error() string { return string(e) }

func (noFolderError) Is(target error) bool { return target == fs.ErrNotExist }
