package onnx

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/testkit/try"
)

// nets are the graphs that tests have written, by the bytes of their files.
var nets sync.Map

// testLibrary is the library that RuntimeEnv names, so that all tests run
// through it, or else a fake one that knows the graphs of the tests.
func testLibrary(string) (library, error) {
	if path := os.Getenv(RuntimeEnv); path != "" {
		return openLibrary(path)
	}
	return fakeLibrary{}, nil
}

// needLibrary skips a test without the real library.
func needLibrary(tb testing.TB) {
	tb.Helper()
	need(tb, RuntimeEnv, "ONNX Runtime's shared library or a folder that has it")
}

func need(tb testing.TB, env, what string) string {
	tb.Helper()
	path := os.Getenv(env)
	switch {
	case path != "":
	case os.Getenv("BENCH_REQUIRE_ONNX") != "":
		tb.Fatalf("%s is empty, want %s", env, what)
	default:
		tb.Skipf("%s is empty, want %s", env, what)
	}
	return path
}

type fakeLibrary struct{}

func (fakeLibrary) load(path string) (session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, ok := nets.Load(string(data))
	if !ok {
		return nil, errors.New("no graph of the tests")
	}
	return fakeSession{n.(net)}, nil
}

type fakeSession struct{ net net }

func (s fakeSession) inputs() []port  { return s.net.in }
func (s fakeSession) outputs() []port { return s.net.out }
func (s fakeSession) close()          {}

func (s fakeSession) run(in [][]int64, rows, width, output int) ([]float32, []int, error) {
	b := batch{rows, width, make(map[string][]int64)}
	for i, p := range s.net.in {
		if len(in[i]) != rows*width || p.dims[0] > 0 && p.dims[0] != rows || p.dims[1] > 0 && p.dims[1] != width {
			return nil, nil, errors.New("an input of another shape than the graph's")
		}
		b.in[p.name] = in[i]
	}
	return s.net.eval(b, s.net.out[output].name)
}

func TestLibraryFaults(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "onnxruntime", "capi", "libonnxruntime.so.1.2.3")
	try.Do(t, os.MkdirAll(filepath.Dir(text), 0o700))
	try.Do(t, os.WriteFile(text, []byte("hello"), 0o600))
	for _, tt := range []struct{ path, want string }{
		{filepath.Join(dir, "none"), "none: no such file"},
		{filepath.Join(dir, "onnxruntime", "capi", ".."), "libonnxruntime.so.1.2.3"}, // found, and no library
		{dir, "libonnxruntime.so.1.2.3"},
		{t.TempDir(), "no libonnxruntime in it"},
	} {
		_, err := OpenEmbedder(Options{Dir: write(t, sentenceFiles()), Runtime: tt.path})
		if !errors.As(err, new(libraryError)) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.path, err, tt.want)
			continue
		}
		if !strings.Contains(err.Error(), "pip install") || !strings.Contains(err.Error(), RuntimeEnv) || strings.Contains(err.Error(), embedLayout) {
			t.Errorf("no remedy: %v", err)
		}
	}
}

// A library that is not ONNX Runtime is refused, and not called.
func TestAnotherLibrary(t *testing.T) {
	for _, name := range []string{"libc.so.6", "libSystem.B.dylib", "kernel32.dll"} {
		if l, err := loadLibrary(name); err == nil {
			t.Errorf("%s: %v", name, l)
		}
	}
}

// ONNX Runtime keeps an id of the device and a database of usage in the user's
// cache folder, unless it is told not to before it starts.
func TestNoTelemetry(t *testing.T) {
	needLibrary(t)
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestEmbedLayouts$")
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + t.TempDir(), RuntimeEnv + "=" + os.Getenv(RuntimeEnv)}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "PASS\n" {
		t.Fatalf("%v: %s", err, out)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) > 0 {
		t.Errorf("it left %v, %v", entries, err)
	}
}
