package gateway

import (
	"encoding/json"
	"errors"
	"strings"
)

// readResponse reads the body of a request for a response, as one for a chat
// completion.
func readResponse(data []byte, role string) (*chatBody, error) {
	var b struct {
		Instructions string                      `json:"instructions"`
		Input        json.RawMessage             `json:"input"`
		Text         struct{ Format textFormat } `json:"text"`
		Reasoning    struct{ Effort any }        `json:"reasoning"`
		Tools        []tool                      `json:"tools"`
		Choice       json.RawMessage             `json:"tool_choice"`
		Previous     any                         `json:"previous_response_id"`
		Background   bool                        `json:"background"`
		Stream       bool                        `json:"stream"`
	}
	members := make(map[string]json.RawMessage)
	if err := errors.Join(json.Unmarshal(data, &b), json.Unmarshal(data, &members)); err != nil {
		return nil, invalid("the body is not the JSON of a request for a response: %v", err)
	}
	switch {
	case b.Previous != nil:
		return nil, invalid("previous_response_id: no response is kept here; send all of the input")
	case b.Background || b.Stream:
		return nil, invalid("background, stream: responses come whole")
	}
	messages, err := inputMessages(b.Instructions, b.Input)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"instructions", "input", "text", "reasoning", "tools", "tool_choice", "previous_response_id", "background", "include", "truncation"} {
		delete(members, name)
	}
	members["messages"] = encode(messages)
	if raw, ok := members["max_output_tokens"]; ok {
		members["max_completion_tokens"] = raw
		delete(members, "max_output_tokens")
	}
	if b.Reasoning.Effort != nil {
		members["reasoning_effort"] = encode(b.Reasoning.Effort)
	}
	if f := b.Text.Format.chat(); f != nil {
		members["response_format"] = encode(f)
	}
	var tools []any
	for _, t := range b.Tools {
		if t.Type != "function" {
			return nil, invalid("tools: %.40q is not here; want functions", t.Type)
		}
		tools = append(tools, map[string]any{"type": "function", "function": t.function})
	}
	if tools != nil {
		members["tools"] = encode(tools)
	}
	if len(b.Choice) > 0 {
		members["tool_choice"] = b.Choice
		var named struct{ Type, Name string }
		if json.Unmarshal(b.Choice, &named) == nil && named.Type == "function" {
			members["tool_choice"] = encode(map[string]any{"type": "function", "function": map[string]string{"name": named.Name}})
		}
	}
	return readChat(encode(members), role)
}

// A textFormat is the format of a response's text.
type textFormat struct {
	Type string `json:"type"`
	jsonSchema
}

// A jsonSchema says what JSON a text has to be.
type jsonSchema struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

func (f textFormat) chat() any {
	switch f.Type {
	case "json_object":
		return map[string]string{"type": f.Type}
	case "json_schema":
		return map[string]any{"type": f.Type, "json_schema": f.jsonSchema}
	default:
		return nil
	}
}

// A tool is one of a request for a response.
type tool struct {
	Type string `json:"type"`
	function
}

// A function is what a tool of that type says.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// An item is one of a response's input: a message, or what a function was called
// with or returned.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// inputMessages returns the messages that instructions and input stand for.
func inputMessages(instructions string, input json.RawMessage) ([]any, error) {
	var messages []any
	if instructions != "" {
		messages = append(messages, map[string]any{"role": "system", "content": instructions})
	}
	var text string
	if json.Unmarshal(input, &text) == nil {
		return append(messages, map[string]any{"role": "user", "content": text}), nil
	}
	var items []item
	if err := json.Unmarshal(input, &items); err != nil {
		return nil, invalid("input: %v", err)
	}
	for i, it := range items {
		switch it.Type {
		case "", "message":
			content, err := it.parts()
			if err != nil {
				return nil, invalid("input[%d]: %v", i, err)
			}
			messages = append(messages, map[string]any{"role": it.Role, "content": content})
		case "function_call":
			call := map[string]any{"id": it.CallID, "type": "function", "function": map[string]string{"name": it.Name, "arguments": it.Arguments}}
			messages = append(messages, map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}})
		case "function_call_output":
			messages = append(messages, map[string]any{"role": "tool", "tool_call_id": it.CallID, "content": it.Output})
		case "reasoning": // what a model thought says nothing to another one
		default:
			return nil, invalid("input[%d]: an item of the type %.40q is not known here", i, it.Type)
		}
	}
	return messages, nil
}

// parts returns the content of a message: a text where all of it is text.
func (it item) parts() (any, error) {
	var text string
	if json.Unmarshal(it.Content, &text) == nil {
		return text, nil
	}
	var list []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Image  string `json:"image_url"`
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal(it.Content, &list); err != nil {
		return nil, err
	}
	var texts []string
	var all []any
	for _, p := range list {
		switch p.Type {
		case "input_text", "output_text", "text":
			texts = append(texts, p.Text)
			all = append(all, map[string]string{"type": "text", "text": p.Text})
		case "input_image":
			image := map[string]string{"url": p.Image}
			if p.Detail != "" {
				image["detail"] = p.Detail
			}
			all = append(all, map[string]any{"type": "image_url", "image_url": image})
		default:
			return nil, errors.New("a part of the type " + p.Type + " is not known here")
		}
	}
	if len(texts) == len(list) {
		return strings.Join(texts, "\n"), nil
	}
	return all, nil
}

// asResponse returns the response that a chat completion stands for.
func asResponse(c *completion) any {
	status, incomplete := "completed", any(nil)
	output := []any{}
	for i, ch := range c.choices {
		m := ch.message()
		if m.Content != "" {
			output = append(output, map[string]any{
				"type": "message", "id": "msg-" + c.id, "role": "assistant", "status": "completed",
				"content": []any{map[string]any{"type": "output_text", "text": m.Content, "annotations": []any{}}},
			})
		}
		for _, call := range m.ToolCalls {
			output = append(output, map[string]any{
				"type": "function_call", "id": "fc-" + call.ID, "call_id": call.ID, "name": call.Function.Name,
				"arguments": call.Function.Arguments, "status": "completed",
			})
		}
		if c.finish(i) == "length" {
			status, incomplete = "incomplete", map[string]string{"reason": "max_output_tokens"}
		}
	}
	return map[string]any{
		"id": "resp" + strings.TrimPrefix(c.id, "chatcmpl"), "object": "response", "created_at": created, "model": c.model,
		"status": status, "incomplete_details": incomplete, "error": nil, "output": output,
		"parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
		"usage": map[string]any{
			"input_tokens": c.usage.Input, "output_tokens": c.usage.Output, "total_tokens": c.usage.Total(),
			"input_tokens_details":  map[string]int{"cached_tokens": c.usage.Cached},
			"output_tokens_details": map[string]int{"reasoning_tokens": c.usage.Reasoning},
		},
	}
}
