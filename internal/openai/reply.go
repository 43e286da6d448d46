package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"recallbench/internal/fault"
	"recallbench/internal/llm"
)

// A completion is the reply to a request for a completion of either kind.
type completion struct {
	Model       string          `json:"model"`
	Fingerprint string          `json:"system_fingerprint"`
	Choices     []choice        `json:"choices"`
	Usage       *usage          `json:"usage"`
	Error       json.RawMessage `json:"error"` // some gateways report errors with the status 200
}

type choice struct {
	Message struct {
		Content content `json:"content"`
		Refusal string  `json:"refusal"`
	} `json:"message"`
	Text     string    `json:"text"` // of plain completions
	Finish   string    `json:"finish_reason"`
	Logprobs *logprobs `json:"logprobs"`
}

// A content is a text, or a list of parts of which those that are text count:
// some servers put what a model thought into parts of its own.
type content string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*string)(c))
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	*c = content(b.String())
	return nil
}

// A usage counts tokens as the provider does.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	PromptPart struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionPart struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// maxTokens bounds what is believed of a usage.
const maxTokens = 1 << 30

// of returns the usage of one call. Its Calls is 0 where there is none, or
// numbers that cannot be: a prompt has at least one token.
//
// Gemini and some others leave what the model thought out of completion_tokens
// and reasoning_tokens, but bill it and count it in total_tokens; so the
// output is what is left of the total.
func (u *usage) of() llm.Usage {
	if u == nil || u.Prompt <= 0 || u.Completion < 0 || max(u.Prompt, u.Completion, u.Total) > maxTokens {
		return llm.Usage{}
	}
	output := max(u.Completion, u.Total-u.Prompt)
	return llm.Usage{
		Calls:     1,
		Input:     u.Prompt,
		Cached:    min(max(u.PromptPart.Cached, 0), u.Prompt),
		Output:    output,
		Reasoning: min(max(u.CompletionPart.Reasoning, output-u.Completion), output),
	}
}

// read returns what a successful response says.
func (s *server) read(resp *response, r llm.Request) (llm.Reply, error) {
	var c completion
	if err := s.decode(resp, &c, "completion"); err != nil {
		return llm.Reply{}, err
	}
	if len(c.Choices) == 0 {
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return llm.Reply{}, s.hiddenError(resp, c.Error)
		}
		return llm.Reply{}, s.bad(fault.BadReply, "the reply holds no choice")
	}
	first := c.Choices[0]
	text := string(first.Message.Content) + first.Text
	finish := s.clean.line(first.Finish)
	switch {
	case first.Message.Refusal != "":
		return llm.Reply{}, s.bad(fault.Refused, "the model declined: %s", first.Message.Refusal)
	case strings.HasPrefix(strings.ToLower(finish), "content_filter"):
		return llm.Reply{}, s.bad(fault.Refused, "the provider's content filter ended the reply")
	}
	reply := llm.Reply{
		Text:        answer(text),
		Finish:      finish,
		Model:       s.clean.line(c.Model),
		Fingerprint: s.clean.line(c.Fingerprint),
		Usage:       c.Usage.of(),
	}
	if first.Logprobs != nil && r.Params.Logprobs {
		reply.Logprobs = first.Logprobs.list(r.Params.TopLogprobs)
		if len(reply.Text) < len(text) {
			reply.Logprobs = after(reply.Logprobs, text, len(text)-len(reply.Text))
		}
		s.clean.tokens(reply.Logprobs)
	}
	if err := s.empty(reply, r); err != nil {
		return llm.Reply{}, err
	}
	if r.Params.Logprobs && len(reply.Logprobs) == 0 {
		return llm.Reply{}, s.bad(fault.NoLogprobs, "the server left out the log-probabilities that were asked for")
	}
	if r.Format != nil {
		reply.Text = extract(reply.Text)
	}
	reply.Text = s.clean.text(reply.Text)
	return reply, nil
}

// empty returns the fault of a reply without text. White space is text where
// its log-probabilities were asked for: one token may be all that was.
func (s *server) empty(reply llm.Reply, r llm.Request) error {
	if strings.TrimSpace(reply.Text) != "" || reply.Text != "" && len(reply.Logprobs) > 0 {
		return nil
	}
	var e *fault.Error
	switch {
	case reply.Finish == "length" && r.Params.MaxTokens > 0:
		e = s.bad(fault.Empty, "the reply has no text: reasoning took all of max_tokens, which is %d", r.Params.MaxTokens)
	case reply.Finish == "length":
		e = s.bad(fault.Empty, "the reply has no text: reasoning took all tokens that the server allows")
	default:
		return s.bad(fault.Empty, "the reply has no text (finish reason %q)", reply.Finish)
	}
	e.Remedy = "raise reasoning_tokens, or lower reasoning_effort"
	return e
}

// hiddenError returns the fault of an error that came with the status of a
// success; its code is a status of HTTP where it can be one.
func (s *server) hiddenError(resp *response, raw json.RawMessage) error {
	var e struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(raw, &e) == nil && e.Code >= 400 && e.Code < 600 {
		return s.refusal(&response{status: e.Code, header: resp.header, body: resp.body})
	}
	return s.bad(fault.BadReply, "the reply is an error: %s", raw)
}

// decode reads the JSON of a response.
func (s *server) decode(resp *response, v any, what string) error {
	err := json.Unmarshal(resp.body, v)
	if err == nil {
		return nil
	}
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return s.bad(fault.BadReply, "the reply is not the JSON of a %s: %s is of the type %s", what, cmp.Or(te.Field, "a value"), te.Value)
	}
	if errors.Is(err, errVector) {
		return s.bad(fault.BadReply, "%v", err)
	}
	if len(bytes.TrimSpace(resp.body)) == 0 {
		return s.bad(fault.BadReply, "the reply has no body")
	}
	return s.bad(fault.BadReply, "the reply is no JSON (%v); it begins: %s", err, s.clean.line(string(resp.body[:min(len(resp.body), 4096)])))
}
