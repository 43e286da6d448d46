package index

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ExactBelow is the number of texts below which [Dense] is to be preferred: it
// answers within about 2 ms there, and an [HNSW] is worth its building only where
// one memory is asked some 3,500 questions. docs/design/performance.md names
// the commands that measure both.
const ExactBelow = 20_000

// HNSWOptions say how an [HNSW] is built and searched.
type HNSWOptions struct {
	// M is how many neighbours a vector chooses on a layer, 2 to 512. It keeps at
	// most as many there, twice as many on layer 0.
	M int
	// EfConstruction is how many of the nearest found it chooses them from, at
	// least 1.
	EfConstruction int
	// EfSearch is how many of the nearest found a search keeps, at least 1; one
	// for k texts keeps k if that is more.
	EfSearch int
	// Seed draws the layers.
	Seed uint64
}

// DefaultHNSW returns the parameters that the paper on semantic anchoring gives
// (M 32, efConstruction 200, efSearch 128).
func DefaultHNSW() HNSWOptions {
	return HNSWOptions{M: 32, EfConstruction: 200, EfSearch: 128}
}

// Validate returns all faults of the options.
func (o HNSWOptions) Validate() error {
	var faults []error
	if o.M < 2 || o.M > 512 {
		faults = append(faults, fmt.Errorf("m is %d, want 2 to 512", o.M))
	}
	if o.EfConstruction < 1 {
		faults = append(faults, fmt.Errorf("ef construction is %d, want at least 1", o.EfConstruction))
	}
	if o.EfSearch < 1 {
		faults = append(faults, fmt.Errorf("ef search is %d, want at least 1", o.EfSearch))
	}
	return errors.Join(faults...)
}

// HNSW ranks texts by the cosine of their vectors with the query's, nearly
// exactly: it walks a graph of neighbours towards the query and looks at few of
// the texts. It is safe for concurrent use.
//
// Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor
// search using hierarchical navigable small world graphs", 2018, algorithms 1, 2, 4
// and 5. Lists are not filled up with those that were passed over, an option of 4, as
// in FAISS. Departures: texts with the same vector share a place in the graph, so
// that a thousand of them do not crowd out the others. A search that would keep every
// vector looks at every vector. Vectors are added in batches whose members are
// compared with each other, one by one.
//
// What [BuildHNSW] makes of the same vectors and options is the same on every
// processor, however many it has.
type HNSW struct {
	o HNSWOptions

	texts  int
	cols   int                 // elements of a vector; known from the first on
	stride int                 // elements of a row
	matrix []float32           // a row a node, of length 1 or 0
	ground []uint32            // layer 0: a block of 1+2M a node, its number of neighbours and them
	upper  []uint32            // layers above: blocks of 1+M
	starts []uint32            // by node, the number of its block of layer 1; those of higher layers follow
	layers []uint8             // by node, the topmost that it is on
	first  []uint32            // by node, the text that brought it
	twins  map[uint32][]uint32 // by node, the other texts with its vector
	nodes  map[uint64]uint32   // by hash of their vectors
	entry  uint32              // a node on the topmost layer

	walkers sync.Pool
}

// Search returns k texts that are nearest to the query, best first, with their
// cosines in [-1, 1], as [Dense.Search] does; seldom another text stands for one
// that is nearer. A query without direction gives texts in their order with
// score 0.
func (h *HNSW) Search(query []float32, k int) ([]Hit, error) {
	if h.texts == 0 {
		return nil, nil
	}
	if len(query) != h.cols {
		return nil, fmt.Errorf("hnsw index: query has %d elements, the texts have %d", len(query), h.cols)
	}
	unit, err := normalise(query)
	if err != nil {
		return nil, fmt.Errorf("hnsw index: query: %w", err)
	}
	k = max(0, min(k, h.texts))
	hits := make([]Hit, 0, k)
	if !slices.ContainsFunc(unit, func(x float32) bool { return x != 0 }) {
		for i := range k {
			hits = append(hits, Hit{Index: i})
		}
		return hits, nil
	}
	w := h.walkers.Get().(*walker)
	defer h.walkers.Put(w)
	w.aim(h, pad(unit))
	for _, c := range w.nearest(max(h.o.EfSearch, k)) {
		score := cosine(c.score)
		if n := len(hits); n > 0 && n >= k && score < hits[n-1].Score {
			break
		}
		hits = append(hits, Hit{int(h.first[c.node]), score})
		for _, text := range h.twins[c.node] {
			hits = append(hits, Hit{int(text), score})
		}
	}
	slices.SortFunc(hits, bestFirst)
	return hits[:min(k, len(hits))], nil
}

func (h *HNSW) row(node uint32) []float32 {
	return h.matrix[int(node)*h.stride:][:h.stride]
}

// room returns how many neighbours a node can have on a layer.
func (h *HNSW) room(layer int) int {
	if layer == 0 {
		return 2 * h.o.M
	}
	return h.o.M
}

// block returns the number of neighbours of a node on a layer it is on, and the
// room for them.
func (h *HNSW) block(node uint32, layer int) []uint32 {
	size := 1 + h.room(layer)
	if layer == 0 {
		return h.ground[int(node)*size:][:size]
	}
	return h.upper[(int(h.starts[node])+layer-1)*size:][:size]
}

func (h *HNSW) neighbours(node uint32, layer int) []uint32 {
	b := h.block(node, layer)
	return b[1:][:b[0]]
}

func (h *HNSW) setNeighbours(node uint32, layer int, neighbours []uint32) {
	b := h.block(node, layer)
	b[0] = uint32(copy(b[1:], neighbours))
}
