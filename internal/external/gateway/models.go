package gateway

import (
	"context"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
)

// The roles of chat calls from outside, see [llm.Roles].
const (
	RoleExternal       = "external"        // what a memory asks for itself
	RoleExternalAnswer = "external-answer" // what it asks for an answer
)

// Models is what answers the calls of a memory.
type Models struct {
	Name string        // of the memory, for messages
	Chat llm.Generator // metered, behind all doors; nil for none
	// Embedder returns the embedder, which it opens at the first text; nil for none.
	Embedder func(ctx context.Context) (embed.Embedder, error)
	// ChatName and EmbedName are the names that the entry has for its models.
	ChatName, EmbedName string
	// MaxTokens bounds the reply of a call that asks for more tokens, or names no
	// bound; 0 leaves what is asked for.
	MaxTokens int
	// Normalise lists what is replaced in texts before they are keyed and sent.
	Normalise []Rule
}

// Stray is what calls used that came while nothing was bound.
type Stray struct {
	Calls, Tokens int
}
