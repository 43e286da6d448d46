package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// A client talks to a coordinator. It repeats each request until it gets a response.
type client struct {
	http    *http.Client
	url     string
	token   string
	session string // its name
	log     *slog.Logger
	life    context.Context //nolint:containedctx // it ends some time after that of the worker, so that what was paid for is delivered
	over    func()          // is called when the run needs no more workers

	joined  joinRequest                   // what it says of itself, without what follows
	header  atomic.Pointer[record.Header] // of its plan
	units   sync.Map                      // under way: runners.Unit
	trying  sync.Map                      // calls with the provider: name to time.Time
	joining sync.Mutex
	joins   atomic.Int64

	mu       sync.Mutex
	patience time.Duration // how long it asks while it hears nothing
	heard    time.Time     // the last answer
	warned   bool          // since then
}

// How long an answer may take before the request is sent again, and how long the worker
// waits in between where nobody is there to answer.
const (
	answerTime = 2 * holdTime
	againTime  = 200 * time.Millisecond
	slowest    = 256 << 10 // bytes a second of a connection that is given time
)

func (w Worker) client(life context.Context, over func()) *client {
	host := w.URL
	if _, after, ok := strings.Cut(host, "://"); ok {
		host = after
	}
	dialer := net.Dialer{Timeout: answerTime}
	c := &client{
		url: "https://" + host, token: w.Access.Token, session: rand.Text(), log: w.Log, life: life, over: over,
		patience: min(w.Patience, ReachTime), heard: time.Now(), joined: joinRequest{Name: w.Name, Program: Program(w.Binary)},
	}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: w.Access.client(), TLSHandshakeTimeout: answerTime, ForceAttemptHTTP2: true, HTTP2: pings,
	}}
	return c
}

// ask asks for something with a body and decodes the answer into a value, where that is
// not nil. What the coordinator refuses is an error.
func (c *client) ask(ctx context.Context, op string, body, into any) error {
	data, err := encode(body)
	if err == nil && len(data) > maxMessage {
		err = fmt.Errorf("a message of %d bytes (%s), want at most %d", len(data), op, maxMessage)
	}
	if err != nil {
		return err
	}
	for {
		joins := c.joins.Load()
		status, answer, err := c.send(ctx, op, data)
		switch status {
		case http.StatusOK:
			if into == nil {
				return nil
			}
			return decode(answer, into)
		case statusWait:
		case statusUnknown:
			if err := c.rejoin(ctx, joins); err != nil {
				return err
			}
		case statusOver:
			c.over()
			return errOver
		case statusToken:
			return fmt.Errorf("%s refuses the token; copy the access file that 'bench serve' names", c.url)
		case statusRefused:
			var f wireFault
			if err := decode(answer, &f); err != nil {
				return err
			}
			return f.err()
		case 0, http.StatusServiceUnavailable:
			if err == nil {
				err = fmt.Errorf("it is busy: %s", bytes.TrimSpace(answer))
			}
			if err := c.unheard(ctx, err); err != nil {
				return err
			}
		default:
			return fmt.Errorf("the coordinator answered %s with status %d: %.200s", op, status, answer)
		}
	}
}

// send sends a request once. The status is 0 where no answer came.
func (c *client) send(ctx context.Context, op string, data []byte) (status int, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime+time.Duration(len(data)/slowest)*time.Second)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)() //nolint:contextcheck // the end of either ends the request
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/"+op, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set(sessionHeader, c.session)
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(io.LimitReader(response.Body, maxMessage+1)); err != nil {
		return 0, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.warned = time.Now(), false
	return response.StatusCode, answer, nil
}

// unheard waits before a request without an answer is sent again. It returns why it is
// not.
func (c *client) unheard(ctx context.Context, cause error) error {
	c.mu.Lock()
	silence, patience, ever := time.Since(c.heard), c.patience, c.joins.Load() > 0
	warn := !c.warned && (!ever || silence > holdTime)
	c.warned = c.warned || warn
	c.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case c.life.Err() != nil:
		return context.Cause(c.life) //nolint:contextcheck // why the worker has ended
	case errors.Is(cause, errCertificate):
		return fmt.Errorf("%s: %w; copy the file that 'bench serve' names", c.url, errCertificate)
	case silence > patience && !ever:
		return fmt.Errorf("no coordinator at %s: %w; start 'bench serve', or correct the address", c.url, cause)
	case silence > patience:
		return &fault.Error{Kind: fault.Unavailable, Message: fmt.Sprintf("no response from the coordinator for %s", patience), Err: cause}
	case warn:
		c.log.Warn("the coordinator does not respond; retrying", "address", c.url, "for", patience, "error", cause)
	}
	select {
	case <-time.After(againTime):
	case <-ctx.Done():
	}
	return nil
}

// join begins the session or, with a header, continues it.
func (c *client) join(ctx context.Context) (w welcome, err error) {
	body := c.joined
	body.Header, body.Units = c.header.Load(), c.held()
	if err := c.ask(ctx, opJoin, body, &w); err != nil {
		return w, err
	}
	c.joins.Add(1)
	return w, nil
}

