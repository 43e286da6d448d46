package openai

import (
	"slices"
	"testing"

	"recallbench/internal/door/embed"
)

// TestChoices finds the choice with the index 0 wherever it stands.
func TestChoices(t *testing.T) {
	for _, tt := range []struct{ choices, want string }{
		{`{"index":0,"message":{"content":"a"}}`, "a"},
		{`{"message":{"content":"a"}}`, "a"},
		{`{"index":1,"message":{"content":"alone"}}`, "alone"},
		{`{"index":0,"message":{"content":"a"}},{"index":1,"message":{"content":"b"}}`, "a"},
		{`{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}`, "a"},
		{`{"index":2,"message":{"content":"c"}},{"index":1,"message":{"content":"b"}},{"index":0,"text":"a"}`, "a"},
		{`{"message":{"content":"a"}},{"message":{"content":"b"}}`, "a"},
		{`{"index":1,"message":{"content":"b"}},{"message":{"content":"a"}}`, "a"},
	} {
		c := mustChat(t, Config{BaseURL: canned(t, 200, nil, `{"choices":[`+tt.choices+`]}`), Model: "m"})
		if got, err := c.Generate(t.Context(), ask("hi")); err != nil || got.Text != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.choices, got.Text, err, tt.want)
		}
	}
}

// TestIndexes puts vectors where their indexes say.
func TestIndexes(t *testing.T) {
	for _, tt := range []struct {
		data string
		want []int // which number of each vector is 1; nil for an error
	}{
		{`{"embedding":[1,0,0]},{"embedding":[0,1,0]},{"embedding":[0,0,1]}`, []int{1, 2, 3}},
		{`{"index":2,"embedding":[0,0,1]},{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[0,1,0]}`, []int{1, 2, 3}},
		{`{"index":2,"embedding":[0,0,1]},{"index":1,"embedding":[0,1,0]},{"embedding":[1,0,0]}`, []int{1, 2, 3}},
		{`{"index":0,"embedding":[1,0,0]},{"index":2,"embedding":[0,0,1]},{"embedding":[0,1,0]}`, nil},
		{`{"index":2,"embedding":[0,0,1]},{"embedding":[1,0,0]},{"embedding":[0,1,0]}`, nil},
		{`{"index":0,"embedding":[1,0,0]},{"index":0,"embedding":[0,1,0]},{"index":1,"embedding":[0,0,1]}`, nil},
		{`{"index":-1,"embedding":[1,0,0]},{"index":0,"embedding":[0,1,0]},{"index":1,"embedding":[0,0,1]}`, nil},
		{`{"index":1,"embedding":[1,0,0]},{"index":2,"embedding":[0,1,0]},{"index":3,"embedding":[0,0,1]}`, nil},
	} {
		e := newEmbedder(t, canned(t, 200, nil, `{"data":[`+tt.data+`]}`), EmbedConfig{})
		reply, err := e.Embed(t.Context(), embed.Request{Texts: []string{"a", "b", "c"}})
		var got []int
		for _, v := range reply.Vectors {
			got = append(got, slices.Index(v, 1)+1)
		}
		if (err == nil) != (tt.want != nil) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.data, got, err, tt.want)
		}
	}
}
