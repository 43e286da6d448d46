package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"recallbench/internal/door/llm"
)

// Name is the backend's, and that of its model.
const Name = "stand-in"

// Generator returns what stands in for a chat model.
func Generator() llm.Generator { return llm.GeneratorFunc(generate) }

func generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	p := read(r.Messages)
	reply := llm.Reply{Finish: "stop", Model: Name}
	if r.Wire != nil {
		return p.wire(r.Wire.Rest, reply)
	}
	if r.Format != nil {
		value, err := json.Marshal(p.fill(r.Format.Schema))
		reply.Text = string(value)
		return reply, err
	}
	text, share := p.reply()
	written := strings.Fields(text)
	if n := r.Params.MaxTokens; n > 0 && len(written) > n {
		written = written[:n]
	}
	reply.Text = strings.Join(written, " ")
	if r.Params.Logprobs {
		for _, w := range written {
			reply.Logprobs = append(reply.Logprobs, llm.Logprob{Token: w, Logprob: math.Log(0.1 + 0.9*share)})
		}
	}
	return reply, nil
}

// reply returns what is replied in words, and how far the lines had what was asked for.
func (p prompt) reply() (text string, share float64) {
	facts := joined(p.facts())
	switch {
	case p.query:
		return "//*", 1
	case p.question != "" || facts == "":
		return p.answer()
	default:
		return facts, 1
	}
}

// wire replies to a request from outside, whose body has the form of the reply beside
// the messages. Where tools are given it calls the first, where JSON is asked for
// without a schema, an object has the facts under the names that libraries use.
func (p prompt) wire(rest json.RawMessage, reply llm.Reply) (llm.Reply, error) {
	var body struct {
		Tools []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Format *struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if len(rest) > 0 {
		if err := json.Unmarshal(rest, &body); err != nil {
			return llm.Reply{}, fmt.Errorf("the body: %w", err)
		}
	}
	message := map[string]any{"role": llm.Assistant}
	switch {
	case len(body.Tools) > 0:
		f := body.Tools[0].Function
		arguments, err := json.Marshal(p.fill(f.Parameters))
		if err != nil {
			return llm.Reply{}, err
		}
		reply.Finish, message["content"] = "tool_calls", nil
		message["tool_calls"] = []any{map[string]any{
			"id": "call_1", "type": "function", "function": map[string]any{"name": f.Name, "arguments": string(arguments)},
		}}
	case body.Format != nil:
		object := p.fill(body.Format.Schema.Schema)
		if o, ok := object.(map[string]any); !ok || len(o) == 0 {
			facts, memory := []string{}, []any{}
			for i, f := range p.facts() {
				facts = append(facts, f.String())
				memory = append(memory, map[string]any{"id": strconv.Itoa(i), "text": f.String(), "event": "ADD"})
			}
			object = map[string]any{"facts": facts, "memory": memory}
		}
		text, err := json.Marshal(object)
		if err != nil {
			return llm.Reply{}, err
		}
		reply.Text = string(text)
		message["content"] = reply.Text
	default:
		reply.Text, _ = p.reply()
		message["content"] = reply.Text
	}
	var err error
	reply.Wire, err = json.Marshal([]any{map[string]any{"index": 0, "message": message, "finish_reason": reply.Finish}})
	return reply, err
}
