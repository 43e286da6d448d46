package index

import "slices"

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

// A walker looks for nodes near to a row. It is used by one goroutine at a time,
// while the graph stays as it is.
type walker struct {
	h        *HNSW
	row      []float32
	pool     []candidate // the nearest found on this layer, nearest first
	seen     []uint32    // by node, the number of the last walk that met it
	walk     uint32
	ids      []uint32
	products []float32
	kept     []uint32
}

// aim readies a walker to look for what is near to a row.
func (w *walker) aim(h *HNSW, row []float32) {
	w.h, w.row, w.pool = h, row, w.pool[:0]
	if n := len(h.layers); len(w.seen) < n {
		w.seen, w.walk = make([]uint32, n+n/4), 0
	}
}

// nearest returns the ef nearest nodes, nearest first. What it returns is
// overwritten by the next walk.
func (w *walker) nearest(ef int) []candidate {
	if ef >= len(w.h.layers) {
		w.ids = w.ids[:0]
		for node := range w.h.layers {
			w.ids = append(w.ids, uint32(node))
		}
		w.pool = w.candidates(w.pool[:0], w.row, w.ids)
		slices.SortFunc(w.pool, nearestFirst)
		return w.pool
	}
	w.descend(0)
	w.explore(0, ef)
	return w.pool
}

// descend goes from the entry as near as it gets on each layer above the given
// one.
func (w *walker) descend(layer int) {
	w.pool = w.candidates(w.pool[:0], w.row, []uint32{w.h.entry})
	for l := int(w.h.layers[w.h.entry]); l > layer; l-- {
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
		w.ids = w.ids[:0]
		for _, n := range w.h.neighbours(w.pool[next].node, layer) {
			if w.seen[n] != w.walk {
				w.seen[n] = w.walk
				w.ids = append(w.ids, n)
			}
		}
		for i, score := range w.multiply(w.row, w.ids) {
			if at := w.enter(candidate{score: score, node: w.ids[i]}, ef); at < next {
				next = at
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
	at, end := 0, len(w.pool)
	for at < end {
		if middle := (at + end) / 2; nearestFirst(c, w.pool[middle]) < 0 {
			end = middle
		} else {
			at = middle + 1
		}
	}
	w.pool = slices.Insert(w.pool, at, c)
	return at
}

// multiply returns the products of a row with those of nodes, valid until the
// next call.
func (w *walker) multiply(row []float32, nodes []uint32) []float32 {
	w.products = slices.Grow(w.products[:0], len(nodes))[:len(nodes)]
	products(row, w.h.matrix, nodes, w.products)
	return w.products
}

// candidates appends nodes to dst with their cosines with a row.
func (w *walker) candidates(dst []candidate, row []float32, nodes []uint32) []candidate {
	for i, score := range w.multiply(row, nodes) {
		dst = append(dst, candidate{score: score, node: nodes[i]})
	}
	return dst
}
