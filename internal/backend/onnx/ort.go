//go:build !noonnx && (linux || darwin || windows) && (amd64 || arm64)

package onnx

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// An ort is a loaded ONNX Runtime. Its fields are functions of the C struct
// OrtApi, of whose first version nothing changes any more.
type ort struct {
	env       handle
	allocator handle

	getErrorMessage   func(status handle) string
	createEnv         func(logLevel int32, name string, out *handle) handle
	disableTelemetry  func(env handle) handle
	createSession     func(env handle, path *pathChar, options handle, out *handle) handle
	run               func(session, options handle, names *handle, in *handle, ins uintptr, outNames *handle, outs uintptr, out *handle) handle
	createOptions     func(out *handle) handle
	setLogLevel       func(options handle, level int32) handle
	setThreads        func(options handle, n int32) handle
	inputCount        func(session handle, out *uintptr) handle
	outputCount       func(session handle, out *uintptr) handle
	inputType         func(session handle, i uintptr, out *handle) handle
	outputType        func(session handle, i uintptr, out *handle) handle
	inputName         func(session handle, i uintptr, allocator handle, out *handle) handle
	outputName        func(session handle, i uintptr, allocator handle, out *handle) handle
	createTensor      func(allocator handle, shape *int64, rank uintptr, kind elementType, out *handle) handle
	tensorData        func(value handle, out *handle) handle
	tensorInfo        func(typeInfo handle, out *handle) handle
	elementType       func(info handle, out *elementType) handle
	dimensionCount    func(info handle, out *uintptr) handle
	dimensions        func(info handle, out *int64, n uintptr) handle
	elementCount      func(info handle, out *uintptr) handle
	typeAndShape      func(value handle, out *handle) handle
	free              func(allocator, p handle) handle
	defaultAllocator  func(out *handle) handle
	releaseStatus     func(handle)
	releaseSession    func(handle)
	releaseValue      func(handle)
	releaseTypeInfo   func(handle)
	releaseTensorInfo func(handle)
	releaseOptions    func(handle)
}

// A handle is a pointer to what the library made; nil is none. A status that
// is nil is success.
type handle = unsafe.Pointer

// functions says at which place of OrtApi each function stands. The header
// onnxruntime_c_api.h has them in this order.
func (o *ort) functions() map[int]any {
	return map[int]any{
		2: &o.getErrorMessage, 3: &o.createEnv, 6: &o.disableTelemetry, 7: &o.createSession, 9: &o.run, 10: &o.createOptions,
		22: &o.setLogLevel, 24: &o.setThreads,
		30: &o.inputCount, 31: &o.outputCount, 33: &o.inputType, 34: &o.outputType, 36: &o.inputName, 37: &o.outputName,
		48: &o.createTensor, 51: &o.tensorData, 55: &o.tensorInfo,
		60: &o.elementType, 61: &o.dimensionCount, 62: &o.dimensions, 64: &o.elementCount, 65: &o.typeAndShape,
		76: &o.free, 78: &o.defaultAllocator,
		93: &o.releaseStatus, 95: &o.releaseSession, 96: &o.releaseValue, 98: &o.releaseTypeInfo, 99: &o.releaseTensorInfo, 100: &o.releaseOptions,
	}
}

// apiVersion is the version of OrtApi that is asked for: the first one has all
// that is used, so that any ONNX Runtime will do.
const apiVersion = 1

// fatal is the log level that keeps the library's own log off stderr: what
// fails comes back as a status too.
const fatal = 4

// loadLibrary loads and starts the library of a file.
func loadLibrary(file string) (library, error) {
	// Builds from PyPI send usage to their maker unless this is set before they
	// start; nothing here opens a socket unasked.
	if err := os.Setenv("ORT_DISABLE_TELEMETRY", "1"); err != nil {
		return nil, err
	}
	base, err := openSymbol(file, "OrtGetApiBase")
	if err != nil {
		return nil, err
	}
	var getBase func() *[2]uintptr
	purego.RegisterFunc(&getBase, base)
	var getAPI func(version uint32) *[101]uintptr
	purego.RegisterFunc(&getAPI, getBase()[0])
	table := getAPI(apiVersion)
	if table == nil {
		return nil, fmt.Errorf("%s: not an ONNX Runtime: it does not have version %d of the interface", file, apiVersion)
	}
	o := new(ort)
	for place, function := range o.functions() {
		purego.RegisterFunc(function, table[place])
	}
	if err := o.check(o.createEnv(fatal, "bench", &o.env)); err != nil {
		return nil, err
	}
	return o, errors.Join(o.check(o.disableTelemetry(o.env)), o.check(o.defaultAllocator(&o.allocator)))
}

// check turns a status into an error and releases it.
func (o *ort) check(status handle) error {
	if status == nil {
		return nil
	}
	defer o.releaseStatus(status)
	return errors.New(oneLine(o.getErrorMessage(status)))
}

// An ortSession is a graph in the library.
type ortSession struct {
	*ort
	session           handle
	in, out           []port
	inNames, outNames []handle // C strings
}

