package meter

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
)

// A meter that absorbed another has what one meter would have collected, and the
// other nothing; a tally counts it once.
func TestAbsorb(t *testing.T) {
	first := func(m *Meter) {
		m.add("reader", llm.Usage{Calls: 1, Input: 10, Output: 2}, 0.5, true, false)
		m.reply(llm.Reply{Model: "m", Attempts: 2}, Call{ID: "b", Stage: "reader"}, 12)
		m.prefixes = map[string]bool{"x": true}
	}
	second := func(m *Meter) {
		m.add("reader", llm.Usage{Calls: 1, Input: 5, Output: 1}, 0.25, true, true)
		m.add("external", llm.Usage{Calls: 1, Input: 7}, 0, false, false)
		m.add(EmbedRole, llm.Usage{Calls: 1, Input: 4}, 0.125, true, false)
		m.reply(llm.Reply{Model: "n", Attempts: 3}, Call{ID: "a", Stage: "external"}, 6)
		m.stages = map[string]time.Duration{"external": time.Second}
		m.degraded = map[string]int{"external": 1}
		m.room, m.boundless = 5, true
	}
	for _, shared := range []bool{false, true} {
		tally, whole := NewTally(), NewTally()
		ctx := Count(t.Context(), tally)
		_, m := With(ctx, time.Now, Limits{})
		if !shared {
			ctx = t.Context()
		}
		_, o := With(ctx, time.Now, Limits{})
		_, one := With(Count(t.Context(), whole), time.Now, Limits{})
		first(m)
		second(o)
		m.Absorb(o)
		m.Absorb(o)
		m.Absorb(nil)
		first(one)
		second(one)
		if !reflect.DeepEqual(m.collected, one.collected) {
			t.Errorf("absorbed %+v, want %+v", m.collected, one.collected)
		}
		if diff := cmp.Diff(whole.Spent(), tally.Spent()); diff != "" {
			t.Errorf("tally, shared %t (-want +got):\n%s", shared, diff)
		}
		if want := (collected{paid: Paid{USD: new(0.0)}}); !reflect.DeepEqual(o.collected, want) {
			t.Errorf("left %+v", o.collected)
		}
	}
}
