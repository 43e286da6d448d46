package gateway

import (
	"encoding/json"

	"recallbench/internal/door/llm"
)

// created is when every reply was made: what a reply says depends on its recording
// alone.
const created = 1700000000

// A completion is the reply to a request for a chat completion.
type completion struct {
	id          string
	model       string // that was asked for
	fingerprint string
	choices     []choice
	usage       llm.Usage
}

// A choice has the members of one choice of a completion.
type choice map[string]json.RawMessage

// newCompletion puts replies together, one for each choice. Call names it where the
// replies are no recordings.
func newCompletion(model, call string, replies []llm.Reply, back func(string) string) *completion {
	c := &completion{model: model, fingerprint: replies[0].Fingerprint, choices: make([]choice, len(replies))}
	if replies[0].Call != "" {
		call = replies[0].Call
	}
	c.id = "chatcmpl-rb-" + call
	for i, r := range replies {
		c.choices[i] = newChoice(r, back)
		c.choices[i]["index"] = encode(i)
		c.usage = c.usage.Add(r.Usage)
	}
	return c
}

// newChoice returns the choice of a reply: as the server sent it, or else made of
// the text.
func newChoice(r llm.Reply, back func(string) string) choice {
	var list []choice
	if len(r.Wire) > 0 && json.Unmarshal([]byte(back(string(r.Wire))), &list) == nil {
		for _, c := range list {
			if index := string(c["index"]); len(list) > 1 && index != "0" && index != "" {
				continue
			}
			if len(c["message"]) > 0 {
				if finish := string(c["finish_reason"]); finish == "" {
					c["finish_reason"] = encode(r.Finish)
				}
				return c
			}
		}
	}
	finish := r.Finish
	if finish == "" {
		finish = "stop"
	}
	return choice{
		"message":       encode(map[string]any{"role": llm.Assistant, "content": back(r.Text)}),
		"finish_reason": encode(finish),
	}
}

// head returns the members that a completion and each of its chunks have.
func (c *completion) head(object string) map[string]any {
	head := map[string]any{"id": c.id, "object": object, "created": created, "model": c.model}
	if c.fingerprint != "" {
		head["system_fingerprint"] = c.fingerprint
	}
	return head
}

// body returns the completion as JSON.
func (c *completion) body() any {
	all := c.head("chat.completion")
	all["choices"], all["usage"] = c.choices, usageOf(c.usage)
	return all
}

// usageOf returns a usage as the interface has it.
func usageOf(u llm.Usage) map[string]any {
	all := map[string]any{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Total()}
	if u.Cached > 0 {
		all["prompt_tokens_details"] = map[string]int{"cached_tokens": u.Cached}
	}
	if u.Reasoning > 0 {
		all["completion_tokens_details"] = map[string]int{"reasoning_tokens": u.Reasoning}
	}
	return all
}

// chunks returns the completion as the events of a stream.
func (c *completion) chunks(usage bool) []any {
	var all []any
	add := func(i int, delta, finish any, logprobs json.RawMessage) {
		ch := map[string]any{"index": i, "delta": delta, "finish_reason": finish}
		if len(logprobs) > 0 && string(logprobs) != "null" {
			ch["logprobs"] = logprobs
		}
		chunk := c.head("chat.completion.chunk")
		chunk["choices"] = []any{ch}
		all = append(all, chunk)
	}
	for i, ch := range c.choices {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(ch["message"], &members) // it is an object, or says nothing
		var content *string
		var calls []map[string]any
		_ = json.Unmarshal(members["content"], &content) // another content goes as it is
		_ = json.Unmarshal(members["tool_calls"], &calls)
		first := map[string]any{"role": llm.Assistant, "content": nil}
		for name, raw := range members {
			if name != "role" && name != "content" && name != "tool_calls" && string(raw) != "null" {
				first[name] = raw
			}
		}
		if content != nil {
			first["content"] = ""
		}
		logprobs := ch["logprobs"]
		add(i, first, nil, nil)
		if content != nil && *content != "" {
			add(i, map[string]any{"content": *content}, nil, logprobs)
			logprobs = nil
		}
		for n, call := range calls {
			call["index"] = n
			add(i, map[string]any{"tool_calls": []any{call}}, nil, nil)
		}
		add(i, map[string]any{}, ch["finish_reason"], logprobs)
	}
	if usage {
		chunk := c.head("chat.completion.chunk")
		chunk["choices"], chunk["usage"] = []any{}, usageOf(c.usage)
		all = append(all, chunk)
	}
	return all
}
