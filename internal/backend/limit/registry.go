package limit

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// NewRemote returns a registry whose accounts are those of another process, which do
// reaches.
func NewRemote(do Doer) *Registry { return &Registry{do: do} }

// Find returns the account of a name; ok is false where no model uses it.
func (r *Registry) Find(name string) (a *Account, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.accounts, func(a *Account) bool { return a.name == name })
	if i < 0 {
		return nil, false
	}
	return r.accounts[i], true
}

// Account returns the account of a name. The settings of its first use hold;
// other settings for the same name are an error, as are settings out of range.
func (r *Registry) Account(name string, s Settings) (*Account, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("account %q: %w", name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.accounts {
		if a.name != name {
			continue
		}
		if d := s.differences(a.settings); len(d) > 0 {
			return nil, fmt.Errorf("account %q: %s as where it is first used; models of one account share its limits", name, strings.Join(d, ", "))
		}
		return a, nil
	}
	a := newAccount(name, s, time.Now())
	a.do = r.do
	r.accounts = append(r.accounts, a)
	return a, nil
}

// Counts are attempts of calls that did not go well at once.
type Counts struct {
	Retries int // attempts after the first of a call
	Refused int // attempts that met a 429
}

// Counts adds up those of all accounts.
func (r *Registry) Counts() (sum Counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.accounts {
		a.mu.Lock()
		sum.Retries += a.counts.Retries
		sum.Refused += a.counts.Refused
		a.mu.Unlock()
	}
	return sum
}

// History returns the changes of all accounts in the order of time. Of an account
// with more than 256 changes it has the first 128 and the last 128. The reason of the
// first one after the gap says how many were left out.
func (r *Registry) History() []Change {
	r.mu.Lock()
	accounts := slices.Clone(r.accounts)
	r.mu.Unlock()
	var all []Change
	for _, a := range accounts {
		a.mu.Lock()
		all = append(all, a.history.list()...)
		a.mu.Unlock()
	}
	slices.SortStableFunc(all, func(x, y Change) int { return x.Time.Compare(y.Time) })
	return all
}

// A Status is how it stands with an account.
type Status struct {
	Name     string
	Limit    int // of calls in flight
	InFlight int
	Waiting  int
	Paused   time.Time // nothing is sent before; zero for now
}

// Status returns that of all accounts, in the order of their first use.
func (r *Registry) Status() []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	var all []Status
	for _, a := range r.accounts {
		a.mu.Lock()
		s := Status{Name: a.name, Limit: a.adaptive.limit, InFlight: a.inFlight, Waiting: len(a.queue)}
		if d := a.adaptive.closed(now); d > 0 {
			s.Paused = now.Add(d)
		}
		a.mu.Unlock()
		all = append(all, s)
	}
	return all
}
