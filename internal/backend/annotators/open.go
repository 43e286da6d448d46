package annotators

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/corenlp"
	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/annotator"
)

// Open opens the annotators that the options name, and no others. Settings name the
// annotator of each layer, with its version, as annotate.LAYER. Chat is the chat model that
// annotates, of the name model, already recorded and metered; nil if there is none.
//
// In a replay no server is called. For an estimate rules stand in for a chat model and for
// a server, so their calls are not in the estimate.
func Open(env backend.Env, o Options, chat llm.Generator, model string) (opened annotate.Annotator, settings map[string]string, err error) {
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	rules := annotator.New()
	opened, settings = rules, make(map[string]string)
	for _, l := range annotate.Layers() {
		name := annotator.Name + " " + annotator.Version
		switch {
		case l == annotate.Discourse && o.UsesLLM():
			name = "llm " + model
		case o.Use == CoreNLP && l != annotate.Discourse:
			name = "corenlp " + o.CoreNLP.name()
		}
		settings["annotate."+string(l)] = name
	}
	if env.Estimate {
		return opened, settings, nil
	}
	if o.Use == CoreNLP {
		server, err := o.CoreNLP.open(env)
		if err != nil {
			return nil, nil, fmt.Errorf("corenlp: %w", err)
		}
		opened = &withDiscourse{server, rules}
	}
	if o.UsesLLM() {
		if chat == nil {
			return nil, nil, errors.New("llm: this backend has no chat model; use the backend live")
		}
		opened = annotate.FromChat(chat, opened)
	}
	return opened, settings, nil
}

// withDiscourse is a server with the discourse relations of rules.
type withDiscourse struct{ server, rules annotate.Annotator }

// Annotate implements [annotate.Annotator]. The sentences are the server's; a
// relation is between those in which the sentences of the rules begin.
func (w *withDiscourse) Annotate(ctx context.Context, r annotate.Request) (annotate.Document, error) {
	own := r
	own.Layers = []annotate.Layer{annotate.Tokens} // always, so that a recording has it
	for _, l := range corenlp.Layers() {
		if l != annotate.Tokens && slices.Contains(r.Layers, l) {
			own.Layers = append(own.Layers, l)
		}
	}
	doc, err := w.server.Annotate(ctx, own)
	if err != nil || !slices.Contains(r.Layers, annotate.Discourse) {
		return doc, err
	}
	r.Layers = []annotate.Layer{annotate.Discourse}
	from, err := w.rules.Annotate(ctx, r)
	if err != nil {
		return annotate.Document{}, err
	}
	place := func(i int) int {
		s := from.Sentences[i]
		return slices.IndexFunc(doc.Sentences, func(own annotate.Sentence) bool {
			return own.Utterance == s.Utterance && len(s.Tokens) > 0 && len(own.Tokens) > 0 && own.Tokens[len(own.Tokens)-1].End > s.Tokens[0].Start
		})
	}
	for _, rel := range from.Relations {
		before := rel.From < 0
		if !before {
			rel.From = place(rel.From)
		}
		if rel.To = place(rel.To); rel.To >= 0 && (before || rel.From >= 0) {
			doc.Relations = append(doc.Relations, rel)
		}
	}
	return doc, nil
}

// open returns the client behind its recordings and the limits of its account.
func (o ServerOptions) open(env backend.Env) (annotate.Annotator, error) {
	id := calls.Identity{Class: "corenlp", Provider: o.name(), Model: o.name()}
	if env.Calls.Mode() == calls.Replay {
		return env.Calls.Annotator(id, nil), nil
	}
	client, err := corenlp.New(o.BaseURL)
	if err != nil {
		return nil, err
	}
	account, err := env.Limits.Account("corenlp "+httpfault.Host(o.BaseURL), o.Limits)
	if err != nil {
		return nil, err
	}
	return env.Calls.Annotator(id, annotate.AnnotatorFunc(func(ctx context.Context, r annotate.Request) (doc annotate.Document, err error) {
		_, err = account.Do(ctx, 0, func(ctx context.Context) (_ int, err error) {
			doc, err = client.Annotate(ctx, r)
			return 0, err
		})
		return doc, err
	})), nil
}
