package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
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
	Index   int `json:"index"`
	Message *struct {
		Content content `json:"content"`
		Refusal string  `json:"refusal"`

		ToolCalls    []json.RawMessage `json:"tool_calls"`
		FunctionCall json.RawMessage   `json:"function_call"`
	} `json:"message"`
	Text     *string   `json:"text"` // of plain completions
	Finish   string    `json:"finish_reason"`
	Logprobs *logprobs `json:"logprobs"`
}

// first returns the choice with the index 0, wherever it stands: servers list choices as
// they are done, and some leave 0 out. One that stands alone is it, whatever its index; nil
// is none.
func (c *completion) first() *choice {
	for i := range c.Choices {
		if x := &c.Choices[i]; x.Index == 0 || len(c.Choices) == 1 {
			return x
		}
	}
	return nil
}

// A content is a text, or a list of parts; those that are text count: some servers
// put what a model thought into parts of its own.
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
// Gemini and some others leave what the model thought out of completion_tokens and
// reasoning_tokens. They bill it and count it in total_tokens, so the output is what
// is left of the total.
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

// usage returns what a response of any kind says that it used; nil for nothing.
func (r *response) usage() *usage {
	var c struct {
		Usage *usage `json:"usage"`
	}
	if json.Unmarshal(r.body.Data, &c) != nil {
		return nil
	}
	return c.Usage
}

// read returns what a successful response says.
func (s *server) read(ctx context.Context, resp *response, r llm.Request) (llm.Reply, error) {
	var c completion
	if err := s.decode(ctx, resp, &c, "a completion"); err != nil {
		return llm.Reply{}, err
	}
	if len(c.Choices) == 0 {
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return llm.Reply{}, s.hiddenError(resp, c.Error)
		}
		return llm.Reply{}, s.garbled(resp, "the reply holds no choice")
	}
	first := c.first()
	if first == nil {
		return llm.Reply{}, s.garbled(resp, "the reply holds no choice with the index 0")
	}
	var text, refusal string
	if first.Message != nil {
		text, refusal = string(first.Message.Content), first.Message.Refusal
	}
	if first.Text != nil {
		text += *first.Text
	}
	finish := s.clean.Name(first.Finish)
	switch {
	case first.Message == nil && first.Text == nil:
		return llm.Reply{}, s.garbled(resp, "the choice of the reply holds neither a message nor a text")
	case refusal != "":
		return llm.Reply{}, s.bad(fault.Refused, "the model declined: %s", refusal)
	case text == "" && finish == "" && !first.calls():
		return llm.Reply{}, s.garbled(resp, "the reply holds neither text nor a reason why it ended")
	case strings.HasPrefix(strings.ToLower(finish), "content_filter"):
		return llm.Reply{}, s.bad(fault.Refused, "the provider's content filter ended the reply")
	}
	reply := llm.Reply{
		Text:        answer(text),
		Finish:      finish,
		Model:       s.clean.Name(c.Model),
		Fingerprint: s.clean.Name(c.Fingerprint),
		Usage:       c.Usage.of(),
	}
	if first.Logprobs != nil && r.Params.Logprobs {
		reply.Logprobs = first.Logprobs.list(r.Params.TopLogprobs)
		if len(reply.Text) < len(text) {
			reply.Logprobs = after(reply.Logprobs, text, len(text)-len(reply.Text))
		}
		cleanTokens(s.clean, reply.Logprobs)
	}
	empty := s.empty(reply, r)
	if empty != nil && r.Wire == nil {
		return llm.Reply{}, empty
	}
	// A program outside gets a reply without text as the server sent it.
	if r.Params.Logprobs && len(reply.Logprobs) == 0 && empty == nil && !(r.Wire != nil && first.calls()) {
		return llm.Reply{}, s.bad(fault.NoLogprobs, "the server left out the log-probabilities that were asked for")
	}
	if r.Format != nil {
		reply.Text = extract(reply.Text)
	}
	reply.Text = s.clean.Text(reply.Text)
	if r.Wire != nil && first.Message != nil {
		reply.Wire = s.choices(resp)
	}
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
	return s.bad(fault.BadReply, "the reply is an error: %s", s.clean.Excerpt(raw))
}

// decode reads the JSON of a response.
func (s *server) decode(ctx context.Context, resp *response, v any, what string) error {
	err := resp.body.Decode(ctx, v)
	if err == nil {
		return nil
	}
	err = resp.body.FromDecoding(ctx, err, what, s.clean)
	if e, ok := err.(*fault.Error); ok { //nolint:errorlint // not one that is the cause of a context
		return s.explain(e)
	}
	return err
}

// garbled returns the fault of a reply that is not what it should be, and shows
// the reply.
func (s *server) garbled(resp *response, format string, args ...any) *fault.Error {
	return s.explain(resp.body.Garbled(s.clean, format, args...))
}
