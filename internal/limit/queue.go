package limit

// A queue is a heap of calls that wait, the one that arrived first on top. It
// implements [container/heap.Interface].
type queue []*waiter

// Len implements [sort.Interface].
func (q *queue) Len() int { return len(*q) }

// Less implements [sort.Interface].
func (q *queue) Less(i, j int) bool { return (*q)[i].call.number < (*q)[j].call.number }

// Swap implements [sort.Interface].
func (q *queue) Swap(i, j int) {
	w := *q
	w[i], w[j] = w[j], w[i]
	w[i].place, w[j].place = i, j
}

// Push implements [container/heap.Interface].
func (q *queue) Push(x any) {
	w := x.(*waiter)
	w.place = len(*q)
	*q = append(*q, w)
}

// Pop implements [container/heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.place = -1
	return w
}
