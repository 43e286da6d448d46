package httpfault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"recallbench/internal/fault"
)

// maxReply bounds what is read of a reply.
const maxReply = 16 << 20

// A Client asks a server of JSON. What fails is a fault, in which no key stands.
// It is safe for concurrent use.
type Client struct {
	base   *url.URL
	key    string
	client *http.Client
	redact *Redactor
}

// NewClient returns a client of the server at an address such as
// http://localhost:8080. The key is sent as a bearer token; empty for none. A
// nil client is the default one. An address that is not http or https, that
// holds a user or a query, or a key that no header can hold are errors, all at
// once.
func NewClient(address, key string, client *http.Client) (*Client, error) {
	var faults []error
	base, err := url.Parse(address)
	switch {
	case err != nil: // the parser repeats the address, which may hold a password
		faults = append(faults, errors.New("base_url: not an address; want one like http://localhost:8080"))
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		faults = append(faults, fmt.Errorf("base_url: %q, want an address like http://localhost:8080", base.Redacted()))
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		faults = append(faults, errors.New("base_url: holds a user, a query or a fragment; a key is given by itself"))
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		faults = append(faults, errors.New("key: holds a control character, such as the end of a line"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if client == nil {
		client = http.DefaultClient
	}
	return &Client{base: base, key: key, client: client, redact: NewRedactor(key)}, nil
}

// Line returns what a server said as one line without the key.
func (c *Client) Line(text string) string { return c.redact.Line(text) }

// Call sends a request with a JSON body, or none where it is nil, and decodes
// the reply. Errors are *fault.Error, save that of a context that was canceled.
func (c *Client) Call(ctx context.Context, method, path string, body, reply any) error {
	var payload []byte
	header := make(http.Header)
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return fault.New(fault.Rejected, "request: %v", err)
		}
		header.Set("Content-Type", "application/json")
	}
	return c.send(ctx, method, c.base.JoinPath(path), header, payload, reply)
}

// PostText sends a text, with parameters in the address, and decodes the reply
// as Call does.
func (c *Client) PostText(ctx context.Context, path string, query url.Values, text string, reply any) error {
	address := c.base.JoinPath(path)
	address.RawQuery = query.Encode()
	header := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	return c.send(ctx, http.MethodPost, address, header, []byte(text), reply)
}

func (c *Client) send(ctx context.Context, method string, address *url.URL, header http.Header, body []byte, reply any) error {
	req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return FromTransport(ctx, err, c.redact)
	}
	req.Header = header
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return FromTransport(ctx, err, c.redact)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		// What a failed reply says is worth having even where it is cut off.
		return FromResponse(resp.StatusCode, resp.Header, data, c.redact)
	}
	switch {
	case err != nil:
		return FromTransport(ctx, err, c.redact)
	case len(data) > maxReply:
		return fault.New(fault.BadReply, "a reply of more than %d bytes", maxReply)
	}
	if err := json.Unmarshal(data, reply); err != nil {
		return fault.New(fault.BadReply, "no such JSON as expected: %s", c.redact.Line(err.Error()))
	}
	return nil
}
