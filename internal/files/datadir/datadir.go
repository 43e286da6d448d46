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
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("there is no folder %s; want the one with the datasets' folders", given.dir)
		case err == nil && !info.IsDir():
			err = fmt.Errorf("%s is a file, want the folder with the datasets' folders", given.dir)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", given.from, err)
		}
		return given.dir, nil
	}
	for _, dir := range []string{"data", filepath.Join("..", "shared", "datasets")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", nil
}
