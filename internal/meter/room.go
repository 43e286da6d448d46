package meter

import "context"

// AddRoom notes that the call under way, which something else than the model
// that will be called has answered, may write as many tokens more; below 0 is
// no bound. Without a meter in ctx it does nothing.
func AddRoom(ctx context.Context, tokens int) {
	m := from(ctx)
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room += max(tokens, 0)
	m.boundless = m.boundless || tokens < 0
}

// Room returns how many tokens more than in Usage may be written, see
// [AddRoom]; ok is false where some call has no bound.
func (m *Meter) Room() (tokens int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.room, !m.boundless
}
