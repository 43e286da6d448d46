package standin

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/calls"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/token"
)

// encoding counts the tokens of prompts and replies.
const encoding = "o200k_base"

// Options are the options of the stand-in.
type Options struct {
	// Annotate says what annotates dialogues.
	Annotate annotators.Options `yaml:"annotate"`
}

// Validate reports options that are out of range.
func (o Options) Validate() error {
	if o.Annotate.UsesLLM() {
		return errors.New("annotate.llm names layers, but the stand-in has no language model; use the backend live")
	}
	return nil
}

// Spec is the stand-in.
var Spec = &backend.Spec{
	Name:     Name,
	Doc:      "stands in for a model, to try a pipeline; no network, no key, deterministic",
	Options:  Options{Annotate: annotators.Defaults()},
	Open:     opener(Name, Generator()),
	Identity: identity,
	Check:    check,
	Records:  func(options any) bool { return options.(Options).Annotate.Identity() != nil },
}

// identity returns the part of the options that replies depend on: how annotators
// are run is left out.
func identity(options any, _ ...string) any {
	return struct {
		Annotate *annotators.Identity `yaml:"annotate,omitempty"`
	}{options.(Options).Annotate.Identity()}
}

// check tries the annotators that need something from outside.
func check(ctx context.Context, _ backend.Env, options any) []backend.Finding {
	if found := annotators.Check(ctx, options.(Options).Annotate); len(found) > 0 {
		return found
	}
	return []backend.Finding{{What: Name, Status: backend.Good, Detail: "needs nothing from outside"}}
}

// opener returns what opens the doors with a chat model of a name.
func opener(name string, chat llm.Generator) func(context.Context, backend.Env, any) (backend.Doors, error) {
	return func(_ context.Context, env backend.Env, options any) (backend.Doors, error) {
		o, ok := options.(Options)
		if !ok {
			return backend.Doors{}, fmt.Errorf("%s: options are a %T, want standin.Options", name, options)
		}
		if err := o.Validate(); err != nil {
			return backend.Doors{}, fmt.Errorf("%s: %w", name, err)
		}
		counter, err := token.New(encoding)
		if err != nil {
			return backend.Doors{}, fmt.Errorf("%s: %w", name, err)
		}
		annotator, named, err := annotators.Open(env, o.Annotate, nil, "")
		if err != nil {
			return backend.Doors{}, fmt.Errorf("%s: annotate: %w", name, err)
		}
		settings := map[string]string{"embedder": Name, "entailment": Name, "tokens": counter.Name()}
		maps.Copy(settings, named)
		return backend.Doors{
			LLM:      env.Calls.StandIn(calls.Identity{Class: name, Provider: name, Model: name}, chat),
			Embed:    Embedder(),
			NLI:      Entailment(),
			Annotate: annotator,
			Tokens:   counter,
			Reader:   name,
			Offline:  true,
			Settings: settings,
		}, nil
	}
}
