package calls

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/try"
)

// lengths embeds a text as its length and that of its kind.
type lengths struct{ asked *[]embed.Request }

func (l lengths) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	if l.asked != nil {
		*l.asked = append(*l.asked, r)
	}
	var reply embed.Reply
	for _, t := range r.Texts {
		reply.Vectors = append(reply.Vectors, vector(r.Kind, t))
		reply.Tokens += 1 + len(t)/4
	}
	return reply, nil
}

func (lengths) Dim() int { return 0 }

func vector(kind embed.Kind, text string) []float32 {
	return []float32{float32(len(text)), float32(len(kind)), -0.125}
}

func TestEmbedder(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	var asked []embed.Request
	rec := NewRecorder(s, Reuse)
	e := rec.Embedder(testModel, 0, lengths{&asked})
	check := func(e embed.Embedder, kind embed.Kind, texts []string, reused, tokens, reusedTokens int) {
		t.Helper()
		got := try.Get(e.Embed(t.Context(), embed.Request{Kind: kind, Texts: texts}))(t)
		want := embed.Reply{Tokens: tokens, Reused: reused, ReusedTokens: reusedTokens}
		for _, text := range texts {
			want.Vectors = append(want.Vectors, vector(kind, text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", texts, diff)
		}
	}
	check(e, embed.Document, []string{"aaaa", "bbbbbbbb", "aaaa"}, 1, 7, 2)
	check(e, embed.Document, []string{"c", "bbbbbbbb"}, 1, 4, 3)
	check(e, embed.Query, []string{"aaaa"}, 0, 2, 0)
	want := []embed.Request{
		{Kind: embed.Document, Texts: []string{"aaaa", "bbbbbbbb"}},
		{Kind: embed.Document, Texts: []string{"c"}},
		{Kind: embed.Query, Texts: []string{"aaaa"}},
	}
	try.Equal(t, "asked", want, asked)

	replay := NewRecorder(openStore(t, dir), Replay).Embedder(testModel, 0, nil)
	try.Equal(t, "dimension of a replay", 3, replay.Dim())
	check(replay, embed.Document, []string{"bbbbbbbb", "c", "aaaa"}, 3, 6, 6)
	if _, err := replay.Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: []string{"c", "new"}}); fault.KindOf(err) != fault.Miss {
		t.Errorf("a text that is not recorded: error %v", err)
	}
	if got, err := replay.Embed(t.Context(), embed.Request{}); err != nil || len(got.Vectors) != 0 {
		t.Errorf("no text: %v, error %v", got, err)
	}
}

// fixedVectors replies with the same vectors whatever was asked.
type fixedVectors [][]float32

func (f fixedVectors) Embed(context.Context, embed.Request) (embed.Reply, error) {
	return embed.Reply{Vectors: f}, nil
}

func (fixedVectors) Dim() int { return 0 }

