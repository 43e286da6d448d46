package config

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// An Exclusion names cells that are not run: those that meet all its conditions.
type Exclusion struct {
	// Dataset has labels of datasets; without it, the condition is on any.
	Dataset []string `yaml:"dataset,omitempty"`
	// Method has labels of methods; without it, the condition is on any.
	Method []string `yaml:"method,omitempty"`
	// Model has labels of models; without it, the condition is on any.
	Model []string `yaml:"model,omitempty"`
	// Seed has seeds; without it, the condition is on any.
	Seed []uint64 `yaml:"seed,omitempty"`
}

// Excludes reports whether the cell of some labels and a seed is not run.
func (c *Config) Excludes(dataset, method, model string, seed uint64) bool {
	return slices.ContainsFunc(c.Exclude, func(e Exclusion) bool {
		return holds(e.Dataset, dataset) && holds(e.Method, method) && holds(e.Model, model) && holds(e.Seed, seed)
	})
}

// A Cell names a method on a dataset with a model and a seed, by labels.
type Cell struct {
	Dataset, Method, Model string
	Seed                   uint64
}

// Cells returns the cells that are run, one dataset after another.
func (c *Config) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, d := range c.Datasets {
			for _, seed := range c.EachSeed() {
				for _, model := range c.Models {
					for _, m := range c.Methods {
						if !c.Excludes(d.Label, m.Label, model.Label, seed) && !yield(Cell{d.Label, m.Label, model.Label, seed}) {
							return
						}
					}
				}
			}
		}
	}
}

// holds reports whether a condition on one of some values holds for a value.
func holds[T comparable](of []T, value T) bool {
	return len(of) == 0 || slices.Contains(of, value)
}

// A Shard is one of several parts of a run that differ only in the samples. The
// zero Shard is the whole run. As text it is "2/4".
type Shard struct {
	Index int // from 1
	Of    int // number of parts
}

// String returns the shard as "2/4", and nothing for the whole run.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// MarshalText implements [encoding.TextMarshaler].
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]; the whole run has no text.
func (s *Shard) UnmarshalText(text []byte) error {
	index, of, _ := strings.Cut(string(text), "/")
	i, err := strconv.ParseUint(index, 10, 31)
	n, err2 := strconv.ParseUint(of, 10, 31)
	if err != nil || err2 != nil || i < 1 || i > n {
		return errors.New("want a part of all such as 2/4, from 1/4 to 4/4")
	}
	*s = Shard{int(i), int(n)}
	return nil
}
