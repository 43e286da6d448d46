// Package datadir finds the folder of the datasets.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Env is the environment variable that names the folder.
const Env = "BENCH_DATA"

// candidates are searched, in this order, when no folder is given. They are
// relative to the working directory.
func candidates() []string {
	return []string{"data", filepath.Join("..", "shared", "datasets")}
}

// Find returns the root folder of the datasets: the flag's value, then the
// value of BENCH_DATA, then ./data, then ../shared/datasets, whichever is given
// or found first. Nothing else is searched. A folder that was given must exist;
// without one and without a candidate, dir is empty.
func Find(flag string, getenv func(string) string) (dir string, err error) {
	for _, given := range []struct{ from, dir string }{{"--data", flag}, {Env, getenv(Env)}} {
		if given.dir == "" {
			continue
		}
		info, err := os.Stat(given.dir)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s: there is no folder %s; want the one with the datasets' folders", given.from, given.dir)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", given.from, err)
		}
		if !info.IsDir() {
			return "", fmt.Errorf("%s: %s is a file, want the folder with the datasets' folders", given.from, given.dir)
		}
		return given.dir, nil
	}
	for _, dir := range candidates() {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", nil
}
