package provider

import (
	"path/filepath"
	"testing"

	"recallbench/internal/backend"
)

// TestEmbedFolder checks where a local embedder is looked for.
func TestEmbedFolder(t *testing.T) {
	set := func(string) string { return "fetched" }
	for _, tt := range []struct {
		embed  Embed
		getenv func(string) string
		want   string
	}{
		{Embed{Dir: "mine", Model: "m"}, set, filepath.Join("base", "mine")},
		{Embed{Model: "m"}, set, filepath.Join("fetched", "m")},
		{Embed{Model: "m"}, nil, filepath.Join("models", "m")},
		{Embed{Model: "m"}, func(string) string { return "" }, filepath.Join("models", "m")},
	} {
		if got := tt.embed.folder(backend.Env{Base: "base", Getenv: tt.getenv}); got != tt.want {
			t.Errorf("%+v: folder %s, want %s", tt.embed, got, tt.want)
		}
	}
}
