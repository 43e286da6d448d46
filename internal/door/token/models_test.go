package token

import "testing"

func TestForModel(t *testing.T) {
	for _, tt := range []struct{ model, want string }{
		{"gpt-4o", "o200k_base"},
		{"gpt-4o-mini-2024-07-18", "o200k_base"},
		{"chatgpt-4o-latest", "o200k_base"},
		{"gpt-4.1-mini", "o200k_base"},
		{"gpt-4.5-preview", "o200k_base"},
		{"gpt-5", "o200k_base"},
		{"gpt-5-mini-2025-08-07", "o200k_base"},
		{"gpt-5.1", "o200k_base"},
		{"gpt-5.1-codex", "o200k_base"},
		{"o1", "o200k_base"},
		{"o3-mini", "o200k_base"},
		{"o4-mini-2025-04-16", "o200k_base"},
		{"gpt-oss:20b", "o200k_base"},
		{"openai/gpt-4o", "o200k_base"},
		{"ft:gpt-4o-mini-2024-07-18:org::id", "o200k_base"},
		{"gpt-4", "cl100k_base"},
		{"gpt-4-0613", "cl100k_base"},
		{"gpt-4-turbo-2024-04-09", "cl100k_base"},
		{"gpt-3.5-turbo", "cl100k_base"},
		{"gpt-35-turbo", "cl100k_base"},
		{"text-embedding-3-small", "cl100k_base"},
		{"text-embedding-ada-002", "cl100k_base"},
		{"", ""},
		{"gpt-", ""},
		{"gpt-40", ""},
		{"gpt-6", ""},
		{"o2", ""},
		{"o1x", ""},
		{"olmo", ""},
		{"text-embedding-004", ""},
		{"Qwen/Qwen3-8B", ""},
		{"my-gpt-4", ""},
	} {
		got, ok := ForModel(tt.model)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("ForModel(%q) = %q, %v, want %q", tt.model, got, ok, tt.want)
		}
	}
}
