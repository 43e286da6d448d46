package meter

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }

// ticking moves a second at each look.
func ticking() func() time.Time {
	var mu sync.Mutex
	now := time.Unix(0, 0)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func TestGenerator(t *testing.T) {
	replies := map[string]llm.Reply{
		"reader": {Text: "one two", Call: "call1", Model: "m-2024"},
		"judge":  {Text: "yes", Usage: llm.Usage{Calls: 1, Input: 100, Output: 7, Reasoning: 5}},
	}
	down := errors.New("down")
	g := Generator(llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		reply, ok := replies[r.Role]
		if !ok {
			return reply, down
		}
		return reply, nil
	}), words{}, nil)
	ctx, m := With(t.Context(), ticking(), Limits{})
	messages := []llm.Message{{Role: llm.System, Content: "be brief"}, {Role: llm.User, Content: "who was it"}}
	for _, role := range []string{"reader", "judge", "reader", "broken"} {
		_, err := g.Generate(ctx, llm.Request{Role: role, Messages: messages})
		if (role == "broken") != errors.Is(err, down) {
			t.Errorf("%s: error %v", role, err)
		}
	}
	want := map[string]llm.Usage{
		"reader": {Calls: 2, Input: 10, Output: 4, Counted: true},
		"judge":  {Calls: 1, Input: 100, Output: 7, Reasoning: 5},
	}
	try.Equal(t, "usage", want, m.Seen().Usage)
	wantStages := map[string]time.Duration{"reader": 2 * time.Second, "judge": time.Second, "broken": time.Second}
	try.Equal(t, "stages", wantStages, m.Seen().Stages)
	try.Equal(t, "calls", []string{"call1", "call1"}, m.Seen().IDs())
	try.Equal(t, "served", []Served{{Role: "reader", Model: "m-2024"}}, m.Seen().Served)
	if _, err := g.Generate(t.Context(), llm.Request{Role: "reader"}); err != nil {
		t.Errorf("without a meter: %v", err)
	}
}

type fixed struct{ tokens int }

func (f fixed) Fit(context.Context, []string) (embed.Embedder, error) { return f, nil }
func (fixed) Dim() int                                                { return 1 }
func (f fixed) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	return embed.Reply{Vectors: make([][]float32, len(r.Texts)), Tokens: f.tokens}, nil
}

func TestModel(t *testing.T) {
	for _, tt := range []struct {
		billed int
		want   llm.Usage
	}{
		{0, llm.Usage{Calls: 1, Input: 3, Counted: true}},
		{9, llm.Usage{Calls: 1, Input: 9}},
	} {
		ctx, m := With(t.Context(), ticking(), Limits{})
		e := try.Get(Model(fixed{tt.billed}, words{}, nil).Fit(ctx, nil))(t)
		try.Get(e.Embed(ctx, embed.Request{Texts: []string{"a b", "c"}}))(t)
		if diff := cmp.Diff(map[string]llm.Usage{"embed": tt.want}, m.Seen().Usage); diff != "" {
			t.Errorf("%d tokens billed (-want +got):\n%s", tt.billed, diff)
		}
	}
}

// What may still be written is a bound, unless one call has none.
func TestRoom(t *testing.T) {
	ctx, m := With(t.Context(), ticking(), Limits{})
	Pend(t.Context(), 5) // which has no meter
	Pend(ctx, 7)
	Pend(ctx, 0)
	if room := m.Seen().Room; room == nil || *room != 7 {
		t.Errorf("room for %v, want 7", room)
	}
	Pend(ctx, -1)
	if room := m.Seen().Room; room != nil {
		t.Errorf("room for %d, want no bound", *room)
	}
}

// A tally has what its meters have, while their contexts are still in use.
func TestTally(t *testing.T) {
	tally := NewTally()
	ctx := Count(t.Context(), tally)
	_, m := With(ctx, time.Now, Limits{})
	m.add("reader", llm.Usage{Calls: 1, Input: 10, Output: 2}, 0.5, true, false)
	m.add("reader", llm.Usage{Calls: 1, Input: 10, Output: 2}, 0.5, true, true)
	_, other := With(ctx, time.Now, Limits{})
	other.add(EmbedRole, llm.Usage{Calls: 1, Input: 5}, 0.25, true, false)
	want := Spent{Calls: 3, Tokens: 29, Paid: Paid{Calls: 1, Reused: 1, Tokens: 17, USD: new(0.75)}}
	try.Equal(t, "spent", want, tally.Spent())
	other.add("reader", llm.Usage{Calls: 1}, 0, false, false)
	if tally.Spent().USD != nil {
		t.Error("the price is known though that of a call is not")
	}
}

// A meter that absorbed another has what one meter would have collected, and the
// other nothing; a tally counts it once.
func TestAbsorb(t *testing.T) {
	first := func(m *Meter) {
		m.add("reader", llm.Usage{Calls: 1, Input: 10, Output: 2}, 0.5, true, false)
		m.reply(llm.Reply{Model: "m", Attempts: 2}, Call{ID: "b", Stage: "reader"}, 12)
		m.prefixes = map[string]bool{"x": true}
	}
	second := func(m *Meter) {
		m.add("reader", llm.Usage{Calls: 1, Input: 5, Output: 1}, 0.25, true, true)
		m.add("external", llm.Usage{Calls: 1, Input: 7}, 0, false, false)
		m.add(EmbedRole, llm.Usage{Calls: 1, Input: 4}, 0.125, true, false)
		m.reply(llm.Reply{Model: "n", Attempts: 3}, Call{ID: "a", Stage: "external"}, 6)
		m.stages = map[string]time.Duration{"external": time.Second}
		m.degraded = map[string]int{"external": 1}
		m.room, m.boundless = 5, true
	}
	for _, shared := range []bool{false, true} {
		tally, whole := NewTally(), NewTally()
		ctx := Count(t.Context(), tally)
		_, m := With(ctx, time.Now, Limits{})
		if !shared {
			ctx = t.Context()
		}
		_, o := With(ctx, time.Now, Limits{})
		_, one := With(Count(t.Context(), whole), time.Now, Limits{})
		first(m)
		second(o)
		m.Absorb(o)
		m.Absorb(o)
		m.Absorb(nil)
		first(one)
		second(one)
		if !reflect.DeepEqual(m.collected, one.collected) {
			t.Errorf("absorbed %+v, want %+v", m.collected, one.collected)
		}
		if diff := cmp.Diff(whole.Spent(), tally.Spent()); diff != "" {
			t.Errorf("tally, shared %t (-want +got):\n%s", shared, diff)
		}
		if want := (collected{paid: Paid{USD: new(0.0)}}); !reflect.DeepEqual(o.collected, want) {
			t.Errorf("left %+v", o.collected)
		}
	}
}

// TestWatch tells of stages and of recorded replies as they come.
func TestWatch(t *testing.T) {
	var steps []Step
	still := func() time.Time { return time.Unix(0, 0) }
	ctx, _ := With(Watch(t.Context(), func(s Step) { steps = append(steps, s) }), still, Limits{})
	end := Stage(ctx, "retrieve")
	g := Generator(llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "yes", Call: "r1", Reused: true}, nil
	}), words{}, Free)
	try.Get(g.Generate(ctx, llm.Request{Role: "reader"}))(t)
	end()
	want := []Step{
		{Stage: "retrieve"},
		{Stage: "reader"},
		{Stage: "reader", Done: true},
		{Stage: "reader", Call: "r1", Done: true, Reused: true},
		{Stage: "retrieve", Done: true},
	}
	try.Equal(t, "", want, steps)
}
