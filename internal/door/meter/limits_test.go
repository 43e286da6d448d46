package meter

import (
	"context"
	"strings"
	"testing"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

func user(text string) []llm.Message { return []llm.Message{{Role: llm.User, Content: text}} }

func TestLimits(t *testing.T) {
	reply := llm.Reply{Text: "one two", Usage: llm.Usage{Calls: 1, Input: 3, Output: 2}}
	g := Generator(llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) { return reply, nil }),
		words{}, func(_ string, u llm.Usage) (float64, bool) { return float64(u.Total()), true })
	for _, tt := range []struct {
		limits Limits
		made   int // calls before one is refused
		want   string
	}{
		{Limits{Calls: 2}, 2, "limit: the question has made 2 calls, its limit (limits.request.calls)"},
		{Limits{Tokens: 13}, 3, "limit: the question has used 15 tokens and its next prompt has 3, above its limit of 13 (limits.request.tokens)"},
		{Limits{Tokens: 2}, 0, "limit: the question has used 0 tokens and its next prompt has 3, above its limit of 2 (limits.request.tokens)"},
		{Limits{USD: 6}, 2, "limit: the question has cost $10.0000, its limit is $6 (limits.request.usd)"},
	} {
		ctx, m := With(t.Context(), ticking(), tt.limits)
		made := 0
		var err error
		for ; made < 10; made++ {
			if _, err = g.Generate(ctx, llm.Request{Role: "reader", Messages: user("who was it")}); err != nil {
				break
			}
		}
		if made != tt.made || err == nil || err.Error() != tt.want || fault.KindOf(err) != fault.Limit {
			t.Errorf("%+v: %d calls, then %v; want %d and %q", tt.limits, made, err, tt.made, tt.want)
		}
		if got := m.Seen().Usage["reader"].Calls; got != tt.made {
			t.Errorf("%+v: %d calls metered", tt.limits, got)
		}
	}
}

// The accounting of the paper: raw text, and what calls share once.
func TestText(t *testing.T) {
	usage := llm.Usage{Calls: 1, Input: 50, Output: 9}
	g := Generator(llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "x y", Usage: usage}, nil
	}), words{}, nil)
	shared := "a b c\n"
	ctx, m := With(t.Context(), ticking(), Limits{})
	for _, r := range []llm.Request{
		{Role: "prober", Messages: user(shared + "d"), Prefix: len(shared)},
		{Role: "prober", Messages: user(shared + "e f"), Prefix: len(shared)},
		{Role: "prober", Messages: user("other\ng"), Prefix: len("other\n")},
		{Role: "reader", Messages: user("h i")},
	} {
		try.Get(g.Generate(ctx, r))(t)
	}
	want := map[string]int{"prober": (4 + 2) + (2 + 2) + (2 + 2), "reader": 2 + 2}
	try.Equal(t, "", want, m.Seen().Text)
	// Another request begins with nothing shared.
	ctx, m = With(t.Context(), ticking(), Limits{})
	try.Get(g.Generate(ctx, llm.Request{Role: "prober", Messages: user(shared), Prefix: len(shared)}))(t)
	if got := m.Seen().Text["prober"]; got != 3+2 {
		t.Errorf("%d tokens in a new request, want 5", got)
	}
}

// Where nothing else is counted than what is used, nothing else is said.
func TestTextIsUsage(t *testing.T) {
	ctx, m := With(t.Context(), ticking(), Limits{})
	try.Get(Generator(llm.Echo(), words{}, Free).Generate(ctx, llm.Request{Role: "reader", Messages: user("a b")}))(t)
	if got := m.Seen().Text; got != nil {
		t.Errorf("%v, want nothing beside the usage", got)
	}
}

// What recordings give costs, but is not paid.
func TestPaid(t *testing.T) {
	price := func(_ string, u llm.Usage) (float64, bool) { return float64(u.Total()) / 10, true }
	reused := false
	g := Generator(llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "x", Usage: llm.Usage{Calls: 1, Input: 9, Output: 1}, Reused: reused, Attempts: 3}, nil
	}), words{}, price)
	ctx, m := With(t.Context(), ticking(), Limits{})
	for _, reused = range []bool{false, true, true} {
		try.Get(g.Generate(ctx, llm.Request{Role: "reader"}))(t)
	}
	e := try.Get(Model(half{}, words{}, price).Fit(ctx, nil))(t)
	try.Get(e.Embed(ctx, embed.Request{Texts: []string{"a", "b"}}))(t)
	try.Equal(t, "paid", Paid{Calls: 1, Reused: 2, Tokens: 10 + 15, USD: new(1.0 + 1.5)}, m.Seen().Paid)
	if got := m.Seen().Cost; got == nil || *got != 3+2 {
		t.Errorf("cost %v, want 5", got)
	}
	if got := m.Seen().Attempts; got != 3 {
		t.Errorf("%d attempts, want 3", got)
	}
	want := llm.Usage{Calls: 1, Input: 20}
	try.Equal(t, "embeddings", want, m.Seen().Usage["embed"])
}

// half gives one text of two from recordings.
type half struct{}

func (half) Fit(context.Context, []string) (embed.Embedder, error) { return half{}, nil }
func (half) Dim() int                                              { return 1 }
func (half) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	return embed.Reply{Vectors: make([][]float32, len(r.Texts)), Tokens: 20, Reused: 1, ReusedTokens: 5}, nil
}

func TestUnknownPrice(t *testing.T) {
	g := Generator(llm.Echo(), words{}, nil)
	ctx, m := With(t.Context(), ticking(), Limits{USD: 1})
	try.Get(g.Generate(ctx, llm.Request{Role: "reader", Messages: user(strings.Repeat("a ", 99))}))(t)
	if m.Seen().Cost != nil || m.Seen().Paid.USD != nil {
		t.Errorf("cost %v and paid %v, want neither known", m.Seen().Cost, m.Seen().Paid.USD)
	}
}
