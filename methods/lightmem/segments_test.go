package lightmem

import (
	"context"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// TestUnlike raises the threshold from 0.2 by 0.05 until a cosine is below it, up
// to 0.5.
func TestUnlike(t *testing.T) {
	for _, tt := range []struct {
		cosines []float64
		want    []int
	}{
		{[]float64{0.19, 0.5, 0.1, 0.2}, []int{1, 3}},
		{[]float64{0.3, 0.22, 0.24, 0.26}, []int{2, 3}},
		{[]float64{0.3, 0.26}, []int{2}},
		{[]float64{0.49, 0.6}, []int{1}},
		{[]float64{0.5, 0.6}, nil},
		{nil, nil},
	} {
		if got := unlike(tt.cosines); !slices.Equal(got, tt.want) {
			t.Errorf("cosines %v: boundaries %v, want %v", tt.cosines, got, tt.want)
		}
	}
}

// lettered gives a text the vector of its first letter: equal letters are alike,
// others not at all.
type lettered struct{}

func (lettered) Dim() int                                                { return 0 }
func (l lettered) Fit(context.Context, []string) (embed.Embedder, error) { return l, nil }
func (lettered) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, text := range r.Texts {
		v := make([]float32, 26)
		v[text[0]-'a'] = 1
		reply.Vectors = append(reply.Vectors, v)
	}
	return reply, nil
}

// flow returns the batches that messages come to, as their texts, segments apart
// by a stroke. Each message is so many tokens as its text is long, and two more in
// the buffer.
func flow(t *testing.T, room sizes, texts ...string) (batches []string) {
	t.Helper()
	m := makeMethod(t, Defaults(), methodtest.Plain)
	m.sizes = room
	b := &builder{memory: memory{method: m, space: lettered{}}}
	for _, text := range texts {
		b.messages = append(b.messages, message{short: text, tokens: len(text) + special})
	}
	m.tokens = letters{}
	for i := range texts {
		segments := try.Get(b.sense(t.Context(), i))(t)
		last := i == len(texts)-1
		if last {
			rest := try.Get(b.cut(t.Context(), true))(t)
			segments = append(segments, rest...)
		}
		for _, batch := range b.gather(segments, last) {
			var topics []string
			for _, s := range batch {
				topics = append(topics, strings.Join(texts[s.first:s.end], ""))
			}
			batches = append(batches, strings.Join(topics, "|"))
		}
	}
	return batches
}

// letters counts bytes.
type letters struct{}

func (letters) Name() string          { return "letters" }
func (letters) Count(text string) int { return len(text) }

// TestFlow takes messages through both buffers. Joining the messages of a segment
// costs a space each, as the authors count.
func TestFlow(t *testing.T) {
	for _, tt := range []struct {
		name          string
		buffer, short int
		texts, want   []string
	}{
		{"the buffer holds all", 100, 100, []string{"aa", "a", "b", "c"}, []string{"aaa|b|c"}},
		{"what is behind the last boundary stays", 9, 100, []string{"a", "b", "b", "b"}, []string{"a|bbb"}},
		{"no boundary: the whole buffer", 6, 100, []string{"a", "a", "a"}, []string{"aa|a"}},
		{"cut until there is room", 9, 100, []string{"a", "b", "cccccc"}, []string{"a|b|cccccc"}},
		{"larger than the buffer", 5, 100, []string{"a", "bbbbbbbb", "b"}, []string{"a|bbbbbbbb|b"}},
		{"the short-term memory is full", 100, 3, []string{"a", "a", "b", "c", "d"}, []string{"aa", "b|c|d"}},
		{"one more and it is not", 100, 4, []string{"a", "a", "b", "c", "d"}, []string{"aa|b", "c|d"}},
	} {
		if got := flow(t, sizes{tt.buffer, tt.short}, tt.texts...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
