package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// A Chat is a language model behind a server. It implements [llm.Generator].
type Chat struct {
	*server
	quirks Quirks
	// refused holds the types of response_format that the server has refused: a
	// schema, for which the prompt asks from then on, and JSON without one, for which
	// only programs outside ask.
	refused sync.Map
}

// NewChat returns the model that a config names. It makes no call yet.
func NewChat(c Config) (*Chat, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	q := c.Quirks
	q.MaxTokensField, q.System = cmp.Or(q.MaxTokensField, "max_tokens"), cmp.Or(q.System, "system")
	return &Chat{server: s, quirks: q}, nil
}

// members are those of a JSON object.
type members map[string]any

// set sets a member that is given.
func (m members) set(name string, value any, given bool) {
	if given {
		m[name] = value
	}
}

// merge takes the members of an object that the gateway made, as they are written.
func (m members) merge(object []byte) {
	var more map[string]json.RawMessage
	_ = json.Unmarshal(object, &more) // an empty one has none
	for name, value := range more {
		m[name] = value
	}
}

func (q Quirks) omits(parameter Parameter) bool { return slices.Contains(q.Omit, parameter) }

// Fixed returns the canonical JSON of what is sent with every request in
// addition to the request's own parameters, as far as replies depend on it and it is not
// the default. It has neither key nor address.
func (c *Chat) Fixed() json.RawMessage {
	q, fixed := c.quirks, make(members)
	fixed.set("effort", q.ReasoningEffort, q.ReasoningEffort != "")
	fixed.set("extra", c.extra, len(c.extra) > 0)
	fixed.set("format", "prompt", q.omits(responseFormat))
	fixed.set("max_tokens", q.MaxTokensField, q.MaxTokensField != "max_tokens")
	fixed.set("system", q.System, q.System != "system")
	data, _ := json.Marshal(fixed) // it was read from JSON
	return data
}

// Effective returns r without the parameters that are not sent, so that two
// requests that differ only in these are the same recording.
func (c *Chat) Effective(r llm.Request) llm.Request {
	q, p := c.quirks, &r.Params
	if q.omits("temperature") {
		p.Temperature = nil
	}
	if q.omits("seed") {
		p.Seed = nil
	}
	if q.omits("max_tokens") {
		p.MaxTokens = 0
	}
	if q.omits("logprobs") {
		p.Logprobs = false
	}
	if q.omits(topLogprobs) || !p.Logprobs {
		p.TopLogprobs = 0
	}
	r.Plain = r.Plain && q.Completions
	return r
}

// Generate implements [llm.Generator]. Its errors are *fault.Error, except that a
// canceled call returns the error of its context. A reply without the requested
// log-probabilities is an error of the kind [fault.NoLogprobs]: without them the
// text is useless to the caller. An error comes with the usage that the server
// reports.
func (c *Chat) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	fresh := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { fresh = !i.Reused }})
	r = c.Effective(r)
	kind, _ := formatOf(r)
	_, refused := c.refused.Load(kind)
	prompted := r.Plain || c.quirks.omits(responseFormat) || refused
	resp, err := c.ask(ctx, r, prompted)
	if err == nil && kind != "" && !prompted && !resp.OK() && refusesFormat(httpfault.ReadComplaint(resp.Data), resp.Status) {
		c.refused.Store(kind, true)
		resp, err = c.ask(ctx, r, true)
	}
	if err != nil {
		return llm.Reply{}, err
	}
	if !resp.OK() {
		e := c.refusal(resp)
		if r.Params.Logprobs && refusesLogprobs(httpfault.ReadComplaint(resp.Data), resp.Status) {
			e.Kind, e.Remedy = fault.NoLogprobs, ""
		}
		return llm.Reply{Usage: usageOf(resp)}, e
	}
	reply, err := c.read(resp, r)
	if err != nil {
		return llm.Reply{Usage: usageOf(resp)}, err
	}
	reply.Fingerprint = c.fingerprint(ctx, resp, fresh, reply.Fingerprint)
	return reply, nil
}

// formatOf returns the type of response_format that a request asks for, empty for
// none, and the schema where it has one.
func formatOf(r llm.Request) (kind string, f *llm.Format) {
	if r.Wire == nil && r.Format != nil {
		return "json_schema", r.Format
	}
	var rest struct {
		Format struct {
			Type   string
			Schema llm.Format `json:"json_schema"`
		} `json:"response_format"`
	}
	// What does not decode asks for nothing that is known.
	if r.Wire == nil || len(r.Wire.Rest) == 0 || json.Unmarshal(r.Wire.Rest, &rest) != nil {
		return "", nil
	}
	switch kind = rest.Format.Type; {
	case kind == "json_schema" && len(rest.Format.Schema.Schema) > 0:
		return kind, &rest.Format.Schema
	case kind == "json_object":
		return kind, nil
	}
	return "", nil // a schema that is none is for the server to refuse
}

