package meter

import "context"

// Pend records how many more tokens the model of the current call may write, if
// something else has answered that call; a negative number means no limit. Without a meter
// in ctx it does nothing.
func Pend(ctx context.Context, room int) {
	if m := From(ctx); m != nil {
		m.collect(collected{room: max(room, 0), boundless: room < 0})
	}
}
