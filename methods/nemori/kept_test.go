package nemori

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// TestResumes kills the building of a memory at each part that it keeps and goes on
// with what was kept. The memory answers as one that was built in one go, its parts
// are the same bytes, and nothing that was kept is asked for again.
func TestResumes(t *testing.T) {
	var calls atomic.Int64
	m := methodtest.Method(t, Spec, Defaults(), func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			calls.Add(1)
			return g.Generate(ctx, r)
		})
	})
	answers := func(k *methodtest.Shelf) (responses []methods.Response, asked int64) {
		t.Helper()
		calls.Store(0)
		memory, err := m.Build(checkpoint.With(t.Context(), k), methodtest.Sample())
		if err != nil {
			t.Fatal(err)
		}
		asked = calls.Load()
		for _, r := range methodtest.Sample().Requests {
			resp, err := memory.Answer(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			responses = append(responses, resp)
		}
		return responses, asked
	}
	all := new(methodtest.Shelf)
	want, once := answers(all)
	if len(all.Data) == 0 {
		t.Fatal("the building keeps nothing")
	}
	for n := 1; n <= len(all.Data)+1; n++ {
		k := &methodtest.Shelf{FailAt: n}
		if _, err := m.Build(checkpoint.With(t.Context(), k), methodtest.Sample()); n <= len(all.Data) && !errors.Is(err, methodtest.ErrKilled) {
			t.Fatalf("killed at part %d: error %v", n, err)
		}
		k.FailAt = 0
		got, asked := answers(k)
		if n > 1 && asked >= once || n > len(all.Data) && asked > 0 {
			t.Errorf("killed at part %d: %d calls to go on, %d in one go", n, asked, once)
		}
		if k.Used != n-1 {
			t.Errorf("killed at part %d: %d parts used, want %d", n, k.Used, n-1)
		}
		if diff := cmp.Diff(all.Data, k.Data); diff != "" {
			t.Errorf("killed at part %d: parts (-in one go +resumed):\n%s", n, diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("killed at part %d: answers (-in one go +resumed):\n%s", n, diff)
		}
	}
}

// TestDegraded gives all calls of each role replies that cannot be used. A memory is
// built all the same and answers, and each such stage is counted as degraded.
func TestDegraded(t *testing.T) {
	long := strings.Repeat("word ", 200_000)
	for _, role := range []string{"boundary", "episode", "statements"} {
		for name, reply := range map[string]string{
			"prose": "Sure, here is what you asked for!", "broken": `{"title": "it`, "empty": "", "null": "null", "list": "[[1]]",
			"another shape": `{"new_episode": "maybe", "statements": "none", "title": 3}`, "long": long, "another language": "这是另一集。",
		} {
			t.Run(role+"/"+name, func(t *testing.T) {
				asked := 0
				m := methodtest.Method(t, Spec, Defaults(), func(g llm.Generator) llm.Generator {
					return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
						if r.Role == role {
							asked++
							return llm.Reply{Text: reply, Finish: "stop"}, nil
						}
						return g.Generate(ctx, r)
					})
				})
				ctx, counts := meter.With(t.Context(), time.Now, meter.Limits{})
				memory, err := m.Build(ctx, methodtest.Sample())
				if err != nil {
					t.Fatal(err)
				}
				checkEpisodes(t, memory)
				if n := counts.Degraded()[role]; asked > 0 && (n == 0 || asked != 2*n) {
					t.Errorf("%d calls, %d stages degraded; want each asked for twice and counted", asked, n)
				}
				if _, err := memory.Answer(ctx, methodtest.Sample().Requests[0]); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
