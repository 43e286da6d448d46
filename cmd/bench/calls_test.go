package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/runners"
)

// scripted replies to questions; a reply tries to clear the terminal.
var scripted = map[string]llm.Reply{
	"When did Ann move?": {
		Text: "In March 2024.", Finish: "stop", Model: "gpt-4o-mini-2024-07-18", Fingerprint: "fp_1", Attempts: 2,
		Usage: llm.Usage{Calls: 1, Input: 812, Cached: 512, Output: 6},
	},
	"Who fixed it?": {
		Text: "Raj\x1b[2J\ndid.\u202e", Finish: "length", Usage: llm.Usage{Calls: 1, Input: 40, Output: 64},
		Logprobs: []llm.Logprob{{Token: "Raj", Logprob: -0.25, Top: []llm.Logprob{{Token: "Raj", Logprob: -0.25}, {Token: "\x1b", Logprob: -3}}}},
	},
	"Is it right?": {Text: `{"right": true}`, Finish: "stop", Usage: llm.Usage{Calls: 1, Input: 99, Output: 5}},
}

type scriptedEmbedder struct{}

func (scriptedEmbedder) Dim() int { return 0 }
func (scriptedEmbedder) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	reply := embed.Reply{Tokens: 4 * len(r.Texts)}
	for range r.Texts {
		reply.Vectors = append(reply.Vectors, []float32{0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0, 0})
	}
	return reply, nil
}

type scriptedScorer struct{}

func (scriptedScorer) Entail(_ context.Context, pairs []nli.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i := range pairs {
		scores[i] = 0.875
	}
	return scores, nil
}

// parsed is an annotator that finds one person.
type parsed struct{}

func (parsed) Annotate(context.Context, annotate.Request) (annotate.Document, error) {
	return annotate.Document{Sentences: []annotate.Sentence{{
		Tokens:   []annotate.Token{{Text: "Ann", Start: 0, End: 3}, {Text: "\x1b", Start: 8, End: 9}},
		Entities: []annotate.Entity{{Span: annotate.Span{Start: 0, End: 1}, Type: "PERSON"}},
	}}}, nil
}

// recordCalls records calls of all kinds into the store in a folder, always the
// same ones at the same times.
func recordCalls(t *testing.T, dir string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := try.Get(calls.Open(dir, slog.New(slog.DiscardHandler)))(t)
		defer s.Close()
		rec := calls.NewRecorder(s, calls.Record)
		model := llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
			time.Sleep(1500 * time.Millisecond)
			return scripted[r.Messages[len(r.Messages)-1].Content], nil
		})
		chat := func(name, role, question string, format *llm.Format) {
			t.Helper()
			id := calls.Identity{Class: "openai", Provider: "api.example.com", Model: name, Fixed: json.RawMessage(`{"reasoning_effort":"low"}`)}
			_, err := rec.Generator(id, model).Generate(t.Context(), llm.Request{
				Role:     role,
				Messages: []llm.Message{{Role: llm.System, Content: "Be brief.\nBe right."}, {Role: llm.User, Content: question}},
				Params:   llm.Params{Temperature: new(0.0), MaxTokens: 64},
				Format:   format,
			})
			try.Do(t, err)
		}
		chat("gpt-4o-mini", "reader", "When did Ann move?", nil)
		chat("gpt-4o-mini", "reader", "Who fixed it?", nil)
		time.Sleep(48 * time.Hour)
		chat("gpt-4o", "judge", "Is it right?", &llm.Format{Name: "verdict", Schema: json.RawMessage(`{"type":"object"}`)})
		chat("gpt-4o", "judge", "Is it right?", &llm.Format{Name: "verdict", Schema: json.RawMessage(`{"type":"object"}`)})
		e := rec.Embedder(calls.Identity{Class: "openai", Provider: "api.example.com", Model: "text-embedding-3-small"}, 0, scriptedEmbedder{})
		try.Get(e.Embed(t.Context(), embed.Request{Kind: embed.Document, Texts: []string{"Ann moved in March.", "Raj works in Leeds."}}))(t)
		parser := rec.Annotator(calls.Identity{Class: "corenlp", Provider: "localhost:9000", Model: "corenlp-4.5.7"}, parsed{})
		try.Get(parser.Annotate(t.Context(), annotate.Request{Layers: annotate.Layers(), Utterances: []annotate.Utterance{{Speaker: "Bob", Text: "Ann sang\x1b Oh"}}, Known: []annotate.Known{{ID: "E1", Name: "Ann"}}}))(t)
		n := rec.Scorer(calls.Identity{Class: "onnx", Model: "bart-large-mnli"}, scriptedScorer{})
		try.Get(n.Entail(t.Context(), []nli.Pair{{Premise: "It rains.", Hypothesis: "It is wet."}}))(t)
	})
}

