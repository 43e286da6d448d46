package adapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/text/redact"
)

// What a peer bears.
const (
	queueLength    = 64              // messages that wait to be written
	writeStall     = time.Minute     // for a message
	cancelGrace    = 5 * time.Second // for the reply to a request that was cancelled
	maxForeign     = 100             // lines on the output that are not messages
	readSize       = 64 << 10        // bytes
	jsonrpcVersion = "2.0"           // version
	codeNoMethod   = -32601          // a method that nobody knows
)

// errOutputEnded is the end of a peer whose process is still running.
var errOutputEnded = fault.New(fault.AdapterCrash, "its output ended")

// A peer exchanges JSON-RPC messages with a process, one a line.
type peer struct {
	*child
	maxLine int
	queue   chan []byte

	mu      sync.Mutex
	next    int64
	pending map[int64]chan message
	foreign int
}

// A message is what a line holds.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

// request returns a request of a method; without an id, a notification.
func request(id any, method string, params any) map[string]any {
	m := map[string]any{"jsonrpc": jsonrpcVersion, "method": method, "params": params}
	if id != nil {
		m["id"] = id
	}
	return m
}

// Close implements [Conn].
func (p *peer) Close() error {
	if p.Ended() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
		defer cancel()
		_ = p.Call(ctx, wire.Shutdown, struct{}{}, nil) // an adapter may know no shutdown: its input is closed next
	}
	return p.closed()
}

// write writes what is queued, and ends a process that does not read.
func (p *peer) write() {
	for {
		select {
		case line := <-p.queue:
			stall := time.AfterFunc(writeStall, func() {
				p.end(fault.New(fault.AdapterTimeout, "it does not read: a message was not taken in %s", writeStall))
				_ = p.in.Close() // ends the write
			})
			_, err := p.in.Write(line)
			stall.Stop()
			if err != nil {
				p.end(fault.New(fault.AdapterCrash, "it does not read any more: %v", err))
				return
			}
		case <-p.ended:
			return
		}
	}
}

// read takes the lines of the output, whose end is that of the peer.
func (p *peer) read() {
	r := bufio.NewReaderSize(p.out, readSize)
	// The line so far, where it is longer than the buffer, in pieces: a slice that
	// grows would for a while take more than twice the room.
	var long [][]byte
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if size += len(part); size > p.maxLine {
				p.end(fault.New(fault.AdapterProtocol, "a line of more than %d bytes", p.maxLine))
				_, _ = io.Copy(io.Discard, r) // until it has ended, so that it can
				return
			}
			long = append(long, bytes.Clone(part))
			continue
		}
		line := part
		if len(long) > 0 {
			line, long, size = slices.Concat(append(long, part)...), nil, 0
		}
		if err == nil {
			p.take(line[:len(line)-1])
			continue
		}
		// A truncated line is not a message. Its process tells more, if it ends with it.
		time.AfterFunc(time.Second, func() { p.end(errOutputEnded) })
		return
	}
}

// take handles a line of the output.
func (p *peer) take(line []byte) {
	line = redact.Clean(bytes.TrimRight(line, "\r \n"))
	if len(line) == 0 {
		return
	}
	if !utf8.Valid(line) {
		line = []byte(strings.ToValidUTF8(string(line), "\uFFFD"))
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != jsonrpcVersion {
		p.stray(line, "a line that is not a message")
		return
	}
	switch {
	case m.Method == "":
	case len(m.ID) > 0 && string(m.ID) != "null":
		p.post(map[string]any{"jsonrpc": jsonrpcVersion, "id": m.ID, "error": map[string]any{"code": codeNoMethod, "message": "the harness answers no requests: " + m.Method}})
		return
	default: // what the adapter says of itself and of how far it is
		p.log.line(append([]byte(strings.TrimPrefix(m.Method, "$/")+": "), m.Params...))
		return
	}
	var id int64
	if err := json.Unmarshal(m.ID, &id); err != nil || (m.Error == nil) == (m.Result == nil) {
		p.stray(line, "a reply without an id, or without either result or error")
		return
	}
	if p.Ended() != nil {
		return // what comes after the end counts no more
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	reply, ok := p.pending[id]
	if !ok {
		p.end(fault.New(fault.AdapterProtocol, "a reply to %d, which was not asked or has been replied to: %s", id, beginning(line)))
		return
	}
	delete(p.pending, id)
	reply <- m
}

// stray counts a line that is not a message. On an output that also carries
// what a library prints, some are tolerated.
func (p *peer) stray(line []byte, what string) {
	p.log.line(line)
	p.mu.Lock()
	p.foreign++
	over := p.foreign >= maxForeign
	p.mu.Unlock()
	if over {
		p.end(fault.New(fault.AdapterProtocol, "%s: %s", what, beginning(line)))
	}
}

// post queues a message without waiting for room.
func (p *peer) post(m any) {
	line, err := json.Marshal(m)
	if err != nil {
		return
	}
	select {
	case p.queue <- append(line, '\n'):
	default: // it does not read; a notification is not worth more
	}
}

// Call implements [Conn].
func (p *peer) Call(ctx context.Context, method string, params, result any) error {
	reply := make(chan message, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.pending[id] = reply
	p.mu.Unlock()
	line, err := json.Marshal(request(id, method, params))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case p.queue <- append(line, '\n'):
	case <-p.ended:
		return p.Ended()
	case <-ctx.Done():
		p.mu.Lock()
		delete(p.pending, id)
		p.mu.Unlock()
		return ended(ctx, method)
	}
	select {
	case m := <-reply:
		return settle(method, m, result)
	case <-p.ended:
		select {
		case m := <-reply: // which came before the end
			return settle(method, m, result)
		default:
			return p.Ended()
		}
	case <-ctx.Done():
		p.cancel(id, reply, method)
		return ended(ctx, method)
	}
}

// cancel gives a request up. An adapter that does not even reply to that is
// ended.
func (p *peer) cancel(id int64, reply chan message, method string) {
	p.post(request(nil, wire.Cancel, wire.CancelParams{ID: id}))
	select {
	case <-reply:
	case <-p.ended:
	case <-time.After(cancelGrace):
		p.end(fault.New(fault.AdapterTimeout, "no reply to %s, nor to its cancellation in %s", method, cancelGrace))
	}
}
