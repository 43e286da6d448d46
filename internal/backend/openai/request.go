package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

// A message is a message of a chat as it is sent.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	raw     bool   // Content is the JSON object of all but the role
}

// sampling are the parameters that both kinds of completions share.
type sampling struct {
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
}

// A chatBody is the body of a request to /chat/completions.
type chatBody struct {
	Model    string `json:"model"`
	Messages []any  `json:"messages"` // each a message, or the JSON of one
	sampling
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Logprobs            bool            `json:"logprobs,omitempty"`
	TopLogprobs         int             `json:"top_logprobs,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// A plainBody is the body of a request to /completions.
type plainBody struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
	sampling
	// Logprobs is how many of the likeliest tokens are wanted, at least 1; nil
	// for no log-probabilities. A 0 would do for vLLM and OpenAI, which then
	// give those of the sampled tokens alone, but llama.cpp takes it for none.
	Logprobs *int `json:"logprobs,omitempty"`
}

func (c *Chat) chatBody(r llm.Request, prompted bool) chatBody {
	b := chatBody{
		Model:           c.server.model,
		Messages:        c.messages(r, prompted),
		sampling:        sample(r.Params),
		Logprobs:        r.Params.Logprobs,
		TopLogprobs:     r.Params.TopLogprobs,
		ReasoningEffort: c.quirks.ReasoningEffort,
	}
	if c.quirks.MaxTokens == maxCompletionTokens {
		b.MaxTokens, b.MaxCompletionTokens = 0, b.MaxTokens
	}
	switch {
	case r.Wire != nil:
		b.ReasoningEffort = "" // see rest
	case r.Format == nil:
	case !prompted:
		b.ResponseFormat = &responseFormat{Type: formatSchema, JSONSchema: &jsonSchema{Name: r.Format.Name, Strict: true, Schema: r.Format.Schema}}
	}
	return b
}

func (c *Chat) plainBody(r llm.Request) plainBody {
	messages := written(r)
	if r.Format != nil {
		messages = instruct(messages, *r.Format)
	}
	contents := make([]string, len(messages))
	for i, m := range messages {
		contents[i] = m.Content
	}
	b := plainBody{
		Model:    c.server.model,
		Prompt:   strings.Join(contents, "\n\n"),
		sampling: sample(r.Params),
	}
	if r.Params.Logprobs {
		b.Logprobs = new(max(1, r.Params.TopLogprobs))
	}
	return b
}

func sample(p llm.Params) sampling {
	return sampling{Temperature: p.Temperature, Seed: p.Seed, MaxTokens: max(p.MaxTokens, 0)}
}

// messages returns the messages as the model takes them.
func (c *Chat) messages(r llm.Request, prompted bool) []any {
	list := written(r)
	if f := c.promptedFormat(r, prompted); f != nil {
		list = instruct(list, *f)
	}
	if c.quirks.System == "user" {
		list = withoutSystem(list)
	}
	messages := make([]any, len(list))
	for i, m := range list {
		if m.Role == string(llm.System) {
			m.Role = c.quirks.System
		}
		messages[i] = m
		if m.raw {
			messages[i] = m.json()
		}
	}
	return messages
}

// promptedFormat returns the format that the prompt asks for; nil for none.
func (c *Chat) promptedFormat(r llm.Request, prompted bool) *llm.Format {
	if r.Wire != nil {
		if kind, f := wireFormat(r.Wire); kind == formatSchema && prompted {
			return f
		}
		return nil
	}
	if !prompted {
		return nil
	}
	return r.Format
}

// written returns the messages of a request.
func written(r llm.Request) []message {
	list := make([]message, len(r.Messages))
	for i, m := range r.Messages {
		list[i] = message{Role: string(m.Role), Content: m.Content}
	}
	if r.Wire != nil {
		for _, i := range r.Wire.Raw {
			list[i].raw = true
		}
	}
	return list
}

// withoutSystem puts the system messages before the first user message, or
// makes one of them where there is none, or none that is a mere text.
func withoutSystem(messages []message) []message {
	const user = string(llm.User)
	var system []string
	var rest []message
	for _, m := range messages {
		switch {
		case m.Role != string(llm.System):
			rest = append(rest, m)
		case m.raw:
			m.Role = user
			rest = append(rest, m)
		default:
			system = append(system, m.Content)
		}
	}
	if len(system) == 0 {
		return rest
	}
	i := slices.IndexFunc(rest, func(m message) bool { return m.Role == user })
	if i >= 0 && !rest[i].raw {
		rest[i].Content = strings.Join(append(system, rest[i].Content), "\n\n")
		return rest
	}
	return append([]message{{Role: user, Content: strings.Join(system, "\n\n")}}, rest...)
}
