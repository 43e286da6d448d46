package annotators

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/corenlp"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

func TestOptions(t *testing.T) {
	o := Defaults()
	if err := o.Validate(); err != nil || o.Identity() != nil {
		t.Errorf("defaults: %v, identity %+v", err, o.Identity())
	}
	if err := (Options{Use: CoreNLP}).Validate(); err == nil || !strings.Contains(err.Error(), "corenlp.base_url is empty") {
		t.Errorf("no address: %v", err)
	}
	opened, settings, err := Open(backend.Env{Log: quiet()}, o, nil, "")
	try.Do(t, err)
	if doc, err := opened.Annotate(t.Context(), session); err != nil || len(doc.Sentences) != 3 || len(settings) != len(annotate.Layers()) {
		t.Errorf("%+v, settings %v, error %v", doc, settings, err)
	}
	o.LLM = []ChatLayer{"discourse"}
	if _, _, err := Open(backend.Env{Log: quiet()}, o, nil, ""); err == nil || !strings.Contains(err.Error(), "llm: this backend has no chat model") {
		t.Errorf("error %v", err)
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

var session = annotate.Request{
	Layers:     annotate.Layers(),
	Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Rachel didn't book the hotel. She likes it."}, {Speaker: "Bob", Text: "Why not?"}},
}

// store opens a store of recordings.
func store(t *testing.T) *calls.Store {
	t.Helper()
	s := try.Get(calls.Open(t.TempDir(), quiet()))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestCoreNLP(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			http.Error(w, "loading", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"sentences": [{"tokens": [{"characterOffsetBegin": 0, "characterOffsetEnd": 2, "pos": "NNP"}],
			"basicDependencies": [{"dep": "ROOT", "governor": 0, "dependent": 1}],
			"entitymentions": [{"tokenBegin": 0, "tokenEnd": 1, "ner": "CITY"}]}]}`)
	}))
	defer s.Close()
	o := Defaults()
	o.Use, o.CoreNLP.BaseURL = CoreNLP, s.URL
	env := backend.Env{Log: quiet(), Limits: limit.NewRegistry(), Calls: calls.NewRecorder(store(t), calls.Reuse)}
	opened, _, err := Open(env, o, nil, "")
	try.Do(t, err)
	r := annotate.Request{Layers: []annotate.Layer{annotate.Entities}, Utterances: []annotate.Utterance{{Text: "Ely is a city."}}}
	for range 2 {
		doc := try.Get(opened.Annotate(t.Context(), r))(t)
		if e := doc.Sentences[0].Entities; len(e) != 1 || e[0].Type != "GPE" {
			t.Errorf("entities %+v", e)
		}
	}
	if asked != 2 { // a failure, a reply, and then the recording
		t.Errorf("the server was asked %d times", asked)
	}
	if found := Check(t.Context(), o); len(found) != 1 || found[0].Status != backend.Good {
		t.Errorf("the check finds %+v", found)
	}
	s.Close()
	if found := Check(t.Context(), o); len(found) != 1 || found[0].Status != backend.Missing || !strings.Contains(found[0].Remedy, "start the server") {
		t.Errorf("the check of a server that is gone finds %+v", found)
	}
}

// A chat model annotates behind its own recording; an estimate asks it nothing.
func TestLLM(t *testing.T) {
	o := Defaults()
	o.LLM = []ChatLayer{"discourse"}
	asked := 0
	chat := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		if asked++; asked > 1 {
			return llm.Reply{}, errors.New("it was asked again")
		}
		return llm.Reply{Text: `{"relations": [{"from": 1, "to": 3, "sense": "Contingency.Cause", "cue": ""}]}`}, nil
	})
	opened, settings, err := Open(backend.Env{Log: quiet()}, o, chat, "m")
	try.Do(t, err)
	doc, err := opened.Annotate(t.Context(), session)
	if err != nil || asked != 1 {
		t.Fatalf("asked %d times, error %v", asked, err)
	}
	if diff := cmp.Diff([]annotate.Relation{{From: 0, To: 2, Sense: "Contingency.Cause"}}, doc.Relations); diff != "" || settings["annotate.discourse"] != "llm m" {
		t.Errorf("settings %v; relations (-want +got):\n%s", settings, diff)
	}
	// Nobody listens there.
	o.Use, o.CoreNLP.BaseURL = CoreNLP, "http://127.0.0.1:1"
	opened, _, err = Open(backend.Env{Log: quiet(), Estimate: true}, o, chat, "m")
	try.Do(t, err)
	if _, err := opened.Annotate(t.Context(), session); err != nil {
		t.Error(err)
	}
}

// A server has no discourse: relations of rules stand between its sentences.
func TestWithDiscourse(t *testing.T) {
	doc := func(ends ...int) (d annotate.Document) {
		start := 0
		for _, end := range ends {
			d.Sentences = append(d.Sentences, annotate.Sentence{Tokens: []annotate.Token{{Start: start, End: end}}})
			start = end + 1
		}
		return d
	}
	rules := doc(3, 7, 11, 15)
	rules.Relations = []annotate.Relation{{From: 0, To: 2, Sense: "a"}, {From: -1, To: 1, Sense: "b"}, {From: 2, To: 3, Sense: "c"}}
	var asked []annotate.Layer
	server := annotate.AnnotatorFunc(func(_ context.Context, r annotate.Request) (annotate.Document, error) {
		asked = r.Layers
		return doc(7, 11), nil // two sentences of rules are one, and the last is lost
	})
	a := &withDiscourse{server, annotate.AnnotatorFunc(func(context.Context, annotate.Request) (annotate.Document, error) { return rules, nil })}
	got := try.Get(a.Annotate(t.Context(), annotate.Request{Layers: annotate.Layers()}))(t)
	want := doc(7, 11)
	want.Relations = []annotate.Relation{{From: 0, To: 1, Sense: "a"}, {From: -1, To: 0, Sense: "b"}}
	try.Equal(t, "document", want, got)
	try.Equal(t, "the server is asked for", corenlp.Layers(), asked)
}
