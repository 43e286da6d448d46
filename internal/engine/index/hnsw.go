package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// ExactBelow is the number of texts below which [Dense] is preferable: there it
// answers within about 2 ms, and building an [HNSW] only pays off for memories that
// are asked some thousands of questions. docs/design/performance.md has the
// commands that measure both.
const ExactBelow = 20_000

// The parameters in the paper on semantic anchoring.
const (
	neighbours     = 32  // that a node chooses on a layer; it keeps at most as many there, twice as many on layer 0
	efConstruction = 200 // nearest nodes that it chooses them from
	efSearch       = 128 // nearest nodes that a search keeps; one for k texts keeps k if that is more
)

// HNSW ranks texts by the cosine of their vectors with the query's, almost
// exactly: it walks a graph of neighbours towards the query and looks at few of
// the texts. It is safe for concurrent use.
//
// Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor
// search using hierarchical navigable small world graphs", 2018, algorithms 1, 2, 4
// and 5. Lists are not filled up with pruned candidates, an option of 4, as in FAISS.
// Departures: texts with the same vector share a node of the graph, so that a
// thousand of them do not crowd out the others. A search walks by vectors in steps of 8
// bits, and ranks what it ends at by the vectors themselves. One that would keep every
// node looks at every node.
type HNSW struct {
	ef     int          // nodes that a search keeps at least
	cols   int          // elements of a vector
	size   int          // texts
	matrix []float32    // one row per node, of length 1 or 0
	coarse coarse       // the same, for searches
	texts  [][]int      // by node, those with its vector
	links  [][][]uint32 // by node and layer, its neighbours
	entry  uint32       // a node on the topmost layer

	walkers sync.Pool
}

// BuildHNSW returns an index of vectors, which must all have the same length and
// finite elements. The vectors are copied. The seed draws the layers of their nodes.
func BuildHNSW(vectors [][]float32, seed uint64) (*HNSW, error) {
	h := &HNSW{ef: efSearch, size: len(vectors)}
	h.walkers.New = func() any { return new(walker) }
	draw := rand.New(rand.NewPCG(seed, 0))
	known := make(map[string]uint32) // nodes by the bytes of their vectors
	w := new(walker)
	for i, v := range vectors {
		if h.cols = len(vectors[0]); len(v) != h.cols {
			return nil, fmt.Errorf("hnsw index: vector %d has %d elements, the first has %d", i, len(v), h.cols)
		}
		unit, err := normalise(v)
		if err != nil {
			return nil, fmt.Errorf("hnsw index: vector %d: %w", i, err)
		}
		key, err := binary.Append(nil, binary.NativeEndian, unit)
		if err != nil {
			return nil, err
		}
		node, again := known[string(key)]
		if again {
			h.texts[node] = append(h.texts[node], i)
			continue
		}
		known[string(key)] = uint32(len(h.texts))
		h.texts = append(h.texts, []int{i})
		w.insert(h, pad(unit), 1+int(-math.Log(1-draw.Float64())/math.Log(neighbours)))
	}
	return h, nil
}

// Search returns k texts that are nearest to the query, best first, with their
// cosines in [-1, 1], as [Dense.Search] does; occasionally it misses one that is
// nearer. For a query without direction it returns texts in their order with
// score 0.
func (h *HNSW) Search(query []float32, k int) ([]Hit, error) {
	if h.size == 0 {
		return nil, nil
	}
	unit, err := unitOf("hnsw", query, h.cols)
	if err != nil {
		return nil, err
	}
	k = max(0, min(k, h.size))
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
	for _, c := range w.nearest(max(h.ef, k)) {
		score := cosine(c.score)
		if n := len(hits); n > 0 && n >= k && score < hits[n-1].Score {
			break
		}
		for _, text := range h.texts[c.node] {
			hits = append(hits, Hit{text, score})
		}
	}
	slices.SortFunc(hits, bestFirst)
	return hits[:min(k, len(hits))], nil
}

// A candidate is a node that may be near.
type candidate struct {
	score float32 // its cosine
	node  uint32
	done  bool // whether a walk has been to its neighbours
}

// nearestFirst orders candidates; of equally near ones the older comes first.
func nearestFirst(a, b candidate) int {
	switch { // no score is NaN
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	default:
		return int(a.node) - int(b.node)
	}
}

// A walker looks for nodes near to a row. It is used by one goroutine at a time.
type walker struct {
	h        *HNSW
	row      []float32
	steps    []int16     // the row for h.coarse, to search; empty to build by the rows themselves
	pool     []candidate // the nearest found on this layer, nearest first
	seen     []uint32    // by node, the number of the last walk that met it
	walk     uint32
	ids      []uint32
	products []float32
	sums     []int32
}

// aim readies a walker to look for what is near to a row.
func (w *walker) aim(h *HNSW, row []float32) {
	w.h, w.row, w.steps, w.pool = h, row, w.steps[:0], w.pool[:0]
	if n := len(h.links); len(w.seen) < n {
		w.seen, w.walk = make([]uint32, n+n/4), 0
	}
}

// insert gives a row a node on the lowest so many layers: algorithm 1.
func (w *walker) insert(h *HNSW, row []float32, layers int) {
	node := uint32(len(h.links))
	h.matrix = append(h.matrix, row...)
	h.coarse.add(row)
	h.links = append(h.links, make([][]uint32, layers))
	if node == 0 {
		return
	}
	w.aim(h, row)
	top := len(h.links[h.entry])
	w.descend(min(layers, top) - 1)
	for layer := min(layers, top) - 1; layer >= 0; layer-- {
		w.explore(layer, efConstruction)
		chosen := w.diverse(w.pool, neighbours)
		h.links[node][layer] = chosen
		for _, n := range chosen {
			w.link(n, layer, node)
		}
	}
	if layers > top {
		h.entry = node
	}
}

