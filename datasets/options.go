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

// CheckList returns the faults of an option that lists values: those that are none of
// the ones to have, of which nil stands for any, and those that are there twice.
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

// CheckChoice returns the fault of an option that is none of its values.
func CheckChoice[T interface {
	~string
	Values() []string
}](option string, value T) error {
	return CheckList(option, []string{string(value)}, value.Values())
}

// Resolve returns a path of an option: that of a copy, as it is, or from Base on.
func (e Env) Resolve(path string) string {
	if local, ok := e.Sent[path]; ok {
		return local
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Base, path)
}

// Find returns the path that an option names, or where it names none, the first of some
// paths in the data folder that is there. That none is there is an error that wraps
// [fs.ErrNotExist] and ends with the remedy.
func (e Env) Find(option, remedy string, paths ...string) (string, error) {
	if option != "" {
		return e.Resolve(option), nil
	}
	if e.Dir == "" {
		return "", noFolderError("there is no data folder; --data or BENCH_DATA names one; " + remedy)
	}
	for _, p := range paths {
		path := filepath.Join(e.Dir, filepath.FromSlash(p))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w; %s; --data or BENCH_DATA names another folder", filepath.Join(e.Dir, filepath.FromSlash(paths[0])), fs.ErrNotExist, remedy)
}

// Fetch is the remedy for a dataset that can be fetched.
func Fetch(name string) string { return fmt.Sprintf("'bench data fetch %s' gets it", name) }

type noFolderError string

func (e noFolderError) Error() string { return string(e) }

func (noFolderError) Is(target error) bool { return target == fs.ErrNotExist }
