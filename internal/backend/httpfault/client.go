package httpfault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A Client asks a server of JSON. What fails is a fault, in which no key stands.
// It is safe for concurrent use.
type Client struct {
	base   *url.URL
	key    string
	client *http.Client
	redact *redact.Redactor
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
	case err != nil, base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		faults = append(faults, errors.New("base_url: not an http or https address; want one like http://localhost:8080"))
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		faults = append(faults, errors.New("base_url: holds a user, a query or a fragment; a key is given by itself"))
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		faults = append(faults, errors.New("key: holds a control character, such as the end of a line"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return &Client{base: base, key: key, client: HTTPClient(client), redact: redact.New(key)}, nil
}

// Line returns what a server said as one line without the key.
func (c *Client) Line(text string) string { return c.redact.Line(text) }

// Call sends a request with a JSON body, or none where it is nil, and decodes
// the reply, which the bound bounds. Errors are *fault.Error, save that of a context that was canceled.
func (c *Client) Call(ctx context.Context, method, to string, body, reply any, bound Bound) error {
	var payload []byte
	header := make(http.Header)
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return fault.New(fault.Rejected, "request: %v", err)
		}
		header.Set("Content-Type", "application/json")
	}
	return c.send(ctx, method, c.base.JoinPath(to), header, payload, reply, bound)
}

// PostText sends a text, with parameters in the address, and decodes the reply
// as Call does.
func (c *Client) PostText(ctx context.Context, to string, query url.Values, text string, reply any, bound Bound) error {
	address := c.base.JoinPath(to)
	address.RawQuery = query.Encode()
	header := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	return c.send(ctx, http.MethodPost, address, header, []byte(text), reply, bound)
}

func (c *Client) send(ctx context.Context, method string, address *url.URL, header http.Header, body []byte, reply any, bound Bound) error {
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
	data, err := ReadBody(ctx, resp, bound)
	defer data.Release()
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		// What a failed reply says is worth having even where it is cut off.
		return FromResponse(resp.StatusCode, resp.Header, data.Data, c.redact)
	case err != nil:
		return FromTransport(ctx, err, c.redact)
	}
	if clean := c.redact.Text(string(data.Data)); clean != string(data.Data) {
		data.Data = []byte(clean) // what follows is recorded
	}
	if err := data.Decode(ctx, reply); err != nil {
		return data.FromDecoding(ctx, err, "a reply to "+path.Base(address.Path), c.redact)
	}
	return nil
}
