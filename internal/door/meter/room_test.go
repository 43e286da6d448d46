package meter

import "testing"

func TestRoom(t *testing.T) {
	ctx, m := With(t.Context(), ticking(), Limits{})
	Pend(t.Context(), 5) // which has no meter
	Pend(ctx, 7)
	Pend(ctx, 0)
	if room := m.Seen().Room; room == nil || *room != 7 {
		t.Errorf("room for %v, want 7", room)
	}
	Pend(ctx, -1)
	if room := m.Seen().Room; room != nil {
		t.Errorf("room for %d, want no bound", *room)
	}
}
