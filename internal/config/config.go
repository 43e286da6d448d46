package config

import (
	"path/filepath"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/methods"
	"recallbench/metrics"
)

// A Config is a run file with every default filled in.
type Config struct {
	// Name of the run, part of its folder's name: letters, digits, dots,
	// hyphens and underscores. The file's name by default.
	Name string `yaml:"name" jsonschema:"pattern=^[\\p{L}\\p{N}_][\\p{L}\\p{N}._-]*$"`
	// Seed drives everything random; runs with the same seed give the same
	// records.
	Seed uint64 `yaml:"seed" jsonschema:"default=1,maximum=18446744073709551615"`
	// Seeds are several seeds in place of one: everything is run for each of
	// them, and tables show means over them with standard deviations.
	// The questions are those of the first.
	Seeds []uint64 `yaml:"seeds,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Base is the folder that relative paths start from. The file's own folder
	// by default; a relative one starts there.
	Base string `yaml:"base"`
	// Datasets to ask about; at least one.
	Datasets []Entry `yaml:"datasets" jsonschema:"minItems=1"`
	// Methods to compare, in the order of tables; at least one.
	Methods []Entry `yaml:"methods" jsonschema:"minItems=1"`
	// Models behind the methods. The stand-in by default.
	Models []Entry `yaml:"models" jsonschema:"minItems=1"`
	// Exclude has conditions on labels of datasets, methods and models and on seeds: a
	// cell that meets all parts of a condition is not run.
	Exclude []Exclusion `yaml:"exclude,omitempty"`
	// Metrics to score answers with, in the order of tables. By default those of the
	// datasets.
	Metrics []string `yaml:"metrics" jsonschema:"minItems=1,uniqueItems=true"`
	// Judges judge the answers after the run, each in its own columns.
	Judges []Judge `yaml:"judges,omitempty"`
	// Judge says which answers are judged.
	Judge Asking `yaml:"judge,omitempty"`
	// Prompts is a folder of templates METHOD/NAME.tmpl that replace built-in
	// prompts.
	Prompts string `yaml:"prompts,omitempty"`
	// Memories is a folder in which runs share the parts of memories that take calls
	// to build: what a method builds from a conversation with the same models, prompts
	// and options is built once. By default each run has its own.
	Memories string `yaml:"memories,omitempty"`
	// Structures records the contents of memories for bench view, if a method supports
	// it: about 1 MB for a long conversation.
	Structures bool `yaml:"structures,omitempty" jsonschema:"default=false"`
	// Tuning chooses options of methods on other data before the run.
	Tuning Tuning `yaml:"tuning,omitempty"`
	// Published names the published tables to print next to the measured one.
	Published []string `yaml:"published,omitempty" jsonschema:"uniqueItems=true"`
	// Concurrency bounds how much happens at once. It changes no answer.
	Concurrency Concurrency `yaml:"concurrency"`
	// Limits bound what a run may spend or lose.
	Limits Limits `yaml:"limits"`
	// Budget is what the whole run may pay for.
	Budget Budget `yaml:"budget,omitempty"`
	// Shard is the part of the conversations to run, such as 2/4: the second of four
	// shards has every fourth conversation of each dataset, starting with the second.
	// All of them by default; bench resume joins the shards of a run.
	Shard Shard `yaml:"shard,omitempty" jsonschema:"pattern=^[1-9][0-9]*/[1-9][0-9]*$"`
	// Calls says how recordings of model calls are used.
	Calls Calls `yaml:"calls"`
	// Prices is a YAML file of prices that override the built-in ones.
	Prices string `yaml:"prices,omitempty"`
}

// EachSeed returns the seeds that everything is run for: Seeds, which begin with
// Seed, or Seed alone.
func (c *Config) EachSeed() []uint64 {
	if len(c.Seeds) > 0 {
		return c.Seeds
	}
	return []uint64{c.Seed}
}

// Budget is what a run may pay, including after resuming. Recorded calls are free. A
// run that reaches it stops, exits with 5 and can be resumed with a larger one.
type Budget struct {
	// Tokens is the number of input and output tokens; 0, the default, is no
	// bound.
	Tokens int `yaml:"tokens,omitempty" jsonschema:"minimum=0,default=0"`
	// USD is the number of dollars; 0, the default, means no bound. With a bound, every
	// model that is called needs a price.
	USD float64 `yaml:"usd,omitempty" jsonschema:"minimum=0,default=0"`
}

// Tuning chooses options of methods on data other than the run's:
// those of a grid that score best. Methods without a grid are left as they are.
type Tuning struct {
	// Datasets to choose on, such as the dev split.
	Datasets []Entry `yaml:"datasets,omitempty"`
	// Metric whose first column is to be highest, as a mean over requests.
	Metric string `yaml:"metric,omitempty"`
	// Requests is the number of questions of each dataset, from its start, that are
	// asked for each point of a grid; 0, the default, asks all.
	Requests int `yaml:"requests,omitempty" jsonschema:"minimum=0,default=0"`
}

// Calls says how recordings of model calls are used. Without StandIn, the stand-in is
// not recorded, except for its parser or annotation server.
type Calls struct {
	// Mode is off, record (make every call, and record it), reuse (make and record calls
	// that are not recorded; the default) or replay (make no call; one that is not
	// recorded stops the run).
	Mode calls.Mode `yaml:"mode"`
	// Store is the folder of the recordings: BENCH_CALLS or results/calls in
	// the working directory by default.
	Store string `yaml:"store,omitempty"`
	// StandIn records the prompts and replies of the stand-in, for transcripts.
	// These recordings are never replayed.
	StandIn bool `yaml:"stand_in,omitempty" jsonschema:"default=false"`
}

// An Entry uses a dataset, a method or a model.
type Entry struct {
	// Use is the name of the dataset, method or model.
	Use string `yaml:"use" jsonschema:"required"`
	// Label is the name in tables, unique in its list; by default, the name in use.
	Label string `yaml:"label"`
	// Options of what is used. They have the type of the Spec's Options,
	// decoded over its values; nil where it has none.
	Options any `yaml:"options,omitempty"`
	// Optional skips a dataset if its data is missing.
	Optional bool `yaml:"optional,omitempty"`
	// VariantOf is the label of another method that this one is a variant of, such
	// as the full method of an ablation.
	VariantOf string `yaml:"variant_of,omitempty"`
	// Errata name corrections of the gold answers of a dataset: locomo-audit, or your
	// own files that end in .jsonl. Answers are then scored under each answer key;
	// questions and answers stay the same.
	Errata []string `yaml:"errata,omitempty"`
	// AnswerKey is the key of a dataset with errata that counts in tables, comparisons
	// and gates: published, the default, excluded, corrected or lenient.
	AnswerKey errata.Key `yaml:"answer_key,omitempty"`
	// KeyOptions set how the errata of a dataset are applied.
	KeyOptions errata.Options `yaml:"key_options,omitempty"`
}

// A Judge judges the answers of a run by a profile.
type Judge struct {
	// Profile is one that bench list judges lists.
	Profile string `yaml:"profile" jsonschema:"required"`
	// Label names the judge's columns, as in judge:LABEL: letters, digits, dots, hyphens,
	// underscores and @. PROFILE@MODEL by default.
	Label string `yaml:"label,omitempty" jsonschema:"pattern=^[\\p{L}\\p{N}_@.-]+$"`
	// Model judges; a profile that asks no model takes none. It is a model entry or the
	// name of a file with one.
	Model Entry `yaml:"model,omitempty"`
	// Prompts is a folder with the authors' prompts, which scripts/prompts.py extracts
	// from their code.
	Prompts string `yaml:"prompts,omitempty"`
}

// An Asking says which answers judges are asked about.
type Asking struct {
	// When is unclear to judge only answers that are neither right nor wrong by f1@span, and
	// an audit of the others. By default all answers are judged.
	When string `yaml:"when,omitempty" jsonschema:"enum=unclear"`
	// Audit is the share of the answers decided as right that is drawn for the audit; for
	// those decided as wrong it is 20 times as high. 0.05 by default.
	Audit *float64 `yaml:"audit,omitempty" jsonschema:"minimum=0,maximum=1,default=0.05"`
}

// Unclear is the value of [Asking].When that asks about unclear answers alone, and
// DefaultAudit the share of its audit.
const (
	Unclear      = "unclear"
	DefaultAudit = 0.05
)

// Share returns the share of the audit, nil where all answers are asked about.
func (a Asking) Share() *float64 {
	if a.When == "" || a.Audit != nil {
		return a.Audit
	}
	return new(DefaultAudit)
}

// Concurrency bounds how much happens at once. It changes no answer.
type Concurrency struct {
	// Samples is the number of memories being built or asked at once; at least
	// 1. The number of processors by default, and 16 if a model is called.
	Samples int `yaml:"samples" jsonschema:"minimum=1"`
	// Requests is the number of questions in progress over all conversations; at least
	// 1. Four for each processor by default, and 64 if a model is called.
	Requests int `yaml:"requests" jsonschema:"minimum=1"`
}

// Limits bound what a run may spend or lose.
type Limits struct {
	// Errors is the share of failed questions, from 0 to 1, above which a
	// finished run exits with 3. 0 by default.
	Errors float64 `yaml:"errors" jsonschema:"minimum=0,maximum=1,default=0"`
	// Requests is the number of questions of each dataset, from its start, that are
	// asked; 0, the default, asks all.
	Requests int `yaml:"requests,omitempty" jsonschema:"minimum=0,default=0"`
	// Request bounds each question and the building of each memory. One that
	// reaches a bound has the status limit.
	Request RequestLimits `yaml:"request,omitempty"`
}

// RequestLimits bound one question, or the building of one memory; 0 is no
// bound.
type RequestLimits struct {
	// Calls is the largest number of calls of language models.
	Calls int `yaml:"calls,omitempty" jsonschema:"minimum=0,default=0"`
	// Tokens is the largest number of input and output tokens of language models; a
	// call whose prompt exceeds it is not made.
	Tokens int `yaml:"tokens,omitempty" jsonschema:"minimum=0,default=0"`
	// USD is the number of dollars after which no further call is made.
	USD float64 `yaml:"usd,omitempty" jsonschema:"minimum=0,default=0"`
	// Time is how long it may take, such as 90s.
	Time time.Duration `yaml:"time,omitempty" jsonschema:"minimum=0"`
}

// Plugins are the plug-ins that a config may name.
type Plugins struct {
	Datasets []*datasets.Spec
	Methods  []*methods.Spec
	Models   []*backend.Spec
	// Metrics finds a metric by its name, which may end in a rank, such as
	// "evidence-recall@5".
	Metrics     func(name string) (*metrics.Spec, error)
	MetricNames []string
	Published   []string // names of published tables
	Judges      []string // names of judges' profiles
}

// Path returns a path of the config, which is relative to its file unless it is
// absolute.
func (c *Config) Path(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Base, path)
}
