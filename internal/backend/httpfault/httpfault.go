// Package httpfault tells what went wrong with an HTTP call of a model server
// in the words of package fault, the same for every client.
//
// [FromResponse] reads a reply whose status is not a success, [FromTransport]
// an error without a whole reply. Both give a message of one short line in
// which a [redact.Redactor] has replaced the key: servers echo keys.
package httpfault

import (
	"encoding/json"
	"net/http"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// FromResponse returns the fault that a reply stands for, by its status:
//
//	401, 403        auth
//	402             quota
//	404             no-model
//	501             rejected: the server will never do it
//	408, 409, 5xx   server
//	429             rate-limit; quota where the body says that nothing is left
//	any other       rejected
//
// The message is what the body says, where it is JSON with an error or a
// message, else its text. The redactor may be nil.
func FromResponse(status int, header http.Header, body []byte, r *redact.Redactor) *fault.Error {
	said := parse(body)
	e := &fault.Error{
		Kind:       kind(status),
		Status:     status,
		Message:    r.Line(said.message),
		RetryAfter: RetryAfter(header),
	}
	if status == http.StatusTooManyRequests && said.quota {
		e.Kind = fault.Quota
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	return e
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

// said is what a body says of an error.
type said struct {
	message string
	quota   bool // the account has nothing left to spend
}

// parse understands the bodies of OpenAI and its like, {"error": {"message",
// "type", "code"}}, of text-embeddings-inference, {"error", "error_type"}, of
// FastAPI, {"detail"}, and {"message"}; one in a list counts as itself.
func parse(body []byte) said {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return said{message: string(body)}
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	object, ok := v.(map[string]any)
	if !ok {
		return said{message: string(body)}
	}
	if inner, ok := object["error"].(map[string]any); ok {
		object = inner
	}
	var s said
	for _, name := range []string{"message", "error", "detail"} {
		if text, ok := object[name].(string); ok && text != "" {
			s.message = text
			break
		}
	}
	if s.message == "" {
		s.message = string(body)
	}
	for _, name := range []string{"code", "type"} {
		if object[name] == "insufficient_quota" {
			s.quota = true
		}
	}
	return s
}
