package openai

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

func newEmbedder(tb testing.TB, base string, dimensions int) *Embedder {
	tb.Helper()
	return try.Get(NewEmbedder(Config{BaseURL: base, Key: testKey, Model: "e"}, dimensions))(tb)
}

func TestEmbed(t *testing.T) {
	texts := []string{"the cat", "a dog", "<b>", "", "cat and dog"}
	for _, tt := range []struct {
		dimensions, dim int
		fields          string
	}{
		{0, 64, ""},
		{16, 16, `,"dimensions":16`},
	} {
		var sent recorder
		s := modelserver.New(t, modelserver.Options{Observe: sent.observe})
		got := try.Get(newEmbedder(t, s.URL, tt.dimensions).Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: texts}))(t)
		sameJSON(t, `{"model":"e","input":["the cat","a dog","<b>"," ","cat and dog"]`+tt.fields+`}`, strings.Join(sent.bodies, ","))
		want := embed.Reply{Tokens: got.Tokens}
		for _, text := range texts {
			want.Vectors = append(want.Vectors, modelserver.Embedding(text, tt.dim))
		}
		if near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }); got.Tokens == 0 {
			t.Error("no tokens")
		} else {
			try.Equal(t, "reply", want, got, near)
		}
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
		e := newEmbedder(t, canned(t, 200, nil, `{"data":[{"embedding":`+tt.vector+`}],"usage":{"total_tokens":2}}`), 0)
		got, err := e.Embed(t.Context(), embed.Request{Texts: []string{"a"}})
		near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-7 })
		if diff := cmp.Diff(embed.Reply{Vectors: [][]float32{tt.want}, Tokens: 2}, got, near); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.vector, err, diff)
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
		e := newEmbedder(t, canned(t, 200, nil, `{"data":[`+tt.data+`]}`), 0)
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
		_, err := newEmbedder(t, base, tt.dim).Embed(t.Context(), embed.Request{Texts: []string{"a", "b"}})
		got := strings.Replace(faultOf(t, err).Error(), `model "e" at `+base+`: `, "", 1)
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
		}
	}
}
