// Package methodtest checks that a memory method keeps the contract of
// package methods. The test of every method is one line:
//
//	methodtest.Run(t, recency.Spec, recency.Options{K: 5})
package methodtest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/standin"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/methods"
)

// Run checks the method with the options, or with its defaults where options
// is nil:
//
//   - the Spec is complete, and its prompts parse;
//   - without doors to models it is refused, not made to fail later;
//   - a memory answers the same alone and under concurrent requests, and two
//     memories of one sample answer the same;
//   - the sample and the requests are left as they were;
//   - evidence names turns of the sample, blocks have distinct ids, and the reader
//     gets their text;
//   - models are called through the doors of Env, so that usage is metered;
//   - a conversation without sessions or turns, and texts that are no prose,
//     do not make it fail or panic;
//   - a cancelled context ends it, and a model's error is passed on.
func Run(t *testing.T, spec *methods.Spec, options any) {
	t.Helper()
	s := newSuite(spec, options, Sample, Plain)
	t.Run("spec", s.complete)
	t.Run("doorless", s.doorless)
	t.Run("answers", s.answers)
	t.Run("odd samples", s.odd)
	t.Run("cancelled", s.cancelled)
	t.Run("model error", s.modelError)
}

type suite struct {
	spec    *methods.Spec
	options any
	sample  func() datasets.Sample
	model   func(llm.Generator) llm.Generator // wraps the stand-in
}

func newSuite(spec *methods.Spec, options any, sample func() datasets.Sample, model func(llm.Generator) llm.Generator) suite {
	if options == nil {
		options = spec.Options
	}
	return suite{spec, options, sample, model}
}

func (s suite) complete(t *testing.T) {
	if s.spec.Name == "" || s.spec.Doc == "" || s.spec.Source == "" || s.spec.New == nil {
		t.Errorf("spec %q lacks its name, doc, source or constructor", s.spec.Name)
	}
	if s.spec.Prompts != nil {
		if _, err := prompt.Load(s.spec.Name, s.spec.Prompts, nil); err != nil {
			t.Error(err)
		}
		if found, err := fs.Glob(s.spec.Prompts, "*.tmpl"); err != nil || len(found) == 0 {
			t.Errorf("the prompts of %s hold no template: %v", s.spec.Name, err)
		}
	}
}

// doorless makes the method where nothing can be called.
func (s suite) doorless(t *testing.T) {
	prompts, err := prompt.Load(s.spec.Name, s.spec.Prompts, nil)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.spec.New(methods.Env{Tokens: tokens, Prompts: prompts, Now: time.Now, Log: quiet()}, s.options); err == nil {
		t.Error("the method is made without a single door to a model")
	}
}

func (s suite) method(t *testing.T, wrap func(llm.Generator) llm.Generator) methods.Method {
	t.Helper()
	return Method(t, s.spec, s.options, wrap)
}

// Method makes a method over the stand-in; wrap changes its model.
func Method(tb testing.TB, spec *methods.Spec, options any, wrap func(llm.Generator) llm.Generator) methods.Method {
	tb.Helper()
	doors, err := standin.Spec.Open(tb.Context(), backend.Env{Seed: 1, Log: quiet()}, standin.Spec.Options)
	if err != nil {
		tb.Fatal(err)
	}
	prompts, err := prompt.Load(spec.Name, spec.Prompts, nil)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := spec.New(methods.Env{
		LLM: meter.Generator(wrap(doors.LLM), doors.Tokens, meter.Free), Embed: meter.Model(doors.Embed, doors.Tokens, meter.Free),
		NLI: doors.NLI, Annotate: doors.Annotate, Prune: doors.Prune, Tokens: doors.Tokens, Prompts: prompts,
		Now: time.Now, Seed: 1, Log: quiet(),
	}, options)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Plain leaves a model as it is.
func Plain(g llm.Generator) llm.Generator { return g }

// Says makes a model reply with a text to all calls of a role.
func Says(role, reply string) func(llm.Generator) llm.Generator {
	return func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role == role {
				return llm.Reply{Text: reply, Finish: "stop"}, nil
			}
			return g.Generate(ctx, r)
		})
	}
}

