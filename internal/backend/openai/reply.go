package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/text/redact"
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
		FunctionCall *json.RawMessage  `json:"function_call"`
	} `json:"message"`
	Text     *string   `json:"text"` // of plain completions
	Finish   string    `json:"finish_reason"`
	Logprobs *logprobs `json:"logprobs"`
}

// calls reports whether a choice calls a tool or a function, and so needs no text.
func (c *choice) calls() bool {
	return c.Message != nil && (len(c.Message.ToolCalls) > 0 || c.Message.FunctionCall != nil)
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
	var parts []struct{ Type, Text string }
	err := json.Unmarshal(data, &parts)
	for _, p := range parts {
		if p.Type == "text" {
			*c += content(p.Text)
		}
	}
	return err
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

// of returns the usage of one call. Its Calls is 0 if there is none, or
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

// usageOf returns what a response of any kind says that it used.
func usageOf(r *httpfault.Response) llm.Usage {
	var c struct {
		Usage *usage `json:"usage"`
	}
	if json.Unmarshal(r.Data, &c) != nil {
		return llm.Usage{}
	}
	return c.Usage.of()
}

// read returns what a successful response says.
func (s *server) read(resp *httpfault.Response, r llm.Request) (llm.Reply, error) {
	var c completion
	if err := s.decode(resp, &c, "a completion"); err != nil {
		return llm.Reply{}, err
	}
	if len(c.Choices) == 0 {
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return llm.Reply{}, s.hiddenError(resp, c.Error)
		}
		return llm.Reply{}, s.garbled(resp, "the reply has no choice")
	}
	first := c.first()
	if first == nil {
		return llm.Reply{}, s.garbled(resp, "the reply has no choice with the index 0")
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
		return llm.Reply{}, s.garbled(resp, "the choice of the reply has neither a message nor a text")
	case refusal != "":
		return llm.Reply{}, s.bad(fault.Refused, "the model declined: %s", refusal)
	case text == "" && finish == "" && !first.calls():
		return llm.Reply{}, s.garbled(resp, "the reply has neither text nor a finish reason")
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
		reply.Logprobs = after(first.Logprobs.list(r.Params.TopLogprobs, s.clean), text, len(text)-len(reply.Text))
	}
	empty := s.empty(reply, r)
	if empty != nil && r.Wire == nil {
		return llm.Reply{}, empty
	}
	// A program outside gets a reply without text as the server sent it.
	if r.Params.Logprobs && len(reply.Logprobs) == 0 && empty == nil && !(r.Wire != nil && first.calls()) {
		return llm.Reply{}, s.bad(fault.NoLogprobs, "the server left out the requested log-probabilities")
	}
	if clean := s.clean.Text(reply.Text); clean != reply.Text {
		reply.Text = clean
		for i := range reply.Logprobs { // several may spell what was removed
			reply.Logprobs[i].Token, reply.Logprobs[i].Top = redact.Hidden, nil
		}
	}
	if r.Wire != nil && first.Message != nil {
		reply.Wire = s.choices(resp)
	}
	return reply, nil
}

// choices returns the choices of a reply as the server sent them.
func (s *server) choices(resp *httpfault.Response) json.RawMessage {
	var reply struct {
		Choices json.RawMessage `json:"choices"`
	}
	var clean bytes.Buffer
	if json.Unmarshal(resp.Data, &reply) != nil || json.Compact(&clean, []byte(s.clean.Text(string(reply.Choices)))) != nil {
		return nil // it was read before
	}
	return clean.Bytes()
}

// empty returns the fault of a reply without text. White space is text where
// its log-probabilities were asked for: one token may be all that was.
func (s *server) empty(reply llm.Reply, r llm.Request) error {
	if strings.TrimSpace(reply.Text) != "" || reply.Text != "" && len(reply.Logprobs) > 0 {
		return nil
	}
	if reply.Finish != "length" {
		return s.bad(fault.Empty, "the reply has no text (finish reason %q)", reply.Finish)
	}
	e := s.bad(fault.Empty, "the reply has no text: reasoning used all tokens that the server allows")
	if r.Params.MaxTokens > 0 {
		e = s.bad(fault.Empty, "the reply has no text: reasoning used all of max_tokens, which is %d", r.Params.MaxTokens)
	}
	e.Remedy = "raise reasoning_tokens, or lower reasoning_effort"
	return e
}

