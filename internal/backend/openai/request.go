package openai

import (
	"encoding/json"
	"strings"

	"recallbench/internal/door/llm"
)

// A message is a message of a chat as it is sent.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// sampling are the parameters that both kinds of completions share.
type sampling struct {
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
}

// A chatBody is the body of a request to /chat/completions.
type chatBody struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
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
	case r.Format == nil:
	case c.quirks.Format == formatObject:
		b.ResponseFormat = &responseFormat{Type: formatObject}
	case !prompted:
		b.ResponseFormat = &responseFormat{Type: formatSchema, JSONSchema: &jsonSchema{Name: r.Format.Name, Strict: true, Schema: r.Format.Schema}}
	}
	return b
}

func (c *Chat) plainBody(r llm.Request) plainBody {
	messages := r.Messages
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
func (c *Chat) messages(r llm.Request, prompted bool) []message {
	from := r.Messages
	if r.Format != nil && prompted {
		from = instruct(from, *r.Format)
	}
	if c.quirks.System == "user" {
		from = withoutSystem(from)
	}
	messages := make([]message, len(from))
	for i, m := range from {
		role := string(m.Role)
		if m.Role == llm.System {
			role = c.quirks.System
		}
		messages[i] = message{Role: role, Content: m.Content}
	}
	return messages
}

// withoutSystem puts the system messages before the first user message, or
// makes one of them where there is none.
func withoutSystem(messages []llm.Message) []llm.Message {
	var system []string
	var rest []llm.Message
	for _, m := range messages {
		if m.Role == llm.System {
			system = append(system, m.Content)
		} else {
			rest = append(rest, m)
		}
	}
	if len(system) == 0 {
		return messages
	}
	for i, m := range rest {
		if m.Role == llm.User {
			rest[i].Content = strings.Join(append(system, m.Content), "\n\n")
			return rest
		}
	}
	return append([]llm.Message{{Role: llm.User, Content: strings.Join(system, "\n\n")}}, rest...)
}
