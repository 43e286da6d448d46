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

// Doors are the ways to models that a backend opens. A door that it does not
// have is nil.
type Doors struct {
	LLM      llm.Generator
	Embed    embed.Model
	NLI      nli.Scorer
	Annotate annotate.Annotator
	Prune    compress.Classifier
	Tokens   token.Counter
	// Reader names the model that answers, as asked for.
	Reader string
	// Offline is set when no language model stands behind LLM. Such results
	// are marked wherever they appear.
	Offline bool
	// Roles are the roles of calls that LLM sends to another model than Reader;
	// those that answer are not among them.
	Roles map[string]Served
	// LLMRates and EmbedRates are the prices of the models; nil when unknown.
	// LLMRates is that of Reader, see RatesOf.
	LLMRates, EmbedRates *price.Rates
	// Settings are what else a result depends on, by name, such as the
	// embedder and its dimension.
	Settings map[string]string
	// Close releases what the doors hold; nil for nothing.
	Close func() error
}

// Served says what serves the calls of a role.
type Served struct {
	Model string       // as asked for
	Rates *price.Rates // nil when unknown
}

// ModelOf names the model that serves the calls of a role, as asked for.
func (d Doors) ModelOf(role string) string {
	if s, ok := d.Roles[role]; ok {
		return s.Model
	}
	return d.Reader
}

// RatesOf returns the price of the model that serves the calls of a role; nil
// when unknown.
func (d Doors) RatesOf(role string) *price.Rates {
	if s, ok := d.Roles[role]; ok {
		return s.Rates
	}
	return d.LLMRates
}

// Price returns what usage of a role costs, embeddings included: nothing
// for the stand-in. It is a meter's price.
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
	// Calls records what is called; it is never nil.
	Calls *calls.Recorder
	// Limits holds the provider accounts of the run, and Shared what is opened
	// once for all of its entries and seeds; nil to share nothing.
	Limits *limit.Registry
	Shared *Shared
	// Budget is what the run may spend. With BudgetUSD it is bounded in
	// dollars, so that a model without a price is an error.
	Budget    *budget.Budget
	BudgetUSD bool
	Prices    *price.Table
	// Estimate is set when nothing may be called: what is not recorded is
	// answered by the stand-in, so that calls and tokens can be counted
	// before a run. The mode of Calls is then replay, or off to look at no
	// recordings.
	Estimate bool
}

// A Spec describes a backend. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // in configs, lower case
	Doc     string // one line
	Options any    // the default options, a struct; nil for none
	Open    func(ctx context.Context, env Env, options any) (Doors, error)
	// Identity returns the part of the options that replies depend on, as values that
	// YAML can hold; nil when they depend on all. With roles it may leave out what the
	// calls of these, embeddings and annotations do not depend on: what is built by them
	// can be kept for entries that differ in nothing else.
	Identity func(options any, roles ...string) any
	// Check tries what the options name and says what it found, a line a
	// finding; nil for a backend that needs nothing from outside.
	Check func(ctx context.Context, env Env, options any) []Finding
	// Remote is set when calls wait for others, so that many can be in flight.
	Remote bool
	// Records reports whether an entry with such options has calls that are
	// recorded, for a backend that is not remote; nil for never.
	Records func(options any) bool
}

// A Finding is what a check found.
type Finding struct {
	What   string // what was tried, such as "chat https://host/v1: key"
	Status FindingStatus
	Detail string // what was found
	Remedy string // what would be right; empty where nothing is wrong
	// Context is how many tokens of prompt and reply the model takes, where that
	// was found; else 0.
	Context int
}

// A FindingStatus says whether what was found is good.
type FindingStatus string

// The statuses of findings.
const (
	Good    FindingStatus = "ok"
	Warning FindingStatus = "warn" // a run will work, but not in all ways
	Missing FindingStatus = "fail" // a run will not work
)

// ModelsDir is the folder that has the folders of local models: what the
// environment variable BENCH_MODELS names, else models in the working directory.
func ModelsDir(getenv func(string) string) string {
	if getenv != nil {
		if dir := getenv("BENCH_MODELS"); dir != "" {
			return dir
		}
	}
	return "models"
}
