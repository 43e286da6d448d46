package modelserver

import (
	"encoding/json"
	"net/http"
	"strings"
)

// A chatRequest is what the server reads of a request for a chat or a plain
// completion.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Prompt              string          `json:"prompt"`
	Temperature         *float64        `json:"temperature"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Logprobs            json.RawMessage `json:"logprobs"` // a boolean for chats, else a number
	TopLogprobs         int             `json:"top_logprobs"`
	ResponseFormat      *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// read decodes and checks a request.
func (s *Server) read(r request) (chatRequest, *problem) {
	var c chatRequest
	if err := json.Unmarshal(r.body, &c); err != nil {
		return c, &problem{status: http.StatusBadRequest, kind: "invalid_request_error", message: "We could not parse the JSON body of your request: " + err.Error()}
	}
	return c, s.check(c)
}

func (s *Server) check(c chatRequest) *problem {
	refuse := func(param, code, message string) *problem {
		return &problem{status: http.StatusBadRequest, kind: "invalid_request_error", param: param, code: code, message: message}
	}
	switch {
	case !s.known(c.Model):
		return &problem{status: http.StatusNotFound, kind: "invalid_request_error", code: "model_not_found", message: "The model `" + c.Model + "` does not exist or you do not have access to it."}
	case s.o.NoTemperature && c.Temperature != nil:
		return refuse("temperature", "unsupported_value", "Unsupported value: 'temperature' does not support that value with this model. Only the default (1) value is supported.")
	case s.o.WantMaxCompletionTokens && c.MaxTokens != 0:
		return refuse("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case s.o.NoResponseFormat && c.ResponseFormat != nil:
		return refuse("response_format", "", "response_format is not supported by this server")
	case c.TopLogprobs > 20:
		return refuse("top_logprobs", "", "top_logprobs must be at most 20")
	}
	return nil
}

// A generation is the text of a reply with what is said about it.
type generation struct {
	text      string
	finish    string
	prompt    int
	output    int
	reasoning int
}

// generate writes the reply to messages of these contents.
func (s *Server) generate(c chatRequest, r request, contents []string, text string) generation {
	g := generation{text: text, finish: "stop"}
	if r.fault == EchoKey {
		g.text += " " + r.key
	}
	for _, content := range contents {
		g.prompt += Tokens(content)
	}
	bound := max(c.MaxTokens, c.MaxCompletionTokens)
	if len(c.Messages) > 0 { // plain completions do not reason
		g.reasoning = s.o.Reasoning
		if s.o.ThinkTags {
			g.text = "<think>\nLet me see.\n</think>\n\n" + g.text
		}
	}
	pieces := Pieces(g.text)
	if bound > 0 && g.reasoning+len(pieces) > bound {
		g.reasoning = min(g.reasoning, bound)
		pieces = pieces[:bound-g.reasoning]
		g.text = strings.Join(pieces, "")
		g.finish = "length"
	}
	g.output = g.reasoning + len(pieces)
	if r.fault == ContentFilter {
		g.text, g.finish = "", "content_filter"
	}
	return g
}

// reply puts a generation into what both kinds of completions have in common.
func (s *Server) reply(c chatRequest, r request, g generation, object string, choice map[string]any) []byte {
	model, fingerprint := c.Model, "fp_test"
	if r.fault == OtherModel {
		model += "-served"
	}
	if r.fault == EchoKey {
		model += "-" + r.key
		fingerprint += r.key
	}
	choice["index"], choice["finish_reason"] = 0, g.finish
	reply := map[string]any{
		"id": "cmpl-test", "object": object, "created": 0,
		"model": model, "system_fingerprint": fingerprint, "choices": []any{choice},
	}
	if !s.o.NoUsage {
		reply["usage"] = map[string]any{
			"prompt_tokens": g.prompt, "completion_tokens": g.output, "total_tokens": g.prompt + g.output,
			"prompt_tokens_details":     map[string]int{"cached_tokens": g.prompt / 4},
			"completion_tokens_details": map[string]int{"reasoning_tokens": g.reasoning},
		}
	}
	data := encode(reply)
	if r.fault == EchoKey {
		return escape(data, r.key)
	}
	return data
}

// scripted returns the reply that the script gives; nil where it gives none.
func (s *Server) scripted(r request) []byte {
	if s.o.Script == nil {
		return nil
	}
	message, ok := s.o.Script(r.path, r.body)
	if !ok {
		return nil
	}
	var c chatRequest
	_ = json.Unmarshal(r.body, &c) // contents in parts are for the script
	var said struct {
		Calls []json.RawMessage `json:"tool_calls"`
	}
	g := generation{finish: "stop", prompt: Tokens(string(r.body)), output: Tokens(string(message))}
	if json.Unmarshal(message, &said) == nil && len(said.Calls) > 0 {
		g.finish = "tool_calls"
	}
	return s.reply(c, r, g, "chat.completion", map[string]any{"message": message, "logprobs": nil})
}

func (s *Server) chat(r request) ([]byte, *problem) {
	if reply := s.scripted(r); reply != nil {
		return reply, nil
	}
	c, wrong := s.read(r)
	if wrong != nil {
		return nil, wrong
	}
	contents := make([]string, len(c.Messages))
	for i, m := range c.Messages {
		contents[i] = m.Content
	}
	g := s.generate(c, r, contents, c.text(contents))
	message := map[string]any{"role": "assistant", "content": g.text, "refusal": nil}
	if g.finish == "content_filter" {
		message["content"] = nil
	}
	choice := map[string]any{"message": message, "logprobs": nil}
	if string(c.Logprobs) == "true" && !s.o.NoLogprobs {
		choice["logprobs"] = map[string]any{"content": chatLogprobs(tokens(g.text, r), c.TopLogprobs)}
	}
	return s.reply(c, r, g, "chat.completion", choice), nil
}

// text returns the answer in the form that is asked for: JSON in prose where
// only the messages hold a schema, as a model without a grammar writes it.
func (c chatRequest) text(contents []string) string {
	if f := c.ResponseFormat; f != nil && f.Type == "json_schema" {
		return AnswerJSON(f.JSONSchema.Schema, contents...)
	}
	schema := promptSchema(contents)
	switch {
	case c.ResponseFormat != nil && c.ResponseFormat.Type == "json_object":
		return AnswerJSON(schema, contents...)
	case schema != nil:
		return "Here is the object, I hope it {helps}:\n```json\n" + AnswerJSON(schema, contents...) + "\n```\nIs there anything else?"
	default:
		return Answer(contents...)
	}
}

// promptSchema returns the JSON Schema of an object that a message holds; nil
// where none does.
func promptSchema(contents []string) json.RawMessage {
	for _, content := range contents {
		for rest := content; ; {
			_, after, ok := strings.Cut(rest, "{")
			if !ok {
				break
			}
			var raw json.RawMessage
			if json.NewDecoder(strings.NewReader("{"+after)).Decode(&raw) == nil {
				var schema struct {
					Type       string          `json:"type"`
					Properties json.RawMessage `json:"properties"`
				}
				if json.Unmarshal(raw, &schema) == nil && schema.Type == "object" && schema.Properties != nil {
					return raw
				}
			}
			rest = after
		}
	}
	return nil
}

func (s *Server) completions(r request) ([]byte, *problem) {
	c, wrong := s.read(r)
	if wrong != nil {
		return nil, wrong
	}
	g := s.generate(c, r, []string{c.Prompt}, Answer(c.Prompt))
	choice := map[string]any{"text": g.text, "logprobs": nil}
	var top int
	if len(c.Logprobs) > 0 && json.Unmarshal(c.Logprobs, &top) == nil && !s.o.NoLogprobs {
		choice["logprobs"] = plainLogprobs(tokens(g.text, r), top)
	}
	return s.reply(c, r, g, "text_completion", choice), nil
}
