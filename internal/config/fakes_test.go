package config

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/text/suggest"
	"recallbench/methods"
	"recallbench/metrics"
)

// unit is an enumeration.
type unit string

func (unit) Values() []string { return []string{"tokens", "turns", "session"} }

type chunk struct {
	Unit    unit `yaml:"unit"`
	Size    int  `yaml:"size"`
	Overlap int  `yaml:"overlap"`
}

func (c chunk) Validate() error {
	var faults []error
	if c.Size < 1 {
		faults = append(faults, fmt.Errorf("size is %d, want at least 1", c.Size))
	}
	if c.Overlap >= c.Size {
		faults = append(faults, fmt.Errorf("overlap is %d, want less than the size of %d", c.Overlap, c.Size))
	}
	return errors.Join(faults...)
}

// ragOptions has a field of every type that options may have.
type ragOptions struct {
	K        int                `yaml:"k"`
	Chunk    chunk              `yaml:"chunk"`
	Images   bool               `yaml:"images"`
	Weight   float64            `yaml:"weight"`
	Timeout  time.Duration      `yaml:"timeout"`
	Since    time.Time          `yaml:"since"`
	Stop     []string           `yaml:"stop"`
	Weights  map[string]float64 `yaml:"weights"`
	Fallback *chunk             `yaml:"fallback,omitempty"`
	Note     string             `yaml:"note,omitempty"`
}

func (o ragOptions) Validate() error {
	if o.K < 1 {
		return fmt.Errorf("k is %d, want at least 1", o.K)
	}
	return nil
}

type locomoOptions struct {
	Categories []int `yaml:"categories"`
}

func (o locomoOptions) Validate() error {
	for i, c := range o.Categories {
		if c < 1 || c > 5 {
			return fmt.Errorf("categories[%d] is %d, want 1 to 5", i, c)
		}
	}
	return nil
}

// fakes returns plug-ins for tests.
func fakes() Plugins {
	names := []string{"f1@mem0", "f1@locomo", "bleu1@nltk", "rouge-l@rouge_score", "evidence-recall", "tokens"}
	return Plugins{
		Datasets: []*datasets.Spec{{Name: "sample", Metrics: []string{"tokens", "f1@mem0"}}, {Name: "locomo", Metrics: []string{"evidence-recall@5", "f1@mem0"}, Options: locomoOptions{Categories: []int{1, 2, 3, 4}}}},
		Methods: []*methods.Spec{
			{Name: "stateless"},
			{Name: "in-context"},
			{Name: "flat-rag", Options: ragOptions{
				K:       20,
				Chunk:   chunk{Unit: "tokens", Size: 256},
				Images:  true,
				Weight:  0.5,
				Timeout: time.Minute,
				Stop:    []string{"the", "a"},
				Weights: map[string]float64{"title": 2},
				Note:    "none",
			}},
		},
		Models: []*backend.Spec{{Name: "stand-in"}},
		Metrics: func(name string) (*metrics.Spec, error) {
			of := metrics.Answer
			switch name {
			case "tokens":
				of = metrics.Usage
			case "ucs":
				of = metrics.Rated
			}
			if slices.Contains(names, name) || name == "evidence-recall@5" || name == "ucs" {
				return &metrics.Spec{Name: name, Of: of, Columns: []metrics.Column{{Name: name}}}, nil
			}
			if name == "evidence-recall@0" {
				return nil, errors.New("metric evidence-recall@0: rank 0, want at least 1")
			}
			return nil, errors.New(suggest.Unknown("metric", name, names))
		},
		MetricNames: names,
		Published:   []string{"xmemory-table1", "xmemory-table2"},
	}
}
