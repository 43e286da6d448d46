package runners

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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

func build(t *testing.T, s *memoryCache, memory string) building {
	t.Helper()
	ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
	k := try.Get(s.take(t.Context(), memory, keptSample, m, 0))(t)
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
	s := newMemoryCache(dir, quiet())
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
	second := build(t, newMemoryCache(dir, quiet()), "m")
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

// TestKeptCut cuts the file at every byte, and flips a bit of every byte.
func TestKeptCut(t *testing.T) {
	dir := t.TempDir()
	s := newMemoryCache(dir, quiet())
	b := build(t, s, "m")
	b.say(t, "one")
	b.say(t, "two")
	b.end(t)
	found, err := filepath.Glob(filepath.Join(dir, "m", "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files %v: %v", found, err)
	}
	path := found[0]
	whole := try.Get(os.ReadFile(path))(t)
	check := func(what string, at int, data []byte) {
		t.Helper()
		try.Do(t, os.WriteFile(path, data, 0o644))
		ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
		k, err := s.take(t.Context(), "m", keptSample, m, time.Hour)
		if err != nil {
			if what == "flip" && strings.Contains(err.Error(), "remove it") {
				return // of the header: it is another memory's
			}
			t.Fatalf("%s at %d: %v", what, at, err)
		}
		for i, p := range k.Parts() {
			if want := []string{`{"text":"one"}`, `{"text":"two"}`}[i]; string(p.Data) != want {
				t.Errorf("%s at %d: part %d is %s, want %s", what, at, i, p.Data, want)
			}
		}
		again := building{k, func() context.Context { return ctx }, meter.Generator(llm.Echo(), fields{}, meter.Free)}
		n := len(k.Parts())
		again.say(t, "three")
		again.end(t)
		after := build(t, s, "m")
		if got := len(after.Parts()); got != n+1 {
			t.Errorf("%s at %d: %d parts after one was added to %d", what, at, got, n)
		}
		after.end(t)
	}
	for at := range whole {
		check("cut", at, whole[:at])
	}
	for at := range whole {
		data := append([]byte(nil), whole...)
		data[at] ^= 1
		check("flip", at, data)
	}
}

func TestKeptOfAnotherVersion(t *testing.T) {
	s := newMemoryCache(t.TempDir(), quiet())
	b := build(t, s, "m")
	b.end(t)
	found, err := filepath.Glob(filepath.Join(s.dir, "m", "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files %v: %v", found, err)
	}
	try.Do(t, os.WriteFile(found[0], []byte(`{"version":99,"memory":"m","sample":"a/b"}`+"\n"), 0o644))
	_, m := meter.With(t.Context(), time.Now, meter.Limits{})
	if _, err := s.take(t.Context(), "m", keptSample, m, 0); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("error %v, want one that names the version", err)
	}
	// The file is free again after the error.
	try.Do(t, os.Remove(found[0]))
	done := make(chan error, 1)
	go func() {
		k, err := s.take(t.Context(), "m", keptSample, m, 0)
		if err == nil {
			err = k.close()
		}
		done <- err
	}()
	if err := <-done; err != nil { // without end where the memory is still taken
		t.Error(err)
	}
}

// A shelf is the desk of a worker with one memory.
type shelf struct {
	Desk
	open bool
	t    *testing.T
}

func (s *shelf) Kept(_ context.Context, q KeptRequest) ([]json.RawMessage, error) {
	if s.open && !q.Close {
		s.t.Error("the worker opens a memory that it has open")
	}
	s.open = !q.Close
	return nil, nil
}

// Two samples of a worker with the same memory build one after the other.
func TestWorkerSharesMemory(t *testing.T) {
	m := deskMemories{desk: &shelf{t: t}}
	var building sync.WaitGroup
	for range 8 {
		building.Go(func() {
			k := try.Get(m.take(t.Context(), "m", keptSample, nil, 0))(t)
			runtime.Gosched()
			try.Do(t, k.close())
		})
	}
	building.Wait()
}
