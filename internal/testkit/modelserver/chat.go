package modelserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// A chatRequest is what the server reads of a request for a chat or a plain
// completion.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
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
func (s *Server) read(r request) (c chatRequest, wrong *problem) {
	if wrong := r.decode(&c); wrong != nil {
		return c, wrong
	}
	switch {
	case !s.known(c.Model):
		wrong = noModel(c.Model)
	case s.o.NoTemperature && c.Temperature != nil:
		wrong = refused("temperature", "unsupported_value", "Unsupported value: 'temperature' does not support that value with this model. Only the default (1) value is supported.")
	case s.o.WantMaxCompletionTokens && c.MaxTokens != 0:
		wrong = refused("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case s.o.NoResponseFormat && c.ResponseFormat != nil:
		wrong = refused("response_format", "", "response_format is not supported by this server")
	case c.TopLogprobs > 20:
		wrong = refused("top_logprobs", "", "top_logprobs must be at most 20")
	}
	return c, wrong
}

// A generation is the text of a reply with what is said about it.
type generation struct {
	text                      string
	finish                    string
	prompt, output, reasoning int // tokens
}

// generate writes the reply to messages of these contents. Plain completions do not reason.
func (s *Server) generate(c chatRequest, r request, contents []string, text string) generation {
	g := generation{text: text, finish: "stop", prompt: tokens(contents...)}
	if r.fault == EchoKey {
		g.text += " " + r.key
	}
	if len(c.Messages) > 0 {
		g.reasoning = s.o.Reasoning
	}
	shown := pieces(g.text)
	if bound := max(c.MaxTokens, c.MaxCompletionTokens); bound > 0 && g.reasoning+len(shown) > bound {
		g.reasoning = min(g.reasoning, bound)
		shown = shown[:bound-g.reasoning]
		g.text, g.finish = strings.Join(shown, ""), "length"
	}
	g.output = g.reasoning + len(shown)
	if r.fault == ContentFilter {
		g.text, g.finish = "", "content_filter"
	}
	return g
}

// reply puts a generation into what both kinds of completions have in common. An echoed
// key is written with an escape for every letter, as a server that escapes much might.
func (s *Server) reply(c chatRequest, r request, g generation, object string, choice map[string]any) []byte {
	model, fingerprint := c.Model, "fp_test"
	switch r.fault {
	case OtherModel:
		model += "-served"
	case EchoKey:
		model, fingerprint = model+"-"+r.key, fingerprint+r.key
	default:
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
	if r.fault != EchoKey || r.key == "" {
		return data
	}
	var escaped []byte
	for i := range len(r.key) {
		escaped = fmt.Appendf(escaped, `\u%04x`, r.key[i])
	}
	return bytes.ReplaceAll(data, []byte(r.key), escaped)
}

// scripted returns the reply that the script gives; nil if it gives none.
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
	g := generation{finish: "stop", prompt: tokens(string(r.body)), output: tokens(string(message))}
	if json.Unmarshal(message, &said) == nil && len(said.Calls) > 0 {
		g.finish = "tool_calls"
	}
	return s.reply(c, r, g, "chat.completion", map[string]any{"message": message})
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
	g := s.generate(c, r, contents, c.answer(contents))
	message := map[string]any{"role": "assistant", "content": g.text, "refusal": nil}
	if g.finish == "content_filter" {
		message["content"] = nil
	}
	choice := map[string]any{"message": message, "logprobs": nil}
	if string(c.Logprobs) == "true" && !s.o.NoLogprobs {
		all := []any{}
		for i, token := range replyTokens(g.text, r) {
			top := []any{}
			for rank := range c.TopLogprobs {
				top = append(top, map[string]any{"token": alternative(token, rank), "logprob": logprob(g.text, i, rank)})
			}
			all = append(all, map[string]any{"token": token, "logprob": logprob(g.text, i, 0), "top_logprobs": top})
		}
		choice["logprobs"] = map[string]any{"content": all}
	}
	return s.reply(c, r, g, "chat.completion", choice), nil
}

// answer returns the answer in the form that is asked for: JSON in prose where
// only the messages hold a schema, as a model without a grammar writes it.
func (c chatRequest) answer(contents []string) string {
	if f := c.ResponseFormat; f != nil && f.Type == "json_schema" {
		return answerJSON(f.JSONSchema.Schema, contents)
	}
	schema := promptSchema(contents)
	switch {
	case c.ResponseFormat != nil && c.ResponseFormat.Type == "json_object":
		return answerJSON(schema, contents)
	case schema != nil:
		return "Here is the object, I hope it {helps}:\n```json\n" + answerJSON(schema, contents) + "\n```\nIs there anything else?"
	default:
		return Answer(contents...)
	}
}

// promptSchema returns the JSON Schema of an object that a message holds; nil
// where none does.
func promptSchema(contents []string) json.RawMessage {
	for _, content := range contents {
		for _, rest, ok := strings.Cut(content, "{"); ok; _, rest, ok = strings.Cut(rest, "{") {
			var raw json.RawMessage
			var s schema
			if json.NewDecoder(strings.NewReader("{"+rest)).Decode(&raw) == nil && json.Unmarshal(raw, &s) == nil && s.Type == "object" && s.Properties != nil {
				return raw
			}
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
		// The first token of a text has none if a server echoes the prompt, so a
		// place without them stands before all others.
		names, values, tops := []string{""}, []any{nil}, []any{nil}
		for i, token := range replyTokens(g.text, r) {
			likeliest := make(map[string]float64)
			for rank := range top {
				likeliest[alternative(token, rank)] = logprob(g.text, i, rank)
			}
			names, values, tops = append(names, token), append(values, logprob(g.text, i, 0)), append(tops, likeliest)
		}
		choice["logprobs"] = map[string]any{"tokens": names, "token_logprobs": values, "top_logprobs": tops}
	}
	return s.reply(c, r, g, "text_completion", choice), nil
}

// replyTokens returns the tokens of a reply: where it echoes the key, parts of three bytes,
// as tokenizers cut what is not a word.
func replyTokens(text string, r request) (all []string) {
	if r.fault != EchoKey {
		return pieces(text)
	}
	for ; len(text) > 3; text = text[3:] {
		all = append(all, text[:3])
	}
	return append(all, text)
}

// alternative returns the token of a rank in the place of another token.
func alternative(token string, rank int) string {
	if rank == 0 {
		return token
	}
	return " other" + strconv.Itoa(rank)
}

// defaultDim is the length of embeddings where nobody says another.
const defaultDim = 64

func (s *Server) embeddings(r request) ([]byte, *problem) {
	var req struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions"`
	}
	wrong := r.decode(&req)
	switch {
	case wrong != nil:
		return nil, wrong
	case !s.known(req.Model):
		return nil, noModel(req.Model)
	case s.o.NoDimensions && req.Dimensions != 0:
		return nil, refused("dimensions", "", "This model does not support specifying dimensions.")
	}
	dim := cmp.Or(req.Dimensions, s.o.Dim, defaultDim)
	data := make([]any, len(req.Input))
	for i, text := range req.Input {
		if text == "" {
			return nil, refused("input", "", "'$.input' is invalid: input cannot be an empty string.")
		}
		// The last first: the index says which text a vector belongs to.
		data[len(data)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": Embedding(text, dim)}
	}
	if r.fault == OtherModel {
		req.Model += "-served"
	}
	reply := map[string]any{"object": "list", "data": data, "model": req.Model}
	if !s.o.NoUsage {
		used := tokens(req.Input...)
		reply["usage"] = map[string]int{"prompt_tokens": used, "total_tokens": used}
	}
	return encode(reply), nil
}

// predict plays the sequence classification of text-embeddings-inference: its inputs
// are a list of pairs, and it gives a list of labels for each, the likeliest first, with the
// logarithms of their probabilities, which serve as raw scores.
func (s *Server) predict(r request) ([]byte, *problem) {
	var req struct {
		Inputs    [][2]string `json:"inputs"`
		RawScores bool        `json:"raw_scores"`
	}
	if err := json.Unmarshal(r.body, &req); err != nil || !req.RawScores {
		return nil, &problem{status: http.StatusUnprocessableEntity, kind: "Validation", message: fmt.Sprintf("raw_scores is %t, error %v", req.RawScores, err)}
	}
	lists := make([][]prediction, len(req.Inputs))
	for i, pair := range req.Inputs {
		lists[i] = predictions(pair[0], pair[1])
	}
	return encode(lists), nil
}