// rejoin joins again where a request found no session, unless another request has done
// so since the joins before it.
func (c *client) rejoin(ctx context.Context, joins int64) error {
	c.joining.Lock()
	defer c.joining.Unlock()
	if c.joins.Load() != joins {
		return nil
	}
	c.log.Info("the coordinator was restarted or had given up this worker; continuing")
	_, err := c.join(ctx)
	return err
}

// held returns the units under way.
func (c *client) held() (units []runners.Unit) {
	for u := range c.units.Range {
		units = append(units, u.(runners.Unit))
	}
	return units
}

// renew shows the coordinator that the worker lives, and learns when the run is over.
func (c *client) renew(ctx context.Context) {
	for ctx.Err() == nil {
		trying := make(map[string]time.Duration)
		for call, since := range c.trying.Range {
			trying[call.(string)] = time.Since(since.(time.Time))
		}
		if err := c.ask(ctx, opRenew, trying, nil); err != nil {
			select {
			case <-time.After(againTime):
			case <-ctx.Done():
			}
		}
	}
}

// deliver delivers lines of a unit, also what has come when the worker's time is over.
func (c *client) deliver(ctx context.Context, u runners.Unit, d runners.Delivery) error {
	return c.ask(context.WithoutCancel(ctx), opDeliver, deliverRequest{u, d}, nil)
}

// calls is a transport of recordings.
func (c *client) calls(ctx context.Context, request []byte) (answer []byte, err error) {
	return answer, c.ask(ctx, opCalls, request, &answer)
}

// Lease implements [budget.Remote].
func (c *client) Lease(ctx context.Context, number uint64, tokens int, usd float64, wait bool) error {
	return c.ask(ctx, opReserve, reserveRequest{number, tokens, usd, wait}, nil)
}

// Settle implements [budget.Remote].
func (c *client) Settle(ctx context.Context, lease uint64, s budget.Settlement) error {
	return c.ask(ctx, opSettle, settleRequest{lease, s}, nil)
}

// call is a [limit.Doer]: the account at the coordinator decides when the worker tries.
func (c *client) call(ctx context.Context, account string, tokens int, try func(context.Context) (int, error)) (attempts int, err error) {
	q := tryRequest{Call: rand.Text(), Account: account, Tokens: tokens}
	for {
		asking := ctx
		if q.Tried > 0 {
			asking = context.WithoutCancel(ctx) // what came of a try is said
		}
		var next tryAnswer
		err := c.ask(asking, opTry, q, &next)
		switch {
		case q.Result != nil && q.Result.Fault == nil:
			return q.Tried, nil
		case ctx.Err() != nil:
			_ = c.ask(context.WithoutCancel(ctx), opTry, tryRequest{Call: q.Call, Left: true}, nil) // else it goes with the session
			return q.Tried, context.Cause(ctx)
		case err != nil:
			return q.Tried, err
		case !next.Try:
			return q.Tried, next.Fault.err()
		}
		q.Tried++
		q.Result = c.try(ctx, q.Call, next.Within, try)
	}
}

// try tries a call once within a time.
func (c *client) try(ctx context.Context, name string, within time.Duration, try func(context.Context) (int, error)) *tryResult {
	call, ended := interrupt.Call(ctx)
	defer ended()
	if within > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(call, within, fault.New(fault.Timeout, "no complete reply in %s", within))
		defer cancel()
	}
	begun := time.Now()
	c.trying.Store(name, begun)
	tokens, err := try(call)
	c.trying.Delete(name)
	if over := context.Cause(call); err != nil && fault.KindOf(over) == fault.Timeout {
		err = over
	}
	return &tryResult{tokens, toWire(err), time.Since(begun)}
}

// fetchFiles copies files into a folder that this machine does not have where the
// coordinator has them, and returns the copies by the path in the config.
func (c *client) fetchFiles(ctx context.Context, dir string, files []sentFile) (map[string]string, error) {
	copies := make(map[string]string)
	for i, f := range files {
		if _, err := os.Stat(f.Path); !errors.Is(err, fs.ErrNotExist) {
			continue // the check of the plan says whether it is the same
		}
		copies[f.Option] = filepath.Join(dir, "own-"+strconv.Itoa(i))
		if err := c.fetchFile(ctx, copies[f.Option], f.SHA256); err != nil {
			return nil, fmt.Errorf("%s of the run: %w", f.Option, err)
		}
	}
	return copies, nil
}

func (c *client) fetchFile(ctx context.Context, path, sum string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	q := fileRequest{SHA256: sum}
	for {
		var part []byte
		if err := c.ask(ctx, opFile, q, &part); err != nil {
			return err
		}
		if len(part) == 0 {
			break
		}
		if _, err := file.Write(part); err != nil {
			return err
		}
		q.Offset += int64(len(part))
	}
	got, err := hashOf(path)
	if err == nil && got != sum {
		err = fmt.Errorf("its SHA-256 is %s, want %s", got, sum)
	}
	return err
}
