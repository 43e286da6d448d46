package provider

import (
	"context"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// TestSeedOfRepeats checks that each repeat of a request gets a seed of its own, unless the
// request brings one.
func TestSeedOfRepeats(t *testing.T) {
	var sent *int64
	g := Chat{SendSeed: true}.prepare(llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		sent = r.Params.Seed
		return llm.Reply{Text: "yes"}, nil
	}), func(r llm.Request) llm.Request { return r }, 7)
	for _, tt := range []struct {
		repeat int
		own    *int64
		want   int64
	}{{0, nil, 7}, {1, nil, 8}, {2, nil, 9}, {2, new(int64(5)), 5}} {
		try.Get(g.Generate(t.Context(), llm.Request{Repeat: tt.repeat, Params: llm.Params{Seed: tt.own}}))(t)
		if sent == nil || *sent != tt.want {
			t.Errorf("repeat %d with own seed %v is sent %v, want %d", tt.repeat, tt.own, sent, tt.want)
		}
	}
}
