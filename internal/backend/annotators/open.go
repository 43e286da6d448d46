package annotators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/corenlp"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/linkgrammar"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/annotator"
)

// A Chat is the chat model that annotates; its Generator is nil where there is
// none. It is recorded and metered already.
type Chat struct {
	Generator llm.Generator
	Model     string
}

// Opened is what Open returns.
type Opened struct {
	Annotate annotate.Annotator
	// Settings name the backend of each layer, with its version, as
	// annotate.LAYER.
	Settings map[string]string
	// Close ends what was started.
	Close func() error
}

// Open opens the backends that the options name, no others. In a replay no program
// is started and no server called. For an estimate rules stand in for a chat
// model and for a server, so that what they would be asked is not in the estimate.
func Open(env backend.Env, o Options, chat Chat) (Opened, error) {
	if err := o.Validate(); err != nil {
		return Opened{}, err
	}
	c := &composite{by: make(map[annotate.Layer]Backend), backends: make(map[Backend]annotate.Annotator), log: env.Log}
	opened := Opened{Annotate: c, Settings: make(map[string]string), Close: c.close}
	var faults []error
	for _, l := range annotate.Layers() {
		b := o.Of(l)
		opened.Settings["annotate."+string(l)] = o.describe(b, chat.Model)
		if (b == LLM || b == CoreNLP) && env.Estimate {
			b = Rules
		}
		if c.by[l] = b; c.backends[b] != nil {
			continue
		}
		a, err := c.open(b, env, o, chat)
		if err != nil {
			faults = append(faults, err)
			a = unusable{err} // so that its fault is named once
		}
		c.backends[b] = a
	}
	if err := errors.Join(faults...); err != nil {
		return Opened{}, errors.Join(err, c.close())
	}
	return opened, nil
}

// unusable is a backend that could not be opened.
type unusable struct{ err error }

func (u unusable) Annotate(context.Context, annotate.Request) (annotate.Document, error) {
	return annotate.Document{}, u.err
}

func (c *composite) open(b Backend, env backend.Env, o Options, chat Chat) (annotate.Annotator, error) {
	recorder := env.Calls
	if recorder == nil {
		recorder = calls.NewRecorder(nil, calls.Off)
	}
	called := recorder.Mode() != calls.Replay
	switch b {
	case LinkGrammar:
		id, err := identity("link-grammar", "local", o.LinkGrammar.Version, map[string]any{"linkages": o.LinkGrammar.Linkages})
		if err != nil || !called {
			return recorder.Annotator(id, nil), err
		}
		a, err := linkgrammar.New(o.LinkGrammar.options())
		if err != nil {
			return nil, err
		}
		c.closers = append(c.closers, a.Close)
		return recorder.Annotator(id, a), nil
	case CoreNLP:
		id, err := identity("corenlp", o.CoreNLP.name(), o.CoreNLP.name(), map[string]any{"coref": o.CoreNLP.Coref, "window": o.CoreNLP.Window})
		if err != nil || !called {
			return recorder.Annotator(id, nil), err
		}
		a, err := o.CoreNLP.open(env)
		if err != nil {
			return nil, err
		}
		return recorder.Annotator(id, a), nil
	case LLM:
		if chat.Generator == nil {
			return nil, errors.New("llm: this backend has no chat model; use the backend live")
		}
		return annotate.FromChat(chat.Generator), nil
	default:
		return annotator.New(), nil
	}
}

// identity identifies a backend in recordings.
func identity(class, provider, model string, fixed map[string]any) (calls.Identity, error) {
	data, err := json.Marshal(fixed)
	return calls.Identity{Class: class, Provider: provider, Model: model, Fixed: data}, err
}

func (o ParserOptions) options() linkgrammar.Options {
	return linkgrammar.Options{Command: o.Command, Version: o.Version, Processes: o.Processes, Linkages: o.Linkages, Timeout: o.Timeout}
}

// client returns the client of a server.
func (o ServerOptions) client(env backend.Env) (*corenlp.Annotator, error) {
	key, err := o.Key.Read(env)
	if err != nil {
		return nil, fmt.Errorf("corenlp: %w", err)
	}
	return corenlp.New(corenlp.Config{BaseURL: o.BaseURL, Key: key, Window: o.Window, Coref: o.Coref})
}

// open returns the client behind the limits of its account.
func (o ServerOptions) open(env backend.Env) (annotate.Annotator, error) {
	client, err := o.client(env)
	if err != nil {
		return nil, err
	}
	limits := env.Limits
	if limits == nil {
		return nil, errors.New("corenlp: there are no accounts here whose limits a server could be called within")
	}
	account, err := limits.Account("corenlp "+o.host(), o.Limits)
	if err != nil {
		return nil, fmt.Errorf("corenlp: %w", err)
	}
	return limited{client, account}, nil
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
