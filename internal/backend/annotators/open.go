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
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/annotator"
)

// A Chat is the chat model that annotates; its Generator is nil if there is
// none. It is already recorded and metered.
type Chat struct {
	Generator llm.Generator
	Model     string
}

// Opened is what Open returns.
type Opened struct {
	Annotate annotate.Annotator
	// Settings name the annotator of each layer, with its version, as
	// annotate.LAYER.
	Settings map[string]string
}

// Open opens the annotators that the options name, and no others. In a replay
// no server is called. For an estimate rules stand in for a chat model and for
// a server, so their calls are not in the estimate.
func Open(env backend.Env, o Options, chat Chat) (Opened, error) {
	if err := o.Validate(); err != nil {
		return Opened{}, err
	}
	rules := annotator.New()
	opened := Opened{Annotate: rules, Settings: make(map[string]string)}
	for _, l := range annotate.Layers() {
		name := annotator.Name + " " + annotator.Version
		switch {
		case l == annotate.Discourse && o.UsesLLM():
			name = "llm " + chat.Model
		case o.Use == CoreNLP && l != annotate.Discourse:
			name = "corenlp " + o.CoreNLP.name()
		}
		opened.Settings["annotate."+string(l)] = name
	}
	if env.Estimate {
		return opened, nil
	}
	if o.Use == CoreNLP {
		server, err := o.CoreNLP.open(env)
		if err != nil {
			return Opened{}, fmt.Errorf("corenlp: %w", err)
		}
		opened.Annotate = &withDiscourse{server, rules}
	}
	if o.UsesLLM() {
		if chat.Generator == nil {
			return Opened{}, errors.New("llm: this backend has no chat model; use the backend live")
		}
		opened.Annotate = annotate.FromChat(chat.Generator, opened.Annotate)
	}
	return opened, nil
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

// client returns the client of a server.
func (o ServerOptions) client() (*corenlp.Annotator, error) {
	return corenlp.New(corenlp.Config{BaseURL: o.BaseURL})
}

// open returns the client behind its recordings and the limits of its account.
func (o ServerOptions) open(env backend.Env) (annotate.Annotator, error) {
	recorder := env.Calls
	if recorder == nil {
		recorder = calls.NewRecorder(nil, calls.Off)
	}
	id := calls.Identity{Class: "corenlp", Provider: o.name(), Model: o.name()}
	if recorder.Mode() == calls.Replay {
		return recorder.Annotator(id, nil), nil
	}
	client, err := o.client()
	if err != nil {
		return nil, err
	}
	if env.Limits == nil {
		return nil, errors.New("there is no account whose limits apply to the server")
	}
	account, err := env.Limits.Account("corenlp "+httpfault.Host(o.BaseURL), o.Limits)
	if err != nil {
		return nil, err
	}
	return recorder.Annotator(id, limited{client, account}), nil
}

// limited is an annotator behind the limits of its account.
type limited struct {
	annotate.Annotator
	account *limit.Account
}

func (l limited) Annotate(ctx context.Context, r annotate.Request) (doc annotate.Document, err error) {
	_, err = l.account.Do(ctx, 0, func(ctx context.Context) (int, error) {
		doc, err = l.Annotator.Annotate(ctx, r)
		return 0, err
	})
	return doc, err
}
