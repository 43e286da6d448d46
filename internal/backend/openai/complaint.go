package openai

import (
	"net/http"
	"slices"
	"strings"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A complaint is what a server says of an error beside its status, its message in lower
// case.
type complaint struct{ httpfault.Complaint }

func readComplaint(body []byte) complaint {
	c := complaint{httpfault.ReadComplaint(body)}
	c.Message = strings.ToLower(c.Message)
	return c
}

// mentions reports whether the message holds one of parts, in lower case.
func (c complaint) mentions(parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(c.Message, p) })
}

// invalid reports whether the server found the request itself wrong, although the
// status may be that of a fault of its own: llama-cpp-python answers a request that
// it cannot read with a 500 and the list of what is wrong with it.
func (c complaint) invalid() bool {
	return c.mentions("validation error") && c.mentions("'loc': ('body',")
}

// refusesFormat reports whether a reply of the status complains about the
// demand for JSON, by any of the names that servers give it.
func (c complaint) refusesFormat(status int) bool {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && !c.invalid() {
		return false
	}
	return strings.HasPrefix(c.Param, "response_format") ||
		c.mentions("response_format", "json_schema", "response_schema", "responseformat", "structured output", "guided decoding")
}

// parameters are those of a request that a model may refuse.
var parameters = []string{"temperature", "seed", "max_tokens", "logprobs", topLogprobs, "response_format", "reasoning_effort", maxCompletionTokens}

// unsupported returns the parameter that the server or the model does not
// take; empty when the complaint is about something else.
func (c complaint) unsupported() string {
	if c.Says("unsupported_value", "unsupported_parameter") && slices.Contains(parameters, c.Param) {
		return c.Param
	}
	if !c.mentions("unsupported", "not support", "unknown", "unrecognized", "not permitted", "not enabled", "cannot find field") {
		return ""
	}
	for _, name := range parameters {
		if c.Param == name || c.mentions(`"`+name+`"`, "'"+name+"'", "`"+name+"`") {
			return name
		}
	}
	return ""
}

// refusesLogprobs reports whether a reply of the status complains about the
// demand for log-probabilities, and not just for those of the likeliest tokens.
// OpenAI does so for its reasoning models with a 400 or, as if the key were not
// good, a 403.
func (c complaint) refusesLogprobs(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity:
		named := c.Param == "logprobs" || c.mentions("logprobs", "log-probabilities", "log probabilities")
		return named && c.Param != topLogprobs && c.unsupported() != topLogprobs && !c.mentions(topLogprobs)
	default:
		return false
	}
}

// refine makes the fault of a status more exact by what the server says, and
// says what would be right. The same status means several things: OpenAI's
// 429 that nothing is left to spend, Gemini's 400 a wrong key.
func (s *server) refine(e *fault.Error, c complaint) {
	if e.RetryAfter == 0 {
		e.RetryAfter = c.Wait
	}
	if e.Kind == fault.Server && c.invalid() {
		e.Kind = fault.Rejected
	}
	switch {
	case c.Says("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"):
		e.Kind = fault.Quota
	case c.Says("invalid_api_key", "API_KEY_INVALID") || e.Kind == fault.Rejected && c.mentions("api key not valid"):
		e.Kind = fault.Auth
	case c.Says("model_not_found"):
		e.Kind = fault.NoModel
	case e.Kind == fault.Rejected && c.Says("content_filter", "content_policy_violation"):
		e.Kind = fault.Refused
	}
	e.Code = s.clean.Name(c.Code)
	if e.Kind == fault.Auth {
		e.Message = masked.ReplaceAllString(e.Message, redact.Hidden)
	}
	e.Remedy = s.remedy(e.Kind, c)
}

// remedy says what would be right.
func (s *server) remedy(kind fault.Kind, c complaint) string {
	switch kind {
	case fault.Auth:
		if s.hasKey {
			return "check the key"
		}
		return "the server wants a key"
	case fault.NoModel:
		return "check the name of the model and base_url"
	case fault.Quota:
		return "the account has nothing left to spend"
	case fault.Rejected:
		return remedyOfRejected(c)
	default:
		return ""
	}
}

func remedyOfRejected(c complaint) string {
	if c.Says("context_length_exceeded", "exceed_context_size_error") || c.mentions("maximum context length", "context length", "context size", "context window") {
		return "the prompt is longer than the model's context: give it less, or take a model that holds more"
	}
	switch name := c.unsupported(); name {
	case "":
		return ""
	case "max_tokens":
		return "set max_tokens_field to " + maxCompletionTokens
	case maxCompletionTokens:
		return "set max_tokens_field to max_tokens"
	case "reasoning_effort":
		return "leave reasoning_effort out"
	default:
		return "add " + name + " to omit"
	}
}
