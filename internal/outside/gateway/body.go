package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// maxChoices bounds how many choices a request may ask for.
const maxChoices = 16

// A chatBody is the body of a request for a chat completion.
type chatBody struct {
	request llm.Request // Repeat is not set
	model   string      // that was asked for
	choices int
	stream  bool
	usage   bool // of a stream
}

// silent are the members of a body that change no reply.
var silent = []string{"stream", "stream_options", "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "timeout"}

// readChat reads a body. What it does not know goes into the rest of the request's
// [llm.Wire].
func readChat(data []byte, role string) (*chatBody, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, invalid("the body is not a JSON object: %v", err)
	}
	b := &chatBody{choices: 1}
	var messages []json.RawMessage
	var maxTokens, maxCompletion, top number
	var seed *int64
	var options struct {
		Usage bool `json:"include_usage"`
	}
	var n *number
	p := &b.request.Params
	for name, to := range map[string]any{
		"model": &b.model, "messages": &messages, "temperature": &p.Temperature, "max_tokens": &maxTokens, "max_completion_tokens": &maxCompletion,
		"seed": &seed, "logprobs": &p.Logprobs, "top_logprobs": &top, "n": &n, "stream": &b.stream, "stream_options": &options,
	} {
		raw, ok := members[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, to); err != nil {
			return nil, invalid("%s: %v", name, err)
		}
		delete(members, name)
	}
	if n != nil {
		b.choices = int(*n)
	}
	switch {
	case len(messages) == 0:
		return nil, invalid("messages: there are none")
	case b.choices < 1 || b.choices > maxChoices:
		return nil, invalid("n is %d, want 1 to %d", b.choices, maxChoices)
	case maxTokens < 0 || maxCompletion < 0 || top < 0:
		return nil, invalid("max_tokens, max_completion_tokens or top_logprobs is negative")
	}
	p.MaxTokens, p.TopLogprobs, p.Seed = int(cmp.Or(maxCompletion, maxTokens)), int(top), seed
	b.usage = options.Usage
	b.request.Role = role
	b.request.Wire = &llm.Wire{}
	if err := b.readMessages(messages); err != nil {
		return nil, err
	}
	for _, name := range silent {
		delete(members, name)
	}
	if len(members) > 0 {
		rest, err := json.Marshal(members)
		if err == nil {
			b.request.Wire.Rest, err = canonical(rest)
		}
		if err != nil {
			return nil, invalid("the body: %v", err)
		}
	}
	return b, nil
}

// readMessages reads the messages: one of a role and a text is that, any other the
// JSON of what it holds beside the role.
func (b *chatBody) readMessages(list []json.RawMessage) error {
	r := &b.request
	r.Messages = make([]llm.Message, len(list))
	for i, raw := range list {
		var members map[string]json.RawMessage
		var role, text string
		if err := json.Unmarshal(raw, &members); err != nil {
			return invalid("messages[%d]: %v", i, err)
		}
		if json.Unmarshal(members["role"], &role) != nil || role == "" {
			return invalid("messages[%d]: it has no role", i)
		}
		delete(members, "role")
		content := members["content"]
		if len(members) == 1 && bytes.HasPrefix(content, []byte(`"`)) && json.Unmarshal(content, &text) == nil {
			r.Messages[i] = llm.Message{Role: llm.Role(role), Content: text}
			continue
		}
		data, err := json.Marshal(members)
		if err == nil {
			data, err = canonical(data)
		}
		if err != nil {
			return invalid("messages[%d]: %v", i, err)
		}
		r.Messages[i] = llm.Message{Role: llm.Role(role), Content: string(data)}
		r.Wire.Raw = append(r.Wire.Raw, i)
	}
	return nil
}

// A number is a whole number, which some clients write as 20.0.
type number int

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(data []byte) error {
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f != float64(int32(f)) {
		return fmt.Errorf("%s is not a whole number", data)
	}
	*n = number(f)
	return nil
}

// canonical returns JSON with sorted keys and numbers as written, without white
// space.
func canonical(data []byte) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return encode(v), nil
}

// encode returns the JSON of plain values, without HTML escapes.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("gateway: " + err.Error()) // only what came from JSON comes here
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// invalid returns the fault of a body that will not do.
func invalid(format string, args ...any) error {
	e := fault.New(fault.Rejected, format, args...)
	e.Code = "invalid_request"
	return e
}
