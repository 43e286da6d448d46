package corenlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
)

// An Annotator calls a server. It is safe for concurrent use.
type Annotator struct{ server *httpfault.Client }

// Layers lists the layers that a server gives.
func Layers() []annotate.Layer {
	return []annotate.Layer{annotate.Tokens, annotate.Entities, annotate.Dependencies, annotate.Coreference}
}

// New returns an annotator at an address such as http://localhost:9000, as
// [httpfault.NewClient] takes it. It makes no call.
func New(address string) (*Annotator, error) {
	server, err := httpfault.NewClient(address, "", nil)
	if err != nil {
		return nil, fmt.Errorf("corenlp: %w", err)
	}
	return &Annotator{server}, nil
}

// Annotate implements [annotate.Annotator]. Errors are *fault.Error, except that
// of a canceled context. A sentence without dependencies is unparsed.
func (a *Annotator) Annotate(ctx context.Context, r annotate.Request) (annotate.Document, error) {
	for _, l := range r.Layers {
		if !slices.Contains(Layers(), l) {
			return annotate.Document{}, fault.New(fault.Rejected, "corenlp does not give %s", l)
		}
	}
	var doc annotate.Document
	s := spokenIn(r.Utterances)
	var reply reply
	if err := a.ask(ctx, s.text(), r.Layers, &reply); err != nil {
		return annotate.Document{}, err
	}
	if err := s.read(&doc, &reply, r); err != nil {
		return annotate.Document{}, fault.New(fault.BadReply, "corenlp: %v", err)
	}
	if slices.Contains(r.Layers, annotate.Coreference) {
		annotate.Link(&doc, r)
	}
	if err := doc.Check(r); err != nil {
		return annotate.Document{}, fault.New(fault.BadReply, "corenlp: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return doc, nil
}

// ask sends a text. What the layers do not need is not asked for.
func (a *Annotator) ask(ctx context.Context, text string, layers []annotate.Layer, reply *reply) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	names := []string{"tokenize", "ssplit", "pos", "lemma"}
	for _, l := range []struct {
		name string
		of   []annotate.Layer
	}{
		{"ner", []annotate.Layer{annotate.Entities, annotate.Coreference}},
		{"depparse", []annotate.Layer{annotate.Dependencies, annotate.Coreference}},
		{"coref", []annotate.Layer{annotate.Coreference}},
	} {
		if slices.ContainsFunc(l.of, func(layer annotate.Layer) bool { return slices.Contains(layers, layer) }) {
			names = append(names, l.name)
		}
	}
	properties := map[string]string{
		"annotators": strings.Join(names, ","), "outputFormat": "json",
		"ssplit.newlineIsSentenceBreak": "two", // an empty line ends a sentence
	}
	data, err := json.Marshal(properties)
	if err != nil {
		return fault.New(fault.Rejected, "corenlp: %v", err)
	}
	return explain(a.server.Call(ctx, httpfault.Request{
		Path: "/", Query: url.Values{"properties": {string(data)}}, Type: "text/plain; charset=utf-8", Body: []byte(text),
		Most: 1<<20 + len(text)<<10, // of each word a dozen attributes, and several edges
	}, reply))
}

// explain makes a refusal of what the server calls an error of its own, with the
// status 500, where the same request fails each time: an option that it does not
// know, or a model that it does not have.
func explain(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Server {
		return err
	}
	switch {
	case strings.Contains(e.Message, "missing model file"), strings.Contains(e.Message, "ClassNotFoundException"), strings.Contains(e.Message, "Unable to open"):
		e.Kind, e.Remedy = fault.Rejected, "put the jar of the models on the server's class path"
	case strings.Contains(e.Message, "timed out"):
		e.Remedy = "start the server with -timeout 600000: its own default is 15 seconds"
	}
	return e
}
