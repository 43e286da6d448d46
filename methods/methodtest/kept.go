package methodtest

import (
	"context"
	"encoding/json"
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
)

// A Shelf is a [checkpoint.Keeper] that keeps parts in memory.
type Shelf struct {
	Data   []json.RawMessage
	Used   int    // how many were
	FailAt int    // Add fails at the part of this number; 0 is never
	File   string // beside the parts
}

// ErrKilled is how a Shelf fails.
var ErrKilled = errors.New("killed")

// Parts implements [checkpoint.Keeper].
func (s *Shelf) Parts() (parts []checkpoint.Part) {
	for _, d := range s.Data {
		parts = append(parts, checkpoint.Part{Data: d, Use: func() { s.Used++ }})
	}
	return parts
}

// Add implements [checkpoint.Keeper].
func (s *Shelf) Add(part any) error {
	if s.FailAt > 0 && len(s.Data)+1 == s.FailAt {
		return ErrKilled
	}
	data, err := json.Marshal(part)
	s.Data = append(s.Data, data)
	return err
}

// Beside implements [checkpoint.Keeper].
func (s *Shelf) Beside() string { return s.File }

// Resumes kills the building of a memory at each part that it keeps and goes on
// with what was kept. The memory answers as one that was built in one go, its parts
// are the same bytes, and nothing that was kept is asked for again.
func Resumes(t *testing.T, spec *methods.Spec, options any) {
	t.Helper()
	s := newSuite(spec, options, Sample, Plain)
	var calls atomic.Int64
	m := s.method(t, func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			calls.Add(1)
			return g.Generate(ctx, r)
		})
	})
	answers := func(k *Shelf) (responses []methods.Response, asked int64) {
		t.Helper()
		calls.Store(0)
		memory, err := m.Build(checkpoint.With(t.Context(), k), Sample())
		if err != nil {
			t.Fatal(err)
		}
		asked = calls.Load()
		for _, r := range Sample().Requests {
			resp, err := memory.Answer(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			responses = append(responses, resp)
		}
		return responses, asked
	}
	all := new(Shelf)
	want, once := answers(all)
	if len(all.Data) == 0 {
		t.Fatal("the building keeps nothing")
	}
	for n := 1; n <= len(all.Data)+1; n++ {
		k := &Shelf{FailAt: n}
		if _, err := m.Build(checkpoint.With(t.Context(), k), Sample()); n <= len(all.Data) && !errors.Is(err, ErrKilled) {
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

// Degrades gives all calls of each role replies that cannot be used. A memory is
// built all the same and answers, each such stage is counted as degraded, and check
// looks at the memory.
func Degrades(t *testing.T, spec *methods.Spec, options any, check func(testing.TB, methods.Memory), roles ...string) {
	t.Helper()
	s := newSuite(spec, options, Sample, Plain)
	long := strings.Repeat("word ", 200_000)
	for _, role := range roles {
		for name, reply := range map[string]string{
			"prose": "Sure, here is what you asked for!", "broken": `{"title": "it`, "empty": "", "null": "null", "list": "[[1]]",
			"another shape": `{"new_episode": "maybe", "statements": "none", "title": 3}`, "long": long, "another language": "这是另一集。",
		} {
			t.Run(role+"/"+name, func(t *testing.T) {
				asked := 0
				m := s.method(t, func(g llm.Generator) llm.Generator {
					return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
						if r.Role == role {
							asked++
							return llm.Reply{Text: reply, Finish: "stop"}, nil
						}
						return g.Generate(ctx, r)
					})
				})
				ctx, counts := meter.With(t.Context(), time.Now, meter.Limits{})
				memory, err := m.Build(ctx, Sample())
				if err != nil {
					t.Fatal(err)
				}
				check(t, memory)
				if n := counts.Degraded()[role]; asked > 0 && (n == 0 || asked != 2*n) {
					t.Errorf("%d calls, %d stages degraded; want each asked for twice and counted", asked, n)
				}
				if _, err := memory.Answer(ctx, Sample().Requests[0]); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
