package openai

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	good := Config{BaseURL: "https://host/v1", Model: "m"}
	for _, tt := range []struct {
		change func(*Config)
		want   string // each line is a fault; empty for none
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.BaseURL = "http://localhost:11434" }, ""},
		{func(c *Config) { c.BaseURL = "" }, "base_url: there is none; want an address such as https://api.openai.com/v1"},
		{func(c *Config) { c.BaseURL = "/v1" }, "base_url: not an absolute http or https address; want an address such as https://api.openai.com/v1"},
		{func(c *Config) { c.BaseURL = "ftp://host" }, "base_url: not an absolute http or https address; want an address such as https://api.openai.com/v1"},
		{func(c *Config) { c.BaseURL = "http://user:sk-secret word@host:x" }, "base_url: not an absolute http or https address; want an address such as https://api.openai.com/v1"},
		{func(c *Config) { c.BaseURL = "https://sk-secret@host/v1" }, "base_url: it holds a user or password; a key belongs into key"},
		{func(c *Config) { c.BaseURL = "https://host/v1?key=sk-secret" }, "base_url: it holds a query or fragment; want an address such as https://api.openai.com/v1, and a key belongs into key"},
		{func(c *Config) { c.BaseURL = "https://host/v1#sk-secret" }, "base_url: it holds a query or fragment; want an address such as https://api.openai.com/v1, and a key belongs into key"},
		{func(c *Config) { c.Key = "sk-secret\n" }, "key: it holds white space or control characters; want it as the provider gave it"},
		{func(c *Config) {
			c.Quirks = Quirks{Omit: []string{"seed", "top_p"}, MaxTokens: "max", Format: "yaml", System: "bot", Extra: json.RawMessage(`[]`)}
		}, `omit: unknown value "top_p"; want one of temperature, seed, max_tokens, logprobs, top_logprobs, response_format, reasoning_effort
max_tokens_field: unknown value "max"; want one of max_tokens, max_completion_tokens
format: unknown value "yaml"; want one of auto, json_schema, json_object, prompt
system: unknown value "bot"; want one of system, developer, user
extra: not a JSON object; want one such as {"top_p": 0.9}`},
		{func(c *Config) { c.Quirks.Extra = json.RawMessage(`{"Temperature": 1, "stream": true, "top_k": 5}`) }, `extra: "Temperature" is set by the program or would change the form of the reply
extra: "stream" is set by the program or would change the form of the reply`},
		{func(c *Config) { c.Quirks.Extra = json.RawMessage(`null`) }, `extra: not a JSON object; want one such as {"top_p": 0.9}`},
		{func(c *Config) { c.Quirks.Extra = json.RawMessage(`{} {}`) }, "extra: text after the JSON object"},
		{func(c *Config) { *c = Config{} }, "base_url: there is none; want an address such as https://api.openai.com/v1\nmodel: there is none; want the name by which the server knows it"},
	} {
		c := good
		tt.change(&c)
		want := tt.want
		for name, err := range map[string]error{"chat": second(NewChat(c)), "embedder": second(NewEmbedder(EmbedConfig{Config: c}))} {
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
			if strings.Contains(got, "secret") {
				t.Errorf("%s: the message holds a secret: %s", name, got)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestValidateEmbedder(t *testing.T) {
	_, err := NewEmbedder(EmbedConfig{Config: Config{BaseURL: "http://host", Model: "m"}, Dimensions: -1, BatchTexts: -1, BatchTokens: -1, Normalise: "l2", Encoding: "int8"})
	const want = `normalise: unknown value "l2"; want one of auto, always, never
encoding: unknown value "int8"; want one of float, base64
dimensions is -1; want at least 0
batch_texts is -1; want at least 0
batch_tokens is -1; want at least 0`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
