//go:build noonnx || !(linux || darwin || windows) || !(amd64 || arm64)

package onnx

import "errors"

func loadLibrary(string) (library, error) {
	return nil, errors.New("this build of the program is without it; want one for Linux, macOS or Windows on amd64 or arm64, without the tag noonnx")
}