// hiddenError returns the fault of an error that came with the status of a
// success; its code is a status of HTTP where it can be one.
func (s *server) hiddenError(resp *httpfault.Response, raw json.RawMessage) error {
	var e struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(raw, &e) == nil && e.Code >= 400 && e.Code < 600 {
		return s.refusal(&httpfault.Response{Status: e.Code, Header: resp.Header, Data: resp.Data})
	}
	return s.bad(fault.BadReply, "the reply is an error: %s", s.clean.Excerpt(raw))
}

// The tags around what a model thinks before it replies.
const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// answer returns the part of a text after what the model thought: local
// servers without a parser of reasoning leave it in. Templates of chats may
// end in the first tag, and then the text has only the second. A thought that
// was cut off leaves nothing.
func answer(text string) string {
	before, after, ok := strings.Cut(text, thinkEnd)
	begins := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), thinkBegin)
	switch {
	case ok && (begins || !strings.Contains(before, thinkBegin)):
		return strings.TrimLeft(after, " \t\r\n")
	case begins:
		return ""
	default:
		return text
	}
}

// A logprobs holds log-probabilities in either layout: that of chats, which
// llama.cpp uses for plain completions too, or that of plain completions.
type logprobs struct {
	Content []chatLogprob `json:"content"`

	Tokens []string             `json:"tokens"`
	Values []*float64           `json:"token_logprobs"` // nil for the first token of a text
	Tops   []map[string]float64 `json:"top_logprobs"`
}

type chatLogprob struct {
	Token   string        `json:"token"`
	Logprob *float64      `json:"logprob"`
	Top     []chatLogprob `json:"top_logprobs"`
}

// list returns the log-probabilities of the tokens that have one, with top of
// the likeliest in the place of each.
func (l *logprobs) list(top int, clean *redact.Redactor) []llm.Logprob {
	all := known(l.Content, clean)
	for i := range min(len(l.Tokens), len(l.Values)) {
		t := chatLogprob{Token: l.Tokens[i], Logprob: l.Values[i]}
		if i < len(l.Tops) {
			for token, value := range l.Tops[i] {
				t.Top = append(t.Top, chatLogprob{Token: token, Logprob: &value})
			}
		}
		all = append(all, known([]chatLogprob{t}, clean)...)
	}
	for i := range all {
		likeliest := all[i].Top
		slices.SortFunc(likeliest, func(a, b llm.Logprob) int {
			return cmp.Or(cmp.Compare(b.Logprob, a.Logprob), strings.Compare(a.Token, b.Token))
		})
		// Some servers add the sampled token if it is not among the likeliest.
		all[i].Top = likeliest[:min(top, len(likeliest))]
		if len(all[i].Top) == 0 {
			all[i].Top = nil
		}
	}
	return all
}

// known returns the tokens whose log-probability is known.
func known(tokens []chatLogprob, clean *redact.Redactor) (all []llm.Logprob) {
	for _, t := range tokens {
		if t.Logprob != nil {
			all = append(all, llm.Logprob{Token: clean.Text(t.Token), Logprob: *t.Logprob, Top: known(t.Top, clean)})
		}
	}
	return all
}

// after returns the log-probabilities of the tokens behind the first n bytes of
// a text, where the tokens spell it.
func after(list []llm.Logprob, text string, n int) []llm.Logprob {
	at := 0
	for i, lp := range list {
		if at >= n {
			return list[i:]
		}
		if !strings.HasPrefix(text[at:], lp.Token) {
			return list
		}
		at += len(lp.Token)
	}
	if at >= n {
		return nil
	}
	return list
}
