package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// testModel is the identity of most tests.
var testModel = Identity{Class: "openai", Provider: "api.example.com", Model: "m-1", Fixed: json.RawMessage(`{"reasoning_effort":"low"}`)}

func openStore(tb testing.TB, dir string) *Store {
	tb.Helper()
	s := try.Get(Open(dir, slog.New(slog.DiscardHandler)))(tb)
	tb.Cleanup(func() { s.Close() })
	return s
}

// ask is a request of one question.
func ask(question string) llm.Request {
	return llm.Request{
		Role:     "reader",
		Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: question}},
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: 64, Seed: new(int64(7))},
	}
}

// A model answers with the last line and counts how often it was asked.
type model struct {
	mu    sync.Mutex
	asked int
}

func (m *model) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	return replyTo(r.Messages[len(r.Messages)-1].Content), nil
}

// replyTo is the reply to a prompt that ends with a question.
func replyTo(prompt string) llm.Reply {
	question := prompt[strings.LastIndexByte(prompt, '\n')+1:]
	return llm.Reply{
		Text: "You asked: " + question, Finish: "stop", Model: "m-1-2026", Fingerprint: "fp",
		Usage:    llm.Usage{Calls: 1, Input: 10 + len(prompt), Cached: 2, Output: 3, Reasoning: 1},
		Logprobs: []llm.Logprob{{Token: "You", Logprob: -0.25, Top: []llm.Logprob{{Token: "You", Logprob: -0.25}, {Token: "I", Logprob: -2}}}},
		Attempts: 2,
	}
}

// unmarked leaves out what a recorder adds to a reply.
var unmarked = cmpopts.IgnoreFields(llm.Reply{}, "Call", "Reused", "Recorded")

func TestModes(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		mode        Mode
		asked       int  // by the end
		first, then bool // whether the reply is a recorded one
	}{
		{Off, 2, false, false},
		{Record, 4, false, false},
		{Record, 6, false, false},
		{Reuse, 6, true, true},
		{Replay, 6, true, true},
	} {
		m := &model{}
		s := openStore(t, dir)
		r := NewRecorder(s, tt.mode)
		if r.Mode() != tt.mode {
			t.Errorf("mode %s, want %s", r.Mode(), tt.mode)
		}
		var inner llm.Generator = m
		if tt.mode == Replay {
			inner = nil
		}
		g := r.Generator(testModel, inner)
		for i, reused := range []bool{tt.first, tt.then} {
			got, err := g.Generate(t.Context(), ask("who?"))
			if err != nil {
				t.Fatalf("%s: %v", tt.mode, err)
			}
			if diff := cmp.Diff(replyTo("who?"), got, unmarked); diff != "" {
				t.Errorf("%s, call %d (-want +got):\n%s", tt.mode, i, diff)
			}
			if got.Reused != reused || (got.Call == "") != (tt.mode == Off) {
				t.Errorf("%s, call %d: reused %v, call %q", tt.mode, i, got.Reused, got.Call)
			}
		}
		s.Close()
	}
}

// TestHitsAndMisses changes each part of a request: what the reply depends on
// misses, the rest hits.
func TestHitsAndMisses(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := testModel
	base := func() llm.Request {
		r := ask("who?")
		r.Format = &llm.Format{Name: "answer", Schema: json.RawMessage(`{"type": "object"}`)}
		return r
	}
	try.Get(NewRecorder(s, Record).Generator(id, &model{}).Generate(t.Context(), base()))(t)
	type change = func(*llm.Request, *Identity)
	for name, tt := range map[string]struct {
		hit    bool
		change change
	}{
		"nothing":          {true, func(*llm.Request, *Identity) {}},
		"prefix":           {true, func(r *llm.Request, _ *Identity) { r.Prefix = 9 }},
		"space in schema":  {true, func(r *llm.Request, _ *Identity) { r.Format.Schema = json.RawMessage("{\n\"type\":\"object\"}") }},
		"space in fixed":   {true, func(_ *llm.Request, id *Identity) { id.Fixed = json.RawMessage(` { "reasoning_effort" : "low" } `) }},
		"temperature -0":   {true, func(r *llm.Request, _ *Identity) { zero := 0.0; r.Params.Temperature = new(-zero) }},
		"prompt":           {false, func(r *llm.Request, _ *Identity) { r.Messages[1].Content += " " }},
		"system prompt":    {false, func(r *llm.Request, _ *Identity) { r.Messages[0].Content = "Be long." }},
		"messages joined":  {false, func(r *llm.Request, _ *Identity) { r.Messages = r.Messages[1:] }},
		"message's role":   {false, func(r *llm.Request, _ *Identity) { r.Messages[0].Role = llm.User }},
		"role":             {false, func(r *llm.Request, _ *Identity) { r.Role = "judge" }},
		"temperature":      {false, func(r *llm.Request, _ *Identity) { r.Params.Temperature = new(0.1) }},
		"no temperature":   {false, func(r *llm.Request, _ *Identity) { r.Params.Temperature = nil }},
		"max tokens":       {false, func(r *llm.Request, _ *Identity) { r.Params.MaxTokens = 65 }},
		"seed":             {false, func(r *llm.Request, _ *Identity) { r.Params.Seed = new(int64(8)) }},
		"no seed":          {false, func(r *llm.Request, _ *Identity) { r.Params.Seed = nil }},
		"logprobs":         {false, func(r *llm.Request, _ *Identity) { r.Params.Logprobs = true }},
		"top logprobs":     {false, func(r *llm.Request, _ *Identity) { r.Params.TopLogprobs = 5 }},
		"format's name":    {false, func(r *llm.Request, _ *Identity) { r.Format.Name = "other" }},
		"schema":           {false, func(r *llm.Request, _ *Identity) { r.Format.Schema = json.RawMessage(`{"type":"array"}`) }},
		"no format":        {false, func(r *llm.Request, _ *Identity) { r.Format = nil }},
		"plain":            {false, func(r *llm.Request, _ *Identity) { r.Plain = true }},
		"repeat":           {false, func(r *llm.Request, _ *Identity) { r.Repeat = 1 }},
		"model":            {false, func(_ *llm.Request, id *Identity) { id.Model = "m-2" }},
		"provider":         {false, func(_ *llm.Request, id *Identity) { id.Provider = "other.example.com" }},
		"class":            {false, func(_ *llm.Request, id *Identity) { id.Class = "other" }},
		"fixed parameters": {false, func(_ *llm.Request, id *Identity) { id.Fixed = json.RawMessage(`{"reasoning_effort":"high"}`) }},
	} {
		r, id := base(), id
		tt.change(&r, &id)
		_, err := NewRecorder(s, Replay).Generator(id, nil).Generate(t.Context(), r)
		if hit := err == nil; hit != tt.hit || !hit && fault.KindOf(err) != fault.Miss {
			t.Errorf("%s changed: hit is %v, want %v; error %v", name, hit, tt.hit, err)
		}
	}
}

