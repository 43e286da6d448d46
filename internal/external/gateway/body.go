package gateway

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// A chatBody is what the body of a request for a chat completion asks for.
type chatBody struct {
	request llm.Request // Repeat is not set
	model   string      // that was asked for
	stream  bool
	usage   bool // of a stream
}

// chatParams are the members of a body that have a meaning here, except for its messages.
type chatParams struct {
	Model         string   `json:"model"`
	Temperature   *float64 `json:"temperature"`
	MaxTokens     number   `json:"max_tokens"`
	MaxCompletion number   `json:"max_completion_tokens"`
	Seed          *int64   `json:"seed"`
	Logprobs      bool     `json:"logprobs"`
	TopLogprobs   number   `json:"top_logprobs"`
	N             *number  `json:"n"`
	Stream        bool     `json:"stream"`
	StreamOptions struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

var paramNames = []string{"model", "temperature", "max_tokens", "max_completion_tokens", "seed", "logprobs", "top_logprobs", "n", "stream", "stream_options"}

// silent are the other members of a body that change no reply.
var silent = []string{"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "timeout"}

// readChat reads a body. What it does not know goes into the rest of the request's
// [llm.Wire].
func readChat(data []byte, role string) (*chatBody, error) {
	var rest object
	if err := decode(data, &rest); err != nil || rest == nil {
		return nil, invalid("the body is not a JSON object: %v", err)
	}
	var p chatParams
	if err := decode(encode(picked(rest, paramNames...)), &p); err != nil {
		return nil, invalid("%v", err)
	}
	messages, _ := rest["messages"].([]any)
	switch {
	case len(messages) == 0:
		return nil, invalid("messages: there are none")
	case p.N != nil && *p.N != 1:
		return nil, invalid("n is %d, want 1", *p.N)
	case p.MaxTokens < 0 || p.MaxCompletion < 0 || p.TopLogprobs < 0:
		return nil, invalid("max_tokens, max_completion_tokens or top_logprobs is negative")
	}
	b := &chatBody{model: p.Model, stream: p.Stream, usage: p.StreamOptions.Usage, request: llm.Request{
		Role: role, Wire: &llm.Wire{}, Messages: make([]llm.Message, len(messages)),
		Params: llm.Params{
			Temperature: p.Temperature, MaxTokens: int(cmp.Or(p.MaxCompletion, p.MaxTokens)), Seed: p.Seed,
			Logprobs: p.Logprobs, TopLogprobs: int(p.TopLogprobs),
		},
	}}
	for i, m := range messages {
		message, _ := m.(object)
		role, _ := message["role"].(string)
		if role == "" {
			return nil, invalid("messages[%d]: it has no role", i)
		}
		delete(message, "role")
		// One of a role and a text is that, any other the JSON of what it holds beside the role.
		text, ok := message["content"].(string)
		if !ok || len(message) > 1 {
			text = string(encode(message))
			b.request.Wire.Raw = append(b.request.Wire.Raw, i)
		}
		b.request.Messages[i] = llm.Message{Role: llm.Role(role), Content: text}
	}
	delete(rest, "messages")
	for _, name := range slices.Concat(paramNames, silent) {
		delete(rest, name)
	}
	if len(rest) > 0 {
		b.request.Wire.Rest = encode(rest)
	}
	return b, nil
}

// key stands for what the body asks, whatever changes no reply.
func (b *chatBody) key() bodyKey {
	r := b.request
	return sha256.Sum256(encode([]any{r.Params, r.Wire, r.Messages}))
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

// decode reads JSON, with numbers as written.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind it")
	}
	return nil
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
