package main

import "path/filepath"

// callsDir returns the folder of the recordings: what a flag or a config says,
// else $BENCH_CALLS, else results/calls below the working directory.
func callsDir(named string, env func(string) string) string {
	if named != "" {
		return named
	}
	if dir := env("BENCH_CALLS"); dir != "" {
		return dir
	}
	return filepath.Join("results", "calls")
}
