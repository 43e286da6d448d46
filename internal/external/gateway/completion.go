package gateway

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"recallbench/internal/door/llm"
)

// created is when every reply was made: what a reply says depends on its recording
// alone.
const created = 1700000000

// An object is a JSON object.
type object = map[string]any

// A completion is the reply to a request for a chat completion.
type completion struct {
	id    string // of the recording
	model string // that was asked for
	reply llm.Reply
	choice
}

// A choice has the members of the choice of a completion.
type choice map[string]json.RawMessage

// newChoice returns the choice of a reply: as the server sent it, or else made of
// the text.
func newChoice(r llm.Reply, back func(string) string) choice {
	c := choice{"message": encode(object{"role": llm.Assistant, "content": back(r.Text)})}
	var list []choice
	if len(r.Wire) > 0 && json.Unmarshal([]byte(back(string(r.Wire))), &list) == nil {
		// A server may send several, of which the first is asked for.
		first := func(c choice) bool {
			index := string(c["index"])
			return len(c["message"]) > 0 && (len(list) == 1 || index == "0" || index == "")
		}
		if i := slices.IndexFunc(list, first); i >= 0 {
			c = list[i]
		}
	}
	if len(c["finish_reason"]) == 0 {
		c["finish_reason"] = encode(cmp.Or(r.Finish, "stop"))
	}
	c["index"] = encode(0)
	return c
}

// head returns the members that a completion and each of its chunks have.
func (c *completion) head(kind string) object {
	head := object{"id": "chatcmpl-rb-" + c.id, "object": kind, "created": created, "model": c.model}
	if c.reply.Fingerprint != "" {
		head["system_fingerprint"] = c.reply.Fingerprint
	}
	return head
}

// body returns the completion as JSON.
func (c *completion) body() any {
	all := c.head("chat.completion")
	all["choices"], all["usage"] = []choice{c.choice}, c.usage()
	return all
}

// usage returns the usage as the interface has it.
func (c *completion) usage() object {
	u := c.reply.Usage
	all := object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Total()}
	if u.Cached > 0 {
		all["prompt_tokens_details"] = object{"cached_tokens": u.Cached}
	}
	if u.Reasoning > 0 {
		all["completion_tokens_details"] = object{"reasoning_tokens": u.Reasoning}
	}
	return all
}

// events are the chunks of a completion that is streamed.
type events []object

// chunks returns the completion as the events of a stream: the role with what is neither
// text nor call of a tool, the text, each call, and why it ended.
func (c *completion) chunks(usage bool) (all events) {
	add := func(delta object, finish, logprobs json.RawMessage) {
		choice := object{"index": 0, "delta": delta, "finish_reason": finish}
		if len(logprobs) > 0 && string(logprobs) != "null" {
			choice["logprobs"] = logprobs
		}
		chunk := c.head("chat.completion.chunk")
		chunk["choices"] = []any{choice}
		all = append(all, chunk)
	}
	var first object
	if decode(c.choice["message"], &first) != nil || first == nil {
		first = make(object) // what is no object says nothing
	}
	content, isText := first["content"].(string)
	calls, _ := first["tool_calls"].([]any)
	maps.DeleteFunc(first, func(name string, v any) bool { return name == "tool_calls" || v == nil })
	first["role"], first["content"] = llm.Assistant, nil
	if isText {
		first["content"] = ""
	}
	logprobs := c.choice["logprobs"]
	add(first, nil, nil)
	if content != "" {
		add(object{"content": content}, nil, logprobs)
		logprobs = nil
	}
	for n, call := range calls {
		if call, ok := call.(object); ok {
			call["index"] = n
			add(object{"tool_calls": []any{call}}, nil, nil)
		}
	}
	add(object{}, c.choice["finish_reason"], logprobs)
	if usage {
		chunk := c.head("chat.completion.chunk")
		chunk["choices"], chunk["usage"] = []any{}, c.usage()
		all = append(all, chunk)
	}
	return all
}