// link makes a node a neighbour of another one, which chooses again where it has too many.
func (w *walker) link(n uint32, layer int, node uint32) {
	room := neighbours
	if layer == 0 {
		room = 2 * neighbours
	}
	list := slices.Concat(w.h.links[n][layer], []uint32{node})
	if len(list) > room {
		near := w.candidates(nil, w.h.rowOf(n), list)
		slices.SortFunc(near, nearestFirst)
		list = w.diverse(near, room)
	}
	w.h.links[n][layer] = list
}

// diverse returns at most m of the candidates, which are given nearest first: each
// that is nearer to the row than to any one before it, by algorithm 4, so that
// neighbours lie in all directions and clusters stay joined.
func (w *walker) diverse(near []candidate, m int) []uint32 {
	var kept []uint32
	for _, c := range near {
		if len(kept) == m {
			break
		}
		hidden := false
		for part := range slices.Chunk(kept, 8) { // the first are the likeliest to hide it
			hidden = hidden || slices.Max(w.multiply(w.h.rowOf(c.node), part)) >= c.score
		}
		if !hidden {
			kept = append(kept, c.node)
		}
	}
	return kept
}

// nearest returns the ef nearest nodes, nearest first. What it returns is
// overwritten by the next walk.
func (w *walker) nearest(ef int) []candidate {
	if ef >= len(w.h.links) {
		for node := range w.h.links {
			w.pool = w.candidates(w.pool, w.row, []uint32{uint32(node)})
		}
		slices.SortFunc(w.pool, nearestFirst)
		return w.pool
	}
	w.steps, _ = quantise(w.steps, w.row)
	w.descend(0)
	w.explore(0, ef)
	w.ids = w.ids[:0]
	for _, c := range w.pool {
		w.ids = append(w.ids, c.node)
	}
	w.pool = w.candidates(w.pool[:0], w.row, w.ids)
	slices.SortFunc(w.pool, nearestFirst)
	return w.pool
}

// descend goes from the entry as near as it gets on each layer above the given
// one.
func (w *walker) descend(layer int) {
	w.pool = append(w.pool[:0], candidate{score: w.scores([]uint32{w.h.entry})[0], node: w.h.entry})
	for l := len(w.h.links[w.h.entry]) - 1; l > layer; l-- {
		w.explore(l, 1)
	}
}

// explore brings the ef nearest nodes of a layer into the pool, from those that
// are there: algorithm 2. The pool is the paper's two queues in one: a candidate
// that is pushed out of it is farther than ef others, and is not visited.
func (w *walker) explore(layer, ef int) {
	if w.walk++; w.walk == 0 { // all numbers have been used
		clear(w.seen)
		w.walk = 1
	}
	for i := range w.pool {
		w.seen[w.pool[i].node] = w.walk
		w.pool[i].done = false
	}
	for next := 0; next < len(w.pool); {
		if w.pool[next].done {
			next++
			continue
		}
		w.pool[next].done = true
		list := w.h.links[w.pool[next].node][layer]
		ids, fresh := slices.Grow(w.ids[:0], len(list))[:len(list)], 0
		for _, n := range list { // without a jump, which a processor could not foresee
			ids[fresh] = n
			if w.seen[n] != w.walk {
				fresh++
			}
			w.seen[n] = w.walk
		}
		w.ids = ids[:fresh]
		for i, score := range w.scores(w.ids) {
			if n := len(w.pool); n < ef || score >= w.pool[n-1].score {
				next = min(next, w.enter(candidate{score: score, node: w.ids[i]}, ef))
			}
		}
	}
}

// enter puts a candidate into the pool if it is one of the ef nearest, and
// returns its place, or ef.
func (w *walker) enter(c candidate, ef int) int {
	if n := len(w.pool); n >= ef {
		if nearestFirst(c, w.pool[n-1]) > 0 {
			return ef
		}
		w.pool = w.pool[:ef-1]
	}
	at, _ := slices.BinarySearchFunc(w.pool, c, nearestFirst)
	w.pool = slices.Insert(w.pool, at, c)
	return at
}

func (h *HNSW) rowOf(node uint32) []float32 {
	stride := stride(h.cols)
	return h.matrix[int(node)*stride:][:stride]
}

// multiply returns the products of a row with those of nodes, valid until the
// next call.
func (w *walker) multiply(row []float32, nodes []uint32) []float32 {
	w.products = slices.Grow(w.products[:0], len(nodes))[:len(nodes)]
	Products(row, w.h.matrix, nodes, w.products)
	return w.products
}

// scores returns what a walk ranks nodes by, valid until the next call.
func (w *walker) scores(nodes []uint32) []float32 {
	if len(w.steps) == 0 {
		return w.multiply(w.row, nodes)
	}
	w.products = slices.Grow(w.products[:0], len(nodes))[:len(nodes)]
	w.sums = slices.Grow(w.sums[:0], len(nodes))[:len(nodes)]
	w.h.coarse.products(w.steps, nodes, w.sums, w.products)
	return w.products
}

// candidates appends nodes to dst with their cosines with a row.
func (w *walker) candidates(dst []candidate, row []float32, nodes []uint32) []candidate {
	for i, score := range w.multiply(row, nodes) {
		dst = append(dst, candidate{score: score, node: nodes[i]})
	}
	return dst
}