// ask sends a request and returns the reply, whatever its status. Where it is prompted,
// the prompt asks for the format of the reply.
func (c *Chat) ask(ctx context.Context, r llm.Request, prompted bool) (*httpfault.Response, error) {
	q, p := c.quirks, r.Params
	body := members{"model": c.model}
	raw := make(map[int]bool)
	if r.Wire != nil {
		body.merge(r.Wire.Rest)
		for _, name := range q.Omit {
			delete(body, string(name))
		}
		for _, i := range r.Wire.Raw {
			raw[i] = true
		}
	}
	body.set("temperature", p.Temperature, p.Temperature != nil)
	body.set("seed", p.Seed, p.Seed != nil)
	messages := slices.Clone(r.Messages)
	kind, format := formatOf(r)
	if format != nil && prompted {
		messages, raw = instruct(messages, raw, format.Schema)
	}
	if r.Plain {
		body.set("max_tokens", p.MaxTokens, p.MaxTokens > 0)
		// The number of the likeliest tokens, at least 1: a 0 would do for vLLM and
		// OpenAI, which then give those of the sampled tokens alone, but llama.cpp
		// takes it for none.
		body.set("logprobs", max(1, p.TopLogprobs), p.Logprobs)
		contents := lists.Map(messages, func(m llm.Message) string { return m.Content })
		body["prompt"] = strings.Join(contents, "\n\n")
		return c.bounded(ctx, "completions", body, p)
	}
	body.set(string(q.MaxTokensField), p.MaxTokens, p.MaxTokens > 0)
	body.set("logprobs", true, p.Logprobs)
	body.set(topLogprobs, p.TopLogprobs, p.TopLogprobs > 0)
	body.set("reasoning_effort", q.ReasoningEffort, q.ReasoningEffort != "")
	switch {
	case kind != "" && prompted:
		delete(body, responseFormat)
	case r.Wire == nil && format != nil:
		body[responseFormat] = map[string]any{
			"type": kind, "json_schema": map[string]any{"name": format.Name, "strict": true, "schema": format.Schema},
		}
	}
	body["messages"] = q.messages(messages, raw)
	return c.bounded(ctx, "chat/completions", body, p)
}

// bounded sends a body, and says of a reply that is too long what its limit follows from.
func (c *Chat) bounded(ctx context.Context, path string, body members, p llm.Params) (*httpfault.Response, error) {
	resp, err := c.post(ctx, path, body, mostBytes(p))
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Kind == fault.TooLong {
		f.Message += fmt.Sprintf(", the limit for max_tokens, which is %d", p.MaxTokens)
		f.Remedy = "check what the server sends; if it is the model's reasoning, raise reasoning_tokens"
		if p.MaxTokens <= 0 {
			f.Remedy = "remove max_tokens from omit, or check what the server sends"
		}
	}
	return resp, err
}

// instruct puts a demand for JSON of a schema at the end of the first system message, or
// in one of its own. Raw are the messages that are no mere texts.
func instruct(messages []llm.Message, raw map[int]bool, schema json.RawMessage) ([]llm.Message, map[int]bool) {
	demand := "Reply with a single JSON object and nothing else: no words before or after it and no code fence. " +
		"The object must be valid under this JSON Schema:\n" + string(schema)
	for i, m := range messages {
		if m.Role == llm.System && !raw[i] {
			messages[i].Content += "\n\n" + demand
			return messages, raw
		}
	}
	behind := make(map[int]bool)
	for i := range raw {
		behind[i+1] = true
	}
	return append([]llm.Message{{Role: llm.System, Content: demand}}, messages...), behind
}

// messages returns the messages as the model takes them: where it has no system role,
// system messages are put before the first user message.
func (q Quirks) messages(messages []llm.Message, raw map[int]bool) []members {
	var system []string
	var all []members
	for i, m := range messages {
		role := string(m.Role)
		if m.Role == llm.System {
			role = string(q.System)
		}
		sent := members{"role": role, "content": m.Content}
		switch {
		case raw[i]:
			delete(sent, "content")
			sent.merge([]byte(m.Content))
		case m.Role == llm.System && q.System == "user":
			system = append(system, m.Content)
			continue
		}
		all = append(all, sent)
	}
	if len(system) == 0 {
		return all
	}
	if i := slices.IndexFunc(all, func(m members) bool { return m["role"] == "user" }); i >= 0 {
		if text, ok := all[i]["content"].(string); ok {
			all[i]["content"] = strings.Join(append(system, text), "\n\n")
			return all
		}
	}
	return append([]members{{"role": "user", "content": strings.Join(system, "\n\n")}}, all...)
}

// What a token of a reply may take, in bytes: as text, escaped, and with its
// log-probability and each of those of the likeliest tokens. What a model thinks
// may come beside the tokens that a request allows, and so may what a server says
// of itself.
const (
	tokenBytes   = 128
	logprobBytes = 512
	freeBytes    = 512 << 10
	freeTokens   = 64 << 10 // of a reply whose tokens the request does not bound
)

// mostBytes returns what a reply to a request may take.
func mostBytes(p llm.Params) int {
	each := tokenBytes
	if p.Logprobs {
		each += logprobBytes * (1 + max(0, p.TopLogprobs))
	}
	return freeBytes + min(cmp.Or(max(p.MaxTokens, 0), freeTokens), 1<<20)*min(each, 1<<20)
}
