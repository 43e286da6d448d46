// Package checkpoint lets a method keep what the building of a memory made, part by
// part, so that it goes on where it was interrupted. Methods that differ only in what
// they do with a memory build it once.
//
// Where parts are kept is the runner's matter. They travel in the context, as
// the meter does, because they belong to one building of one memory.
package checkpoint

import (
	"context"
	"encoding/json"
)

// A Keeper holds the parts of one memory. One Build uses it at a time.
type Keeper interface {
	// Parts returns what earlier Builds of the memory added, in the order in
	// which they did.
	Parts() []Part
	// Add keeps a part, written as JSON. When it returns, the part survives the
	// end of the process. What the Build used of models since the last Add is
	// held to be what the part took.
	Add(part any) error
	// Beside returns the path of a file of the memory's own, for what is too large
	// for a part: it is written whole before the part is added that tells of it.
	// Empty where there is no place for one.
	Beside() string
}

// A Part is what an earlier Build kept.
type Part struct {
	Data json.RawMessage
	// Use says that the memory is made of the part, so that what the part took
	// counts among what the memory takes. It may be called again.
	Use func()
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

func (nothing) Parts() []Part  { return nil }
func (nothing) Add(any) error  { return nil }
func (nothing) Beside() string { return "" }
