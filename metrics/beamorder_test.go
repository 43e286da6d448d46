package metrics_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/metrics"
)

// The values were made with SciPy's kendalltau from the rank lists of BEAM's
// event_ordering_score at commit b2a3ee8.
func TestBEAMEventOrder(t *testing.T) {
	for _, c := range []struct {
		events, items  string // items after commas; one without text is an empty line
		f1, tau, final float64
	}{
		{"a,b,c", "a,b,c", 1, 1, 1},
		{"a,b,c", "a,c,b", 1, 0.666667, 0.666667},
		{"a,b,c", "c,b,a", 1, 0, 0},
		{"a,b,c", "a,b", 0.8, 1, 0.8},
		{"a,b,c", "h,a,b,c", 0.857143, 0.5, 0.428571},
		{"a,b,c", "a,b,c,h", 0.857143, 1, 0.857143},
		{"a,b,c", "a,,b,,c", 0.75, 0.833333, 0.625},
		{"a,b,c", "h,,a,b,c", 0.75, 0.341886, 0.256415},
		{"a,b,c", "x", 0, 0.146447, 0},
		{"a,b,c", "", 0, 0.146447, 0},
		{"a,b,c", "x,y", 0, 0.122036, 0},
		{"a,b,c", "a,b,c,a", 1, 0.333333, 0.333333},
		{"a,b,c,d,e", "x", 0, 0.211325, 0},
		{"a,b,c,d,e,f,g,h,i,j", "x", 0, 0.286799, 0},
		{"A,B,C,D", "A,B,D,C", 1, 0.8333333333, 0.8333333333},
		{"A,B,C,D", "A,B,D", 0.8571428571, 0.8333333333, 0.7142857143},
		{"A,B,C,D", "A,B,x,C,D", 0.8888888889, 0.8, 0.7111111111},
		{"A,B,C,D", "D,A", 0.6666666667, 0.4087129071, 0.2724752714},
		{"A,B,C,D", "x,y,z", 0, 0.1348516283, 0},
		{"A,B,C,D", "A,B,A,C", 0.8571428571, 0.8333333333, 0.7142857143},
	} {
		tau, f1, ok := metrics.BEAMEventOrder(strings.Split(c.events, ","), strings.Split(c.items, ","))
		for name, pair := range map[string][2]float64{"f1": {f1, c.f1}, "tau": {tau, c.tau}, "final": {tau * f1, c.final}} {
			if !ok || math.Abs(pair[0]-pair[1]) > 1e-6 {
				t.Errorf("%s of %q against %q is %v, want %v", name, c.items, c.events, pair[0], pair[1])
			}
		}
	}
	if tau, f1, ok := metrics.BEAMEventOrder([]string{"a"}, []string{"a"}); ok || f1 != 1 {
		t.Errorf("one event has the order %v, %v, %v", tau, f1, ok)
	}
}

// TestBEAMEventOrderReversed wants Tau of an order and of its reverse to sum to 1 where
// all events are told.
func TestBEAMEventOrderReversed(t *testing.T) {
	events := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.Permutation(events).Draw(t, "items")
		forward, f1, _ := metrics.BEAMEventOrder(events, items)
		slices.Reverse(items)
		backward, _, _ := metrics.BEAMEventOrder(events, items)
		if math.Abs(forward+backward-1) > 1e-12 || f1 != 1 {
			t.Fatalf("%v and %v, F1 %v", forward, backward, f1)
		}
	})
}
