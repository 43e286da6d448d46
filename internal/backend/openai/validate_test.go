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
		{func(c *Config) { c.Key = "sk-secret\n" }, "key: it holds white space or control characters; want it as the provider gave it"},
		{func(c *Config) { c.Key, c.Quirks.Extra = "a b", json.RawMessage(`[]`) }, `key: it holds white space or control characters; want it as the provider gave it
extra: not a JSON object; want one such as {"top_p": 0.9}`},
		{func(c *Config) { c.Quirks.Extra = json.RawMessage(`{"Temperature": 1, "stream": true, "top_k": 5}`) }, `extra: "Temperature" is set by the program or would change the form of the reply
extra: "stream" is set by the program or would change the form of the reply`},
		{func(c *Config) { c.Quirks.Extra = json.RawMessage(`null`) }, `extra: not a JSON object; want one such as {"top_p": 0.9}`},
		{func(c *Config) { c.Quirks.Extra = json.RawMessage(`{} {}`) }, "extra: text after the JSON object"},
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
