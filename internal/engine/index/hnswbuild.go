package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// batch is how many vectors are added together by [BuildHNSW]. It is part of
// what the graph is made of, so it does not depend on the machine.
const batch = 64

// BuildHNSW returns an index of vectors, which must all have the same length and
// finite elements, in their order. The vectors are copied. All processors take
// part; the graph is the same whatever their number.
func BuildHNSW(vectors [][]float32, o HNSWOptions) (*HNSW, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("hnsw index: %w", err)
	}
	h := &HNSW{o: o, twins: map[uint32][]uint32{}, nodes: map[uint64]uint32{}}
	h.walkers.New = func() any { return new(walker) }
	walkers := make([]*walker, runtime.GOMAXPROCS(0))
	for i := range walkers {
		walkers[i] = new(walker)
	}
	for from := 0; from < len(vectors); from += batch {
		seen := len(h.layers)
		var arrivals []*arrival
		for _, v := range vectors[from:min(from+batch, len(vectors))] {
			if h.texts > 0 && len(v) != h.cols {
				return nil, fmt.Errorf("hnsw index: vector %d has %d elements, the first has %d", h.texts, len(v), h.cols)
			}
			a, err := newArrival(v, o)
			if err != nil {
				return nil, fmt.Errorf("hnsw index: vector %d: %w", h.texts, err)
			}
			if h.take(a) {
				arrivals = append(arrivals, a)
			}
		}
		share(walkers, len(arrivals), func(w *walker, i int) { arrivals[i].find(w, h, seen) })
		share(walkers, len(arrivals), func(w *walker, i int) { arrivals[i].choose(w, h, seen) })
		h.link(walkers, arrivals)
	}
	return h, nil
}

// An arrival is a vector that gets its place.
type arrival struct {
	row   []float32
	cols  int
	hash  uint64
	layer int // topmost
	node  uint32
	// near holds by layer the nearest nodes there were when it was looked for
	// them.
	near [][]candidate
}

func newArrival(v []float32, o HNSWOptions) (*arrival, error) {
	unit, err := normalise(v)
	if err != nil {
		return nil, err
	}
	a := &arrival{row: pad(unit), cols: len(v), hash: 14695981039346656037}
	for _, x := range unit {
		a.hash = (a.hash ^ uint64(math.Float32bits(x))) * 1099511628211 // FNV-1a, by words
	}
	// The layer is drawn for the vector, not for its turn.
	u := 1 - rand.New(rand.NewPCG(o.Seed, a.hash)).Float64() // in (0, 1]
	a.layer = min(int(-math.Log(u)/math.Log(float64(o.M))), math.MaxUint8)
	return a, nil
}

// take takes a text in and gives it a node without neighbours, or that of a text
// with the same vector; it reports whether the node is new.
func (h *HNSW) take(a *arrival) bool {
	text := h.texts
	h.texts++
	node, hashed := h.nodes[a.hash]
	if hashed && slices.Equal(h.row(node), a.row) {
		h.twins[node] = append(h.twins[node], uint32(text))
		return false
	}
	a.node = uint32(len(h.layers))
	if !hashed {
		h.nodes[a.hash] = a.node
	}
	h.cols, h.stride = a.cols, len(a.row)
	h.matrix = append(h.matrix, a.row...)
	h.ground = append(h.ground, make([]uint32, 1+h.room(0))...)
	h.starts = append(h.starts, uint32(len(h.upper)/(1+h.room(1))))
	h.upper = append(h.upper, make([]uint32, a.layer*(1+h.room(1)))...)
	h.layers = append(h.layers, uint8(a.layer))
	h.first = append(h.first, uint32(text))
	return true
}

// find looks for the nearest nodes on each layer: the search of algorithm 1. The
// graph has seen nodes that are linked.
func (a *arrival) find(w *walker, h *HNSW, seen int) {
	if seen == 0 {
		return
	}
	w.aim(h, a.row)
	top := min(a.layer, int(h.layers[h.entry]))
	w.descend(top)
	a.near = make([][]candidate, top+1)
	for layer := top; layer >= 0; layer-- {
		w.explore(layer, h.o.EfConstruction)
		a.near[layer] = slices.Clone(w.pool)
	}
}

// choose picks the neighbours of an arrival on each layer, among the nodes found
// and those that came since there were seen of them.
func (a *arrival) choose(w *walker, h *HNSW, seen int) {
	w.aim(h, a.row)
	for layer := a.layer; layer >= 0; layer-- {
		var near []candidate
		if layer < len(a.near) {
			near = a.near[layer]
		}
		w.ids = w.ids[:0]
		for node := seen; node < int(a.node); node++ {
			if int(h.layers[node]) >= layer {
				w.ids = append(w.ids, uint32(node))
			}
		}
		near = w.candidates(near, a.row, w.ids)
		slices.SortFunc(near, nearestFirst)
		h.setNeighbours(a.node, layer, w.diverse(near, h.o.M))
	}
	a.near = nil
}

// diverse returns at most m of the candidates, which are given nearest first: each
// that is nearer to the row than to any one before it, by algorithm 4, so that
// neighbours lie in all directions and clusters stay joined.
func (w *walker) diverse(near []candidate, m int) []uint32 {
	w.kept = w.kept[:0]
	for _, c := range near {
		if len(w.kept) == m {
			break
		}
		if !w.hidden(c) {
			w.kept = append(w.kept, c.node)
		}
	}
	return w.kept
}

// hidden reports whether a candidate is as near to one that is kept as to the
// row. The first kept are the likeliest to hide it.
func (w *walker) hidden(c candidate) bool {
	for part := range slices.Chunk(w.kept, 8) {
		if slices.Max(w.multiply(w.h.row(c.node), part)) >= c.score {
			return true
		}
	}
	return false
}

// link makes the neighbours of arrivals theirs, and those too long a list gets
// choose again: algorithm 1 from line 13 on.
func (h *HNSW) link(walkers []*walker, arrivals []*arrival) {
	type place struct {
		node  uint32
		layer int
	}
	var full []place
	more := map[place][]uint32{}
	for _, a := range arrivals {
		for layer := range a.layer + 1 {
			for _, n := range h.neighbours(a.node, layer) {
				p, b := place{n, layer}, h.block(n, layer)
				if int(b[0]) < h.room(layer) {
					b[0]++
					b[b[0]] = a.node
					continue
				}
				if len(more[p]) == 0 {
					full = append(full, p)
				}
				more[p] = append(more[p], a.node)
			}
		}
		if a.node == 0 || h.layers[a.node] > h.layers[h.entry] {
			h.entry = a.node
		}
	}
	share(walkers, len(full), func(w *walker, i int) {
		p := full[i]
		w.aim(h, h.row(p.node))
		near := w.candidates(w.pool[:0], w.row, h.neighbours(p.node, p.layer))
		near = w.candidates(near, w.row, more[p])
		slices.SortFunc(near, nearestFirst)
		h.setNeighbours(p.node, p.layer, w.diverse(near, h.room(p.layer)))
		w.pool = near
	})
}

// share calls f for 0 to n-1, at the same time for as many as there are walkers.
func share(walkers []*walker, n int, f func(w *walker, i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for k := range min(len(walkers), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(walkers[k], i)
			}
		})
	}
	group.Wait()
}
