package adapter

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
)

// How long a process gets at its end: to leave by itself once its input is
// closed, and once it was asked to.
const (
	leaveTime = 5 * time.Second
	termTime  = 5 * time.Second
)

// A Process says how an adapter is started.
type Process struct {
	Command []string
	Dir     string   // of the process: its home, temporary files and state
	Env     []string // names that are taken over from the environment
	Set     map[string]string
	Getenv  func(string) string

	MaxLine int // bytes; 0 is wire.MaxLine
	Log     *Log
}

// inherited are the variables that every adapter gets.
var inherited = []string{"PATH", "LANG", "SYSTEMROOT", "VIRTUAL_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "NODE_PATH"}

// environ returns the environment of the process, sorted: an allow-list.
func (p Process) environ() []string {
	env := make(map[string]string)
	for _, name := range slices.Concat(inherited, p.Env) {
		if value := p.Getenv(name); value != "" {
			env[name] = value
		}
	}
	env["HOME"] = filepath.Join(p.Dir, "home")
	env["USERPROFILE"] = env["HOME"]
	env["TMPDIR"] = filepath.Join(p.Dir, "tmp")
	env["TEMP"] = env["TMPDIR"]
	env["TZ"], env["PYTHONHASHSEED"], env["PYTHONIOENCODING"], env["DO_NOT_TRACK"] = "UTC", "0", "utf-8", "1"
	maps.Copy(env, p.Set)
	names := slices.Sorted(maps.Keys(env))
	return lists.Map(names, func(name string) string { return name + "=" + env[name] })
}

// A child is a running process of an adapter.
type child struct {
	cmd     *exec.Cmd
	log     *Log
	in      io.WriteCloser
	out     *os.File       // standard output
	closed  func() error   // ends it
	exited  chan struct{}  // closed when it has
	readers sync.WaitGroup // of what it says

	endMu  sync.Mutex
	endErr error
	ended  chan struct{} // closed with endErr set
}

// end notes why the process can no longer be used. The first cause stays.
func (c *child) end(err error) {
	c.endMu.Lock()
	defer c.endMu.Unlock()
	if c.endErr == nil {
		c.endErr = err
		close(c.ended)
	}
}

// Ended implements [Conn].
func (c *child) Ended() error {
	c.endMu.Lock()
	defer c.endMu.Unlock()
	return c.endErr
}

// Start starts a process and speaks with it over pipes.
func Start(p Process) (Conn, error) {
	c, err := p.start()
	if err != nil {
		return nil, err
	}
	conn := &peer{
		child: c, maxLine: cmp.Or(p.MaxLine, wire.MaxLine), queue: make(chan []byte, queueLength), pending: make(map[int64]chan message),
	}
	go conn.write()
	c.readers.Go(conn.read)
	go c.wait()
	return conn, nil
}

// start starts the process with its pipes.
func (p Process) start() (_ *child, err error) {
	for _, dir := range []string{p.Dir, filepath.Join(p.Dir, "home"), filepath.Join(p.Dir, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(p.Command[0], p.Command[1:]...) //nolint:noctx // it is ended in order, see Close
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.Dir, p.environ(), groupOfItsOwn()
	// Pipes are made here and not by cmd, whose Wait would close them before all
	// is read.
	pipe := func() (r, w *os.File) {
		r, w, failed := os.Pipe()
		err = cmp.Or(err, failed)
		return r, w
	}
	stdin, in := pipe()
	out, stdout := pipe()
	diag, stderr := pipe()
	theirs, ours := []*os.File{stdin, stdout, stderr}, []*os.File{in, out, diag}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err == nil {
		if err = cmd.Start(); err != nil {
			err = fmt.Errorf("%s does not start: %w", p.Command[0], err)
		}
	}
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close() // nothing was written, or it was never opened
		}
	}
	closeAll(theirs) // the process has its own
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	c := &child{cmd: cmd, log: p.Log, in: in, out: out, exited: make(chan struct{}), ended: make(chan struct{})}
	c.readers.Go(func() { p.Log.copy(diag) })
	c.closed = sync.OnceValue(func() error {
		c.end(fault.New(fault.AdapterCrash, "it was ended"))
		_ = in.Close()
		if !c.gone(leaveTime) {
			signalGroup(cmd, false)
			if !c.gone(termTime) {
				signalGroup(cmd, true)
				<-c.exited
			}
		}
		signalGroup(cmd, true) // what it has left behind
		closeAll(ours)
		return nil
	})
	return c, nil
}

// wait notes the end of the process.
func (c *child) wait() {
	err := c.cmd.Wait()
	close(c.exited)
	status := "with status 0"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.String()
	}
	// What was written before the end is still read; a child of the process may
	// hold the pipe.
	done := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	c.end(fault.New(fault.AdapterCrash, "it ended (%s)%s", status, c.log.Tail()))
}

func (c *child) gone(within time.Duration) bool {
	select {
	case <-c.exited:
		return true
	case <-time.After(within):
		return false
	}
}

// hangUp closes the input of a process, as the end of the harness does, and reports
// whether it leaves.
func (c *child) hangUp() bool {
	_ = c.in.Close() // an input that is closed already will do
	return c.gone(leaveTime)
}

// Look returns the path of a command: words with a separator are relative to
// base, others are looked up.
func Look(base, word string) (string, error) {
	if strings.ContainsRune(word, filepath.Separator) && !filepath.IsAbs(word) {
		word = filepath.Join(base, word)
	}
	path, err := exec.LookPath(word)
	if err != nil {
		return "", fmt.Errorf("command %q is not found", word)
	}
	return filepath.Abs(path)
}
