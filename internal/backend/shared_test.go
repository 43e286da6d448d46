package backend

import (
	"errors"
	"testing"

	"recallbench/internal/testkit/try"
)

// closing counts how often it was closed.
type closing struct{ closed int }

func (c *closing) Close() error { c.closed++; return nil }

func TestTake(t *testing.T) {
	type key struct{ dir string }
	for _, shared := range []*Shared{nil, {}} {
		opened := 0
		take := func(k any) (*closing, func() error) {
			t.Helper()
			value, release, err := Take(shared, k, func() (*closing, error) { opened++; return new(closing), nil })
			try.Do(t, err)
			return value, release
		}
		a, releaseA := take(key{"a"})
		b, releaseB := take(key{"a"})
		c, releaseC := take(key{"c"})
		if same := shared != nil; (a == b) != same || a == c || opened != map[bool]int{true: 2, false: 3}[same] {
			t.Errorf("shared %t: same key gives the same: %t, other key: %t, opened %d", same, a == b, a == c, opened)
		}
		if err := errors.Join(releaseA(), releaseC()); err != nil || c.closed != 1 || b.closed != 0 {
			t.Errorf("given back by one of two: closed %d and %d, %v", b.closed, c.closed, err)
		}
		if err := releaseB(); err != nil || b.closed != 1 {
			t.Errorf("given back by both: closed %d, %v", b.closed, err)
		}
		before := opened
		if again, _ := take(key{"a"}); opened != before+1 || again == a {
			t.Error("what was closed is taken again")
		}
	}
}

func TestTakeFails(t *testing.T) {
	shared, broken := new(Shared), errors.New("no such file")
	for _, want := range []error{broken, nil} {
		_, _, err := Take(shared, "key", func() (*closing, error) { return new(closing), want })
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}
