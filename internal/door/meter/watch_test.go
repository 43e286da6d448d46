package meter

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
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
	if _, err := g.Generate(ctx, llm.Request{Role: "reader"}); err != nil {
		t.Fatal(err)
	}
	end()
	want := []Step{
		{Stage: "retrieve"},
		{Stage: "reader"},
		{Stage: "reader", Done: true},
		{Stage: "reader", Call: "r1", Done: true, Reused: true},
		{Stage: "retrieve", Done: true},
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
