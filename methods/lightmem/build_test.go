package lightmem

import (
	"log/slog"
	"testing"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/backend/offline"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
)

// makeMethod returns the method over the offline backend, whose model wrap
// changes.
func makeMethod(tb testing.TB, o Options, wrap func(llm.Generator) llm.Generator) *method {
	tb.Helper()
	log := slog.New(slog.DiscardHandler)
	doors, err := offline.Spec.Open(tb.Context(), backend.Env{Seed: 1, Log: log}, offline.Spec.Options)
	if err != nil {
		tb.Fatal(err)
	}
	prompts, err := prompt.Load(Spec.Name, Spec.Prompts, nil)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := Spec.New(methods.Env{
		LLM: wrap(doors.LLM), Embed: doors.Embed, NLI: doors.NLI, Tokens: doors.Tokens, Prompts: prompts, Now: time.Now, Seed: 1, Log: log,
	}, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m.(*method)
}
