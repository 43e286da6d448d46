package meter

import "testing"

func TestRoom(t *testing.T) {
	ctx, m := With(t.Context(), ticking(), Limits{})
	AddRoom(t.Context(), 5) // which has no meter
	AddRoom(ctx, 7)
	AddRoom(ctx, 0)
	if tokens, ok := m.Room(); tokens != 7 || !ok {
		t.Errorf("room for %d, bounded %v; want 7", tokens, ok)
	}
	AddRoom(ctx, -1)
	if tokens, ok := m.Room(); tokens != 7 || ok {
		t.Errorf("room for %d, bounded %v; want no bound", tokens, ok)
	}
}
