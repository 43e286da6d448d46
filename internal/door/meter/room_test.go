package meter

import "testing"

func TestRoom(t *testing.T) {
	ctx, m := With(t.Context(), ticking(), Limits{})
	Pend(t.Context(), "a", 5) // which has no meter
	Pend(ctx, "a", 7)
	Pend(ctx, "b", 0)
	if tokens, ok := m.Room(); tokens != 7 || !ok {
		t.Errorf("room for %d, bounded %v; want 7", tokens, ok)
	}
	Pend(ctx, "c", -1)
	if tokens, ok := m.Room(); tokens != 7 || ok {
		t.Errorf("room for %d, bounded %v; want no bound", tokens, ok)
	}
}
