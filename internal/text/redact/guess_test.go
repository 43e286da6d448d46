package redact

import (
	"slices"
	"testing"
)

func TestGuess(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"key sk-proj-Abc123DEF456ghi789, and more", "key [key], and more"},
		{"OPENAI_API_KEY=sk-0123456789abcdef", "OPENAI_API_KEY=[key]"},
		{"hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567", "[key]"},
		{"AKIAABCDEFGHIJKLMNOP", "[key]"},
		{"Authorization: Bearer abcdefghijklmnop0123", "Authorization: Bearer [key]"},
		{`Get "https://ann:secret@host/v1": refused`, `Get "https://[key]@host/v1": refused`},
		{"https://token@host/v1", "https://[key]@host/v1"},
		{"http://h/v1?a=b&api_key=x1&c=d", "http://h/v1?a=b&api_key=[key]&c=d"},
		{"?key=a&token=b", "?key=[key]&token=[key]"},
		// What only looks a little like it.
		{"hf_all-MiniLM-L6-v2", "hf_all-MiniLM-L6-v2"},
		{"sk-learn-is-a-library-of-python", "sk-learn-is-a-library-of-python"},
		{"https://host/a@b", "https://host/a@b"},
		{"mail ann@example.org", "mail ann@example.org"},
		{"what is the key=5 of it?", "what is the key=5 of it?"},
		{"basic understanding", "basic understanding"},
		{"task-0123456789abcdefgh", "task-0123456789abcdefgh"},
		{"", ""},
	} {
		if got := Guess(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestLiterals(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        []string
	}{
		{"api_key", "x", []string{"x"}},
		{"X-API-Key", "word", []string{"word"}},
		{"tokenizer", "o200k_base", nil},
		{"max_tokens", "12", nil},
		{"base_url", "http://a:b@h?key=c", []string{"a:b", "c"}},
		{"label", "sk-0123456789abcdef", []string{"sk-0123456789abcdef"}},
		{"key", "", nil},
	} {
		if got := Literals(tt.name, tt.value); !slices.Equal(got, tt.want) {
			t.Errorf("%s=%s: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestLooksLikeKey(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": false, "OPENAIKEY2024PRODUCTION": false, "MY_KEY_1234567890_abcdef": false, "openaiApiKeyOfProduction": false,
		"keys/openai.txt": false, "/run/secrets/openai-key-20240101": false, "": false, "key1": false,
		"0f1e2d3c4b5a69788796a5b4c3d2e1f0": true, "hfAbCdEfGhIjKlMnOpQrStUvWx12345": true, "sk-proj-Abc123DEF456ghi789": true,
	} {
		if got := LooksLikeKey(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}
