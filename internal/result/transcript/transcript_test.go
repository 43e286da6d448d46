package transcript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/internal/result/transcript"
	"recallbench/internal/testkit/try"
)

const passage = "Mia took the ferry to Lisbon in March, with her brother."

// recorded records calls with the given prompts, and returns their ids.
func recorded(t *testing.T, dir string, prompts ...string) (*calls.Store, []string) {
	t.Helper()
	s := try.Get(calls.Open(dir, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { s.Close() })
	model := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "To Lisbon.", Finish: "stop", Model: "gpt-4o-mini-2024-07-18", Usage: llm.Usage{Calls: 1, Input: 1000, Cached: 500, Output: 100}}, nil
	})
	door := calls.NewRecorder(s, calls.Record).Generator(calls.Identity{Class: "openai", Model: "gpt-4o-mini"}, model)
	var ids []string
	for _, p := range prompts {
		reply, err := door.Generate(t.Context(), llm.Request{Role: "reader", Params: llm.Params{MaxTokens: 64}, Messages: []llm.Message{
			{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: p},
		}})
		try.Do(t, err)
		ids = append(ids, reply.Call)
	}
	return s, ids
}

func TestRead(t *testing.T) {
	s, ids := recorded(t, t.TempDir(), "Passages:\n"+passage+"\n"+passage+"\nWhere did Mia go?", "Rewrite: where?")
	rec := record.Record{Calls: []string{ids[0], ids[1], "77aa000000000000"}}
	rec.Time.Calls = []record.CallTime{{At: 20, Took: 5, Reused: true, Stage: "reader"}, {At: 1, Took: 7, Stage: "rewrite"}, {At: 30, Stage: "reader"}}
	got, err := transcript.Source{Store: s, Prices: price.Builtin()}.Read(transcript.Subject{
		Record: rec, Blocks: []string{"to Lisbon in March, with her brother. And more", passage, passage[:45]}, Judgments: ids[:1],
	})
	try.Do(t, err)
	if len(got.Calls) != 3 || got.Calls[0].ID != ids[1] || got.Calls[1].ID != ids[0] || got.Calls[2].Phase != transcript.Judgment {
		t.Fatalf("calls %+v", got.Calls)
	}
	first, reader := got.Calls[0], got.Calls[1]
	if *first.Reused || *first.At != 1 || !*reader.Reused || reader.Stage != "reader" || got.Calls[2].Reused != nil {
		t.Errorf("times of the record are lost: %+v", got.Calls)
	}
	// $0.15, 0.075 and 0.60 per million tokens read, read from a cache and written.
	if want := (500*0.15 + 500*0.075 + 100*0.60) / 1e6; reader.USD == nil || *reader.USD != want {
		t.Errorf("costs %v, want %v", reader.USD, want)
	}
	parts, err := json.Marshal(reader.Messages[1].Parts)
	if want := `[2,{"block":1},3,{"block":1},4]`; err != nil || string(parts) != want {
		t.Errorf("parts %s of %q, want %s", parts, got.Texts, want)
	}
	blocks := []string{"", passage}
	if text := got.Text(reader.Messages[1], blocks); !strings.Contains(text, passage+"\n"+passage) {
		t.Errorf("text %q", text)
	}
	if first.Messages[0].Parts[0] != reader.Messages[0].Parts[0] {
		t.Error("the same text is there twice")
	}
	if len(got.Missing) != 1 || !strings.HasPrefix(got.Missing[0].Why, "not in ") || got.Missing[0].Stage != "reader" {
		t.Errorf("missing %+v", got.Missing)
	}
}

// A damaged recording is missing with the place of its damage, and so is every call
// without a store.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	s, ids := recorded(t, dir, "Where?")
	s.Close()
	file := filepath.Join(dir, "calls.db")
	data := try.Get(os.ReadFile(file))(t)
	damaged := bytes.ReplaceAll(data, []byte("Where?"), []byte("Whose?"))
	try.Do(t, os.WriteFile(file, damaged, 0o644))
	s = try.Get(calls.OpenToRead(dir, slog.New(slog.DiscardHandler)))(t)
	defer s.Close()
	for store, want := range map[*calls.Store]string{s: "calls.db: recording " + ids[0] + ": request: ", nil: "there are no recordings"} {
		got, err := transcript.Source{Store: store}.Read(transcript.Subject{Record: record.Record{Calls: ids}})
		if err != nil || len(got.Calls) != 0 || len(got.Missing) != 1 || !strings.Contains(got.Missing[0].Why, want) {
			t.Errorf("%+v, %v, want %q", got, err, want)
		}
	}
}

func TestCompare(t *testing.T) {
	s, ids := recorded(t, t.TempDir(), passage+"\nWhere\ndid\nMia go?", "Look:\nWhere\ndid\n"+passage+"\nTom go?")
	read := func(id string) *transcript.Transcript {
		return try.Get(transcript.Source{Store: s}.Read(transcript.Subject{Record: record.Record{Calls: []string{id}}, Blocks: []string{passage}}))(t)
	}
	b := read(ids[1])
	b.Calls[0].Params = map[string]string{"max_tokens": "65"}
	got := transcript.Pairs(read(ids[0]), b, []string{passage}, []string{passage})[0].Diff
	want := &transcript.Diff{
		Messages: []transcript.MessageDiff{
			{Op: transcript.Same, Role: "system", Lines: []transcript.Line{{Op: transcript.Same, Text: "Be brief."}}},
			{Op: transcript.Changed, Role: "user", Lines: []transcript.Line{
				{Op: transcript.Left, Text: passage},
				{Op: transcript.Right, Text: "Look:"},
				{Op: transcript.Same, Text: "Where"},
				{Op: transcript.Same, Text: "did"},
				{Op: transcript.Left, Text: "Mia go?"},
				{Op: transcript.Right, Text: passage},
				{Op: transcript.Right, Text: "Tom go?"},
			}},
		},
		Params: []transcript.ParamDiff{{Name: "max_tokens", Left: "64", Right: "65"}},
	}
	try.Equal(t, "", want, got)
}

// TestPairs matches the calls of a role in their order, and names those that one request
// alone made.
func TestPairs(t *testing.T) {
	s, ids := recorded(t, t.TempDir(), "Where?", "When?", "Who?")
	read := func(roles []string, ids ...string) *transcript.Transcript {
		tr := try.Get(transcript.Source{Store: s}.Read(transcript.Subject{Record: record.Record{Calls: ids}, Judgments: ids[:1]}))(t)
		for i, role := range roles {
			tr.Calls[i].Role = role
		}
		return tr
	}
	var got []string
	for _, p := range transcript.Pairs(read([]string{"rewrite", "reader"}, ids[0], ids[1]), read([]string{"reader", "reader"}, ids[1], ids[2]), nil, nil) {
		line := []string{p.Role}
		for i, id := range ids {
			if id == p.Left {
				line = append(line, fmt.Sprint("left ", i))
			}
			if id == p.Right {
				line = append(line, fmt.Sprint("right ", i))
			}
		}
		if p.Diff != nil {
			line = append(line, string(p.Diff.Messages[len(p.Diff.Messages)-1].Op))
		}
		got = append(got, strings.Join(line, " "))
	}
	try.Equal(t, "", []string{"rewrite left 0", "reader left 1 right 1 same", "reader right 2"}, got)
}