func TestEmbedderFaults(t *testing.T) {
	zero := float32(0)
	for want, vectors := range map[string]fixedVectors{
		"1 vectors for 2 texts":               {{1, 2}},
		"dimension 3, want 2":                 {{1, 2}, {1, 2, 3}},
		"without elements":                    {{1, 2}, {}},
		"element 1 of a vector of m-1 is NaN": {{1, 2}, {1, zero / zero}},
	} {
		s := openStore(t, t.TempDir())
		e := NewRecorder(s, Record).Embedder(testModel, 0, vectors)
		_, err := e.Embed(t.Context(), embed.Request{Texts: []string{"a", "b"}})
		if fault.KindOf(err) != fault.BadReply || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if all, err := s.Recordings(); err != nil || len(all) > 0 {
			t.Errorf("%s: %d recordings, error %v", want, len(all), err)
		}
	}
	// The dimension that a config asks for holds for recordings, too, and that of recordings
	// for what is embedded later.
	s := openStore(t, t.TempDir())
	try.Get(NewRecorder(s, Record).Embedder(testModel, 0, lengths{}).Embed(t.Context(), embed.Request{Texts: []string{"a"}}))(t)
	e := NewRecorder(s, Replay).Embedder(testModel, 4, nil)
	if _, err := e.Embed(t.Context(), embed.Request{Texts: []string{"a"}}); err == nil || !strings.Contains(err.Error(), "dimension 3, want 4") {
		t.Errorf("error %v", err)
	}
	e = NewRecorder(s, Reuse).Embedder(testModel, 0, fixedVectors{{1}})
	if _, err := e.Embed(t.Context(), embed.Request{Texts: []string{"b"}}); err == nil || !strings.Contains(err.Error(), "dimension 1, want 3") {
		t.Errorf("error %v", err)
	}
}

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		tokens int
		sizes  []int
		want   []int
	}{
		{10, []int{5, 5}, []int{5, 5}},
		{10, []int{1, 1, 1}, []int{3, 4, 3}},
		{7, []int{10, 0, 30}, []int{2, 0, 5}},
		{1, []int{1, 9}, []int{0, 1}},
		{5, []int{0, 0}, []int{5, 0}},
		{0, []int{3, 4}, []int{0, 0}},
		{3, nil, []int{}},
	} {
		var texts []string
		for _, n := range tt.sizes {
			texts = append(texts, strings.Repeat("x", n))
		}
		if got := share(tt.tokens, texts); !slices.Equal(got, tt.want) {
			t.Errorf("share(%d, %v) = %v, want %v", tt.tokens, tt.sizes, got, tt.want)
		}
	}
}

// sums scores a pair by its lengths.
type sums struct{ asked *[]nli.Pair }

func (s sums) Entail(_ context.Context, pairs []nli.Pair) ([]float64, error) {
	if s.asked != nil {
		*s.asked = append(*s.asked, pairs...)
	}
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		scores[i] = 1 / float64(1+len(p.Premise)+10*len(p.Hypothesis))
	}
	return scores, nil
}

func TestScorer(t *testing.T) {
	s := openStore(t, t.TempDir())
	a, b, c := nli.Pair{Premise: "a", Hypothesis: "h"}, nli.Pair{Premise: "ab", Hypothesis: "h"}, nli.Pair{Premise: "h", Hypothesis: "ab"}
	var asked []nli.Pair
	live := NewRecorder(s, Reuse).Scorer(testModel, sums{&asked})
	for _, pairs := range [][]nli.Pair{{a, b, a}, {b, c}, nil} {
		try.Get(live.Entail(t.Context(), pairs))(t)
	}
	try.Equal(t, "asked", []nli.Pair{a, b, c}, asked)
	replay := NewRecorder(s, Replay).Scorer(testModel, nil)
	got := try.Get(replay.Entail(t.Context(), []nli.Pair{c, b, a}))(t)
	try.Equal(t, "replayed", []float64{1.0 / 22, 1.0 / 13, 1.0 / 12}, got)
	if _, err := replay.Entail(t.Context(), []nli.Pair{{Premise: "h", Hypothesis: "a"}}); fault.KindOf(err) != fault.Miss {
		t.Errorf("a pair that is not recorded: error %v", err)
	}
	for _, p := range []float64{-0.1, 1.5} {
		bad := NewRecorder(s, Record).Scorer(testModel, constant(p))
		if _, err := bad.Entail(t.Context(), []nli.Pair{a}); fault.KindOf(err) != fault.BadReply {
			t.Errorf("a score of %v: error %v", p, err)
		}
	}
	if NewRecorder(nil, Off).Scorer(testModel, sums{}) == nil || NewRecorder(s, Reuse).Scorer(testModel, nil) != nil {
		t.Error("a recorder that is off loses a door, or one that reuses makes one")
	}
}

type constant float64

func (c constant) Entail(_ context.Context, pairs []nli.Pair) ([]float64, error) {
	return slices.Repeat([]float64{float64(c)}, len(pairs)), nil
}
