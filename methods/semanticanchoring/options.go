package semanticanchoring

import (
	"errors"
	"fmt"
	"math"

	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/reader"
)

// Options are the method's options. docs/methods.md says where each value comes
// from.
type Options struct {
	// K is the number of entries that the reader gets.
	K int `yaml:"k"`
	// Weights of the parts of an entry's score. A run with tuning finds its own.
	Weights Weights `yaml:"weights"`
	// EntityWeight says how the question's entities are weighted against each other.
	EntityWeight EntityWeight `yaml:"entity_weight"`
	// Layers are the kinds of annotation that are used.
	Layers linguistic.Layers `yaml:"layers"`
	// Dense says how vectors are searched.
	Dense Dense `yaml:"dense"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Weights are the weights of the parts of a score. The paper's three sum to 1.
type Weights struct {
	// Similarity is the weight of the cosine.
	Similarity float64 `yaml:"similarity"`
	// Entities is the weight of the share of the question's entities that an
	// entry mentions.
	Entities float64 `yaml:"entities"`
	// Discourse is the weight of shared discourse relations.
	Discourse float64 `yaml:"discourse"`
	// Dependencies is the weight of the share of the question's triples that an
	// entry has, a term which the paper does not have: there triples only
	// contribute candidates.
	Dependencies float64 `yaml:"dependencies"`
}

// EntityWeight says how an entity is weighted.
type EntityWeight string

// The weights of entities, by how often they are mentioned.
const (
	BySize  EntityWeight = "size"    // in proportion: section 3.4
	Inverse EntityWeight = "inverse" // rarer entities weigh more
)

// Values lists the weights.
func (EntityWeight) Values() []string { return []string{string(BySize), string(Inverse)} }

// of returns the weight of an entity with size mentions, at least 1.
func (w EntityWeight) of(size int) float64 {
	if w == Inverse {
		return 1 / float64(size)
	}
	return float64(size)
}

// Dense says how vectors are searched.
type Dense struct {
	// Index is exact or hnsw, or auto: exact below the number of entries from
	// which a graph is faster.
	Index DenseIndex `yaml:"index"`
}

// DenseIndex is a kind of index of vectors.
type DenseIndex string

// The kinds of indexes.
const (
	Auto  DenseIndex = "auto"
	Exact DenseIndex = "exact"
	HNSW  DenseIndex = "hnsw"
)

// Values lists the kinds.
func (DenseIndex) Values() []string { return []string{string(Auto), string(Exact), string(HNSW)} }

// The paper gives neither n, k nor weights.
const nearest = 50 // candidates from the dense index

// Defaults are the paper's if it gives a value.
func Defaults() Options {
	return Options{
		K:            10,
		Weights:      Weights{Similarity: 0.6, Entities: 0.3, Discourse: 0.1},
		EntityWeight: BySize,
		Layers:       linguistic.Layers{Coreference: true, Dependencies: true, Discourse: true},
		Dense:        Dense{Index: Auto},
		Reader:       reader.Defaults(),
	}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(o.K < 1, "k is %d, want at least 1", o.K)
	sum := 0.0
	for _, w := range []struct {
		name string
		x    float64
	}{
		{"similarity", o.Weights.Similarity},
		{"entities", o.Weights.Entities},
		{"discourse", o.Weights.Discourse},
		{"dependencies", o.Weights.Dependencies},
	} {
		fault(!(w.x >= 0) || math.IsInf(w.x, 0), "weights.%s is %v, want a number of at least 0", w.name, w.x)
		sum += w.x
	}
	fault(sum == 0, "all weights are 0, want at least one above 0")
	return errors.Join(faults...)
}

// grid returns the weights to choose from. The paper sweeps 0.40, 0.50 ... 0.90
// and requires three weights that sum to 1, which no three of these do. Here the
// weight of similarity takes those values, and entities and discourse share the
// rest in steps of 0.1, 0 allowed. Without discourse relations entities get all
// of it.
func grid(options any) []any {
	o := options.(Options)
	var points []any
	for similarity := 4; similarity <= 9; similarity++ {
		rest := 10 - similarity
		for discourse := range rest + 1 {
			if discourse > 0 && !o.Layers.Discourse {
				break
			}
			p := o
			p.Weights.Similarity, p.Weights.Entities, p.Weights.Discourse = tenths(similarity), tenths(rest-discourse), tenths(discourse)
			points = append(points, p)
		}
	}
	return points
}

func tenths(n int) float64 { return float64(n) / 10 }
