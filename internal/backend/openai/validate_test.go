package openai

import "testing"

func TestParseExtra(t *testing.T) {
	const want = `extra: not a JSON object; want one such as {"top_p": 0.9}`
	for text, want := range map[string]string{
		``: "", `{"top_k": 5}`: "", `[]`: want, `null`: want, `{} {}`: want,
		`{"Temperature": 1, "stream": true, "top_k": 5}`: `extra: "Temperature" is set by the program or would change the form of the reply
extra: "stream" is set by the program or would change the form of the reply`,
	} {
		got := ""
		if _, err := ParseExtra(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	const want = "key: contains white space or control characters; want the key as the provider issued it"
	for _, key := range []string{"sk-secret\n", "a b"} {
		_, err := NewChat(Config{BaseURL: "http://host/v1", Key: key, Model: "m"})
		_, err2 := NewEmbedder(EmbedConfig{Config: Config{BaseURL: "http://host/v1", Key: key}})
		if err == nil || err.Error() != want || err2 == nil || err2.Error() != want {
			t.Errorf("got %v, %v, want %s", err, err2, want)
		}
	}
}
