package backend

import (
	"context"
	"log/slog"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/token"
)

// Doors are the connections to models that a backend opens. A missing one is
// nil.
type Doors struct {
	LLM      llm.Generator
	Embed    embed.Model
	NLI      nli.Scorer
	Annotate annotate.Annotator
	Prune    compress.Classifier
	Tokens   token.Counter
	// Reader names the model that answers, as requested.
	Reader string
	// Offline is set if no language model is behind LLM. Such results are marked wherever
	// they appear.
	Offline bool
	// Roles are the roles of calls that LLM sends to another model than Reader;
	// answering roles are never among them.
	Roles map[string]Served
	// LLMRates and EmbedRates are the prices of the models; nil if unknown.
	// LLMRates is that of Reader, see RatesOf.
	LLMRates, EmbedRates *price.Rates
	// Settings are what else a result depends on, by name, such as the
	// embedder and its dimension.
	Settings map[string]string
	// Close releases the resources of the doors; nil for none.
	Close func() error
}

// Served describes the model that serves the calls of a role.
type Served struct {
	Model string       // as requested
	Rates *price.Rates // nil if unknown
}

// ModelOf names the model that serves the calls of a role, as requested.
func (d Doors) ModelOf(role string) string {
	if s, ok := d.Roles[role]; ok {
		return s.Model
	}
	return d.Reader
}

// RatesOf returns the price of the model that serves the calls of a role; nil
// if unknown.
func (d Doors) RatesOf(role string) *price.Rates {
	if s, ok := d.Roles[role]; ok {
		return s.Rates
	}
	return d.LLMRates
}

// Price returns the cost of usage of a role, including embeddings: nothing for
// the stand-in. It is a meter's price.
func (d Doors) Price(role string, u llm.Usage) (usd float64, known bool) {
	rates := d.RatesOf(role)
	switch {
	case d.Offline:
		return 0, true
	case role == meter.EmbedRole:
		rates = d.EmbedRates
	}
	if rates == nil {
		return 0, false
	}
	return rates.Cost(u), true
}

// Env is what a backend may use while it opens and afterwards.
type Env struct {
	Seed  uint64
	Label string // of the entry
	Base  string // folder that relative paths of options start from
	Log   *slog.Logger
	// Getenv reads an environment variable, for keys.
	Getenv func(string) string
	// Calls records model calls; it is never nil.
	Calls *calls.Recorder
	// Limits has the provider accounts of the run, and Shared what is opened
	// once for all of its entries and seeds; nil to share nothing.
	Limits *limit.Registry
	Shared *Shared
	// Budget is what the run may spend. With BudgetUSD it is limited in dollars, so a
	// model without a price is an error.
	Budget    *budget.Budget
	BudgetUSD bool
	Prices    *price.Table
	// Estimate is set if nothing may be called: the stand-in answers what is not
	// recorded, so that calls and tokens can be counted before a run. The mode of Calls
	// is then replay, or off to ignore recordings.
	Estimate bool
}

// A Spec describes a backend. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // in run files, lowercase
	Doc     string // one line
	Options any    // the default options, a struct; nil for none
	Open    func(ctx context.Context, env Env, options any) (Doors, error)
	// Identity returns the part of the options that replies depend on, as YAML values;
	// nil if they depend on all. With roles it may leave out options that do not affect
	// the calls of these roles, embeddings and annotations: what they build can be kept
	// for entries that differ in nothing else.
	Identity func(options any, roles ...string) any
	// Check tries what the options name and returns its findings; nil for a backend that
	// needs nothing from outside.
	Check func(ctx context.Context, env Env, options any) []Finding
	// Remote is set if calls wait for other machines, so that many can be in flight.
	Remote bool
	// NoModel is set if readers reply nothing and other calls of a chat model fail.
	NoModel bool
	// Records reports whether an entry with such options has recorded calls, for a
	// backend that is not remote; nil for never.
	Records func(options any) bool
}

// A Finding is the result of a check.
type Finding struct {
	What   string // what was tried, such as "chat https://host/v1: key"
	Status FindingStatus
	Detail string // what was found
	Remedy string // the fix; empty if nothing is wrong
	// Context is how many tokens of prompt and reply the model accepts, if
	// known; else 0.
	Context int
}

// A FindingStatus says whether a finding is good.
type FindingStatus string

// The statuses of findings.
const (
	Good    FindingStatus = "ok"
	Warning FindingStatus = "warn" // a run will work, but not in all ways
	Missing FindingStatus = "fail" // a run will not work
)

// ModelsDir is the folder with the folders of local models: the value of the
// environment variable BENCH_MODELS, else models in the working directory.
func ModelsDir(getenv func(string) string) string {
	if getenv != nil {
		if dir := getenv("BENCH_MODELS"); dir != "" {
			return dir
		}
	}
	return "models"
}
