package annotators

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/annotate"
)

// A Base names the annotator whose sentences and tokens are used.
type Base string

// The annotators that need no chat model.
const (
	Rules   Base = "rules"   // built in: all layers
	CoreNLP Base = "corenlp" // a server: all layers except discourse, which the rules give
)

// Values lists the choices.
func (Base) Values() []string { return []string{string(Rules), string(CoreNLP)} }

// A ChatLayer is a layer that a chat model can give.
type ChatLayer string

// Values lists the choices.
func (ChatLayer) Values() []string { return []string{string(annotate.Discourse)} }

// Options say which annotator gives each layer.
type Options struct {
	// Use gives the sentences, their tokens, and all layers not assigned to the chat
	// model.
	Use Base `yaml:"use"`
	// LLM lists the layers that the entry's chat model gives.
	LLM     []ChatLayer   `yaml:"llm"`
	CoreNLP ServerOptions `yaml:"corenlp"`
}

// ServerOptions configure a CoreNLP server.
type ServerOptions struct {
	// BaseURL is the server's address, such as http://localhost:9000.
	BaseURL string `yaml:"base_url"`
	// Model names the server and its models in recordings and results; the host
	// and port of base_url by default.
	Model string `yaml:"model"`
	// Limits restrict what is sent. They do not change replies.
	Limits limit.Settings `yaml:"limits"`
}

// Defaults returns the options of an entry without any: rules for all layers.
func Defaults() Options {
	return Options{Use: Rules, CoreNLP: ServerOptions{Limits: limit.Defaults()}}
}

// UsesLLM reports whether a chat model gives some layer.
func (o Options) UsesLLM() bool { return len(o.LLM) > 0 }

// Validate reports a server without an address.
func (o Options) Validate() error {
	if o.Use != CoreNLP {
		return nil
	}
	if err := httpfault.CheckAddress(o.CoreNLP.BaseURL); err != nil {
		return fmt.Errorf("corenlp.base_url %w", err)
	}
	return nil
}

// An Identity is the part of the options that annotations depend on.
type Identity struct {
	Use     Base        `yaml:"use"`
	LLM     []ChatLayer `yaml:"llm,omitempty"`
	CoreNLP string      `yaml:"corenlp,omitempty"`
}

// Identity returns what annotations depend on; nil if rules give all layers. A
// server's address and its limits are left out.
func (o Options) Identity() *Identity {
	id := &Identity{Use: o.Use, LLM: slices.Sorted(slices.Values(o.LLM))}
	if o.Use == CoreNLP {
		id.CoreNLP = o.CoreNLP.name()
	} else if !o.UsesLLM() {
		return nil
	}
	return id
}

// name names the server in recordings and results.
func (o ServerOptions) name() string { return cmp.Or(o.Model, httpfault.Host(o.BaseURL)) }
