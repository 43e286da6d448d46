package onnx

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"
)

// scan checks the model file of a folder, and notes it and the files beside it whose names
// begin with its own, which have weights.
func scan(f *folder) error {
	name := f.path(f.model)
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	switch {
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		return fmt.Errorf("%s: a pointer of Git LFS and not the file; git lfs pull fetches it", name)
	case len(data) == 0:
		return fmt.Errorf("%s: not an ONNX model: the file is empty", name)
	case bytes.Contains(data, []byte("_ORT_MEM_ADDR_")):
		return fmt.Errorf("%s: weights are at an address in memory, want them in the folder", name)
	}
	dir, base := path.Split(f.model)
	entries, err := os.ReadDir(f.path(dir))
	if err != nil {
		return fmt.Errorf("%s: %w", f.path(dir), cause(err))
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base) && e.Type().IsRegular() {
			f.used(dir + e.Name())
		}
	}
	f.used(f.model)
	return nil
}
