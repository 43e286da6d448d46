package runners_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/config"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/metrics"
	"recallbench/runners"
)

// The toy dataset has samples of one session and any number of requests; the
// answer to a request is its own text, which the toy method repeats.
type toyOptions struct {
	Samples  int  `yaml:"samples"`
	Requests int  `yaml:"requests"`
	Dialogue bool `yaml:"dialogue"`
	Missing  bool `yaml:"missing"`
	// Uneven leaves later samples more requests than earlier ones, and all of them
	// trees of several kinds.
	Uneven bool `yaml:"uneven"`
	// Trees gives samples a tree in place of a session.
	Trees bool `yaml:"trees"`
	// Edit changes the data, as an edited file would.
	Edit string `yaml:"edit"`
}

var toyData = &datasets.Spec{
	Name:    "toy",
	Options: toyOptions{Samples: 3, Requests: 4},
	Open: func(_ context.Context, _ datasets.Env, options any) (*datasets.Set, error) {
		o := options.(toyOptions)
		if o.Missing {
			return nil, fmt.Errorf("toy data: %w", fs.ErrNotExist)
		}
		set := &datasets.Set{Name: "toy", Version: "1", SHA256: "sha" + o.Edit}
		for i := range o.Samples {
			s := datasets.Sample{ID: fmt.Sprintf("s%d", i), Speakers: []string{"A", "B"}, Dialogue: o.Dialogue}
			s.Sessions = []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "t1", Speaker: "A", Text: "hello " + s.ID}}}}
			requests, list := o.Requests, toyTree
			if o.Uneven {
				requests = 1 + i*(o.Requests-1)/max(1, o.Samples-1)
				list = strings.Replace(list, "zero", fmt.Sprintf("zero %d", i%3), 1)
			}
			for j := range requests {
				r := datasets.Request{ID: fmt.Sprintf("q%d", j), Text: fmt.Sprintf("question %d of %s", j, s.ID)}
				s.Requests = append(s.Requests, r)
				gold := datasets.Gold{Category: "1", Answer: r.Text + o.Edit, Evidence: []string{"t1"}}
				if o.Trees {
					gold = toyGold(j)
				}
				set.SetGold(s.ID, r.ID, gold)
			}
			if o.Trees {
				s.Speakers, s.Sessions = nil, nil
				var err error
				if s.Tree, err = tree.ParseXML("toy", strings.NewReader(list), tree.XMLOptions{}); err != nil {
					return nil, err
				}
			}
			set.Fill(s)
		}
		return set, nil
	},
}

// toyTree is a list of three items, toyGold what is expected of request j about
// it: that the first item that is left is deleted.
const toyTree = `<List id="r"><Item id="i0" name="zero"/><Item id="i1" name="one"/><Item id="i2" name="two"/></List>`

func toyGold(j int) datasets.Gold {
	id := fmt.Sprintf("i%d", j)
	return datasets.Gold{
		Category: "1", Answer: id, Evidence: []string{id}, Labels: map[string]string{"turn": strconv.Itoa(j + 1)},
		Expect: &expect.Expectation{Accept: []expect.Retrieval{{Required: []string{id}}}, Tree: &expect.State{Absent: []string{id}}},
	}
}

// toyMethod calls hooks that a test sets.
type toyMethod struct {
	ingests methods.Ingests
	build   func(ctx context.Context, sample string) error
	answer  func(ctx context.Context, sample string, r datasets.Request) (methods.Response, error)
	built   atomic.Int64
	asked   atomic.Int64
}

func (m *toyMethod) spec() *methods.Spec {
	return &methods.Spec{Name: "toy", Ingests: m.ingests, New: func(env methods.Env, _ any) (methods.Method, error) {
		if m.answer == nil {
			m.answer = func(ctx context.Context, _ string, r datasets.Request) (methods.Response, error) {
				reply, err := env.LLM.Generate(ctx, llm.Request{
					Role: "reader", Messages: []llm.Message{{Role: llm.User, Content: r.Text}},
				})
				return methods.Response{
					Text:     reply.Text,
					Evidence: []methods.Evidence{{ID: "all", Sources: []string{"t1"}, Text: "hello", Score: 1}},
				}, err
			}
		}
		return m, nil
	}}
}

