package provider

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/token"
)

// TestTook checks that the time of a call leaves out how long it waited for its
// turn.
func TestTook(t *testing.T) {
	tokens, err := token.Open("o200k_base", "")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		settings := limit.Defaults()
		settings.Max = 1
		account, err := limit.NewRegistry().Account("one at a time", settings)
		if err != nil {
			t.Fatal(err)
		}
		const took = 3 * time.Second
		model := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			time.Sleep(took)
			return llm.Reply{Text: "ready"}, nil
		})
		chat := limitedChat{model, gate{account: account, budget: budget.New(0, 0), tokens: tokens}}
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				reply, err := chat.Generate(t.Context(), llm.Request{})
				if err != nil || reply.Took != took {
					t.Errorf("Generate() took %v, %v, want %v", reply.Took, err, took)
				}
			})
		}
		wait.Wait()
	})
}
