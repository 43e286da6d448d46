package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A server is where requests of one model go.
type server struct {
	client *http.Client
	url    *url.URL
	header http.Header // of every request
	clean  *redact.Redactor
	base   string // the address, for messages
	model  string
	hasKey bool
	extra  []byte // the further keys of a body, as they stand in it; empty for none
	// context is how many tokens the model takes, where a list of models has said so.
	context atomic.Int64
	// weights says which weights the server has loaded, where it does; else nil.
	weights atomic.Pointer[string]
}

func newServer(c Config) (*server, error) {
	extra, err := parseExtra(c.Quirks.Extra)
	if err != nil {
		return nil, err
	}
	s := &server{clean: redact.New(c.Key), model: c.Model, hasKey: c.Key != ""}
	s.base = s.clean.Name(strings.TrimSuffix(c.BaseURL, "/"))
	if len(extra) > 0 {
		object, err := json.Marshal(extra)
		if err != nil {
			return nil, err
		}
		s.extra = object[1 : len(object)-1]
	}
	s.client = httpfault.HTTPClient(c.Client)
	if s.url, err = url.Parse(c.BaseURL); err != nil {
		return nil, err
	}
	s.header = http.Header{"Accept": {"application/json"}, "User-Agent": {"recallbench"}}
	if c.Key != "" {
		s.header.Set("Authorization", "Bearer "+c.Key)
	}
	return s, nil
}

// lost returns the fault of a call without a whole reply.
func (s *server) lost(ctx context.Context, err error) error {
	err = httpfault.FromTransport(ctx, err, s.clean)
	// A canceled call has another error, whose cause may well be a fault.
	if e, ok := err.(*fault.Error); ok { //nolint:errorlint // not one that is wrapped
		e = s.explain(e)
		e.Remedy = cmp.Or(e.Remedy, remedyOfLost(err))
		return e
	}
	return err
}

// remedyOfLost says what would be right where the server was not reached.
func remedyOfLost(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "is the server running, and base_url right?"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "is base_url right?"
	}
	return ""
}

// refusal returns the fault that a reply with a status of no success reports.
func (s *server) refusal(r *response) *fault.Error {
	if r.status < 400 {
		return s.explain(&fault.Error{Kind: fault.NoModel, Status: r.status, Message: s.moved(r), Remedy: "is base_url right?"})
	}
	e := httpfault.FromResponse(r.status, r.header, []byte(s.clean.Text(string(r.body.Data))), s.clean)
	e.Message = s.clean.Line(e.Message) // a body's strings may hold escapes of their own
	s.refine(e, readComplaint(r.body.Data))
	return s.explain(e)
}

// moved says where a redirect leads.
func (s *server) moved(r *response) string {
	to := s.clean.Line(r.header.Get("Location"))
	if to == "" {
		return "the server gave no reply but the status " + strconv.Itoa(r.status)
	}
	to, _, _ = strings.Cut(to, "?")
	return "the server sends the request elsewhere, to " + to + ", which may not get the key"
}

// bad returns the fault of a reply that is not what it should be.
func (s *server) bad(kind fault.Kind, format string, args ...any) *fault.Error {
	return s.explain(&fault.Error{Kind: kind, Message: s.clean.Line(fmt.Sprintf(format, args...))})
}

// explain returns e with what was asked of whom before its message.
func (s *server) explain(e *fault.Error) *fault.Error {
	explained := *e // which may be the cause of a context that others share
	explained.Message = "model " + strconv.Quote(s.model) + " at " + s.base + ": " + e.Message
	return &explained
}

// encode returns the JSON of a body with the further keys, after more members where
// there are some.
func (s *server) encode(body any, more []byte) ([]byte, error) {
	var b bytesBuffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, s.bad(fault.Rejected, "the request has no form in JSON: %v", err)
	}
	data := b[:len(b)-len("}\n")]
	if len(more) > 0 {
		data = append(append(data, ','), more...)
	}
	if len(s.extra) > 0 {
		data = append(append(data, ','), s.extra...)
	}
	return append(data, '}'), nil
}

// A bytesBuffer is a buffer that grows once for one write.
type bytesBuffer []byte

func (b *bytesBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
