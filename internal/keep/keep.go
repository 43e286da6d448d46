// Package keep lets a method keep what the building of a memory made, part by
// part, so that it goes on where it was interrupted, and so that methods that
// differ only in what they do with a memory build it once.
//
// Where parts are kept is the runner's matter. They travel in the context, as
// the meter does, because they belong to one building of one memory.
package keep

import (
	"context"
	"encoding/json"
)

// A Keeper holds the parts of one memory. It is used by one Build at a time.
type Keeper interface {
	// Parts returns what was added so far, by this Build and by earlier ones of
	// the same memory, in the order in which it was added.
	Parts() []json.RawMessage
	// Add keeps a part, written as JSON. When it returns, the part is on the
	// disk.
	Add(part any) error
}

type contextKey struct{}

// With returns a context that carries k.
func With(ctx context.Context, k Keeper) context.Context {
	return context.WithValue(ctx, contextKey{}, k)
}

// From returns the keeper that ctx carries, or one that keeps nothing.
func From(ctx context.Context) Keeper {
	if k, ok := ctx.Value(contextKey{}).(Keeper); ok {
		return k
	}
	return nothing{}
}

type nothing struct{}

func (nothing) Parts() []json.RawMessage { return nil }
func (nothing) Add(any) error            { return nil }