// TestNotRecorded has replies that are passed on and not recorded.
func TestNotRecorded(t *testing.T) {
	down := errors.New("down")
	for name, tt := range map[string]struct {
		reply llm.Reply
		err   error
		kept  bool
	}{
		"whole":          {reply: llm.Reply{Text: "x", Finish: "stop"}, kept: true},
		"at the limit":   {reply: llm.Reply{Text: "x", Finish: "length"}, kept: true},
		"white space":    {reply: llm.Reply{Text: "\n"}, kept: true},
		"a tool's call":  {reply: llm.Reply{Finish: "tool_calls", Wire: json.RawMessage(`[{"message":{}}]`)}, kept: true},
		"empty":          {reply: llm.Reply{Finish: "stop", Logprobs: []llm.Logprob{{Token: ""}}}},
		"content filter": {reply: llm.Reply{Text: "I", Finish: "content_filter"}},
		"error":          {reply: llm.Reply{Text: "x"}, err: down},
	} {
		s := openStore(t, t.TempDir())
		g := NewRecorder(s, Reuse).Generator(testModel, llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			return tt.reply, tt.err
		}))
		got, err := g.Generate(t.Context(), ask("who?"))
		if !errors.Is(err, tt.err) || err == nil && got.Text != tt.reply.Text {
			t.Errorf("%s: reply %+v, error %v", name, got, err)
		}
		all, err := s.Recordings()
		if err != nil || (len(all) == 1) != tt.kept || (got.Call != "") != tt.kept {
			t.Errorf("%s: %d recordings, call %q, error %v", name, len(all), got.Call, err)
		}
	}
}

// TestRefusesUnwritable calls nobody when what comes back could not be kept, or nothing can
// be claimed.
func TestRefusesUnwritable(t *testing.T) {
	for mode, most := range map[Mode]int{Record: 1, Reuse: 0} {
		dir := t.TempDir()
		s := openStore(t, dir)
		try.Do(t, os.Mkdir(filepath.Join(dir, fileName), 0o755))
		m := &model{}
		g := NewRecorder(s, mode).Generator(testModel, m)
		for range 3 {
			if _, err := g.Generate(t.Context(), ask("who?")); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%s: error %v, want one that stops the run", mode, err)
			}
		}
		if m.asked > most {
			t.Errorf("%s: %d calls were paid for without a recording, want at most %d", mode, m.asked, most)
		}
	}
}

// TestNewestWins records a call three times in two stores.
func TestNewestWins(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := openStore(t, dir)
		g := NewRecorder(s, Record).Generator(testModel, llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			return llm.Reply{Text: strconv.Itoa(i)}, nil
		}))
		try.Get(g.Generate(t.Context(), ask("who?")))(t)
		if i > 0 {
			s.Close()
		}
	}
	s := openStore(t, dir)
	got, err := NewRecorder(s, Replay).Generator(testModel, nil).Generate(t.Context(), ask("who?"))
	if err != nil || got.Text != "2" {
		t.Errorf("reply %q, error %v, want the newest", got.Text, err)
	}
	if all, err := s.Recordings(); err != nil || len(all) != 1 {
		t.Errorf("%d recordings, error %v, want the newest alone", len(all), err)
	}
}

// history is a prompt that shares its beginning with others.
func history(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "[2024-03-%02d] Speaker %d: this is what was said in turn %d of the conversation.\n", i%28+1, i%2, i)
	}
	return b.String()
}

// Calls of the stand-in are recorded where that is wanted and the mode
// writes, and no recording answers in its place.
func TestStandIn(t *testing.T) {
	dir := t.TempDir()
	m := &model{}
	for _, tt := range []struct {
		mode  Mode
		on    bool
		named bool // whether the reply names its recording
	}{{Reuse, false, false}, {Replay, true, false}, {Off, true, false}, {Reuse, true, true}, {Reuse, true, true}, {Record, true, true}} {
		r := NewRecorder(openStore(t, dir), tt.mode)
		r.RecordStandIn(tt.on)
		before := m.asked
		reply, err := r.StandIn(Identity{Class: "stand-in"}, m).Generate(t.Context(), ask("Where?"))
		if err != nil || m.asked != before+1 || reply.Reused || !reply.Recorded.IsZero() || (reply.Call != "") != tt.named {
			t.Errorf("%s, recorded %t: %+v, %v after %d calls", tt.mode, tt.on, reply, err, m.asked-before)
		}
	}
	if found, err := openStore(t, dir).Recordings(); err != nil || len(found) != 1 {
		t.Errorf("%d recordings, %v", len(found), err)
	}
}
