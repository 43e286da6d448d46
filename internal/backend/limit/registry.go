package limit

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

// A Registry holds the accounts of a run. Models that use one account share
// its limits. It is safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	accounts []*Account // in the order of their first use
	do       Doer       // see [NewRemote]; nil for accounts of this process
}

// NewRegistry returns a registry without accounts.
func NewRegistry() *Registry { return &Registry{} }

// A Doer makes calls within the limits of an account, as [Account.Do] does.
type Doer func(ctx context.Context, account string, tokens int, try func(context.Context) (tokens int, err error)) (attempts int, err error)

// NewRemote returns a registry whose accounts belong to another process, reached by
// do.
func NewRemote(do Doer) *Registry { return &Registry{do: do} }

// Find returns the account with the given name; ok is false if no model uses it.
func (r *Registry) Find(name string) (a *Account, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a = r.find(name)
	return a, a != nil
}

func (r *Registry) find(name string) *Account {
	for _, a := range r.accounts {
		if a.name == name {
			return a
		}
	}
	return nil
}

// Account returns the account with the given name. The settings of its first use apply;
// other settings for the same name are an error, as are settings out of range.
func (r *Registry) Account(name string, s Settings) (*Account, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("account %q: %w", name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.find(name); a != nil {
		if a.settings != s {
			return nil, fmt.Errorf("account %q: limits %+v, not %+v as where it is first used; models of one account share its limits", name, s, a.settings)
		}
		return a, nil
	}
	a := &Account{
		name: name, settings: s, do: r.do,
		random:   rand.New(rand.NewPCG(maphash.String(maphash.MakeSeed(), name), 0)), // processes must not wait in step
		window:   window{rpm: s.RPM, tpm: s.TPM},
		adaptive: adaptive{limit: s.Max, max: s.Max, patience: 1, trial: true},
		circuit:  circuit{broken: make(chan struct{})},
	}
	r.accounts = append(r.accounts, a)
	return a, nil
}

// Counts are attempts that did not succeed at once.
type Counts struct {
	Retries int // attempts after the first of a call
	Refused int // attempts that met a 429
}

// each calls f for each account, locked.
func (r *Registry) each(f func(*Account)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.accounts {
		a.mu.Lock()
		f(a)
		a.mu.Unlock()
	}
}

// Counts adds up those of all accounts.
func (r *Registry) Counts() (sum Counts) {
	r.each(func(a *Account) {
		sum.Retries += a.counts.Retries
		sum.Refused += a.counts.Refused
	})
	return sum
}

// A Status is the state of an account.
type Status struct {
	Name     string `json:"name"`
	Limit    int    `json:"limit"` // of calls in flight
	InFlight int    `json:"in_flight"`
	Waiting  int    `json:"waiting"`
	// PausedUntil is when the next call may be sent, in UTC; nil if it may be sent at once.
	PausedUntil *time.Time `json:"paused_until"`
}

// Status returns that of all accounts, in the order of their first use.
func (r *Registry) Status() []Status {
	all, now := []Status{}, time.Now()
	r.each(func(a *Account) {
		s := Status{Name: a.name, Limit: a.adaptive.limit, InFlight: a.inFlight, Waiting: len(a.queue)}
		if a.adaptive.gate.After(now) {
			s.PausedUntil = new(a.adaptive.gate.UTC())
		}
		all = append(all, s)
	})
	return all
}
