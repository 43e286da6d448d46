package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A complaint is what a server says of an error beside its status.
type complaint struct {
	message string
	words   []string // codes and types
	param   string
	code    string
	wait    time.Duration // how long to wait; 0 when it does not say
}

// readComplaint understands {"error": {...}} as OpenAI, Ollama and llama.cpp
// write it, the same in a list as Gemini does, and the error's fields without
// an object around them as vLLM once did.
func readComplaint(body []byte) complaint {
	type fields struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"` // a string or a number
		Param   json.RawMessage `json:"param"`
		Details []struct {
			Reason     string `json:"reason"`
			RetryDelay string `json:"retryDelay"`
		} `json:"details"`
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var f fields
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	// What does not decode stays empty.
	_ = json.Unmarshal(body, &outer)
	if outer.Error != nil {
		body = outer.Error
	}
	_ = json.Unmarshal(body, &f)
	c := complaint{message: strings.ToLower(f.Message), param: unquote(f.Param)}
	if f.Message == "" {
		c.message = strings.ToLower(string(body)) // a mere string, or no JSON
	}
	c.code = unquote(f.Code)
	c.words = []string{f.Type, f.Status, c.code}
	for _, d := range f.Details {
		c.words = append(c.words, d.Reason)
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			c.wait = wait
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

// says reports whether one of the codes and types is among words.
func (c complaint) says(words ...string) bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return slices.Contains(words, w) })
}

// mentions reports whether the message holds one of parts, in lower case.
func (c complaint) mentions(parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(c.message, p) })
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
	return strings.HasPrefix(c.param, "response_format") ||
		c.mentions("response_format", "json_schema", "response_schema", "responseformat", "structured output", "guided decoding")
}

// unsupported returns the parameter that the server or the model does not
// take; empty when the complaint is about something else.
func (c complaint) unsupported() string {
	known := append(Parameters(), maxCompletionTokens)
	if c.says("unsupported_value", "unsupported_parameter") && slices.Contains(known, c.param) {
		return c.param
	}
	if !c.mentions("unsupported", "not support", "unknown", "unrecognized", "not permitted", "not enabled", "cannot find field") {
		return ""
	}
	for _, name := range known {
		if c.param == name || c.mentions(`"`+name+`"`, "'"+name+"'", "`"+name+"`") {
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
		named := c.param == "logprobs" || c.mentions("logprobs", "log-probabilities", "log probabilities")
		return named && c.param != topLogprobs && c.unsupported() != topLogprobs && !c.mentions(topLogprobs)
	default:
		return false
	}
}

// refine makes the fault of a status more exact by what the server says, and
// says what would be right. The same status means several things: OpenAI's
// 429 that nothing is left to spend, Gemini's 400 a wrong key.
func (s *server) refine(e *fault.Error, c complaint) {
	if e.RetryAfter == 0 {
		e.RetryAfter = c.wait
	}
	if e.Kind == fault.Server && c.invalid() {
		e.Kind = fault.Rejected
	}
	switch {
	case c.says("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"):
		e.Kind = fault.Quota
	case c.says("invalid_api_key", "API_KEY_INVALID") || e.Kind == fault.Rejected && c.mentions("api key not valid"):
		e.Kind = fault.Auth
	case c.says("model_not_found"):
		e.Kind = fault.NoModel
	case e.Kind == fault.Rejected && c.says("content_filter", "content_policy_violation"):
		e.Kind = fault.Refused
	}
	e.Code = s.clean.Name(c.code)
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
	if c.says("context_length_exceeded", "exceed_context_size_error") || c.mentions("maximum context length", "context length", "context size", "context window") {
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
