package meter

import (
	"context"

	"recallbench/internal/door/llm"
)

// A Pending is something that will be called for, and that something else has
// answered now: a call of a language model, or a text that is embedded. Recordings
// give it once it was called for.
type Pending struct {
	// Call identifies it as its recording will be.
	Call string
	Role string
	// Tokens are those read and written, Calls 1 for a call of a language model, USD
	// what it costs, where that is known.
	Tokens, Calls int
	USD           float64
	// Room is how many tokens more may be written; below 0 is no bound.
	Room int
}

// Pend notes how many tokens more the model of the call under way may write, where
// something else has answered that call; below 0 is no bound. Call is its recording's
// id, which the reply has too. Without a meter in ctx it does nothing.
func Pend(ctx context.Context, call string, room int) {
	if m := From(ctx); m != nil {
		m.collect(collected{room: max(room, 0), boundless: room < 0, rooms: map[string]int{call: room}})
	}
}

// pend notes what a call used that [Pend] was told of.
func (m *Meter) pend(call, role string, u llm.Usage, usd float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	room, ok := m.rooms[call]
	if call == "" || !ok {
		return
	}
	m.pending = append(m.pending, Pending{Call: call, Role: role, Tokens: u.Total(), Calls: u.Calls, USD: usd, Room: room})
}
