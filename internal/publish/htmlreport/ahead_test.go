package htmlreport

import (
	"errors"
	"testing"
	"testing/synctest"
)

func TestAhead(t *testing.T) {
	fault := errors.New("torn")
	count := func(yield func(int, error) bool) {
		for i := range 1000 {
			if !yield(i, nil) {
				return
			}
		}
		yield(0, fault)
	}
	want := 0
	for i, err := range ahead(count) {
		if err != nil {
			if want != 1000 || !errors.Is(err, fault) {
				t.Errorf("after %d values: %v", want, err)
			}
			break
		}
		if i != want {
			t.Fatalf("got %d, want %d", i, want)
		}
		want++
	}
	if want != 1000 {
		t.Errorf("%d values came, want 1000", want)
	}

	// Whoever stops early leaves no goroutine behind: the bubble ends only when all
	// of them have.
	synctest.Test(t, func(*testing.T) {
		for i, err := range ahead(count) {
			if err != nil {
				t.Error(err)
			}
			if i == 3 {
				break
			}
		}
	})
}
