// Package httpfault describes failed HTTP calls of a model server in the terms
// of package fault, the same for every client.
//
// [FromResponse] reads a reply whose status is not a success, [FromTransport]
// an error without a complete reply. Both give a message of one short line in
// which a [redact.Redactor] has replaced the key: servers echo keys.
package httpfault

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// FromResponse returns the fault of a reply, by its status:
//
//	401, 403        auth
//	402             quota
//	404             no-model
//	501             rejected: the server will never do it
//	408, 409, 5xx   server
//	429             rate-limit
//	any other       rejected
//
// The message is that of the body if it is JSON with an error or a message,
// else its text. The redactor may be nil.
func FromResponse(status int, header http.Header, body []byte, r *redact.Redactor) *fault.Error {
	said := ReadComplaint(body)
	return &fault.Error{
		Kind:       kind(status),
		Status:     status,
		Message:    cmp.Or(r.Line(said.Message), strings.ToLower(http.StatusText(status))),
		RetryAfter: RetryAfter(header),
	}
}

func kind(status int) fault.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Auth
	case status == http.StatusPaymentRequired:
		return fault.Quota
	case status == http.StatusNotFound:
		return fault.NoModel
	case status == http.StatusTooManyRequests:
		return fault.RateLimit
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500 && status != http.StatusNotImplemented:
		return fault.Server
	default:
		return fault.Rejected
	}
}

// A Complaint is what a server says about an error in addition to its status.
type Complaint struct {
	Message string
	Words   []string // codes and types
	Code    string
	Param   string
	Wait    time.Duration // how long to wait; 0 if it does not say
}

// ReadComplaint understands the bodies of OpenAI and similar servers, {"error":
// {"message", "type", "code"}}, the same in a list as Gemini writes it, of
// text-embeddings-inference, {"error", "error_type"}, of FastAPI, {"detail"}, and the
// error's fields without an object around them. Any other body is the message.
func ReadComplaint(body []byte) Complaint {
	inner := body
	var list []json.RawMessage
	if json.Unmarshal(inner, &list) == nil && len(list) > 0 {
		inner = list[0]
	}
	var outer struct {
		Error map[string]json.RawMessage `json:"error"`
	}
	var f struct {
		Message, Error, Detail string
		Type, Status           string
		Code, Param            json.RawMessage // a string or a number
		Details                []struct{ Reason, RetryDelay string }
	}
	// What does not decode stays empty.
	if json.Unmarshal(inner, &outer) == nil && outer.Error != nil {
		inner, _ = json.Marshal(outer.Error)
	}
	_ = json.Unmarshal(inner, &f)
	c := Complaint{
		Message: cmp.Or(f.Message, f.Error, f.Detail, string(body)),
		Code:    unquote(f.Code), Param: unquote(f.Param), Words: []string{f.Type, f.Status, unquote(f.Code)},
	}
	for _, d := range f.Details {
		c.Words = append(c.Words, d.Reason)
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			c.Wait = wait
		}
	}
	return c
}

// unquote returns a JSON string decoded, and what is none as it is.
func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// Mentions reports whether the message holds one of parts, which are in lowercase.
func (c Complaint) Mentions(parts ...string) bool {
	message := strings.ToLower(c.Message)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(message, p) })
}

// Says reports whether one of the codes and types is among words.
func (c Complaint) Says(words ...string) bool {
	return slices.ContainsFunc(c.Words, func(w string) bool { return slices.Contains(words, w) })
}
