package linkgrammar

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	mark = "short set to 16" // ends the reply to a sentence
	push = "yes"             // a sentence that is parsed at once
	tail = "\n!short=16\n" + push + "\n"
)

// The bounds of what a process may say: to one sentence, and of its troubles.
const (
	maxReply  = 1 << 20
	maxStderr = 4 << 10
)

var (
	errFlood   = errors.New("it writes without end")
	errTimeout = errors.New("no whole reply in time")
)

// A process is a running parser. One goroutine uses it at a time.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr *bounded
	stop   func()
}

// start starts a parser and waits until it has read its dictionary.
func (p *Annotator) start(ctx context.Context) (*process, error) {
	cmd := exec.Command(p.options.Command, p.options.args()...) //nolint:noctx // it outlives the call that starts it
	// The locale decides what a letter is; nothing else of the environment
	// should change a parse.
	cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8", "LANG=C.UTF-8")
	r := &process{cmd: cmd, stderr: &bounded{}}
	cmd.Stderr = r.stderr
	cmd.WaitDelay = time.Second // for what the parser has started and left behind
	var err error
	if r.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if r.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	r.lines = bufio.NewReader(r.out)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // one that has ended needs none
		_ = r.out.Close()      // a child of it may hold the other end
	})
	if _, err := r.ask(ctx, "", startTime); err != nil {
		r.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		said := r.stderr.String()
		if said == "" {
			said = err.Error()
		}
		return nil, fmt.Errorf("%s does not answer: %s", p.options.Command, said)
	}
	return r, nil
}

// ask parses a sentence within a time and returns the lines about it. After an
// error the process is of no use any more.
func (r *process) ask(ctx context.Context, sentence string, limit time.Duration) (string, error) {
	var late atomic.Bool
	timer := time.AfterFunc(limit, func() {
		late.Store(true)
		r.stop()
	})
	defer timer.Stop()
	defer context.AfterFunc(ctx, r.stop)()
	reply, err := r.exchange(sentence)
	if err == nil {
		return reply, nil
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case late.Load():
		return "", errTimeout
	}
	return "", err
}

func (r *process) exchange(sentence string) (string, error) {
	if _, err := io.WriteString(r.in, sentence+tail); err != nil {
		return "", fmt.Errorf("it does not read: %w", err)
	}
	var reply strings.Builder
	for rest := maxReply; ; {
		line, err := r.line(&rest)
		if err != nil {
			return "", err
		}
		if line == mark {
			break
		}
		reply.WriteString(line)
		reply.WriteByte('\n')
	}
	for rest := maxReply; ; { // what is said of the word that pushes
		line, err := r.line(&rest)
		if err != nil {
			return "", err
		}
		if line == endOfLinkage {
			return reply.String(), nil
		}
	}
}

// line reads a line of at most *rest bytes.
func (r *process) line(rest *int) (string, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		if *rest -= len(part); *rest < 0 {
			return "", errFlood
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return strings.TrimSuffix(string(line), "\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("it ended: %w", err)
		}
	}
}

// close ends the process and waits until it is gone.
func (r *process) close() {
	r.stop()
	_ = r.in.Close()
	_ = r.cmd.Wait() // killed
}

// bounded keeps the beginning of what is written.
type bounded struct {
	mu   sync.Mutex
	data []byte
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p[:min(len(p), maxStderr-len(b.data))]...)
	return len(p), nil
}

// String returns what was written as one line.
func (b *bounded) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(b.data), "?")), " ")
}
