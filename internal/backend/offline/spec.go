package offline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/calls"
	"recallbench/internal/door/token"
	"recallbench/internal/rules/reader"
)

// Options are the options of the offline backend.
type Options struct {
	Embedder EmbedderOptions `yaml:"embedder"`
	// Tokens is the encoding that prompts and answers are counted with.
	Tokens string `yaml:"tokens"`
	// Annotate says what annotates dialogues.
	Annotate annotators.Options `yaml:"annotate"`
}

// EmbedderOptions describe the embedding space. The dimension of a vector is
// the sum of Latent and Folded.
type EmbedderOptions struct {
	// Latent is the number of dimensions that latent semantic analysis keeps;
	// 0 leaves it out.
	Latent int `yaml:"latent"`
	// Folded is the number of dimensions that exact terms are hashed into; 0
	// leaves them out.
	Folded int `yaml:"folded"`
	// Weight is the share of the latent part in a cosine, from 0 to 1.
	Weight float64 `yaml:"weight"`
	// Seed draws the start of the decomposition and the hashing; 0 takes the
	// run's seed.
	Seed uint64 `yaml:"seed"`
}

// maxDim bounds each part of a vector.
const maxDim = 1 << 14

// Validate reports all options that are out of range.
func (o Options) Validate() error {
	var faults []error
	e := o.Embedder
	if e.Latent < 0 || e.Latent > maxDim {
		faults = append(faults, fmt.Errorf("embedder.latent is %d, want 0 to %d", e.Latent, maxDim))
	}
	if e.Folded < 0 || e.Folded > maxDim {
		faults = append(faults, fmt.Errorf("embedder.folded is %d, want 0 to %d", e.Folded, maxDim))
	}
	if e.Latent == 0 && e.Folded == 0 {
		faults = append(faults, errors.New("embedder.latent and embedder.folded are both 0, want one of them above"))
	}
	if !(e.Weight >= 0 && e.Weight <= 1) {
		faults = append(faults, fmt.Errorf("embedder.weight is %v, want 0 to 1", e.Weight))
	}
	if _, err := token.New(o.Tokens); err != nil {
		faults = append(faults, fmt.Errorf("tokens: %w", err))
	}
	if o.Annotate.UsesLLM() {
		faults = append(faults, errors.New("annotate.llm names layers, and there is no language model offline; use the backend live"))
	}
	return errors.Join(faults...)
}

// Spec is the offline backend.
var Spec = &backend.Spec{
	Name: "offline",
	Doc:  "rules of language and latent semantic analysis; no network, no key, deterministic",
	Options: Options{
		Embedder: EmbedderOptions{Latent: 64, Folded: 1024, Weight: 0.5},
		Tokens:   "o200k_base",
		Annotate: annotators.Defaults(),
	},
	Open:     open,
	Identity: identity,
	Check:    check,
	Records:  func(options any) bool { return options.(Options).Annotate.Identity() != nil },
}

// identity returns the part of the options that replies depend on: how annotators
// are run is left out.
func identity(options any) any {
	o := options.(Options)
	return struct {
		Embedder EmbedderOptions      `yaml:"embedder"`
		Tokens   string               `yaml:"tokens"`
		Annotate *annotators.Identity `yaml:"annotate,omitempty"`
	}{o.Embedder, o.Tokens, o.Annotate.Identity()}
}

// check tries the annotators that need something from outside.
func check(ctx context.Context, _ backend.Env, options any) []backend.Finding {
	o, ok := options.(Options)
	if !ok {
		return []backend.Finding{{What: "options", Status: backend.Missing, Detail: fmt.Sprintf("they are a %T, want offline.Options", options)}}
	}
	if found := annotators.Check(ctx, o.Annotate); len(found) > 0 {
		return found
	}
	return []backend.Finding{{What: "offline", Status: backend.Good, Detail: "needs nothing from outside"}}
}

func open(_ context.Context, env backend.Env, options any) (backend.Doors, error) {
	o, ok := options.(Options)
	if !ok {
		return backend.Doors{}, fmt.Errorf("offline: options are a %T, want offline.Options", options)
	}
	if err := o.Validate(); err != nil {
		return backend.Doors{}, fmt.Errorf("offline: %w", err)
	}
	counter, err := token.New(o.Tokens)
	if err != nil {
		return backend.Doors{}, fmt.Errorf("offline: %w", err)
	}
	entailer, err := reader.NewEntailer()
	if err != nil {
		return backend.Doors{}, fmt.Errorf("offline: %w", err)
	}
	annotation, err := annotators.Open(env, o.Annotate, annotators.Chat{})
	if err != nil {
		return backend.Doors{}, fmt.Errorf("offline: annotate: %w", err)
	}
	f := newFitter(o.Embedder, env.Seed)
	settings := map[string]string{
		"embedder":        f.name(),
		"embedder.dim":    strconv.Itoa(f.latent + f.folded),
		"embedder.weight": strconv.FormatFloat(f.weight, 'g', -1, 64),
		"embedder.seed":   strconv.FormatUint(f.seed, 10),
		"entailment":      reader.EntailmentName(),
		"tokens":          counter.Name(),
	}
	maps.Copy(settings, annotation.Settings)
	return backend.Doors{
		LLM:      env.Calls.Offline(calls.Identity{Class: "offline", Provider: "offline", Model: "offline"}, newGenerator(entailer)),
		Embed:    f,
		NLI:      entailer,
		Annotate: annotation.Annotate,
		Tokens:   counter,
		Reader:   "offline",
		Offline:  true,
		Settings: settings,
	}, nil
}
