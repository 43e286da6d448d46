package meter

import (
	"context"
	"time"
)

// Apart returns a context with a meter of its own, which has the limits of the one
// in ctx, and that meter. What it collects is charged with [Join], or elsewhere.
func Apart(ctx context.Context, now func() time.Time) (context.Context, *Meter) {
	var limits Limits
	if m := From(ctx); m != nil {
		limits = m.limits
	}
	return With(ctx, now, limits)
}

// Join adds what a meter collected to the one in ctx; without one it does nothing.
func Join(ctx context.Context, collected *Meter) {
	if m := From(ctx); m != nil {
		m.Absorb(collected)
	}
}
