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

// attend makes topics end as the authors' segmenter does: also by how much each of some
// texts attends to each before it, as rows of shares.
func (m *method) attend(attention func(ctx context.Context, texts []string) ([][]float64, error)) {
	m.bounds = func(b *builder, ctx context.Context, messages []message) ([]int, error) {
		texts := make([]string, len(messages))
		for i, m := range messages {
			texts[i] = m.short
		}
		matrix, err := attention(ctx, texts)
		coarse := peaks(matrix)
		if err != nil || len(coarse) == 0 {
			return nil, err
		}
		fine, err := b.boundaries(ctx, messages)
		return near(fine, coarse), err
	}
}

// peaks returns the boundaries that a matrix of attention shows: of the shares
// M[k+1][k] of a message's attention that go to the one before it, those k whose
// share is larger than both its neighbours'. The first and the last share are never
// one. The authors number them from 0 and compare them with numbers of messages from
// 1. So k stands for the boundary before message k, and the share is that of message
// k+1.
func peaks(matrix [][]float64) (found []int) {
	share := func(k int) float64 { return matrix[k+1][k] }
	for k := 1; k < len(matrix)-2; k++ {
		if share(k-1) < share(k) && share(k) > share(k+1) {
			found = append(found, k)
		}
	}
	return found
}

// reach is how far from a coarse boundary a fine one may be.
const reach = 3

// near returns the fine boundaries within reach of a coarse one, and all of them
// where none is.
func near(fine, coarse []int) (found []int) {
	for _, f := range fine {
		for _, c := range coarse {
			if f-c >= -reach && f-c <= reach {
				found = append(found, f)
				break
			}
		}
	}
	if len(found) == 0 {
		return fine
	}
	return found
}

// TestPeaks numbers boundaries by attention as the authors do: k stands for the
// share M[k+1][k]; the first and the last share are never one.
func TestPeaks(t *testing.T) {
	matrix := func(shares ...float64) [][]float64 {
		m := [][]float64{{}}
		for i, s := range shares {
			row := make([]float64, i+1)
			row[i] = s
			m = append(m, row)
		}
		return m
	}
	for _, tt := range []struct {
		shares []float64
		want   []int
	}{
		{nil, nil},
		{[]float64{0.9}, nil},
		{[]float64{0.1, 0.9}, nil},
		{[]float64{0.1, 0.9, 0.1}, []int{1}},
		{[]float64{0.9, 0.1, 0.9}, nil},      // ends
		{[]float64{0.1, 0.9, 0.9, 0.1}, nil}, // not larger than its neighbour
		{[]float64{1, 0.2, 0.5, 0.3, 0.6, 0.1, 0.7}, []int{2, 4}},
	} {
		if got := peaks(matrix(tt.shares...)); !slices.Equal(got, tt.want) {
			t.Errorf("shares %v: boundaries %v, want %v", tt.shares, got, tt.want)
		}
	}
}

// TestNear keeps fine boundaries within three of a coarse one. Coarse ones count
// from 0 and fine ones from 1, so that of the messages around the peak M[6][5]
// those from 2 to 8 count, and 9 does not.
func TestNear(t *testing.T) {
	for _, tt := range []struct{ fine, coarse, want []int }{
		{[]int{1, 2, 8, 9}, []int{5}, []int{2, 8}},
		{[]int{1, 9}, []int{5}, []int{1, 9}}, // none is near: all stay
		{[]int{1, 9}, nil, []int{1, 9}},
		{nil, []int{5}, nil},
		{[]int{4}, []int{5, 6}, []int{4}},
	} {
		if got := near(tt.fine, tt.coarse); !slices.Equal(got, tt.want) {
			t.Errorf("fine %v, coarse %v: %v, want %v", tt.fine, tt.coarse, got, tt.want)
		}
	}
}

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

func (lettered) Info() embed.Info                                        { return embed.Info{} }
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
func flow(t *testing.T, room sizes, attention [][]float64, texts ...string) (batches []string) {
	t.Helper()
	m := makeMethod(t, Defaults(), methodtest.Plain)
	m.sizes = room
	if attention != nil {
		m.attend(func(context.Context, []string) ([][]float64, error) { return attention, nil })
	}
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
		attention     [][]float64
	}{
		{"the buffer holds all", 100, 100, []string{"aa", "a", "b", "c"}, []string{"aaa|b|c"}, nil},
		{"what is behind the last boundary stays", 9, 100, []string{"a", "b", "b", "b"}, []string{"a|bbb"}, nil},
		{"no boundary: the whole buffer", 6, 100, []string{"a", "a", "a"}, []string{"aa|a"}, nil},
		{"cut until there is room", 9, 100, []string{"a", "b", "cccccc"}, []string{"a|b|cccccc"}, nil},
		{"larger than the buffer", 5, 100, []string{"a", "bbbbbbbb", "b"}, []string{"a|bbbbbbbb|b"}, nil},
		{"the short-term memory is full", 100, 3, []string{"a", "a", "b", "c", "d"}, []string{"aa", "b|c|d"}, nil},
		{"one more and it is not", 100, 4, []string{"a", "a", "b", "c", "d"}, []string{"aa|b", "c|d"}, nil},
		{"no peak of attention: the whole buffer", 100, 100, []string{"a", "b", "c"}, []string{"abc"}, [][]float64{{}, {1}, {0, 1}}},
	} {
		if got := flow(t, sizes{tt.buffer, tt.short}, tt.attention, tt.texts...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
