package openai

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

func newEmbedder(tb testing.TB, base string, c EmbedConfig) *Embedder {
	tb.Helper()
	c.BaseURL, c.Key, c.Model = base, testKey, "e"
	if c.BatchTexts == 0 {
		c.BatchTexts = 100
	}
	if c.Count == nil {
		c.Count = func(string) int { return 1 }
	}
	e := try.Get(NewEmbedder(c))(tb)
	return e
}

func TestEmbed(t *testing.T) {
	texts := []string{"the cat", "a dog", "rain again", "", "cat and dog"}
	for _, tt := range []struct {
		name string
		o    modelserver.Options
		c    EmbedConfig
		dim  int
	}{
		{"defaults", modelserver.Options{}, EmbedConfig{}, 64},
		{"dimensions", modelserver.Options{}, EmbedConfig{Dimensions: 16}, 16},
		{"served by another", modelserver.Options{Rate: 1, Faults: []modelserver.Fault{modelserver.OtherModel}}, EmbedConfig{}, 64},
	} {
		s := modelserver.New(t, tt.o)
		e := newEmbedder(t, s.URL, tt.c)
		got, err := e.Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: texts})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want := embed.Reply{Tokens: 10} // a text that is empty is sent as one space
		for _, text := range texts {
			want.Vectors = append(want.Vectors, modelserver.Embedding(text, tt.dim))
		}
		near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
		try.Equal(t, tt.name, want, got, near)
		if n := s.Stats().Arrived; n != 1 {
			t.Errorf("%s: %d requests, want 1", tt.name, n)
		}
		if diff := cmp.Diff(embed.Info{Name: "e", Dim: tt.dim, Normalised: true}, e.Info()); diff != "" {
			t.Errorf("%s: info (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestEmbedBodies(t *testing.T) {
	var got recorder
	s := modelserver.New(t, modelserver.Options{Observe: got.observe})
	e := newEmbedder(t, s.URL, EmbedConfig{Dimensions: 8, QueryPrefix: "query: ", DocumentPrefix: "passage: "})
	for _, r := range []embed.Request{{Kind: embed.Query, Texts: []string{"a"}}, {Kind: embed.Document, Texts: []string{"<b>", ""}}} {
		try.Get(e.Embed(t.Context(), r))(t)
	}
	want := []string{
		`{"model":"e","input":["query: a"],"dimensions":8}`,
		`{"model":"e","input":["passage: <b>","passage: "],"dimensions":8}`,
	}
	sameJSON(t, "["+strings.Join(want, ",")+"]", "["+strings.Join(got.bodies, ",")+"]")
	const fixed = `{"dimensions":8,"document_prefix":"passage: ","query_prefix":"query: "}`
	if got := string(e.Fixed()); got != fixed {
		t.Errorf("fixed is %s, want %s", got, fixed)
	}
	if got := string(newEmbedder(t, s.URL, EmbedConfig{}).Fixed()); got != "{}" {
		t.Errorf("fixed of the defaults is %s", got)
	}
}

func TestBatches(t *testing.T) {
	words := func(s string) int { return batchTokens / 3 * len(strings.Fields(s)) } // three fit
	for _, tt := range []struct {
		c     EmbedConfig
		texts string // cut at commas
		want  string
	}{
		{EmbedConfig{}, "a,b,c", "a,b,c"},
		{EmbedConfig{BatchTexts: 2}, "a,b,c", "a,b|c"},
		{EmbedConfig{BatchTexts: 2}, "a,b,c,d", "a,b|c,d"},
		{EmbedConfig{Count: words}, "a a,b,c c,d,e", "a a,b|c c,d|e"},
		{EmbedConfig{Count: words}, "a,b b b b b,c", "a|b b b b b|c"},
		{EmbedConfig{Count: words, DocumentPrefix: "p "}, "a,b,c", "a|b|c"},
	} {
		e := newEmbedder(t, "http://host", tt.c)
		var got []string
		for _, b := range e.Batches(embed.Request{Kind: embed.Document, Texts: strings.Split(tt.texts, ",")}) {
			if b.Kind != embed.Document {
				t.Errorf("%q: a batch is of the kind %q", tt.texts, b.Kind)
			}
			got = append(got, strings.Join(b.Texts, ","))
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%q: got %q, want %q", tt.texts, strings.Join(got, "|"), tt.want)
		}
	}
	if got := newEmbedder(t, "http://host", EmbedConfig{}).Batches(embed.Request{}); len(got) != 0 {
		t.Errorf("no text gives %v", got)
	}
}

func TestVectors(t *testing.T) {
	for _, tt := range []struct {
		vector string
		want   []float32
	}{
		{"[3,4]", []float32{0.6, 0.8}},
		{"[0.6001,0.8]", []float32{0.6001, 0.8}},
		{"[0,0]", []float32{0, 0}},
		{"[1e-50]", []float32{0}},
	} {
		e := newEmbedder(t, canned(t, 200, nil, `{"data":[{"embedding":`+tt.vector+`}],"usage":{"total_tokens":2}}`), EmbedConfig{})
		got, err := e.Embed(t.Context(), embed.Request{Texts: []string{"a"}})
		near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-7 })
		if diff := cmp.Diff(embed.Reply{Vectors: [][]float32{tt.want}, Tokens: 2}, got, near); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.vector, err, diff)
		}
	}
}

func TestEmbedFaults(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		dim    int
		want   string
	}{
		{200, `{"data":[{"embedding":[1]}]}`, 0, `bad-reply: the reply has 1 vectors for 2 texts; it is: {"data":[{"embedding":[1]}]}`},
		{200, `{"data":[{"embedding":[1]},{"embedding":[]}]}`, 0, "bad-reply: the reply has a vector without numbers"},
		{200, `{"data":[{"embedding":[1]},{"embedding":[1,2]}]}`, 0, "rejected: the vectors have 2 dimensions, earlier ones had 1; has the model behind the name changed?"},
		{200, `{"data":[{"embedding":[1]},{"embedding":[1]}]}`, 5, "rejected: the vectors have 1 dimensions, 5 were requested; the model may only support its own: leave dimensions out"},
		{200, `{"data":[{"embedding":[1e50]},{"embedding":[1]}]}`, 0, `bad-reply: the reply is not the JSON of a list of embeddings: data.embedding is of the type number 1e50; it is: {"data":[{"embedding":[1e50]},{"embedding":[1]}]}`},
		{200, `{"data":"none"}`, 0, "bad-reply: the reply is not the JSON of a list of embeddings: data is of the type string; it is: {\"data\":\"none\"}"},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens"}}`, 0, "rejected (HTTP 400): This model's maximum context length is 8192 tokens; the prompt is longer than the model's context: shorten it, or use a model with a larger context"},
	} {
		base := canned(t, tt.status, nil, tt.body)
		_, err := newEmbedder(t, base, EmbedConfig{Dimensions: tt.dim}).Embed(t.Context(), embed.Request{Texts: []string{"a", "b"}})
		got := strings.Replace(faultOf(t, err).Error(), `model "e" at `+base+`: `, "", 1)
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
		}
	}
}