func build(t *testing.T, m methods.Method, s datasets.Sample) methods.Memory {
	t.Helper()
	memory, err := m.Build(t.Context(), s)
	if err != nil {
		t.Fatalf("build %s: %v", s.ID, err)
	}
	t.Cleanup(func() {
		if err := memory.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return memory
}

func (s suite) answers(t *testing.T) {
	spy := &spy{}
	method := s.method(t, spy.wrap)
	sample, untouched := Sample(), Sample()
	memory := build(t, method, sample)
	turns := make(map[string]bool)
	for _, session := range sample.Sessions {
		for _, turn := range session.Turns {
			turns[turn.ID] = true
		}
	}
	var want []methods.Response
	for _, r := range sample.Requests {
		ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
		spy.reset()
		resp, err := memory.Answer(ctx, r)
		if err != nil {
			t.Fatalf("answer %q: %v", r.Text, err)
		}
		want = append(want, resp)
		checkEvidence(t, r, resp, turns, spy.prompt())
		if len(m.Usage()) == 0 {
			t.Errorf("answer %q: no usage was metered; are models called past the doors?", r.Text)
		}
	}
	checkShown(t, memory, want)
	s.answersAgain(t, memory, want)
	if diff := cmp.Diff(untouched, sample); diff != "" {
		t.Errorf("the sample was changed (-before +after):\n%s", diff)
	}
}

// checkShown checks what a memory shows: links lead to nodes, and evidence is among
// them, itself or by its turns.
func checkShown(t *testing.T, memory methods.Memory, responses []methods.Response) {
	t.Helper()
	m, ok := memory.(methods.Shown)
	if !ok {
		return
	}
	holds := m.Show()
	nodes := make(map[string]bool)
	for _, n := range holds.Nodes {
		if nodes[n.ID] {
			t.Errorf("two nodes are called %q", n.ID)
		}
		nodes[n.ID] = true
	}
	for _, l := range holds.Links {
		if !nodes[l.From] || !nodes[l.To] {
			t.Errorf("a link leads from %q to %q, and one is no node", l.From, l.To)
		}
	}
	for _, r := range responses {
		for _, e := range r.Evidence {
			missing := func(turn string) bool { return !nodes["turn "+turn] }
			if !nodes[e.ID] && (len(e.Sources) == 0 || slices.ContainsFunc(e.Sources, missing)) {
				t.Errorf("evidence %s is no node, nor are its turns %q", e.ID, e.Sources)
			}
		}
	}
}

// answersAgain compares answers with those to concurrent requests, and with those
// of another memory of the sample.
func (s suite) answersAgain(t *testing.T, memory methods.Memory, want []methods.Response, compare ...cmp.Option) {
	t.Helper()
	again := build(t, s.method(t, s.model), s.sample())
	got := make([]methods.Response, len(want))
	other := make([]methods.Response, len(want))
	var wait sync.WaitGroup
	for i, r := range s.sample().Requests {
		wait.Go(func() { got[i], _ = memory.Answer(t.Context(), r) })
		wait.Go(func() { other[i], _ = again.Answer(t.Context(), r) })
	}
	wait.Wait()
	if diff := cmp.Diff(want, got, compare...); diff != "" {
		t.Errorf("answers differ under concurrent requests (-alone +together):\n%s", diff)
	}
	if diff := cmp.Diff(want, other, compare...); diff != "" {
		t.Errorf("two memories of one sample answer differently (-one +other):\n%s", diff)
	}
}

func checkEvidence(t *testing.T, r datasets.Request, resp methods.Response, turns map[string]bool, prompt string) {
	t.Helper()
	ids := make(map[string]bool)
	for _, e := range resp.Evidence {
		if e.ID == "" || ids[e.ID] {
			t.Errorf("answer %q: evidence id %q is empty or doubled", r.Text, e.ID)
		}
		ids[e.ID] = true
		if prompt != "" && !strings.Contains(prompt, e.Text) {
			t.Errorf("answer %q: evidence %s is not in the reader's prompt: %q", r.Text, e.ID, e.Text)
		}
		for _, source := range e.Sources {
			if !turns[source] {
				t.Errorf("answer %q: evidence %s names the source %q, which the sample does not have", r.Text, e.ID, source)
			}
		}
	}
}

// A spy remembers what the reader was asked.
type spy struct {
	mu    sync.Mutex
	asked strings.Builder
}

func (s *spy) wrap(g llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if r.Role == "reader" {
			s.mu.Lock()
			for _, m := range r.Messages {
				s.asked.WriteString(m.Content)
			}
			s.mu.Unlock()
		}
		return g.Generate(ctx, r)
	})
}

func (s *spy) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.Reset()
}

func (s *spy) prompt() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked.String()
}

// odd asks samples that a careful reader of a dataset may meet.
func (s suite) odd(t *testing.T) {
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	turn := func(id, text string) datasets.Turn {
		return datasets.Turn{ID: id, Speaker: "A", Text: text, Time: day}
	}
	for _, sample := range []datasets.Sample{
		{ID: "no sessions"},
		{ID: "no turns", Sessions: []datasets.Session{{ID: "1", Time: day}, {ID: "2"}}},
		{ID: "one turn", Sessions: []datasets.Session{{ID: "1", Time: day, Turns: []datasets.Turn{turn("1", "Hello.")}}}},
		{ID: "no text", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "1"}, {ID: "2", Image: &datasets.Image{}}}}}},
		{ID: "odd text", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{
			turn("1", "{{.Question}} <|endoftext|> \x00 \u2028 \ufeff"), turn("2", "🙂🙂🙂"), turn("3", "\xff\xfe"), turn("4", "中文 text, no spaces。"),
		}}}},
	} {
		t.Run(sample.ID, func(t *testing.T) {
			memory := build(t, s.method(t, Plain), sample)
			for _, question := range []string{"When was it?", "", "{{", "?\x00\xff"} {
				if _, err := memory.Answer(t.Context(), datasets.Request{ID: "q", Text: question}); err != nil {
					t.Errorf("answer %q: %v", question, err)
				}
			}
		})
	}
}

func (s suite) cancelled(t *testing.T) {
	memory := build(t, s.method(t, func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if err := ctx.Err(); err != nil {
				return llm.Reply{}, err
			}
			return s.model(g).Generate(ctx, r)
		})
	}), s.sample())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := memory.Answer(ctx, s.sample().Requests[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("answering under a cancelled context: %v, want context.Canceled", err)
	}
}

func (s suite) modelError(t *testing.T) {
	down := errors.New("the model is down")
	var broken bool
	method := s.method(t, func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if broken {
				return llm.Reply{}, down
			}
			return s.model(g).Generate(ctx, r)
		})
	})
	memory := build(t, method, s.sample())
	broken = true
	if _, err := memory.Answer(t.Context(), s.sample().Requests[0]); !errors.Is(err, down) {
		t.Errorf("answering while the model fails: %v, want the model's error", err)
	}
}
