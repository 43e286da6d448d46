// Package backend says what an entry of a config's models list is: something
// that opens the four doors.
package backend

import (
	"context"
	"log/slog"

	"recallbench/internal/annotate"
	"recallbench/internal/embed"
	"recallbench/internal/llm"
	"recallbench/internal/nli"
	"recallbench/internal/token"
)

// Doors are the ways to models that a backend opens. A door that it does not
// have is nil.
type Doors struct {
	LLM      llm.Generator
	Embed    embed.Model
	NLI      nli.Scorer
	Annotate annotate.Annotator
	Tokens   token.Counter
	// Reader names the model that answers, as asked for.
	Reader string
	// Offline is set when no language model stands behind LLM. Such results
	// are marked wherever they appear.
	Offline bool
	// Settings are what else a result depends on, by name, such as the
	// embedder and its dimension.
	Settings map[string]string
}

// Env is what a backend may use while it opens.
type Env struct {
	Seed uint64
	Log  *slog.Logger
}

// A Spec describes a backend. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // in configs, lower case
	Doc     string // one line
	Options any    // the default options, a struct; nil for none
	Open    func(ctx context.Context, env Env, options any) (Doors, error)
}