// load implements library.
func (o *ort) load(path string) (session, error) {
	name, err := cPath(path)
	if err != nil {
		return nil, err
	}
	var options handle
	if err := o.check(o.createOptions(&options)); err != nil {
		return nil, err
	}
	defer o.releaseOptions(options)
	if err := errors.Join(o.check(o.setLogLevel(options, fatal)), o.check(o.setThreads(options, int32(runtime.GOMAXPROCS(0))))); err != nil {
		return nil, err
	}
	s := &ortSession{ort: o}
	if err := o.check(o.createSession(o.env, name, options, &s.session)); err != nil {
		// The caller names the file.
		return nil, errors.New(strings.TrimPrefix(err.Error(), "Load model from "+path+" failed:"))
	}
	if s.in, s.inNames, err = s.ports(o.inputCount, o.inputName, o.inputType); err == nil {
		s.out, s.outNames, err = s.ports(o.outputCount, o.outputName, o.outputType)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// ports describes the inputs or the outputs.
func (s *ortSession) ports(
	count func(handle, *uintptr) handle, name func(handle, uintptr, handle, *handle) handle, kind func(handle, uintptr, *handle) handle,
) (ports []port, names []handle, err error) {
	var n uintptr
	if err := s.check(count(s.session, &n)); err != nil {
		return nil, nil, err
	}
	for i := range n {
		var cName, typeInfo, info handle
		if err := s.check(name(s.session, i, s.allocator, &cName)); err != nil {
			return ports, names, err
		}
		names = append(names, cName)
		if err := s.check(kind(s.session, i, &typeInfo)); err != nil {
			return ports, names, err
		}
		p := port{name: goString(cName)}
		err := s.check(s.tensorInfo(typeInfo, &info))
		if err == nil && info != nil { // else it is a sequence or a map
			p.kind, p.dims, err = s.shape(info)
		}
		s.releaseTypeInfo(typeInfo)
		if err != nil {
			return ports, names, err
		}
		ports = append(ports, p)
	}
	return ports, names, nil
}

// shape reads the type and the dimensions of a tensor.
func (s *ortSession) shape(info handle) (kind elementType, dims []int, err error) {
	if err := s.check(s.elementType(info, &kind)); err != nil {
		return 0, nil, err
	}
	var n uintptr
	if err := s.check(s.dimensionCount(info, &n)); err != nil || n == 0 {
		return kind, nil, err
	}
	wide := make([]int64, n)
	if err := s.check(s.dimensions(info, &wide[0], n)); err != nil {
		return 0, nil, err
	}
	for _, d := range wide {
		dims = append(dims, int(max(d, -1)))
	}
	return kind, dims, nil
}

func (s *ortSession) inputs() []port  { return s.in }
func (s *ortSession) outputs() []port { return s.out }

// run implements session.
func (s *ortSession) run(in [][]int64, rows, width, output int) (values []float32, dims []int, err error) {
	tensors := make([]handle, len(in), len(in)+1)
	defer func() {
		for _, t := range tensors {
			if t != nil {
				s.releaseValue(t)
			}
		}
	}()
	shape := []int64{int64(rows), int64(width)}
	for i, data := range in {
		var to handle
		if err := s.check(s.createTensor(s.allocator, &shape[0], 2, s.in[i].kind, &tensors[i])); err != nil {
			return nil, nil, err
		}
		if err := s.check(s.tensorData(tensors[i], &to)); err != nil {
			return nil, nil, err
		}
		if s.in[i].kind == int32Type {
			narrow := unsafe.Slice((*int32)(to), len(data))
			for k, x := range data {
				narrow[k] = int32(x)
			}
		} else {
			copy(unsafe.Slice((*int64)(to), len(data)), data)
		}
	}
	var out, info, from handle
	err = s.check(s.ort.run(s.session, nil, &s.inNames[0], &tensors[0], uintptr(len(in)), &s.outNames[output], 1, &out))
	if err != nil {
		return nil, nil, err
	}
	tensors = append(tensors, out) // to be released
	if err := s.check(s.typeAndShape(out, &info)); err != nil {
		return nil, nil, err
	}
	defer s.releaseTensorInfo(info)
	kind, dims, err := s.shape(info)
	if err != nil {
		return nil, nil, err
	}
	if kind != float32Type {
		return nil, nil, fmt.Errorf("output %q has elements of type %d, want 32-bit floats", s.out[output].name, kind)
	}
	var n uintptr
	if err := s.check(s.elementCount(info, &n)); err != nil || n == 0 {
		return nil, dims, err
	}
	if err := s.check(s.tensorData(out, &from)); err != nil {
		return nil, nil, err
	}
	return append(values, unsafe.Slice((*float32)(from), n)...), dims, nil
}

// close implements session.
func (s *ortSession) close() {
	for _, names := range [][]handle{s.inNames, s.outNames} {
		for _, name := range names {
			_ = s.check(s.free(s.allocator, name)) // nothing can be done about it
		}
	}
	s.releaseSession(s.session)
}

// goString copies a string of C.
func goString(p handle) string {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
