package themes

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestBounds joins themes of a large partition: the objective lies within its
// bounds, which are narrow, and the lists of two themes tell of their union what
// products with all themes tell.
func TestBounds(t *testing.T) {
	s, err := newSpace(spread(3000, 64, .7))
	if err != nil {
		t.Fatal(err)
	}
	p := newPartition(newSet(s))
	for i := 0; i < 3000; i += 2 {
		p.add([]int{i, i + 1})
	}
	p.refresh()
	r := rand.New(rand.NewPCG(1, 1))
	narrow := 0
	for range 50 {
		x := p.themes[r.IntN(len(p.themes))]
		y := p.themes[p.set.nearest(x.id, 10)[r.IntN(10)].Index]
		both := p.newTheme(x.id, union(x, y))
		c := change{gone: []*theme{x, y}, come: []*theme{both}}
		o := p.outcome(c, map[*theme]prospect{both: p.union(both, x, y)})
		plain := p.outcome(c, map[*theme]prospect{both: p.prospect(both, p.near(both.row)[0], c.gone)})
		if diff := cmp.Diff(plain, o, cmp.AllowUnexported(outcome{}, bell{}), cmpopts.IgnoreTypes(change{})); diff != "" {
			t.Fatalf("union of themes %d and %d (-products +lists):\n%s", x.id, y.id, diff)
		}
		low, high := p.bounds(o)
		if f := p.objective(o); f < low || f > high {
			t.Errorf("themes %d and %d: objective %v, want %v to %v", x.id, y.id, f, low, high)
		}
		if high-low < 3e-5 {
			narrow++
		}
	}
	if narrow < 40 {
		t.Errorf("%d of 50 bounds are narrow, want 40 and more", narrow)
	}
}
