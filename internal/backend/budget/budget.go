// Package budget keeps a run within its budget, and reports what it spent.
package budget

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
)

// A Budget limits the tokens and the dollars that a run pays for. The zero
// value has no limit, and then reserving never waits. It is safe for concurrent
// use.
//
// Spending never exceeds the budget as long as no call costs more than it
// reserved. A call with an unknown price costs 0 dollars here: a limit in
// dollars is for models with a price.
type Budget struct {
	maxTokens int
	maxUSD    float64
	remote    Remote            // of another process; nil for this one
	keep      func(Entry) error // see Keep; nil keeps nothing

	mu      sync.Mutex
	spent   amount
	leases  map[uint64]lease
	changed chan struct{} // closed when something was settled; nil if nobody waits
}

// A lease is the amount reserved for a call. A lost lease counts as spent.
type lease struct {
	amount
	lost bool
}

// An Entry is a line of a run's payment log: a lease before a call is sent, and its
// settlement, which names the lease, once the reply has arrived. A lease without
// settlement belongs to a call that was in flight when a process ended: its cost is
// unknown, and it counts as its estimate.
type Entry struct {
	Lease uint64 `json:"lease,omitempty"` // 0 for none
	// Tokens and USD are the estimate of a lease.
	Tokens int     `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	Settlement
	// Judge is the id of the judge that pays; empty for the run.
	Judge string `json:"judge,omitempty"`
}

// A Settlement says what was paid for calls of a model entry, and which models have
// replied.
type Settlement struct {
	Model  string         `json:"model,omitempty"` // label of the entry
	Served []meter.Served `json:"served,omitempty"`
	Paid   *meter.Paid    `json:"paid,omitempty"` // nil for a lease
}

// New returns a budget; 0 means no limit.
func New(tokens int, usd float64) *Budget { return &Budget{maxTokens: tokens, maxUSD: usd} }

// A Remote is the budget of another process, which has the methods of [Budget].
type Remote interface {
	Lease(ctx context.Context, number uint64, tokens int, usd float64, wait bool) error
	Settle(ctx context.Context, lease uint64, s Settlement) error
}

// NewRemote returns the budget of another process, which r reaches.
func NewRemote(r Remote) *Budget { return &Budget{remote: r} }

// Keep makes f store each lease and each settlement from now on, before the call is
// sent or its reply is used. An error of f fails the call.
func (b *Budget) Keep(f func(Entry) error) { b.keep = f }

func (b *Budget) kept(e Entry) error {
	if b.keep == nil {
		return nil
	}
	return b.keep(e)
}

// Restore reads what an earlier part of the run kept, one entry after the other.
func (b *Budget) Restore(e Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case e.Paid == nil:
		b.reserve(e.Lease, sane(e.Tokens, e.USD))
		b.lose(e.Lease)
	case e.Lease == 0:
		b.spent = b.spent.plus(paidFor(*e.Paid))
	default:
		b.settle(e.Lease, *e.Paid)
	}
}

// Spent returns the amount spent so far.
func (b *Budget) Spent() (tokens int, usd float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.tokens, b.spent.usd
}

// LeftUSD returns how many dollars of the budget are left.
func (b *Budget) LeftUSD() float64 {
	_, usd := b.Spent()
	return max(0, b.maxUSD-usd)
}

// Reserve reserves an upper estimate of a call's cost, and returns the number of the
// lease. If that would exceed the budget it waits for calls in flight to settle for
// less, and fails with [fault.Budget] if that does not help. Without wait, for a caller
// that holds something calls in flight may need, it fails with [fault.Timeout] where it
// would wait. If ctx ends, the error is its cause.
func (b *Budget) Reserve(ctx context.Context, tokens int, usd float64, wait bool) (lease uint64, err error) {
	lease = rand.Uint64() | 1 //nolint:forbidigo // it is in no result
	if err := b.Lease(ctx, lease, tokens, usd, wait); err != nil {
		return 0, err
	}
	return lease, nil
}

// Lease is [Budget.Reserve] under a number that the caller has drawn at random. An open lease is not reserved again.
func (b *Budget) Lease(ctx context.Context, number uint64, tokens int, usd float64, wait bool) error {
	estimate := sane(tokens, usd)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if b.remote != nil {
			return b.remote.Lease(ctx, number, tokens, usd, wait)
		}
		fresh, changed, err := b.admit(number, estimate)
		switch {
		case err != nil:
			return err
		case fresh:
			return b.kept(Entry{Lease: number, Tokens: estimate.tokens, USD: estimate.usd})
		case changed == nil: // it is open already
			return nil
		case !wait:
			return fault.New(fault.Timeout, "the rest of the run's budget is reserved for calls in flight")
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// admit sets aside an estimate; fresh is false if the lease is open already. Where calls
// in flight may need what is left, it returns a channel that is closed when one of them has
// settled.
func (b *Budget) admit(number uint64, estimate amount) (fresh bool, changed chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.spent.plus(estimate)
	if _, open := b.leases[number]; open {
		return false, nil, nil
	}
	if !b.fits(all) {
		return false, nil, b.exceeded(estimate)
	}
	for _, l := range b.leases {
		if !l.lost {
			all = all.plus(l.amount)
		}
	}
	if !b.fits(all) {
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		return false, b.changed, nil
	}
	b.reserve(number, estimate)
	return true, nil, nil
}

// Settle records the actual cost of the call of a lease, also if it failed. A lease is
// settled once; later calls do nothing. With the lease 0 only the savings of recordings
// are counted.
func (b *Budget) Settle(ctx context.Context, lease uint64, s Settlement) error {
	if b.remote != nil {
		return b.remote.Settle(ctx, lease, s)
	}
	if lease == 0 {
		s.Paid = &meter.Paid{Reused: s.Paid.Reused, USD: new(0.0)}
	}
	b.mu.Lock()
	open := lease == 0 || b.settle(lease, *s.Paid)
	b.mu.Unlock()
	if !open {
		return nil
	}
	return b.kept(Entry{Lease: lease, Settlement: s})
}

// What a call may cost beyond its estimate: its attempts, each with the longest reply
// that is read.
const (
	mostTimes  = 16
	mostTokens = 64 << 10
)

// Allows reports whether a payment is plausible for the call of a lease. For a
// settled or unknown lease, nothing that was paid is counted.
func (b *Budget) Allows(lease uint64, paid meter.Paid) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok := b.leases[lease]
	p := paidFor(paid)
	most := mostTimes * float64(l.tokens+mostTokens)
	return !ok || float64(p.tokens) <= most && p.usd <= l.usd*most/float64(max(1, l.tokens))
}

// Lose counts leases as spent that may never be settled. One that is settled after
// all counts with its actual cost.
func (b *Budget) Lose(leases ...uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range leases {
		b.lose(n)
	}
	b.wake()
}

func (b *Budget) reserve(number uint64, estimate amount) {
	if b.leases == nil {
		b.leases = make(map[uint64]lease)
	}
	b.leases[number] = lease{amount: estimate}
}

func (b *Budget) lose(number uint64) {
	if l, ok := b.leases[number]; ok && !l.lost {
		l.lost = true
		b.leases[number], b.spent = l, b.spent.plus(l.amount)
	}
}

// settle ends a lease; it returns false if there is none.
func (b *Budget) settle(number uint64, paid meter.Paid) bool {
	l, ok := b.leases[number]
	if !ok {
		return false
	}
	delete(b.leases, number)
	if l.lost {
		b.spent = amount{b.spent.tokens - l.tokens, b.spent.usd - l.usd}
	}
	b.spent = b.spent.plus(paidFor(paid))
	b.wake()
	return true
}

// wake lets waiting calls look again.
func (b *Budget) wake() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// An amount is what calls cost.
type amount struct {
	tokens int
	usd    float64
}

func (a amount) plus(b amount) amount { return amount{a.tokens + b.tokens, a.usd + b.usd} }

// paidFor returns what was paid; an unknown price counts as none.
func paidFor(p meter.Paid) amount {
	if p.USD == nil {
		return sane(p.Tokens, 0)
	}
	return sane(p.Tokens, *p.USD)
}

// sane returns an amount without invalid costs: negative, not a number, or so large that
// a sum would overflow.
func sane(tokens int, usd float64) amount {
	if math.IsNaN(usd) {
		usd = 0
	}
	return amount{min(max(tokens, 0), 1<<50), min(max(usd, 0), 1e12)}
}

// fits reports whether an amount is within the budget. Dollars are sums of small
// fractions, so that their last digits fail no call.
func (b *Budget) fits(a amount) bool {
	return (b.maxTokens == 0 || a.tokens <= b.maxTokens) && (b.maxUSD == 0 || a.usd <= b.maxUSD*(1+1e-9))
}

// exceeded returns the error of a call that does not fit.
func (b *Budget) exceeded(estimate amount) error {
	said := func(a amount) string {
		var parts []string
		if b.maxTokens != 0 {
			parts = append(parts, fmt.Sprintf("%d tokens", a.tokens))
		}
		if b.maxUSD != 0 {
			parts = append(parts, dollars(a.usd))
		}
		return strings.Join(parts, " and ")
	}
	return fault.New(fault.Budget, "the budget of the run is %s (%s spent), and the next call may need %s more; to continue, raise budget in the run file and run bench resume",
		said(amount{b.maxTokens, b.maxUSD}), said(b.spent), said(estimate))
}

// dollars writes an amount of dollars with as many digits as a call's cost
// needs, at least cents.
func dollars(usd float64) string {
	whole, fraction, _ := strings.Cut(fmt.Sprintf("%.6f", usd), ".")
	return "$" + whole + "." + fraction[:2] + strings.TrimRight(fraction[2:], "0")
}
