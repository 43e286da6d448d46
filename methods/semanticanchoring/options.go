package semanticanchoring

import (
	"errors"
	"fmt"
	"math"

	"recallbench/internal/engine/index"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. docs/methods.md says which value comes from
// where.
type Options struct {
	// N is the number of candidates that the dense index gives.
	N int `yaml:"n"`
	// K is the number of entries that the reader gets.
	K int `yaml:"k"`
	// Weights of the parts of an entry's score. A run with tuning finds its own.
	Weights Weights `yaml:"weights"`
	// Fusion says how the parts are joined.
	Fusion Fusion `yaml:"fusion"`
	// EntityWeight says what an entity of the question weighs among the others.
	EntityWeight EntityWeight `yaml:"entity_weight"`
	// DiscourseMatch says how relations are compared.
	DiscourseMatch DiscourseMatch `yaml:"discourse_match"`
	// Layers are the kinds of annotation that are used.
	Layers Layers `yaml:"layers"`
	// Dense says how vectors are searched.
	Dense Dense `yaml:"dense"`
	// Serialise says how an entry is shown to the reader.
	Serialise Serialise `yaml:"serialise"`
	// LowerCase writes words in lower case before they are annotated and
	// embedded, but for acronyms, as the paper does.
	LowerCase bool `yaml:"lower_case"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Weights are the weights of the parts of a score. The paper's three sum to 1.
type Weights struct {
	// Similarity is the weight of the cosine.
	Similarity float64 `yaml:"similarity"`
	// Entities is the weight of the share of the question's entities that an
	// entry mentions.
	Entities float64 `yaml:"entities"`
	// Discourse is the weight of discourse relations that are alike.
	Discourse float64 `yaml:"discourse"`
	// Dependencies is the weight of the share of the question's triples that an
	// entry has, a term which the paper does not have: there they only bring
	// candidates.
	Dependencies float64 `yaml:"dependencies"`
}

// Fusion says how the parts of a score are joined.
type Fusion string

// The fusions.
const (
	Linear Fusion = "linear" // the weighted sum of the parts (section 3.4)
	Rank   Fusion = "rank"   // the weighted sum of 1/(60 + rank) in each part (section 4.4)
)

// Values lists the fusions.
func (Fusion) Values() []string { return []string{string(Linear), string(Rank)} }

// DiscourseMatch says how relations are compared.
type DiscourseMatch string

// The ways to compare relations.
const (
	Jaccard DiscourseMatch = "jaccard"
	Binary  DiscourseMatch = "binary" // 1 where one is shared
)

// Values lists the ways.
func (DiscourseMatch) Values() []string { return []string{string(Jaccard), string(Binary)} }

// EntityWeight says what an entity weighs.
type EntityWeight string

// The weights of entities, by how often they are mentioned.
const (
	BySize  EntityWeight = "size"    // as often: section 3.4
	Equal   EntityWeight = "equal"   // all the same
	Inverse EntityWeight = "inverse" // the rarer the more
)

// Values lists the weights.
func (EntityWeight) Values() []string {
	return []string{string(BySize), string(Equal), string(Inverse)}
}

// of returns the weight of an entity with size mentions, at least 1.
func (w EntityWeight) of(size int) float64 {
	switch w {
	case Equal:
		return 1
	case Inverse:
		return 1 / float64(size)
	default:
		return float64(size)
	}
}

// Layers are the kinds of annotation that are used. Each is a row of the paper's
// ablation.
type Layers struct {
	// Coreference finds what pronouns and descriptions stand for. Without it an
	// entity is the name that it is called.
	Coreference bool `yaml:"coreference"`
	// Dependencies makes entries found by triples of the parse.
	Dependencies bool `yaml:"dependencies"`
	// Discourse tags relations to earlier turns.
	Discourse bool `yaml:"discourse"`
}

// Dense says how vectors are searched.
type Dense struct {
	// Index is exact or hnsw, or auto: exact below the number of entries from
	// which a graph is faster.
	Index DenseIndex `yaml:"index"`
	// M is the number of neighbours of a node of the graph.
	M int `yaml:"m"`
	// Construction is the number of candidates for neighbours while the graph is
	// built.
	Construction int `yaml:"ef_construction"`
	// Search is the number of candidates of a search.
	Search int `yaml:"ef_search"`
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

// Serialise says how an entry is shown.
type Serialise struct {
	// Lines is the largest number of lines of metadata of an entry: entities,
	// then discourse, then dependencies.
	Lines int `yaml:"lines"`
	// Entities is the largest number of entities in their line.
	Entities int `yaml:"entities"`
	// Triples is the largest number of dependencies in their line.
	Triples int `yaml:"triples"`
}

// Defaults are the paper's where it gives a value: those of the graph, and two
// lines of metadata. It prints neither n, k nor weights.
func Defaults() Options {
	graph := index.DefaultHNSW()
	return Options{
		N: 50, K: 10,
		Weights:        Weights{Similarity: 0.6, Entities: 0.3, Discourse: 0.1},
		Fusion:         Linear,
		EntityWeight:   BySize,
		DiscourseMatch: Jaccard,
		Layers:         Layers{Coreference: true, Dependencies: true, Discourse: true},
		Dense:          Dense{Index: Auto, M: graph.M, Construction: graph.EfConstruction, Search: graph.EfSearch},
		Serialise:      Serialise{Lines: 2, Entities: 4, Triples: 4},
		Images:         transcript.Captions,
		Reader:         reader.Defaults(),
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
	fault(o.N < 1, "n is %d, want at least 1", o.N)
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
	fault(sum == 0, "weights are all 0, want one of them above")
	fault(o.Dense.M < 2 || o.Dense.M > 512, "dense.m is %d, want 2 to 512", o.Dense.M)
	fault(o.Dense.Construction < 1, "dense.ef_construction is %d, want at least 1", o.Dense.Construction)
	fault(o.Dense.Search < 1, "dense.ef_search is %d, want at least 1", o.Dense.Search)
	fault(o.Serialise.Lines < 0 || o.Serialise.Lines > 3, "serialise.lines is %d, want 0 to 3", o.Serialise.Lines)
	fault(o.Serialise.Entities < 1, "serialise.entities is %d, want at least 1", o.Serialise.Entities)
	fault(o.Serialise.Triples < 1, "serialise.triples is %d, want at least 1", o.Serialise.Triples)
	return errors.Join(faults...)
}

// annotation is what is annotated.
func (o Options) annotation() linguistic.Options {
	return linguistic.Options{
		Coreference: o.Layers.Coreference, Dependencies: o.Layers.Dependencies, Discourse: o.Layers.Discourse,
		Lower: o.LowerCase, Images: o.Images,
	}
}

// grid returns the weights to choose from. The paper sweeps 0.40, 0.50 ... 0.90
// and wants three weights that sum to 1, which no three of these do. Here the
// weight of similarity takes those values, and entities and discourse share the
// rest in steps of 0.1, 0 allowed. Without discourse relations all of it falls to
// entities.
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
