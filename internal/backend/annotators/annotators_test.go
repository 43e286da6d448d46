package annotators

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/linkgrammar"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// scripted is a backend that returns a document and notes what it is asked.
type scripted struct {
	doc   annotate.Document
	err   error
	asked *[]string
}

func (s scripted) Annotate(_ context.Context, r annotate.Request) (annotate.Document, error) {
	var texts []string
	for _, u := range r.Utterances {
		texts = append(texts, u.Text)
	}
	*s.asked = append(*s.asked, fmt.Sprint(r.Layers, len(r.Known), texts))
	return s.doc, s.err
}

// tokens makes tokens of words, in the order in which a text has them.
func tokens(text string, words ...string) []annotate.Token {
	var all []annotate.Token
	at := 0
	for _, w := range words {
		start := at + strings.Index(text[at:], w)
		all = append(all, annotate.Token{Text: w, Lemma: strings.ToLower(w), Start: start, End: start + len(w)})
		at = start + len(w)
	}
	return all
}

const (
	first  = "Hi. I don't like St. Ives at 9am."
	second = "Why?"
)

// base is a document of tokens with no more than its own layers.
func base() annotate.Document {
	return annotate.Document{Sentences: []annotate.Sentence{
		{Utterance: 0, Tokens: tokens(first, "Hi", ".")},
		{Utterance: 0, Tokens: []annotate.Token{
			{Text: "I", Start: 4, End: 5},
			{Text: "do", Start: 6, End: 8},
			{Text: "n't", Start: 8, End: 11},
			{Text: "like", Start: 12, End: 16},
			{Text: "St.", Start: 17, End: 20},
			{Text: "Ives", Start: 21, End: 25},
			{Text: "at", Start: 26, End: 28},
			{Text: "9am", Start: 29, End: 32},
			{Text: ".", Start: 32, End: 33},
		}},
		{Utterance: 1, Tokens: tokens(second, "Why", "?")},
	}}
}

func dep(head, dependent int, label string) annotate.Dependency {
	return annotate.Dependency{Head: head, Dependent: dependent, Label: label}
}

