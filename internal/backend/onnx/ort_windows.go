//go:build !noonnx && (amd64 || arm64)

package onnx

import (
	"fmt"
	"syscall"
)

// pathChar is a character of a path as the library takes it.
type pathChar = uint16

func cPath(path string) (*pathChar, error) { return syscall.UTF16PtrFromString(path) }

func openSymbol(file, name string) (uintptr, error) {
	l, err := syscall.LoadLibrary(file)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	symbol, err := syscall.GetProcAddress(l, name)
	if err != nil {
		return 0, fmt.Errorf("%s: not an ONNX Runtime: %w", file, err)
	}
	return symbol, nil
}
