package httpfault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// The limits of all replies.
const (
	// maxReply is the most that any request allows. The vectors of a large batch of
	// texts take some ten million bytes.
	maxReply = 32 << 20
	// maxRefusal is what is read of a reply with the status of a failure.
	maxRefusal = 64 << 10
	// maxHeader bounds the header of a reply.
	maxHeader = 64 << 10
)

// mostDecoded is how much may be decoded, in bytes.
const mostDecoded = 64 << 20

// ReadBody reads the body of a reply of at most so many bytes. Of a failed reply it
// reads only the beginning. A longer reply is a fault of the kind too-long, and one
// that is still encoded of the kind bad-reply. With an error it returns what was
// read.
func ReadBody(resp *http.Response, most int) ([]byte, error) {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	}
	// A transport has undone the only encoding that it asked for.
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, fault.New(fault.BadReply, "the reply is encoded as %.40q, which was not requested", coding)
	}
	most = min(most, maxReply)
	var data []byte
	var err error
	if resp.ContentLength <= int64(most) {
		data, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	}
	if len(data) > most || resp.ContentLength > int64(most) {
		return data, fault.New(fault.TooLong, "the reply is longer than %d bytes", most)
	}
	return data, err
}

// What the values of JSON take where they are decoded, in bytes: a few bytes of
// text may become a large struct.
const (
	objectBytes = 256
	listBytes   = 32
	valueBytes  = 16
)

// Decode decodes the JSON of a reply. If it cannot be decoded, the fault names what was
// expected, such as "a completion"; JSON with too many values is of the kind too-long.
func (b *Response) Decode(v any, what string, r *redact.Redactor) *fault.Error {
	need := objectBytes*bytes.Count(b.Data, []byte("{")) + listBytes*bytes.Count(b.Data, []byte("[")) + valueBytes*bytes.Count(b.Data, []byte(","))
	if need > mostDecoded {
		return fault.New(fault.TooLong, "the reply of %d bytes would take more than %d once decoded", len(b.Data), mostDecoded)
	}
	err := json.Unmarshal(b.Data, v)
	if err == nil {
		return nil
	}
	te, isType := errors.AsType[*json.UnmarshalTypeError](err)
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case len(bytes.TrimSpace(b.Data)) == 0:
		return fault.New(fault.BadReply, "the reply has no body")
	case isType:
		return b.Garbled(r, "the reply is not the JSON of %s: %s is of the type %.40s", what, cmp.Or(beginning(te.Field), "a value"), te.Value)
	case isSyntax, errors.Is(err, io.ErrUnexpectedEOF):
		return b.Garbled(r, "the reply is not JSON (%v)", err)
	default:
		return b.Garbled(r, "%v", err)
	}
}

// beginning returns the first bytes of what a server wrote.
func beginning(s string) string { return s[:min(len(s), 200)] }

// Garbled returns a fault of the kind bad-reply with what is wrong and an
// excerpt of the reply.
func (b *Response) Garbled(r *redact.Redactor, format string, args ...any) *fault.Error {
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