func TestCalls(t *testing.T) {
	check := alone(t)
	t.Setenv("BENCH_CALLS", "")
	ends(t, exitUsage, filepath.Join("results", "calls")+" is not a folder; --store or BENCH_CALLS names another", "calls", "list")
	recordCalls(t, filepath.Join("results", "calls"))
	check("calls_list.txt", filepath.ToSlash(must(t, "calls", "list").stdout))
	check("calls_list.jsonl", must(t, "calls", "list", "--json").stdout)
	var ids []string
	for line := range strings.Lines(must(t, "calls", "list").stdout) {
		if id, _, _ := strings.Cut(line, " "); len(id) == 16 {
			ids = append(ids, id)
		}
	}
	if len(ids) != 7 {
		t.Fatalf("list lists %v, want seven", ids)
	}
	var shown strings.Builder
	for _, id := range ids {
		shown.WriteString(must(t, "calls", "show", strings.ToUpper(id[:6])).stdout + "\n")
	}
	if strings.ContainsAny(shown.String(), "\x1b\u202e") {
		t.Error("a recorded reply reaches the terminal with its control characters")
	}
	check("calls_show.txt", shown.String())

	for args, want := range map[string]int{
		"": 7, "--model gpt-4o-mini": 2, "--since 2000-01-02": 5, "--older-than 2000-01-02T00:00:00Z": 2, "--since 30d": 0, "--older-than 12h": 7,
	} {
		if got := strings.Count(must(t, append([]string{"calls", "list", "--json"}, strings.Fields(args)...)...).stdout, "\n"); got != want {
			t.Errorf("list %v lists %d, want %d", args, got, want)
		}
	}

	for want, args := range map[string][]string{
		"an id that begins with \"xyz\"":                         {"show", "xyz"},
		"7 recordings have an id that begins with \"\", such as": {"show", ""},
		"--since is \"soon\", want a date":                       {"list", "--since", "soon", "--older-than", "-3h"},
		"is not a run folder":                                    {"export", "x.db", "--run", "."},
		"no recording in":                                        {"export", "x.db", "--model", "none"},
		"--limit is -1":                                          {"list", "--limit", "-1"},
	} {
		refused(t, want, append([]string{"calls"}, args...)...)
	}
}

// TestCallsMove exports, verifies, damages, prunes and imports.
func TestCallsMove(t *testing.T) {
	check := alone(t)
	dir := filepath.Join("results", "calls")
	recordCalls(t, dir)
	var log strings.Builder
	do := func(code int, args ...string) {
		t.Helper()
		got := run(t, append([]string{"calls"}, args...)...)
		if got.code != code {
			t.Errorf("%v: exit %d, want %d", args, got.code, code)
		}
		log.WriteString("$ bench calls " + strings.Join(args, " ") + "\n" + got.stdout + got.stderr)
	}
	run := filepath.Join("results", "runs", "r")
	folder := try.Get(record.Create(run))(t)
	try.Do(t, folder.WriteHeader(record.Header{Cells: []record.Cell{{ID: "c"}}}))
	ids := func(args ...string) (ids []string) {
		for line := range strings.Lines(must(t, append([]string{"calls", "list", "--json"}, args...)...).stdout) {
			l := decode[calls.View](t, []byte(line))
			ids = append(ids, l.ID)
		}
		return ids
	}
	name := func(ids ...string) {
		t.Helper()
		data := try.Get(json.Marshal(record.Record{Calls: ids}))(t)
		put(t, filepath.Join(run, "cells", "c", "records.jsonl"), append(data, '\n'))
	}
	name(ids("--model", "gpt-4o")...)
	do(exitOK, "verify")
	do(exitOK, "export", "run.db", "--run", run, "--model", "gpt-4o", "--model", "bart-large-mnli")
	do(exitOK, "export", "all.db")
	do(exitOK, "list", "--run", run)
	name(append(ids("--model", "gpt-4o"), "0000000000000000")...)
	do(exitMiss, "export", "none.db", "--run", run)
	do(exitOK, "import", "run.db", "--store", "other")
	do(exitOK, "import", "all.db", "run.db", "--store", "other")
	do(exitOK, "prune")
	do(exitOK, "prune", "--yes", "--run", run)
	do(exitOK, "list")

	// A reply is another than was recorded.
	file := filepath.Join(dir, "calls.db")
	data := try.Get(os.ReadFile(file))(t)
	data = bytes.ReplaceAll(data, []byte(`{"right": true}`), []byte(`{"right":false}`))
	put(t, file, data)
	put(t, "damaged.db", data)
	do(exitFingerprint, "verify")
	do(exitFingerprint, "export", "damaged-too.db")
	do(exitFingerprint, "import", "damaged.db", "--store", "third")
	do(exitOK, "prune", "--yes")
	do(exitOK, "verify")
	do(exitUsage, "import", "nowhere.db")
	text := regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(log.String(), "HASH")
	check("calls_move.txt", filepath.ToSlash(text))
	for _, gone := range []string{"none.db", "damaged-too.db"} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s was written", gone)
		}
	}
}

