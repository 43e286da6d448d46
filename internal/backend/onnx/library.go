package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// RuntimeEnv is the environment variable that names ONNX Runtime's shared
// library, or its folder, if no option does.
const RuntimeEnv = "BENCH_ONNXRUNTIME"

// A libraryError says that ONNX Runtime's shared library is missing or unusable.
type libraryError struct{ error }

func (e libraryError) Error() string { return "ONNX Runtime: " + e.error.Error() }

// libraryRemedy says how to get the library.
const libraryRemedy = "install it with pip install --target ort onnxruntime, or from a release of github.com/microsoft/onnxruntime, " +
	"and set that folder in " + RuntimeEnv + " or in the option runtime"

// A library loads graphs.
type library interface {
	load(path string) (session, error)
}

// A session runs one graph. It may be used by several goroutines.
type session interface {
	inputs() []port
	outputs() []port
	// run feeds each input a matrix of rows x width integers, and returns the
	// floats and dimensions of one output.
	run(in [][]int64, rows, width, output int) (values []float32, dims []int, err error)
	close()
}

// A port is an input or output of a graph.
type port struct {
	name string
	kind elementType // 0 if it is not a tensor
	dims []int       // -1 for any size
}

// An elementType is the type of a tensor's elements, as ONNX numbers them.
type elementType int32

const (
	float32Type elementType = 1
	int32Type   elementType = 6
	int64Type   elementType = 7
)

// libraries are those that were loaded, by path. They stay loaded: a process
// has one set of an ONNX Runtime's threads.
var (
	librariesMu sync.Mutex
	libraries   = make(map[string]library)
)

// openLibrary loads the shared library at a path or in a folder; with an empty
// path the one that the system's loader finds.
//
// A model's own folder is not searched: its files are data, and may have been
// downloaded from anywhere, while a library is code that runs with the rights
// of this program.
func openLibrary(path string) (library, error) {
	names := systemLibraries[runtime.GOOS]
	if path != "" {
		file, err := findLibrary(path)
		if err != nil {
			return nil, libraryError{err}
		}
		names = []string{file}
	}
	librariesMu.Lock()
	defer librariesMu.Unlock()
	var faults []error
	for _, name := range names {
		if l := libraries[name]; l != nil {
			return l, nil
		}
		l, err := loadLibrary(name)
		if err == nil {
			libraries[name] = l
			return l, nil
		}
		faults = append(faults, err)
	}
	if len(faults) == 0 {
		faults = []error{errors.New("no library is named")}
	}
	return nil, libraryError{faults[0]}
}

// systemLibraries are names that the system's loader looks up. Windows has
// none: it ships an old version of its own.
var systemLibraries = map[string][]string{
	"linux":  {"libonnxruntime.so.1", "libonnxruntime.so"},
	"darwin": {"libonnxruntime.dylib", "/opt/homebrew/lib/libonnxruntime.dylib"},
}

// findLibrary returns the file of a library that is named by itself or by a
// folder: of a release, or one that pip installed packages to.
func findLibrary(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, cause(err))
	}
	if !info.IsDir() {
		return path, nil
	}
	for _, dir := range []string{"", "lib", "capi", "onnxruntime/capi"} {
		for _, pattern := range []string{"libonnxruntime.so*", "libonnxruntime.*dylib", "onnxruntime.dll"} {
			if found, _ := filepath.Glob(filepath.Join(path, dir, pattern)); len(found) > 0 {
				return found[0], nil
			}
		}
	}
	return "", fmt.Errorf("%s: no libonnxruntime in it, in lib or in onnxruntime/capi", path)
}
