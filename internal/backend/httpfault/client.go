package httpfault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
// nil client is the default one. An address that is not http or https or that
// contains a user or a query, and a key that no header can carry, are errors,
// reported together.
func NewClient(address, key string, client *http.Client) (*Client, error) {
	var faults []error
	if err := CheckAddress(address); err != nil {
		faults = append(faults, fmt.Errorf("base_url %w", err))
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		faults = append(faults, errors.New("key: contains white space or control characters; want the key as the provider issued it"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	return &Client{base: base, key: key, client: HTTPClient(client), redact: redact.New(key)}, nil
}

// Redactor removes the key from what a server says.
func (c *Client) Redactor() *redact.Redactor { return c.redact }

// Call sends a request with a JSON body, or none if it is nil, and decodes the reply
// within the bound. Errors are *fault.Error, except that of a canceled context.
func (c *Client) Call(ctx context.Context, method, to string, body, reply any, bound Bound) error {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return fault.New(fault.Rejected, "request: %v", err)
		}
	}
	resp, err := c.Send(ctx, method, to, payload, bound)
	if err != nil {
		return err
	}
	return c.decode(resp, to, reply)
}

// PostText sends a text, with parameters in the address, and decodes the reply
// as Call does.
func (c *Client) PostText(ctx context.Context, to string, query url.Values, text string, reply any, bound Bound) error {
	address := c.base.JoinPath(to)
	address.RawQuery = query.Encode()
	resp, err := c.send(ctx, http.MethodPost, address, "text/plain; charset=utf-8", []byte(text), bound)
	if err != nil {
		return err
	}
	return c.decode(resp, to, reply)
}

// A Response is a complete reply of a server, whatever its status.
type Response struct {
	Data   []byte
	Status int
	Header http.Header
}

// OK reports whether the status is that of a success.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Send sends a request with a JSON body, or none if it is empty, and reads the reply
// within a bound. Its error is one of transport, as in [FromTransport]; a reply that
// reports an error is returned like any other.
func (c *Client) Send(ctx context.Context, method, to string, body []byte, bound Bound) (*Response, error) {
	kind := ""
	if len(body) > 0 {
		kind = "application/json"
	}
	return c.send(ctx, method, c.base.JoinPath(to), kind, body, bound)
}

func (c *Client) send(ctx context.Context, method string, address *url.URL, kind string, body []byte, bound Bound) (*Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, FromTransport(ctx, err, c.redact)
	}
	req.Header = http.Header{"Accept": {"application/json"}, "User-Agent": {"recallbench"}}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, FromTransport(ctx, cmp.Or(ctx.Err(), err), c.redact)
	}
	defer resp.Body.Close()
	data, err := ReadBody(resp, bound)
	r := &Response{data, resp.StatusCode, resp.Header}
	// What a failed reply says is worth having even where it is cut off.
	if err != nil && (r.OK() || ctx.Err() != nil) {
		return nil, FromTransport(ctx, err, c.redact)
	}
	return r, nil
}

// decode decodes a reply to a request of a path.
func (c *Client) decode(r *Response, to string, reply any) error {
	if !r.OK() {
		return FromResponse(r.Status, r.Header, r.Data, c.redact)
	}
	if clean := c.redact.Text(string(r.Data)); clean != string(r.Data) {
		r.Data = []byte(clean) // what follows is recorded
	}
	return r.Decode(reply, "a reply to "+path.Base(to), c.redact)
}
