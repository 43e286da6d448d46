package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// parsed is an annotator that returns a document.
type parsed annotate.Document

func (p parsed) Annotate(context.Context, annotate.Request) (annotate.Document, error) {
	return annotate.Document(p), nil
}

// Annotations are listed and shown as what they say.
func TestCallsOfAnnotation(t *testing.T) {
	check := alone(t)
	synctest.Test(t, func(t *testing.T) {
		s := try.Get(calls.Open("store", slog.New(slog.DiscardHandler)))(t)
		defer s.Close()
		rec := calls.NewRecorder(s, calls.Record)
		doc := annotate.Document{Sentences: []annotate.Sentence{{
			Tokens:   []annotate.Token{{Text: "Ann", Start: 0, End: 3}, {Text: "\x1b", Start: 8, End: 9}},
			Entities: []annotate.Entity{{Span: annotate.Span{Start: 0, End: 1}, Type: "PERSON"}},
		}}}
		for _, r := range []annotate.Request{
			{Layers: annotate.Layers(), Utterances: []annotate.Utterance{{Speaker: "Bob", Text: "Ann sang\x1b Oh"}}, Known: []annotate.Known{{ID: "E1", Name: "Ann"}}},
			{Layers: []annotate.Layer{annotate.Dependencies}, Utterances: []annotate.Utterance{{Text: "Ann sang\x1b Oh"}}},
		} {
			id := calls.Identity{Class: "corenlp", Provider: "localhost:9000", Model: "corenlp-4.5.7"}
			try.Get(rec.Annotator(id, parsed(doc)).Annotate(t.Context(), r))(t)
		}
	})
	ls := must(t, "calls", "list", "--store", "store").stdout
	var b strings.Builder
	b.WriteString(ls)
	for line := range strings.Lines(ls) {
		if id, _, _ := strings.Cut(line, " "); len(id) == 16 {
			b.WriteString("\n" + must(t, "calls", "show", "--store", "store", id).stdout)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an annotated text reaches the terminal with its control characters")
	}
	check("calls_annotate.txt", b.String())
}

// Annotators of an entry of the stand-in are tried, too.
func TestDoctorAnnotators(t *testing.T) {
	s := httptest.NewServer(nil)
	url := s.URL
	s.Close()
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}]
models:
  - {use: stand-in, label: server, options: {annotate: {use: corenlp, corenlp: {base_url: %q}}}}
`, url))
	got := run(t, "doctor", config)
	if got.code != exitUnavailable {
		t.Errorf("exit %d, want %d", got.code, exitUnavailable)
	}
	golden.Check(t, "doctor_annotate.txt", strings.ReplaceAll(got.stdout+got.stderr, strings.TrimPrefix(url, "http://"), "server"))
}
