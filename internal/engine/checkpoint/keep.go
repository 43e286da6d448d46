// Package checkpoint lets a method keep the results of building a memory, part by
// part, so that an interrupted build continues where it stopped. Methods that differ
// only in how they use a memory build it once.
//
// The runner decides where parts are kept. The keeper travels in the context,
// like the meter, because it belongs to one build of one memory.
package checkpoint

import (
	"context"
	"encoding/json"
)

// A Keeper holds the parts of one memory. One Build uses it at a time.
type Keeper interface {
	// Parts returns what earlier Builds of the memory added, in order.
	Parts() []Part
	// Add keeps a part, written as JSON. When it returns, the part survives the
	// end of the process. Model usage of the Build since the last Add counts as
	// the cost of the part.
	Add(part any) error
	// Beside returns the path of a file of the memory's own, for data too large
	// for a part: write it completely before adding the part that refers to it.
	// Empty if there is no place for one.
	Beside() string
}

// A Part is what an earlier Build kept.
type Part struct {
	Data json.RawMessage
	// Use reports that the part becomes part of the memory, so that its cost
	// counts as the memory's. It may be called again.
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
