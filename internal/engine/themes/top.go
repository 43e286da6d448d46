package themes

import "math"

// A top keeps the k highest numbers that it was given, as a heap with the least
// on top.
type top struct {
	k    int
	heap []float32
}

func newTop(k int) *top { return &top{k: k, heap: make([]float32, 0, k)} }

// least returns the least of the k highest numbers, -Inf while there are fewer.
func (t *top) least() float32 {
	if len(t.heap) < t.k {
		return float32(math.Inf(-1))
	}
	return t.heap[0]
}

// add takes a number that is above the least.
func (t *top) add(x float32) {
	h := t.heap
	if len(h) < t.k {
		h = append(h, x)
		t.heap = h
		for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		return
	}
	h[0] = x
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