// TestRecordingsManual has the parts of docs/recordings.md that commands print.
func TestRecordingsManual(t *testing.T) {
	manual := filepath.Join("..", "..", "docs", "recordings.md")
	data := try.Get(os.ReadFile(manual))(t)
	check := alone(t)
	dir := filepath.Join("results", "calls")
	recordCalls(t, dir)
	s := try.Get(calls.Open(dir, slog.New(slog.DiscardHandler)))(t)
	defer s.Close()
	id := calls.Identity{Class: "openai", Provider: "api.example.com", Model: "gpt-4o", Fixed: json.RawMessage(`{"reasoning_effort":"low"}`)}
	_, err := calls.NewRecorder(s, calls.Replay).Generator(id, nil).Generate(t.Context(), llm.Request{
		Role:     "reader",
		Messages: []llm.Message{{Role: llm.System, Content: "Be brief.\nBe kind."}, {Role: llm.User, Content: "When did Ann move?"}},
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: 64},
	})
	if err == nil {
		t.Fatal("a call that is not recorded was answered")
	}
	text := part(t, string(data), "miss", "```\n"+filepath.ToSlash(err.Error())+"\n```\n")
	check(filepath.Join("..", manual), text)
}

// TestCallsAsk asks a server again that replies something else to half of the calls.
func TestCallsAsk(t *testing.T) {
	t.Chdir(t.TempDir())
	var changed atomic.Bool
	s := modelserver.New(t, modelserver.Options{Script: func(_ string, body []byte) (json.RawMessage, bool) {
		if changed.Load() && bytes.Contains(body, []byte("sample 1")) {
			return json.RawMessage(`{"role": "assistant", "content": "some"}`), true
		}
		return json.RawMessage(`{"role": "assistant", "content": "none"}`), true
	}})
	config, store := questions(t, 2, 3, ""), filepath.Join(t.TempDir(), "calls")
	must(t, "run", config, "--model", liveModel(t, s, ""), "--store", store, "--out", "run", "--display", "none")
	ask := func(equal, changed int, f1 float64) {
		t.Helper()
		again := decode[runners.Again](t, must(t, "calls", "ask", "run", "--store", store, "--json").stdout)
		want := runners.Again{
			Roles:   []runners.AgainRole{{Role: "reader", Recorded: 6, Asked: 6, Equal: equal}},
			Answers: 6, EqualAnswers: equal,
			Columns: []runners.AgainColumn{
				{Name: "f1@mem0", Answers: 6, Changed: changed, Recorded: 1, Now: f1},
				{Name: "words", Answers: 6, Recorded: 1, Now: 1},
			},
		}
		if !reflect.DeepEqual(again, want) {
			t.Errorf("%+v, want %+v", again, want)
		}
	}
	ask(6, 0, 1)
	changed.Store(true)
	before := must(t, "calls", "list", "--store", store, "--json").stdout
	ask(3, 3, 0.5)
	must(t, "run", config, "--model", liveModel(t, s, ""), "--store", store, "--calls", "replay", "--out", "replayed", "--display", "none")
	has(t, "the table does not mention the calls that were repeated", must(t, "table", "replayed").stdout, " replies equal, 3 of 6 answers, f1@mem0 moved by 50.0)")
	has(t, "a sample of one", must(t, "calls", "ask", "run", "--store", store, "--sample", "1").stdout, "reader  6         1", "1 answer scored again:\n")
	if must(t, "calls", "list", "--store", store, "--json").stdout != before {
		t.Error("what was asked again was recorded")
	}
}
