package openai

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// invalid reports whether the server found the request itself wrong, although the
// status may be that of a fault of its own: llama-cpp-python answers a request that
// it cannot read with a 500 and the list of what is wrong with it.
func invalid(c httpfault.Complaint) bool {
	return c.Mentions("validation error") && c.Mentions("'loc': ('body',")
}

// refusesFormat reports whether a reply of the status complains about the
// demand for JSON, by any of the names that servers give it.
func refusesFormat(c httpfault.Complaint, status int) bool {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && !invalid(c) {
		return false
	}
	return strings.HasPrefix(c.Param, responseFormat) ||
		c.Mentions(responseFormat, "json_schema", "response_schema", "responseformat", "structured output", "guided decoding")
}

// refusesLogprobs reports whether a reply of the status complains about the
// demand for log-probabilities, and not just for those of the likeliest tokens.
// OpenAI does so for its reasoning models with a 400 or, as if the key were not
// good, a 403.
func refusesLogprobs(c httpfault.Complaint, status int) bool {
	if status != http.StatusBadRequest && status != http.StatusForbidden && status != http.StatusUnprocessableEntity {
		return false
	}
	named := c.Param == "logprobs" || c.Mentions("logprobs", "log-probabilities", "log probabilities")
	return named && c.Param != topLogprobs && !c.Mentions(topLogprobs)
}

// parameters are those of a request that a model may refuse, with what would be right.
var parameters = map[Parameter]string{
	"temperature": "add temperature to omit", "seed": "add seed to omit",
	"logprobs": "add logprobs to omit", topLogprobs: "add top_logprobs to omit",
	responseFormat: "add response_format to omit", "reasoning_effort": "leave reasoning_effort out",
	"max_tokens":        "set max_tokens_field to " + maxCompletionTokens,
	maxCompletionTokens: "set max_tokens_field to max_tokens",
}

var quoted = regexp.MustCompile("[\"'`]([a-z_]+)[\"'`]")

// unsupported returns what would be right where the server or the model does not take
// a parameter; empty if the complaint is about something else.
func unsupported(c httpfault.Complaint) string {
	says := c.Mentions("unsupported", "not support", "unknown", "unrecognized", "not permitted", "not enabled", "cannot find field")
	if remedy := parameters[Parameter(c.Param)]; remedy != "" && (says || c.Says("unsupported_value", "unsupported_parameter")) {
		return remedy
	}
	for _, name := range quoted.FindAllStringSubmatch(strings.ToLower(c.Message), -1) {
		if remedy := parameters[Parameter(name[1])]; remedy != "" && says {
			return remedy
		}
	}
	return ""
}

// masked is a key of which a server shows only the ends, such as sk-ab***yz.
var masked = regexp.MustCompile(`[^\s"'\x60]*\*{3,}[^\s"'\x60.]*`)

// refine makes the fault of a status more exact by what the server says, and
// says what would be right. The same status means several things: OpenAI's
// 429 that nothing is left to spend, Gemini's 400 a wrong key.
func (s *server) refine(e *fault.Error, c httpfault.Complaint) {
	e.RetryAfter = cmp.Or(e.RetryAfter, c.Wait)
	if e.Kind == fault.Server && invalid(c) {
		e.Kind = fault.Rejected
	}
	switch {
	case c.Says("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"):
		e.Kind = fault.Quota
	case c.Says("invalid_api_key", "API_KEY_INVALID") || e.Kind == fault.Rejected && c.Mentions("api key not valid"):
		e.Kind = fault.Auth
	case c.Says("model_not_found"):
		e.Kind = fault.NoModel
	case e.Kind == fault.Rejected && c.Says("content_filter", "content_policy_violation"):
		e.Kind = fault.Refused
	}
	e.Code = s.clean.Name(c.Code)
	switch {
	case e.Kind == fault.Auth:
		e.Message = masked.ReplaceAllString(e.Message, redact.Hidden)
		e.Remedy = "set a key; the server requires one"
		if s.hasKey {
			e.Remedy = "check the key"
		}
	case e.Kind == fault.NoModel:
		e.Remedy = "check the name of the model and base_url"
	case e.Kind == fault.Quota:
		e.Remedy = "the account has nothing left to spend"
	case e.Kind != fault.Rejected:
	case c.Says("context_length_exceeded", "exceed_context_size_error") || c.Mentions("maximum context length", "context length", "context size", "context window"):
		e.Remedy = "the prompt is longer than the model's context: shorten it, or use a model with a larger context"
	default:
		e.Remedy = unsupported(c)
	}
}
