package httpfault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A Client calls a JSON server. Failures are faults that never contain the key.
// It is safe for concurrent use.
type Client struct {
	base   *url.URL
	key    string
	client *http.Client
	redact *redact.Redactor
}

// CheckAddress says what is wrong with the address of a server, without repeating it,
// since it may contain a password. The message completes a sentence that begins with the
// name of an option.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return errors.New("is empty, want the address of a server, such as http://localhost:8000/v1")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return errors.New("is not an http or https address, want one such as http://localhost:8000/v1")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return errors.New("contains a user, a query or a fragment; set a key with the option key")
	}
	return nil
}

// Host returns the host and port of an address; empty for none.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// NewClient returns a client of the server at an address such as
// http://localhost:8080. The key is sent as a bearer token; empty for none. A
// nil client is one with limits on connections and reply headers. An address that is not
// http or https or that contains a user or a query, and a key that no header can carry, are
// errors, reported together.
func NewClient(address, key string, client *http.Client) (*Client, error) {
	var faults fault.List
	wrong := CheckAddress(address)
	faults.Want(wrong == nil, "base_url %w", wrong)
	faults.Want(!strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }), "key: contains white space or control characters; want the key as the provider issued it")
	base, err := url.Parse(address)
	if len(faults) > 0 || err != nil {
		return nil, errors.Join(faults...)
	}
	return &Client{base: base, key: key, client: httpClient(client), redact: redact.New(key)}, nil
}

// Redactor removes the key from what a server says.
func (c *Client) Redactor() *redact.Redactor { return c.redact }

// A Request is what a client sends: a POST of a body, or a GET without one.
type Request struct {
	Path  string
	Query url.Values
	Type  string // of the body; empty for JSON
	Body  []byte
	Most  int // bytes of the reply
}

// Call sends a request and decodes the reply. Errors are *fault.Error, except that of a
// canceled context.
func (c *Client) Call(ctx context.Context, r Request, reply any) error {
	resp, err := c.Send(ctx, r)
	switch {
	case err != nil:
		return err
	case !resp.OK():
		return FromResponse(resp.Status, resp.Header, resp.Data, c.redact)
	}
	if clean := c.redact.Text(string(resp.Data)); clean != string(resp.Data) {
		resp.Data = []byte(clean) // what follows is recorded
	}
	if e := resp.Decode(reply, "a reply to "+path.Base(r.Path), c.redact); e != nil {
		return e
	}
	return nil
}

// A Response is a complete reply of a server, whatever its status.
type Response struct {
	Data   []byte
	Status int
	Header http.Header
}

// OK reports whether the status is that of a success.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Send sends a request and reads the reply as far as the request allows. Its error is one of transport,
// as in [FromTransport]; a reply that reports an error is returned like any other.
func (c *Client) Send(ctx context.Context, r Request) (*Response, error) {
	address, method := c.base.JoinPath(r.Path), http.MethodGet
	address.RawQuery = r.Query.Encode()
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {"recallbench"}}
	if len(r.Body) > 0 {
		method = http.MethodPost
		header.Set("Content-Type", cmp.Or(r.Type, "application/json"))
	}
	if c.key != "" {
		header.Set("Authorization", "Bearer "+c.key)
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, FromTransport(ctx, err, c.redact)
	}
	req.Header = header
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, FromTransport(ctx, cmp.Or(ctx.Err(), err), c.redact)
	}
	defer resp.Body.Close()
	data, err := ReadBody(resp, r.Most)
	reply := &Response{data, resp.StatusCode, resp.Header}
	// What a failed reply says is worth having even where it is cut off.
	if err != nil && (reply.OK() || ctx.Err() != nil) {
		return nil, FromTransport(ctx, err, c.redact)
	}
	return reply, nil
}
