//go:build !noonnx && (linux || darwin) && (amd64 || arm64)

package onnx

import (
	"fmt"
	"syscall"

	"github.com/ebitengine/purego"
)

// pathChar is a character of a path as the library takes it.
type pathChar = byte

func cPath(path string) (*pathChar, error) { return syscall.BytePtrFromString(path) }

func openSymbol(file, name string) (uintptr, error) {
	l, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, err
	}
	symbol, err := purego.Dlsym(l, name)
	if err != nil {
		return 0, fmt.Errorf("not an ONNX Runtime: %w", err)
	}
	return symbol, nil
}
