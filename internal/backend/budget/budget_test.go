package budget_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/try"
)

func reserve(t *testing.T, b *budget.Budget, tokens int, usd float64) func(int, float64) {
	t.Helper()
	lease := try.Get(b.Reserve(t.Context(), tokens, usd, true))(t)
	return settler(b, lease)
}

// settler returns what settles a lease.
func settler(b *budget.Budget, lease uint64) func(int, float64) {
	return func(tokens int, usd float64) {
		if err := b.Settle(context.Background(), lease, paid(tokens, usd)); err != nil {
			panic(err)
		}
	}
}

func paid(tokens int, usd float64) budget.Settlement {
	return budget.Settlement{Model: "m", Paid: &meter.Paid{Calls: 1, Tokens: tokens, USD: &usd}}
}

// spend has a budget spend what an earlier part of a run did.
func spend(b *budget.Budget, tokens int, usd float64) {
	b.Restore(budget.Entry{Settlement: paid(tokens, usd)})
}

func spent(t *testing.T, b *budget.Budget, tokens int, usd float64) {
	t.Helper()
	if n, d := b.Spent(); n != tokens || math.Abs(d-usd) > 1e-9 {
		t.Errorf("spent %d tokens and $%v, want %d and $%v", n, d, tokens, usd)
	}
}

func TestNoBound(t *testing.T) {
	for name, b := range map[string]*budget.Budget{"zero": new(budget.Budget), "new": budget.New(0, 0)} {
		t.Run(name, func(t *testing.T) {
			spend(b, 1, 0.5)
			settle := reserve(t, b, math.MaxInt, math.Inf(1))
			settle(10, 0.25)
			settle(10, 0.25) // does nothing
			spent(t, b, 11, 0.75)
		})
	}
}

func TestExceeded(t *testing.T) {
	for _, tt := range []struct {
		name      string
		b         *budget.Budget
		spent     int
		spentUSD  float64
		tokens    int
		usd       float64
		wantError string
	}{
		{"tokens", budget.New(100, 0), 60, 9, 41, 7, "budget: the budget of the run is 100 tokens (60 tokens spent), and the next call may need 41 tokens more; to continue, raise budget in the run file and run bench resume"},
		{"dollars", budget.New(0, 2), 60, 1.5, 41, 0.500001, "budget: the budget of the run is $2.00 ($1.50 spent), and the next call may need $0.500001 more; to continue, raise budget in the run file and run bench resume"},
		{"both", budget.New(100, 2), 60, 2, 1, 0.01, "budget: the budget of the run is 100 tokens and $2.00 (60 tokens and $2.00 spent), and the next call may need 1 tokens and $0.01 more; to continue, raise budget in the run file and run bench resume"},
		{"fits", budget.New(100, 2), 60, 1.5, 40, 0.5, ""},
		{"free", budget.New(100, 2), 100, 2, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spend(tt.b, tt.spent, tt.spentUSD)
			_, err := tt.b.Reserve(t.Context(), tt.tokens, tt.usd, true)
			switch {
			case tt.wantError == "" && err != nil:
				t.Error(err)
			case tt.wantError != "" && (err == nil || err.Error() != tt.wantError || fault.KindOf(err) != fault.Budget):
				t.Errorf("error %v\nwant %s", err, tt.wantError)
			}
		})
	}
}

// A call that would go beyond the budget waits for one in flight, and gets in
// when that settles for less.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(100, 0)
		first, second := reserve(t, b, 50, 0), reserve(t, b, 50, 0)
		start := time.Now()
		go func() { time.Sleep(time.Second); first(20, 0) }()
		reserve(t, b, 30, 0)(30, 0)
		if got := time.Since(start); got != time.Second {
			t.Errorf("waited %s, want 1s", got)
		}
		second(50, 0)
		spent(t, b, 100, 0)
	})
}

