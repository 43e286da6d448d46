package runners

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/try"
)

var keptSample = datasets.Sample{ID: "a/b", Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "t", Text: "hello"}}}}}

// building is one Build under a meter.
type building struct {
	*keeper
	metered func() context.Context
	model   llm.Generator
}

func build(t *testing.T, s memoryCache, memory string) building {
	t.Helper()
	var ctx context.Context
	k := try.Get(s.take(t.Context(), memory, keptSample))(t)
	ctx, k.meter = meter.With(t.Context(), time.Now, meter.Limits{})
	return building{k, func() context.Context { return ctx }, meter.Generator(llm.Echo(), fields{}, meter.Free)}
}

type fields struct{}

func (fields) Name() string          { return "words" }
func (fields) Count(text string) int { return len(strings.Fields(text)) }

// say makes a part of n words.
func (b building) say(t *testing.T, text string) {
	t.Helper()
	reply := try.Get(b.model.Generate(b.metered(), llm.Request{Role: "teller", Messages: []llm.Message{{Role: llm.User, Content: text}}}))(t)
	try.Do(t, b.Add(map[string]string{"text": reply.Text}))
}

// end ends the Build and returns how many tokens the memory took and how many of
// its parts were kept before.
func (b building) end(t *testing.T) (tokens, kept int) {
	t.Helper()
	took, kept := b.took()
	try.Do(t, b.close())
	return took.Usage["teller"].Total(), kept
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestKeptParts(t *testing.T) {
	dir := t.TempDir()
	s := memoryCache{dir, quiet()}
	first := build(t, s, "m")
	if n := len(first.Parts()); n != 0 {
		t.Fatalf("%d parts before any was added", n)
	}
	meter.Degrade(first.metered(), "teller")
	first.say(t, "one")
	first.say(t, "two words & <more>")
	if tokens, kept := first.end(t); tokens != 10 || kept != 0 {
		t.Errorf("the first building took %d tokens, %d parts kept, want 10 and 0", tokens, kept)
	}

	// Another process goes on, uses one of the parts, and adds one.
	second := build(t, memoryCache{dir, quiet()}, "m")
	var texts []string
	for _, p := range second.Parts() {
		texts = append(texts, string(p.Data))
	}
	try.Equal(t, "parts", []string{`{"text":"one"}`, `{"text":"two words & <more>"}`}, texts)
	part := second.Parts()[0]
	part.Use()
	part.Use()
	second.say(t, "three three three")
	took, _ := second.took()
	if took.Degraded["teller"] != 1 {
		t.Errorf("degraded %v, want that of the part that is used", took.Degraded)
	}
	if tokens, kept := second.end(t); tokens != 2+6 || kept != 1 {
		t.Errorf("the second building took %d tokens, %d parts kept, want 8 and 1", tokens, kept)
	}
	other := build(t, s, "n")
	if n := len(other.Parts()); n != 0 {
		t.Errorf("another memory has %d parts", n)
	}
	other.end(t)
}

// TestKeptCut cuts the file at every byte.
func TestKeptCut(t *testing.T) {
	dir := t.TempDir()
	s := memoryCache{dir, quiet()}
	b := build(t, s, "m")
	b.say(t, "one")
	b.say(t, "two")
	b.end(t)
	found, err := filepath.Glob(filepath.Join(dir, "m", "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files %v: %v", found, err)
	}
	whole := try.Get(os.ReadFile(found[0]))(t)
	for at := range whole {
		try.Do(t, os.WriteFile(found[0], whole[:at], 0o644))
		again := build(t, s, "m")
		n := len(again.Parts())
		for i, p := range again.Parts() {
			if want := []string{`{"text":"one"}`, `{"text":"two"}`}[i]; string(p.Data) != want {
				t.Errorf("cut at %d: part %d is %s, want %s", at, i, p.Data, want)
			}
		}
		again.say(t, "three")
		again.end(t)
		after := build(t, s, "m")
		if got := len(after.Parts()); got != n+1 {
			t.Errorf("cut at %d: %d parts after one was added to %d", at, got, n)
		}
		after.end(t)
	}
}

// Builds of one memory come one after the other, and one that is cut off does not wait.
func TestKeptIsShared(t *testing.T) {
	s := memoryCache{t.TempDir(), quiet()}
	var open atomic.Int32
	var building sync.WaitGroup
	for range 4 {
		building.Go(func() {
			k := try.Get(s.take(t.Context(), "m", keptSample))(t)
			if open.Add(1) > 1 {
				t.Error("two Builds have the memory open")
			}
			runtime.Gosched()
			open.Add(-1)
			try.Do(t, k.close())
		})
	}
	building.Wait()
	k := try.Get(s.take(t.Context(), "m", keptSample))(t)
	ctx, cut := context.WithCancel(t.Context())
	cut()
	if _, err := s.take(ctx, "m", keptSample); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cut off", err)
	}
	try.Do(t, k.close())
}
