// Package provider is the backend of real models: chat models and embeddings behind
// any OpenAI-compatible server, local ONNX models, entailment classifiers behind
// text-embeddings-inference, and local token classifiers.
//
// The doors are wrapped in one order: the client of a server, the limits and
// retries of its account with the run's budget, the recorder, and then the
// meter, which the runner puts around every backend. So a recorded call takes
// no place in a queue and no part of a budget, and is metered like any other.
package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/price"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/token"
)

// A Fallback is the backend without models. It answers if an entry asks for the
// stand-in's embeddings or replies, and for estimates.
type Fallback struct{ Spec *backend.Spec }

// New returns the backend of real models.
func New(f Fallback) *backend.Spec {
	return &backend.Spec{
		Name:     "live",
		Doc:      "models behind OpenAI-compatible servers or in local files; recorded, replayed, within limits and a budget",
		Options:  Defaults(),
		Open:     f.open,
		Identity: identity,
		Check:    f.check,
		Remote:   true,
	}
}

func (f Fallback) open(ctx context.Context, env backend.Env, options any) (backend.Doors, error) {
	o, ok := options.(Options)
	if !ok {
		return backend.Doors{}, fmt.Errorf("live: options are a %T, want live.Options", options)
	}
	b := &opening{Options: o, fallback: f, env: env, settings: make(map[string]string)}
	if err := b.open(ctx); err != nil {
		return backend.Doors{}, errors.Join(err, b.close())
	}
	b.doors.Settings = b.settings
	b.doors.Close = b.close
	return b.doors, nil
}

// An opening is an entry whose doors are being opened.
type opening struct {
	Options
	fallback Fallback
	env      backend.Env
	tokens   token.Codec
	stand    backend.Doors // of the stand-in, where it stands in
	doors    backend.Doors
	settings map[string]string
	closers  []func() error
}

func (b *opening) close() error {
	faults := lists.Map(b.closers, func(c func() error) error { return c() })
	b.closers = nil
	return errors.Join(faults...)
}

// calls reports whether models are called: neither when recordings are
// replayed nor for an estimate.
func (b *opening) calls() bool {
	return !b.env.Estimate && b.env.Calls.Mode() != calls.Replay
}

// standInSeed is the seed of what stands in for models that no seed reaches: what
// is the same for every seed must be so in an estimate too.
const standInSeed = 1

// open opens all doors. All faults are named.
func (b *opening) open(ctx context.Context) error {
	if err := b.Validate(); err != nil {
		return err
	}
	if err := b.openTokens(); err != nil {
		return err
	}
	if b.env.Estimate || b.Embed.Use == standIn || b.Chat.Use == standIn {
		env := b.env
		if b.Embed.Use != standIn {
			env.Seed = standInSeed
		}
		var err error
		if b.stand, err = b.fallback.Spec.Open(ctx, env, b.fallback.Spec.Options); err != nil {
			return err
		}
	}
	var faults []error
	for _, door := range []struct {
		name string
		open func() error
	}{
		{"chat", b.openChat},
		{"roles", b.openRoles},
		{"embed", b.openEmbed},
		{"nli", b.openNLI},
		{"prune", b.openPrune},
		{"annotate", b.openAnnotate}, // which may ask the chat model
	} {
		if err := door.open(); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", door.name, err))
		}
	}
	return errors.Join(faults...)
}

// openTokens opens the tokenizer.
func (b *opening) openTokens() error {
	name := b.Tokenizer
	if name == "" {
		own, known := token.ForModel(b.Chat.Model)
		if name = own; b.Chat.Use == standIn {
			name = fallbackEncoding // nobody's own
		} else if !known {
			name = fallbackEncoding
			b.settings["tokenizer"] = name + ", which is not the model's own"
			if b.env.Shared.WarnOnce("tokenizer of " + b.Chat.Model) {
				b.env.Log.Warn("the tokenizer of "+b.Chat.Model+" is unknown, so prompts are counted with "+name+"; set the option tokenizer to its tokenizer.json",
					"model", b.Chat.Model)
			}
		}
	}
	codec, err := token.Open(name, b.env.Base)
	if err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	b.tokens = codec
	b.doors.Tokens = codec
	return nil
}

// fallbackEncoding counts the tokens of models whose own encoding is unknown.
const fallbackEncoding = "o200k_base"

// gate returns what calls of a model pass, with the model's price.
func (b *opening) gate(s Server, model string, own *price.Listing) (gate, *price.Rates, error) {
	var rates *price.Rates
	if own != nil {
		rates = new(own.Rates())
	} else if r, ok := b.env.Prices.Find(model); ok {
		rates = &r
	}
	if rates == nil && b.env.BudgetUSD {
		return gate{}, nil, fmt.Errorf("a budget in dollars needs the price of %s, which is unknown; set the option price: {input: ..., output: ...}, in dollars per million tokens", model)
	}
	g := gate{budget: b.env.Budget, label: b.env.Label, rates: rates, tokens: b.tokens}
	if b.calls() {
		limits := s.Limits
		if limits == limit.Defaults() && s.account() == b.Chat.account() {
			limits = b.Chat.Limits // one account, whose limits need to be said once
		}
		var err error
		if g.account, err = b.env.Limits.Account(s.account(), limits); err != nil {
			return gate{}, nil, err
		}
	}
	return g, rates, nil
}

// account names the provider account of the server: one key at one provider.
func (s Server) account() string {
	name := s.provider()
	if s.Key.Env != "" {
		name += " " + s.Key.Env
	}
	if s.Key.File != "" {
		name += " " + s.Key.File
	}
	return name
}

// openAnnotate opens the door to annotation.
func (b *opening) openAnnotate() error {
	if b.doors.LLM == nil && b.Annotate.UsesLLM() {
		return nil // its fault is reported
	}
	// The model is metered here, because the runner meters what methods
	// ask it, and not what stands behind another door.
	chat := meter.Generator(b.doors.LLM, b.tokens, b.doors.Price)
	opened, settings, err := annotators.Open(b.env, b.Annotate, chat, b.doors.ModelOf(annotate.RoleAnnotate))
	b.doors.Annotate = opened
	maps.Copy(b.settings, settings)
	return err
}
