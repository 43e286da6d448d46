package httpfault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A Bound is the largest reply that a request allows.
type Bound struct {
	Bytes int
	// Why says what the bytes follow from, such as "max_tokens 256", and Remedy
	// what to change where a right reply is longer; empty for nothing.
	Why, Remedy string
}

// The bounds of all replies.
const (
	// maxReply is the largest bound. The vectors of a large batch of texts take
	// some ten million bytes.
	maxReply = 32 << 20
	// maxRefusal is what is read of a reply with the status of a failure.
	maxRefusal = 64 << 10
	// maxHeader bounds the header of a reply.
	maxHeader = 64 << 10
	// firstBytes is what a reply of unknown length takes at first.
	firstBytes = 4 << 10
)

// A Body is a reply that was read. It is to be released.
type Body struct {
	Data  []byte
	large bool // it has a place in larges
}

// larges bounds how many large replies are held at a time, with what is decoded of them:
// others wait for a place.
var larges = make(chan struct{}, 2)

// What makes a reply large, in bytes as they come and once decoded, and the most that may
// be decoded.
const (
	largeBytes   = 128 << 10
	largeDecoded = 256 << 10
	mostDecoded  = 64 << 20
)

// enlarge waits until the body may be large.
func (b *Body) enlarge(ctx context.Context) error {
	if b.large {
		return nil
	}
	select {
	case larges <- struct{}{}:
		b.large = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ReadBody reads the body of a reply within a bound, which is not needed for one
// with the status of a failure: of that it reads the beginning. A longer reply is
// a fault of the kind too-long, and one that is still encoded of the kind
// bad-reply. With an error, too, the body has what was read, and is released by
// the caller.
func ReadBody(ctx context.Context, resp *http.Response, bound Bound) (*Body, error) {
	b := new(Body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		err := b.read(ctx, io.LimitReader(resp.Body, maxRefusal), maxRefusal, 0)
		return b, err
	}
	// A transport has undone the only encoding that it asked for.
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return b, fault.New(fault.BadReply, "the reply is encoded as %.40q, which nobody asked for", coding)
	}
	most := min(bound.Bytes, maxReply)
	if resp.ContentLength > int64(most) {
		return b, bound.exceeded(most)
	}
	// The length is the server's word, so it is believed up to a point only.
	expected := int(min(max(resp.ContentLength+1, 0), 64<<10))
	err := b.read(ctx, io.LimitReader(resp.Body, int64(most)+1), most+1, expected)
	if len(b.Data) > most {
		return b, bound.exceeded(most)
	}
	return b, err
}

func (b Bound) exceeded(most int) error {
	e := fault.New(fault.TooLong, "the reply is longer than %d bytes, the bound that follows from %s", most, b.Why)
	if b.Bytes > maxReply {
		e.Message = fmt.Sprintf("the reply is longer than %d bytes, the bound of all replies", most)
	}
	e.Remedy = b.Remedy
	return e
}

// read reads up to most bytes from r into a buffer that doubles.
func (b *Body) read(ctx context.Context, r io.Reader, most, expected int) error {
	for {
		if len(b.Data) == cap(b.Data) {
			if len(b.Data) == most {
				return nil
			}
			size := min(cmp.Or(2*cap(b.Data), expected, firstBytes), most)
			if size > largeBytes {
				if err := b.enlarge(ctx); err != nil {
					return err
				}
			}
			b.Data = append(make([]byte, 0, size), b.Data...)
		}
		n, err := r.Read(b.Data[len(b.Data):cap(b.Data)])
		b.Data = b.Data[:len(b.Data)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// What the values of JSON take where they are decoded, in bytes: a few bytes of
// text may become a large struct.
const (
	objectBytes = 256
	listBytes   = 32
	valueBytes  = 16
)

// Decode decodes the JSON of the body. JSON of too many values is a fault of the kind
// too-long.
func (b *Body) Decode(ctx context.Context, v any) error {
	need := objectBytes*bytes.Count(b.Data, []byte("{")) + listBytes*bytes.Count(b.Data, []byte("[")) + valueBytes*bytes.Count(b.Data, []byte(","))
	if need > mostDecoded {
		return fault.New(fault.TooLong, "the reply of %d bytes would take more than %d once decoded", len(b.Data), mostDecoded)
	}
	if need > largeDecoded {
		if err := b.enlarge(ctx); err != nil {
			return err
		}
	}
	return json.Unmarshal(b.Data, v)
}

// FromDecoding returns the fault that an error of [Body.Decode] stands for. What
// names what was wanted, such as "a completion".
func (b *Body) FromDecoding(ctx context.Context, err error, what string, r *redact.Redactor) error {
	te, isType := errors.AsType[*json.UnmarshalTypeError](err)
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case len(bytes.TrimSpace(b.Data)) == 0:
		return fault.New(fault.BadReply, "the reply has no body")
	case isType:
		return b.Garbled(r, "the reply is not the JSON of %s: %s is of the type %.40s", what, cmp.Or(beginning(te.Field), "a value"), te.Value)
	case isSyntax, errors.Is(err, io.ErrUnexpectedEOF):
		return b.Garbled(r, "the reply is no JSON (%v)", err)
	case errors.Is(err, context.Cause(ctx)), errors.Is(err, ctx.Err()), fault.KindOf(err) != "":
		return FromTransport(ctx, err, r)
	default:
		return b.Garbled(r, "%v", err)
	}
}

// beginning returns the first bytes of what a server wrote.
func beginning(s string) string { return s[:min(len(s), 200)] }

// Garbled returns a fault of the kind bad-reply that says what is wrong with the
// reply, and what it is.
func (b *Body) Garbled(r *redact.Redactor, format string, args ...any) *fault.Error {
	message, verb := r.Line(fmt.Sprintf(format, args...)), "is"
	said := r.Excerpt(b.Data)
	if runes := []rune(said); len(runes) > maxSaid {
		said, verb = string(runes[:maxSaid])+"...", "begins"
	}
	if said == "" {
		return fault.New(fault.BadReply, "%s", message)
	}
	return fault.New(fault.BadReply, "%s; it %s: %s", message, verb, said)
}

// maxSaid is how many characters of a garbled reply its fault repeats.
const maxSaid = 200

// Release gives the place of a large body back. Its data must not be used afterwards. It
// may be called again.
func (b *Body) Release() {
	b.Data = nil
	if b.large {
		b.large = false
		<-larges
	}
}
