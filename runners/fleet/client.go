package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// A client asks a coordinator. It asks each question again until it hears the answer.
type client struct {
	conn   requester
	access Access
	user   string // of NATS
	name   string
	binary record.Binary
	log    *slog.Logger
	life   context.Context //nolint:containedctx // it ends some time after that of the worker, so that what was paid for is delivered

	renewing sync.Mutex // the session

	mu sync.Mutex
	// patience is how long it asks while it hears nothing.
	patience time.Duration
	session  *conversation
	joined   *record.Header // of the plan that was checked
	over     []byte         // SHA-256 of the word that ends the run; nil before the first welcome
	early    [][]byte       // hashes of words that came before, the last maxEarly
	units    map[runners.Unit]bool
	heard    time.Time // the last answer
	warned   bool      // since then
	lost     context.CancelFunc
	line     context.Context //nolint:containedctx // it ends when the connection is made anew: answers to earlier questions may be lost
}

// connected has all questions without an answer asked again.
func (c *client) connected(*nats.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		c.lost()
	}
	c.line, c.lost = context.WithCancel(c.life)
}

// A requester is the part of [nats.Conn] that asks.
type requester interface {
	RequestWithContext(ctx context.Context, subject string, data []byte) (*nats.Msg, error)
	IsClosed() bool
	LastError() error
	MaxPayload() int64
}

// A conversation is a session as the worker sees it.
type conversation struct {
	id   string
	next uint64
	open map[uint64]bool // questions without an answer
	done []uint64        // with one, since the last question
}

// errNewSession says that what the coordinator held for a question is gone, with its
// process or with the session.
var errNewSession = errors.New("the session was lost")

// errOver says that the run needs no workers any more. It stops a worker, and what it
// ends leaves no record.
var errOver error = fault.New(fault.Unavailable, "the run is over")

// A ticket names a question that was asked: its number in its session.
type ticket struct {
	session *conversation
	number  uint64
}

// number returns the question in the present session, with the next number.
func (c *client) number(o op, body json.RawMessage) (*conversation, question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session
	q := question{Session: s.id, Number: s.next, Op: o, Body: body, Done: s.done}
	s.done = nil
	s.next++
	s.open[q.Number] = true
	return s, q
}

// lowest returns the lowest number without an answer.
func (c *client) lowest(s *conversation) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Min(slices.Collect(maps.Keys(s.open)))
}

func (c *client) close(s *conversation, number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(s.open, number)
	s.done = append(s.done, number)
}

// ask asks a question and decodes the answer into a value, where that is not nil.
func (c *client) ask(ctx context.Context, o op, body, into any) (ticket, error) {
	return c.askIn(ctx, nil, o, body, into)
}

// askIn asks a question of one session, which has what the body names, or with nil of
// any.
func (c *client) askIn(ctx context.Context, only *conversation, o op, body, into any) (t ticket, err error) {
	data, err := encode(body)
	if err != nil {
		return t, err
	}
	for {
		s, q := c.number(o, data)
		t = ticket{s, q.Number}
		if only != nil && only != s {
			c.close(s, q.Number)
			return t, errNewSession
		}
		a, err := c.answered(ctx, s, q)
		c.close(s, q.Number)
		switch {
		case err != nil:
			return t, err
		case a.Status == statusOK && into == nil:
			return t, nil
		case a.Status == statusOK:
			return t, json.Unmarshal(a.Body, into)
		case a.Status == statusFailed:
			return t, a.Fault.err()
		case a.Status == statusOver:
			return t, errOver
		case a.Status != statusUnknown:
			return t, fmt.Errorf("the coordinator answers with the status %q", a.Status)
		}
		if err := c.renew(ctx, s); err != nil {
			return t, err
		}
	}
}

// answered sends a question until its answer is there.
func (c *client) answered(ctx context.Context, s *conversation, q question) (a answer, err error) {
	for a.Status = statusWait; a.Status == statusWait && err == nil; {
		q.Heard = c.lowest(s)
		a, err = c.send(ctx, q)
	}
	return a, err
}

// How long an answer may take before the question is asked again, and how long the
// worker waits in between where nobody is there to answer.
const (
	answerTime = 2 * holdTime
	againTime  = 200 * time.Millisecond
)

// send sends a question until an answer comes.
func (c *client) send(ctx context.Context, q question) (a answer, err error) {
	data, err := encode(q)
	if err != nil {
		return a, err
	}
	if most := min(maxMessage, c.conn.MaxPayload()); int64(len(data)) > most {
		return a, fmt.Errorf("a message of %d bytes (%s), want at most %d", len(data), q.Op, most)
	}
	for {
		once, cancel := context.WithTimeout(ctx, answerTime)
		c.mu.Lock()
		line := c.line
		c.mu.Unlock()
		end := context.AfterFunc(line, cancel) //nolint:contextcheck // the end of either ends the wait
		m, err := c.conn.RequestWithContext(once, askSubject(c.access.Run, c.user), data)
		end()
		cancel()
		if err == nil {
			c.mu.Lock()
			c.heard, c.warned = time.Now(), false
			c.mu.Unlock()
			if err := json.Unmarshal(m.Data, &a); err != nil {
				return a, fmt.Errorf("the coordinator's answer: %w", err)
			}
			return a, nil
		}
		switch {
		case ctx.Err() != nil:
			return a, context.Cause(ctx)
		case c.life.Err() != nil:
			return a, context.Cause(c.life) //nolint:contextcheck // it says why the worker ends
		case c.conn.IsClosed():
			return a, fmt.Errorf("the connection to the coordinator is closed: %w", errors.Join(c.conn.LastError(), err))
		case c.silence() > c.patient():
			return a, c.gone(err)
		case c.silence() > holdTime:
			c.warn(err)
		}
		select {
		case <-time.After(againTime):
		case <-ctx.Done():
		}
	}
}

