package gateway

import (
	"encoding/json"
	"strings"

	"recallbench/internal/door/llm"
)

// shortest is how many tokens a completion of a prompt has at most where the body
// does not say it, by the interface.
const shortest = 16

// readPrompt reads the body of a request to complete a prompt. A model that serves
// no such requests is shown the prompt as what a user says.
func readPrompt(data []byte, role string) (*chatBody, error) {
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, invalid("the body is not a JSON object: %v", err)
	}
	var prompt string
	if one := []*string{&prompt}; json.Unmarshal(members["prompt"], &prompt) != nil && (json.Unmarshal(members["prompt"], &one) != nil || len(one) != 1 || one[0] == nil) {
		return nil, invalid("prompt: want one text")
	}
	delete(members, "prompt")
	for _, name := range []string{"best_of", "echo", "logprobs", "suffix"} {
		if raw, ok := members[name]; ok && string(raw) != "null" && string(raw) != "false" {
			return nil, invalid("%s is not served here; leave it out", name)
		}
		delete(members, name)
	}
	if members["max_tokens"] == nil {
		members["max_tokens"] = encode(shortest)
	}
	members["messages"] = encode([]any{map[string]any{"role": llm.User, "content": prompt}})
	b, err := readChat(encode(members), role)
	if err == nil {
		b.request.Plain = true
	}
	return b, err
}

// plain returns the completion as that of a prompt.
func (c *completion) plain() any {
	all := c.plainHead()
	all["usage"] = usageOf(c.usage)
	return all
}

// plainHead is plain without its usage.
func (c *completion) plainHead() map[string]any {
	var list []any
	for i, ch := range c.choices {
		list = append(list, map[string]any{"text": ch.message().Content, "index": i, "logprobs": nil, "finish_reason": ch["finish_reason"]})
	}
	all := c.head("text_completion")
	all["id"], all["choices"] = "cmpl"+strings.TrimPrefix(c.id, "chatcmpl"), list
	return all
}

// plainChunks returns it as the chunks of a stream.
func (c *completion) plainChunks(usage bool) []any {
	all := []any{c.plainHead()}
	if usage {
		last := c.plainHead()
		last["choices"], last["usage"] = []any{}, usageOf(c.usage)
		all = append(all, last)
	}
	return all
}
