package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/outside/wire"
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
	// Progress is told how far a long call is; nil for nobody.
	Progress func(wire.ProgressParams)
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
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// A child is a running process of an adapter.
type child struct {
	*peer
	cmd    *exec.Cmd
	log    *Log
	closed func() error
	exited chan struct{}
	logged chan struct{} // all that it said aside
}

// Start starts a process and speaks with it over pipes.
func Start(p Process) (Conn, error) {
	c, outs, in, err := p.start(true)
	if err != nil {
		return nil, err
	}
	maxLine := p.MaxLine
	if maxLine == 0 {
		maxLine = wire.MaxLine
	}
	c.peer = newPeer(in, maxLine, c.log.line, p.notified, outs...)
	go c.wait()
	return c, nil
}

// notified logs what the adapter says, and passes on how far it is.
func (p Process) notified(method string, params json.RawMessage) {
	switch method {
	case wire.Log:
		var v wire.LogParams
		if json.Unmarshal(params, &v) == nil {
			p.Log.line([]byte(v.Level + ": " + v.Text))
		}
	case wire.Progress:
		var v wire.ProgressParams
		if p.Progress != nil && json.Unmarshal(params, &v) == nil {
			p.Progress(v)
		}
	}
}

// start starts the process with its outputs: standard output and, with apart
// and where the system allows it, a channel of its own for replies.
func (p Process) start(apart bool) (*child, []io.Reader, io.WriteCloser, error) {
	for _, dir := range []string{p.Dir, filepath.Join(p.Dir, "home"), filepath.Join(p.Dir, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, nil, err
		}
	}
	cmd := exec.Command(p.Command[0], p.Command[1:]...) //nolint:noctx // it is ended in order, see Close
	cmd.Dir = p.Dir
	cmd.Env = p.environ()
	cmd.SysProcAttr = groupOfItsOwn()
	// Pipes are made here and not by cmd, whose Wait would close them before all
	// is read.
	var theirs, ours []*os.File
	pipe := func(write bool) (our, their *os.File, err error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		if our, their = r, w; write {
			our, their = w, r
		}
		theirs, ours = append(theirs, their), append(ours, our)
		return our, their, nil
	}
	fail := func(err error) (*child, []io.Reader, io.WriteCloser, error) {
		for _, f := range slices.Concat(theirs, ours) {
			_ = f.Close() // nothing was written
		}
		return nil, nil, nil, err
	}
	in, stdin, err := pipe(true)
	if err != nil {
		return fail(err)
	}
	out, stdout, err := pipe(false)
	if err != nil {
		return fail(err)
	}
	diag, stderr, err := pipe(false)
	if err != nil {
		return fail(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	outs := []io.Reader{out}
	if apart && runtime.GOOS != "windows" {
		replies, their, err := pipe(false)
		if err != nil {
			return fail(err)
		}
		cmd.ExtraFiles = []*os.File{their}
		cmd.Env = append(cmd.Env, "RECALLBENCH_OUT=3")
		// Replies come on either. Standard output is the one that all adapters
		// hold open.
		outs = []io.Reader{replies, out}
	}
	if err := cmd.Start(); err != nil {
		return fail(fmt.Errorf("%s does not start: %w", p.Command[0], err))
	}
	for _, f := range theirs {
		_ = f.Close() // the process has its own
	}
	c := &child{cmd: cmd, log: p.Log, exited: make(chan struct{}), logged: make(chan struct{})}
	go func() {
		p.Log.copy(diag)
		close(c.logged)
	}()
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
		for _, f := range ours {
			_ = f.Close() // nothing was written
		}
		return nil
	})
	return c, outs, in, nil
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
		c.drained.Wait()
		<-c.logged
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fault.New(fault.AdapterCrash, "it ended (%s)%s", status, c.log.Tail())
		close(c.ended)
	}
}

func (c *child) gone(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		return false
	}
}

// Close implements [Conn].
func (c *child) Close() error {
	if c.Ended() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		_ = c.Call(ctx, wire.Shutdown, struct{}{}, nil) // an adapter may know no shutdown: its input is closed next
	}
	return c.closed()
}

// Look returns the path of a command: words with a separator are taken from
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