func TestCompose(t *testing.T) {
	parsed := "I don't like St. Ives at 9am."
	var rules, parser, server []string
	c := &composite{
		by: map[annotate.Layer]Backend{
			annotate.Tokens: Rules, annotate.Entities: CoreNLP, annotate.Dependencies: LinkGrammar, annotate.Coreference: CoreNLP, annotate.Discourse: CoreNLP,
		},
		backends: map[Backend]annotate.Annotator{
			Rules: scripted{doc: base(), asked: &rules},
			LinkGrammar: scripted{asked: &parser, doc: annotate.Document{Sentences: []annotate.Sentence{
				{Utterance: 0, Unparsed: true},
				{
					Utterance: 1, Tokens: tokens(parsed, "I", "don't", "like", "St.", "Ives", "at", "9", "am", "."),
					Dependencies: []annotate.Dependency{
						dep(2, 0, "nsubj"), dep(2, 1, "aux"), dep(-1, 2, "root"), dep(4, 3, "compound"), dep(2, 4, "obj"), dep(7, 5, "case"), dep(7, 6, "nummod"), dep(2, 7, "obl"),
					},
				},
				{Utterance: 2, Tokens: tokens(second, "Why"), Dependencies: []annotate.Dependency{dep(-1, 0, "root")}},
			}}},
			// It makes one sentence of two, and cuts a name in two.
			CoreNLP: scripted{asked: &server, doc: annotate.Document{
				Sentences: []annotate.Sentence{
					{Utterance: 0, Tokens: tokens(first, "Hi", ".", "I", "don", "'t", "like", "St."), Entities: []annotate.Entity{{Span: annotate.Span{Start: 6, End: 7}, Type: "PERSON"}, {Span: annotate.Span{Start: 1, End: 3}, Type: "ORG"}}},
					{Utterance: 0, Tokens: tokens(first[17:], "Ives", "at", "9am."), Entities: nil},
					{Utterance: 1, Tokens: tokens(second, "Why?")},
				},
				Clusters: []annotate.Cluster{
					{ID: "E3", Name: "Ann", Mentions: []annotate.Mention{{Sentence: 0, Span: annotate.Span{Start: 2, End: 3}, Kind: annotate.Pronominal}, {Sentence: 0, Span: annotate.Span{Start: 0, End: 3}, Kind: annotate.Nominal}}},
					{ID: "E4", Name: "lost", Mentions: []annotate.Mention{{Sentence: 0, Span: annotate.Span{Start: 0, End: 4}, Kind: annotate.Named}}},
				},
				Relations: []annotate.Relation{{From: 0, To: 2, Sense: "Contingency.Cause"}, {From: -1, To: 0, Sense: "Expansion.Conjunction"}},
			}},
		},
	}
	r := annotate.Request{
		Layers:     annotate.Layers(),
		Utterances: []annotate.Utterance{{Speaker: "Ann", Text: first}, {Speaker: "Bob", Text: second}},
		Known:      []annotate.Known{{ID: "E3", Name: "Ann"}},
	}
	doc, err := c.Annotate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(r); err != nil {
		t.Error(err)
	}
	want := base()
	want.Sentences[0].Unparsed = true
	want.Sentences[1].Entities = []annotate.Entity{{Span: annotate.Span{Start: 4, End: 5}, Type: "PERSON"}}
	// 9 and am are one token here, so that what one says of the other is gone,
	// and don't is two, of which the second has no head.
	want.Sentences[1].Dependencies = []annotate.Dependency{
		dep(3, 0, "nsubj"), dep(3, 1, "aux"), dep(-1, 3, "root"), dep(5, 4, "compound"), dep(3, 5, "obj"), dep(7, 6, "case"), dep(3, 7, "obl"),
	}
	want.Sentences[2].Dependencies = []annotate.Dependency{dep(-1, 0, "root")}
	want.Clusters = []annotate.Cluster{{ID: "E3", Name: "Ann", Mentions: []annotate.Mention{{Sentence: 1, Span: annotate.Span{Start: 0, End: 1}, Kind: annotate.Pronominal}}}}
	want.Relations = []annotate.Relation{{From: 0, To: 2, Sense: "Contingency.Cause"}, {From: -1, To: 0, Sense: "Expansion.Conjunction"}}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	asked := [][]string{rules, parser, server}
	if diff := cmp.Diff([][]string{
		{"[tokens] 1 [" + first + " Why?]"},
		{"[dependencies] 0 [Hi. " + parsed + " Why?]"},
		{"[entities coreference discourse] 1 [" + first + " Why?]"},
	}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if got := c.dropped.Load(); got != 3 {
		t.Errorf("%d were left out, want an entity and two mentions", got)
	}
	var log strings.Builder
	c.log = slog.New(slog.NewTextHandler(&log, nil))
	if err := c.close(); err != nil || !strings.Contains(log.String(), "left_out=3") {
		t.Errorf("the log says %s", log.String())
	}

	// What nobody asks for costs nothing.
	rules, parser, server = nil, nil, nil
	r.Layers = []annotate.Layer{annotate.Dependencies}
	if _, err := c.Annotate(t.Context(), r); err != nil || len(rules) != 1 || len(parser) != 1 || len(server) != 0 {
		t.Errorf("asked %q, %q, %q; error %v", rules, parser, server, err)
	}
	c.backends[LinkGrammar] = scripted{asked: &parser, err: fault.New(fault.Unavailable, "gone")}
	if _, err := c.Annotate(t.Context(), r); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "link-grammar: ") {
		t.Errorf("a backend that fails: error %v", err)
	}
}