// gone is the error of a coordinator that has been silent for too long.
func (c *client) gone(cause error) error {
	e := fault.New(fault.Unavailable, "the coordinator has not answered for %s", c.patient())
	e.Err = cause
	return e
}

// warn tells users once that the coordinator is silent.
func (c *client) warn(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.warned {
		c.log.Warn("the coordinator does not answer; asking again", "for", c.patience, "error", cause)
	}
	c.warned = true
}

func (c *client) patient() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.patience
}

func (c *client) silence() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.heard)
}

// hello begins a session.
func (c *client) hello(ctx context.Context) (w welcome, err error) {
	c.mu.Lock()
	units, joined := slices.Collect(maps.Keys(c.units)), c.joined
	c.mu.Unlock()
	body, err := encode(hello{Run: c.access.Run, Token: c.access.Token, Name: c.name, Binary: c.binary, Sum: programSum(c.binary), Units: units, Joined: joined})
	if err != nil {
		return w, err
	}
	a, err := c.send(ctx, question{Op: opHello, Body: body})
	switch {
	case err != nil:
		return w, err
	case a.Status == statusOver:
		return w, errOver
	case a.Status != statusOK:
		return w, a.Fault.err()
	}
	if err := json.Unmarshal(a.Body, &w); err != nil {
		return w, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.over = &conversation{id: w.Session, open: make(map[uint64]bool)}, w.Over
	if slices.ContainsFunc(c.early, func(sum []byte) bool { return bytes.Equal(sum, c.over) }) {
		return w, errOver
	}
	return w, nil
}

// maxEarly is how many words are kept that came before the first welcome.
const maxEarly = 16

// ends reports whether a word ends the run: only the coordinator has it. One that comes
// before the first welcome is looked at with that.
func (c *client) ends(word []byte) (ends, known bool) {
	sum := sha256.Sum256(word)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		c.early = append(c.early, sum[:])
		c.early = c.early[max(0, len(c.early)-maxEarly):]
		return false, false
	}
	return bytes.Equal(c.over, sum[:]), true
}

// join has the plan of the worker checked.
func (c *client) join(ctx context.Context, h record.Header) error {
	if _, err := c.ask(ctx, opJoin, h, nil); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.joined = &h
	return nil
}

// renew begins a session in place of one that the coordinator does not know.
func (c *client) renew(ctx context.Context, old *conversation) error {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	c.mu.Lock()
	changed := c.session != old
	c.mu.Unlock()
	if changed { // by another question
		return nil
	}
	c.log.Info("the coordinator has started again or had given the worker up; going on")
	_, err := c.hello(ctx)
	return err
}

// Deliver implements [runners.Desk]. What has come is delivered although the
// worker's time is over.
func (c *client) Deliver(ctx context.Context, u runners.Unit, d runners.Delivery) error {
	_, err := c.ask(context.WithoutCancel(ctx), opDeliver, deliver{u, d}, nil)
	return err
}

// busyTime is how long a worker waits that finds a memory in use.
const busyTime = 200 * time.Millisecond

// OpenKept implements [runners.Desk].
func (c *client) OpenKept(ctx context.Context, k runners.KeptMemory) ([]json.RawMessage, error) {
	for {
		var p keptParts
		if _, err := c.ask(ctx, opOpenKept, k, &p); err != nil || !p.Busy {
			return p.Parts, err
		}
		select {
		case <-time.After(busyTime):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// AddKept implements [runners.Desk].
func (c *client) AddKept(ctx context.Context, k runners.KeptMemory, line json.RawMessage) error {
	_, err := c.ask(context.WithoutCancel(ctx), opAddKept, addKept{k, line}, nil)
	return err
}

// CloseKept implements [runners.Desk].
func (c *client) CloseKept(ctx context.Context, k runners.KeptMemory) error {
	_, err := c.ask(context.WithoutCancel(ctx), opCloseKept, k, nil)
	return err
}

// calls is a transport of recordings.
func (c *client) calls(ctx context.Context, request []byte) ([]byte, error) {
	var reply json.RawMessage
	_, err := c.ask(ctx, opCalls, json.RawMessage(request), &reply)
	return reply, err
}

// do is a [limit.Doer]: the account at the coordinator decides when the worker tries.
func (c *client) do(ctx context.Context, account string, tokens int, try func(context.Context) (int, error)) (attempts int, err error) {
	for {
		attempts, err = c.pass(ctx, pass{account, tokens}, try)
		if !errors.Is(err, errNewSession) {
			return attempts, err
		}
	}
}

func (c *client) pass(ctx context.Context, p pass, try func(context.Context) (int, error)) (attempts int, err error) {
	var next passed
	call, err := c.ask(ctx, opPass, p, &next)
	if ctx.Err() != nil {
		_, _ = c.askIn(context.WithoutCancel(ctx), call.session, opLeave, call.number, nil) // else it goes with the session
		return 0, context.Cause(ctx)
	}
	for err == nil && next.Try {
		attempts++
		var t tried
		var fault error
		t, fault = attempt(ctx, call.number, next.Within, try)
		next = passed{}
		_, err = c.askIn(context.WithoutCancel(ctx), call.session, opTried, t, &next)
		if fault == nil && (err == nil || errors.Is(err, errNewSession)) {
			return attempts, nil
		}
		if ctx.Err() != nil {
			return attempts, context.Cause(ctx)
		}
	}
	return max(attempts, next.Attempts), err
}
