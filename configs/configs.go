// Package configs reads the YAML file that describes a run.
//
// A file is decoded strictly: a key, type or plug-in name that is not known is
// a fault with file, line and column, the near miss and the allowed values,
// and all faults of a file come at once.
package configs

import (
	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/methods"
	"recallbench/metrics"
)

// A Config is a run file with every default filled in.
type Config struct {
	Name string `yaml:"name"`
	// Seed drives everything random; runs with the same seed give the same
	// records.
	Seed uint64 `yaml:"seed"`
	// Base is the folder that relative paths start from: the file's own by
	// default.
	Base     string   `yaml:"base"`
	Datasets []Entry  `yaml:"datasets"`
	Methods  []Entry  `yaml:"methods"`
	Models   []Entry  `yaml:"models"`
	Metrics  []string `yaml:"metrics"`
	// Prompts is a folder of templates that replace built-in prompts.
	Prompts string `yaml:"prompts,omitempty"`
	// Published names the published tables to print beside the measured one.
	Published   []string    `yaml:"published,omitempty"`
	Concurrency Concurrency `yaml:"concurrency"`
	Limits      Limits      `yaml:"limits"`
}

// An Entry uses a dataset, a method or a model.
type Entry struct {
	Use   string `yaml:"use"`
	Label string `yaml:"label"` // in tables; the name in Use by default; unique in its list
	// Options has the type of the Spec's Options, decoded over its values.
	Options any `yaml:"options,omitempty"`
	// Optional lets a dataset be skipped when its data is not there.
	Optional bool `yaml:"optional,omitempty"`
}

// Concurrency bounds how much happens at once. It changes no answer.
type Concurrency struct {
	Samples  int `yaml:"samples"`  // memories being built or asked at once; at least 1
	Requests int `yaml:"requests"` // requests in flight over all samples; at least 1
}

// Limits bound what a run may spend or lose.
type Limits struct {
	// Errors is the share of failed requests, in [0, 1], above which a
	// finished run exits with 3.
	Errors float64 `yaml:"errors"`
}

// Plugins are what a config may name.
type Plugins struct {
	Datasets    []*datasets.Spec
	Methods     []*methods.Spec
	Models      []*backend.Spec
	Metrics     func(name string) (*metrics.Spec, error) // finds "evidence-recall@5" too
	MetricNames []string
	Published   []string // names of published tables
}
