package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/backend"
	"recallbench/internal/backend/standin"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/external"
)

// BenchmarkAdapterLoCoMo adds LoCoMo's sessions to an adapter in Python that remembers
// nothing, and searches it for its 1,540 questions, in a process a conversation. The
// reader's model is a stub.
func BenchmarkAdapterLoCoMo(b *testing.B) {
	set := try.Get(locomo.Spec.Open(b.Context(), datasets.Env{Dir: realdata.Datasets(b)}, locomo.Spec.Options))(b)
	doors := try.Get(standin.Spec.Open(b.Context(), backend.Env{Seed: 1, Log: slog.New(slog.DiscardHandler)}, standin.Spec.Options))(b)
	templates := try.Get(prompt.Load(external.Spec.Name, external.Spec.Prompts, nil))(b)
	env := methods.Env{
		LLM: llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			return llm.Reply{Text: "No.", Usage: llm.Usage{Calls: 1}}, nil
		}),
		Tokens: doors.Tokens, Prompts: templates, Now: time.Now, Seed: 1, Log: slog.New(slog.DiscardHandler), Getenv: os.Getenv,
	}
	o := external.Defaults()
	o.Command = []string{"python3", filepath.Join("..", "..", "adapters", "testdata", "null.py")}
	for b.Loop() {
		b.StopTimer()
		m := try.Get(external.Spec.New(env, o))(b)
		b.StartTimer()
		sessions, searches := 0, 0
		for _, s := range try.All(b, set.All(b.Context())) {
			mem := try.Get(m.Build(b.Context(), s))(b)
			for _, r := range s.Requests {
				try.Get(mem.Answer(b.Context(), r))(b)
				searches++
			}
			sessions += len(s.Sessions)
			try.Do(b, mem.Close())
		}
		b.StopTimer()
		if sessions != 272 || searches != 1540 {
			b.Fatalf("%d sessions and %d searches", sessions, searches)
		}
		try.Do(b, m.(io.Closer).Close())
		b.StartTimer()
	}
}