func (m *toyMethod) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	m.built.Add(1)
	if len(s.Requests) > 0 {
		return nil, errors.New("a method sees the requests while it builds")
	}
	if m.build != nil {
		if err := m.build(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	return toyMemory{m, s.ID}, nil
}

type toyMemory struct {
	*toyMethod
	sample string
}

func (m toyMemory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	m.asked.Add(1)
	return m.answer(ctx, m.sample, r)
}

// toyModel echoes.
var toyModel = &backend.Spec{
	Name: "echo",
	Open: func(context.Context, backend.Env, any) (backend.Doors, error) {
		return backend.Doors{LLM: llm.Echo(), Embed: noEmbedding{}, Tokens: words{}, Reader: "echo", Offline: true}, nil
	},
}

type noEmbedding struct{}

func (noEmbedding) Fit(context.Context, []string) (embed.Embedder, error) {
	return nil, errors.New("no embedding")
}

// words counts words as tokens.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }

// same scores 1 for the gold answer itself.
var same = &metrics.Spec{
	Name:    "same",
	Columns: []metrics.Column{{Name: "same", Scale: 100}},
	Score: func(i metrics.Item) []metrics.Value {
		if !i.Failed && i.Prediction == i.Gold {
			return []metrics.Value{metrics.Def(1)}
		}
		return []metrics.Value{metrics.Def(0)}
	},
}

func plugins(m *toyMethod) config.Plugins {
	return config.Plugins{
		Datasets: []*datasets.Spec{toyData},
		Methods:  []*methods.Spec{m.spec()},
		Models:   []*backend.Spec{toyModel},
		Metrics: func(name string) (*metrics.Spec, error) {
			if name != "same" {
				return nil, fmt.Errorf("unknown metric %q; have same", name)
			}
			return same, nil
		},
		MetricNames: []string{"same"},
	}
}

const toyConfig = `
name: toy
seed: 7
datasets: [{use: toy, options: {samples: 3, requests: 4}}]
methods: [{use: toy}]
models: [{use: echo}]
metrics: [same]
concurrency: {samples: 2, requests: 3}
`

// clock ticks a millisecond at each look.
func clock() func() time.Time {
	var ticks atomic.Int64
	return func() time.Time {
		tick()
		return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(ticks.Add(1)) * time.Millisecond)
	}
}

// onTick is called whenever the clock of a run is read; nil for nothing.
var onTick atomic.Pointer[func()]

func tick() {
	if f := onTick.Load(); f != nil {
		(*f)()
	}
}

// stopAfter returns a context that ends when about n requests have finished. A request
// reads the clock three times.
func stopAfter(t *testing.T, n int) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	var left atomic.Int64
	left.Store(int64(3 * n))
	f := func() {
		if left.Add(-1) < 0 {
			cancel()
		}
	}
	onTick.Store(&f)
	context.AfterFunc(ctx, func() { onTick.CompareAndSwap(&f, nil) })
	return ctx
}

func newPlan(tb testing.TB, m *toyMethod, file string, set ...string) *runners.Plan {
	tb.Helper()
	return try.Get(tryPlan(tb, m, file, set...))(tb)
}

func tryPlan(tb testing.TB, m *toyMethod, file string, set ...string) (*runners.Plan, error) {
	tb.Helper()
	return planOf(tb, plugins(m), file, set...)
}

// planOf lays the plan of a run file with plug-ins.
func planOf(tb testing.TB, plug config.Plugins, file string, set ...string) (*runners.Plan, error) {
	tb.Helper()
	c := try.Get(config.Parse("toy.yaml", []byte(file), plug, set...))(tb)
	return runners.NewPlan(tb.Context(), c, plug, runners.Env{Now: clock(), Log: slog.New(slog.DiscardHandler)})
}
