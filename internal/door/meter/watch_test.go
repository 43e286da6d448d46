package meter

import (
	"context"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

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