// Whatever the order, the budget is never exceeded, every call ends, and what
// is spent is what the calls settled for.
func TestRandom(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			b := budget.New(1000, 1)
			var mu sync.Mutex
			var wg sync.WaitGroup
			tokens, usd := 0, 0.0
			for range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(2000))*time.Millisecond)
				estimate, arrive, took := rng.IntN(100), rng.IntN(1000), rng.IntN(300)
				cost := rng.IntN(estimate + 1)
				wg.Go(func() {
					defer cancel()
					time.Sleep(time.Duration(arrive) * time.Millisecond)
					lease, err := b.Reserve(ctx, estimate, float64(estimate)/1000, true)
					if err != nil {
						if fault.KindOf(err) != fault.Budget && !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("error %v", err)
						}
						return
					}
					time.Sleep(time.Duration(took) * time.Millisecond)
					mu.Lock()
					tokens += cost
					usd += float64(cost) / 1000
					mu.Unlock()
					settler(b, lease)(cost, float64(cost)/1000) //nolint:contextcheck // it has none
				})
			}
			wg.Wait()
			if tokens > 1000 {
				t.Errorf("seed %d: spent %d tokens of 1000", seed, tokens)
			}
			spent(t, b, tokens, usd)
			// What is left can be had to the last token.
			reserve(t, b, 1000-tokens, 1-usd)(0, 0)
		})
	}
}

// A process that continues with any number of entries that another one kept has what that
// one knew: what was settled, and for calls in flight their estimates. A settlement that
// comes late takes the place of the estimate, once.
func TestRestore(t *testing.T) {
	var kept []budget.Entry
	b := budget.New(1000, 10)
	b.Keep(func(e budget.Entry) error { kept = append(kept, e); return nil })
	var leases []uint64
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		lease := try.Get(b.Reserve(t.Context(), 10, 0.5, true))(t)
		if rng.IntN(4) == 0 && len(leases) < 5 {
			leases = append(leases, lease)
		} else {
			settler(b, lease)(7, 0.1)
		}
	}
	for n := range len(kept) + 1 {
		after := budget.New(1000, 10)
		open, settled := 0, 0
		for _, e := range kept[:n] {
			after.Restore(e)
			if e.Paid == nil {
				open++
			} else {
				open, settled = open-1, settled+1
			}
		}
		spent(t, after, 10*open+7*settled, 0.5*float64(open)+0.1*float64(settled))
	}
	after := budget.New(1000, 10)
	for _, e := range kept {
		after.Restore(e)
	}
	if err := after.Settle(t.Context(), leases[0]+2, paid(900, 9)); err != nil { // which nobody has
		t.Error(err)
	}
	for _, lease := range append(leases, leases...) {
		settler(after, lease)(1, 0)
	}
	spent(t, after, 7*(40-len(leases))+len(leases), 0.1*float64(40-len(leases)))
}

// What a worker that is gone had reserved counts as spent, for those that wait too.
func TestLose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(100, 0)
		lease := try.Get(b.Reserve(t.Context(), 60, 0, true))(t)
		waits := make(chan error)
		go func() {
			_, err := b.Reserve(t.Context(), 50, 0, true)
			waits <- err
		}()
		synctest.Wait()
		b.Lose(lease)
		if err := <-waits; fault.KindOf(err) != fault.Budget {
			t.Errorf("error %v, want one of the budget", err)
		}
		spent(t, b, 60, 0)
		reserve(t, b, 40, 0)
		settler(b, lease)(5, 0)
		spent(t, b, 5, 0)
	})
}

// What no provider says is no cost.
func TestHostile(t *testing.T) {
	b := budget.New(100, 1)
	reserve(t, b, 10, 0.1)(-5, math.NaN())
	spend(b, math.MinInt, math.Inf(-1))
	spent(t, b, 0, 0)
	spend(b, math.MaxInt, math.Inf(1))
	spend(b, math.MaxInt, math.Inf(1))
	if _, err := b.Reserve(t.Context(), 1, 0, true); fault.KindOf(err) != fault.Budget {
		t.Errorf("error %v, want one of the budget", err)
	}
}
