package meter

import "context"

// Pend notes how many tokens more the model of the call under way may write, where
// something else has answered that call; below 0 is no bound. Without a meter in ctx it
// does nothing.
func Pend(ctx context.Context, room int) {
	if m := From(ctx); m != nil {
		m.collect(collected{room: max(room, 0), boundless: room < 0})
	}
}
