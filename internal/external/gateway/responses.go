package gateway

import (
	"encoding/json"
	"errors"
	"strings"
)

// readResponse reads the body of a request for a response, as one for a chat
// completion.
func readResponse(data []byte, role string) (*chatBody, error) {
	var b object
	if err := decode(data, &b); err != nil || b == nil {
		return nil, invalid("the body is not a JSON object: %v", err)
	}
	switch {
	case b["previous_response_id"] != nil:
		return nil, invalid("previous_response_id: no response is kept here; send all of the input")
	case b["background"] == true || b["stream"] == true:
		return nil, invalid("background, stream: responses come whole")
	}
	messages, err := inputMessages(b["instructions"], b["input"])
	if err != nil {
		return nil, err
	}
	text, _ := b["text"].(object)
	format, _ := text["format"].(object)
	reasoning, _ := b["reasoning"].(object)
	tools, _ := b["tools"].([]any)
	choice, _ := b["tool_choice"].(object)
	most, bounded := b["max_output_tokens"]
	for _, name := range []string{
		"instructions", "input", "text", "reasoning", "tools", "previous_response_id", "background", "include", "truncation", "max_output_tokens",
	} {
		delete(b, name)
	}
	b["messages"] = messages
	if bounded {
		b["max_completion_tokens"] = most
	}
	if effort := reasoning["effort"]; effort != nil {
		b["reasoning_effort"] = effort
	}
	switch format["type"] {
	case "json_object":
		b["response_format"] = format
	case "json_schema":
		b["response_format"] = object{"type": "json_schema", "json_schema": picked(format, "name", "description", "schema", "strict")}
	}
	for i, t := range tools {
		tool, _ := t.(object)
		if tool["type"] != "function" {
			return nil, invalid("tools[%d]: it is not here; want functions", i)
		}
		tools[i] = object{"type": "function", "function": picked(tool, "name", "description", "parameters", "strict")}
	}
	if tools != nil {
		b["tools"] = tools
	}
	if choice["type"] == "function" {
		b["tool_choice"] = object{"type": "function", "function": picked(choice, "name")}
	}
	return readChat(encode(b), role)
}

// picked returns the members of an object that have the names.
func picked(from object, names ...string) object {
	out := make(object)
	for _, name := range names {
		if v, ok := from[name]; ok {
			out[name] = v
		}
	}
	return out
}

// inputMessages returns the messages that instructions and input stand for.
func inputMessages(instructions, input any) (messages []any, err error) {
	if instructions != nil && instructions != "" {
		messages = append(messages, object{"role": "system", "content": instructions})
	}
	if text, ok := input.(string); ok {
		return append(messages, object{"role": "user", "content": text}), nil
	}
	items, ok := input.([]any)
	if !ok {
		return nil, invalid("input: want a text or a list of items")
	}
	for i, it := range items {
		item, _ := it.(object)
		switch item["type"] {
		case nil, "", "message":
			text, err := textOf(item["content"])
			if err != nil {
				return nil, invalid("input[%d]: %v", i, err)
			}
			messages = append(messages, object{"role": item["role"], "content": text})
		case "function_call":
			call := object{"id": item["call_id"], "type": "function", "function": picked(item, "name", "arguments")}
			messages = append(messages, object{"role": "assistant", "content": nil, "tool_calls": []any{call}})
		case "function_call_output":
			messages = append(messages, object{"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
		case "reasoning": // what a model thought says nothing to another one
		default:
			return nil, invalid("input[%d]: an item of the type %.40v is not known here", i, item["type"])
		}
	}
	return messages, nil
}

// textOf returns the content of a message: a text, or a list of such.
func textOf(content any) (string, error) {
	if text, ok := content.(string); ok {
		return text, nil
	}
	list, ok := content.([]any)
	var texts []string
	for _, p := range list {
		part, _ := p.(object)
		text, isText := part["text"].(string)
		texts, ok = append(texts, text), ok && isText
	}
	if !ok {
		return "", errors.New("its content is neither a text nor a list of texts")
	}
	return strings.Join(texts, "\n"), nil
}

// asResponse returns the response that a chat completion stands for.
func asResponse(c *completion) any {
	var m struct {
		Content   string
		ToolCalls []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	_ = json.Unmarshal(c.choice["message"], &m) // what another server says otherwise is left out
	output := []any{}
	if m.Content != "" {
		text := object{"type": "output_text", "text": m.Content, "annotations": []any{}}
		output = append(output, object{"type": "message", "id": "msg-" + c.id, "role": "assistant", "status": "completed", "content": []any{text}})
	}
	for _, call := range m.ToolCalls {
		output = append(output, object{
			"type": "function_call", "id": "fc-" + call.ID, "call_id": call.ID, "name": call.Function.Name,
			"arguments": call.Function.Arguments, "status": "completed",
		})
	}
	status, incomplete := "completed", any(nil)
	if string(c.choice["finish_reason"]) == `"length"` {
		status, incomplete = "incomplete", object{"reason": "max_output_tokens"}
	}
	u := c.reply.Usage
	return object{
		"id": "resp-rb-" + c.id, "object": "response", "created_at": created, "model": c.model,
		"status": status, "incomplete_details": incomplete, "error": nil, "output": output,
		"parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
		"usage": object{
			"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Total(),
			"input_tokens_details":  object{"cached_tokens": u.Cached},
			"output_tokens_details": object{"reasoning_tokens": u.Reasoning},
		},
	}
}
