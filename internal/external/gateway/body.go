package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	v, err := decode(data)
	members, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, invalid("the body is not a JSON object: %v", err)
	}
	messages, _ := members["messages"].([]any)
	delete(members, "messages")
	b := &chatBody{choices: 1}
	var maxTokens, maxCompletion, top number
	var n *number
	var options struct {
		Usage bool `json:"include_usage"`
	}
	p := &b.request.Params
	for name, to := range map[string]any{
		"model": &b.model, "temperature": &p.Temperature, "max_tokens": &maxTokens, "max_completion_tokens": &maxCompletion,
		"seed": &p.Seed, "logprobs": &p.Logprobs, "top_logprobs": &top, "n": &n, "stream": &b.stream, "stream_options": &options,
	} {
		if member, ok := members[name]; ok {
			if err := json.Unmarshal(encode(member), to); err != nil {
				return nil, invalid("%s: %v", name, err)
			}
			delete(members, name)
		}
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
	p.MaxTokens, p.TopLogprobs = int(cmp.Or(maxCompletion, maxTokens)), int(top)
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
		b.request.Wire.Rest = encode(members)
	}
	return b, nil
}

// readMessages reads the messages: one of a role and a text is that, any other the
// JSON of what it holds beside the role.
func (b *chatBody) readMessages(list []any) error {
	r := &b.request
	r.Messages = make([]llm.Message, len(list))
	for i, m := range list {
		members, _ := m.(map[string]any)
		role, _ := members["role"].(string)
		if role == "" {
			return invalid("messages[%d]: it has no role", i)
		}
		delete(members, "role")
		text, ok := members["content"].(string)
		if !ok || len(members) > 1 {
			text = string(encode(members))
			r.Wire.Raw = append(r.Wire.Raw, i)
		}
		r.Messages[i] = llm.Message{Role: llm.Role(role), Content: text}
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

// decode returns what JSON says, with numbers as written.
func decode(data []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind it")
	}
	return v, nil
}

// encode returns the JSON of plain values in one form: sorted keys, no white space,
// no HTML escapes.
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