func TestValidate(t *testing.T) {
	o := Defaults()
	if err := o.Validate(); err != nil || o.Identity() != nil {
		t.Errorf("defaults: %v, identity %+v", err, o.Identity())
	}
	o.Tokens, o.Discourse, o.Entities = LLM, CoreNLP, "abc"
	err := o.Validate()
	for _, want := range []string{"tokens is llm", "have rules, corenlp", "discourse is corenlp", "have rules, llm", "entities is abc", "corenlp.base_url is empty"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

// How annotators are run is no part of what they find.
func TestIdentity(t *testing.T) {
	o := Defaults()
	o.Dependencies, o.Coreference, o.CoreNLP.BaseURL = LinkGrammar, CoreNLP, "http://localhost:9000"
	same := o
	same.LinkGrammar.Processes, same.LinkGrammar.Timeout, same.LinkGrammar.Command = 7, time.Minute, "/opt/link-parser"
	same.CoreNLP.Limits.Max, same.CoreNLP.Key = 3, backend.Key{Env: "X"}
	if diff := cmp.Diff(o.Identity(), same.Identity(), cmp.AllowUnexported(Identity{})); diff != "" {
		t.Errorf("transport is part of the identity:\n%s", diff)
	}
	for name, change := range map[string]func(*Options){
		"layer":    func(o *Options) { o.Entities = LLM },
		"version":  func(o *Options) { o.LinkGrammar.Version = "5.13.0" },
		"linkages": func(o *Options) { o.LinkGrammar.Linkages = 1 },
		"server":   func(o *Options) { o.CoreNLP.Model = "4.5.7" },
		"coref":    func(o *Options) { o.CoreNLP.Coref = "neural" },
		"window":   func(o *Options) { o.CoreNLP.Window = 10 },
	} {
		other := o
		change(&other)
		if cmp.Equal(o.Identity(), other.Identity()) {
			t.Errorf("%s is no part of the identity", name)
		}
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

var session = annotate.Request{
	Layers:     annotate.Layers(),
	Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Rachel didn't book the hotel. She likes it."}, {Speaker: "Bob", Text: "Why not?"}},
}

func TestOpenDefaults(t *testing.T) {
	o, err := Open(backend.Env{Log: quiet()}, Defaults(), Chat{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := o.Annotate.Annotate(t.Context(), session)
	if err != nil || len(doc.Sentences) != 3 || len(o.Settings) != len(annotate.Layers()) {
		t.Errorf("%+v, settings %v, error %v", doc, o.Settings, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenFaults(t *testing.T) {
	o := Defaults()
	o.Dependencies, o.LinkGrammar.Command, o.Discourse = LinkGrammar, "no-such-parser", LLM
	_, err := Open(backend.Env{Log: quiet()}, o, Chat{})
	for _, want := range []string{"no-such-parser", "apt-get install link-grammar", "llm: this backend has no chat model"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	if found := Check(t.Context(), backend.Env{}, o); len(found) != 1 || found[0].Status != backend.Missing || !strings.Contains(found[0].Remedy, "apt-get install") {
		t.Errorf("the check finds %+v", found)
	}
}

// store opens a store of recordings.
func store(t *testing.T) *calls.Store {
	t.Helper()
	s, err := calls.Open(t.TempDir(), quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Parses are recorded, and replayed where there is no parser.
func TestLinkGrammar(t *testing.T) {
	if _, err := exec.LookPath("link-parser"); err != nil {
		if os.Getenv("BENCH_REQUIRE_LINKGRAMMAR") == "1" {
			t.Fatalf("%v, and BENCH_REQUIRE_LINKGRAMMAR is 1; %s", err, linkgrammar.Install)
		}
		t.Skipf("%v; %s", err, linkgrammar.Install)
	}
	o := Defaults()
	o.Dependencies = LinkGrammar
	s := store(t)
	var docs []annotate.Document
	for _, mode := range []calls.Mode{calls.Off, calls.Reuse, calls.Replay} {
		env := backend.Env{Log: quiet(), Calls: calls.NewRecorder(s, mode)}
		if mode == calls.Replay {
			o.LinkGrammar.Command = "no-such-parser"
		}
		opened, err := Open(env, o, Chat{})
		if err != nil {
			t.Fatal(err)
		}
		if got := opened.Settings["annotate.dependencies"]; got != "link-grammar 5.12.0" {
			t.Errorf("the setting is %q", got)
		}
		doc, err := opened.Annotate.Annotate(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		if err := doc.Check(session); err != nil {
			t.Error(err)
		}
		docs = append(docs, doc)
		if mode == calls.Replay {
			other := session
			other.Utterances = []annotate.Utterance{{Text: "Something else was said."}}
			if _, err := opened.Annotate.Annotate(t.Context(), other); fault.KindOf(err) != fault.Miss {
				t.Errorf("what is not recorded: error %v", err)
			}
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
	for i, d := range docs[1:] {
		if diff := cmp.Diff(docs[0], d); diff != "" {
			t.Errorf("%d (-off +recorded):\n%s", i, diff)
		}
	}
	var triples []string
	for _, d := range docs[0].Sentences[0].Dependencies {
		head := "ROOT"
		if d.Head >= 0 {
			head = docs[0].Sentences[0].Tokens[d.Head].Text
		}
		triples = append(triples, head+":"+d.Label+":"+docs[0].Sentences[0].Tokens[d.Dependent].Text)
	}
	got := strings.Join(triples, " ")
	for _, want := range []string{"book:nsubj:Rachel", "ROOT:root:book", "book:obj:hotel", "hotel:det:the"} {
		if !strings.Contains(got, want) {
			t.Errorf("the triples %s lack %s", got, want)
		}
	}
	o.LinkGrammar.Command = "link-parser"
	if found := Check(t.Context(), backend.Env{}, o); len(found) != 1 || found[0].Status != backend.Good {
		t.Errorf("the check finds %+v", found)
	}
}

func TestCoreNLP(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			http.Error(w, "loading", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"sentences": [{"tokens": [{"characterOffsetBegin": 0, "characterOffsetEnd": 2, "pos": "NNP"}],
			"entitymentions": [{"tokenBegin": 0, "tokenEnd": 1, "ner": "CITY"}]}]}`)
	}))
	defer s.Close()
	o := Defaults()
	o.Entities, o.CoreNLP.BaseURL = CoreNLP, s.URL
	env := backend.Env{Log: quiet(), Limits: limit.NewRegistry(), Calls: calls.NewRecorder(store(t), calls.Reuse)}
	opened, err := Open(env, o, Chat{})
	if err != nil {
		t.Fatal(err)
	}
	r := annotate.Request{Layers: []annotate.Layer{annotate.Entities}, Utterances: []annotate.Utterance{{Text: "Ely is a city."}}}
	for range 2 {
		doc, err := opened.Annotate.Annotate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if e := doc.Sentences[0].Entities; len(e) != 1 || e[0].Type != "GPE" {
			t.Errorf("entities %+v", e)
		}
	}
	if asked != 2 { // a failure, a reply, and then the recording
		t.Errorf("the server was asked %d times", asked)
	}
	if found := Check(t.Context(), env, o); len(found) != 1 || found[0].Status != backend.Good {
		t.Errorf("the check finds %+v", found)
	}
	s.Close()
	if found := Check(t.Context(), env, o); len(found) != 1 || found[0].Status != backend.Missing || !strings.Contains(found[0].Remedy, "start the server") {
		t.Errorf("the check of a server that is gone finds %+v", found)
	}
}

// A chat model annotates behind its own recording; an estimate asks it nothing.
func TestLLM(t *testing.T) {
	o := Defaults()
	o.Discourse = LLM
	asked := 0
	chat := Chat{Model: "m", Generator: llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		asked++
		return llm.Reply{Text: `{"relations": [{"from": 1, "to": 3, "sense": "Contingency.Cause", "cue": ""}]}`}, nil
	})}
	opened, err := Open(backend.Env{Log: quiet()}, o, chat)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := opened.Annotate.Annotate(t.Context(), session)
	if err != nil || asked != 1 {
		t.Fatalf("asked %d times, error %v", asked, err)
	}
	if diff := cmp.Diff([]annotate.Relation{{From: 0, To: 2, Sense: "Contingency.Cause"}}, doc.Relations); diff != "" || opened.Settings["annotate.discourse"] != "llm m" {
		t.Errorf("settings %v; relations (-want +got):\n%s", opened.Settings, diff)
	}
	chat.Generator = llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{}, errors.New("it was asked")
	})
	// Nobody listens there.
	o.Entities, o.Coreference, o.CoreNLP.BaseURL = CoreNLP, CoreNLP, "http://127.0.0.1:1"
	if opened, err = Open(backend.Env{Log: quiet(), Estimate: true}, o, chat); err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Annotate.Annotate(t.Context(), session); err != nil {
		t.Error(err)
	}
}
