package web

import "iter"

// Values that are read ahead come in batches, of which some may wait.
const (
	batchSize = 64
	batches   = 4
)

// ahead reads a sequence in a goroutine of its own, some values ahead of who asks
// for them: decoding and compressing then take a core each. The goroutine ends when
// no more values are asked for.
func ahead[V any](seq iter.Seq2[V, error]) iter.Seq2[V, error] {
	type item struct {
		value V
		err   error
	}
	return func(yield func(V, error) bool) {
		read := make(chan []item, batches)
		enough := make(chan struct{})
		defer close(enough)
		go func() {
			defer close(read)
			batch := make([]item, 0, batchSize)
			for value, err := range seq {
				batch = append(batch, item{value, err})
				if len(batch) < batchSize {
					continue
				}
				select {
				case read <- batch:
				case <-enough:
					return
				}
				batch = make([]item, 0, batchSize)
			}
			select {
			case read <- batch:
			case <-enough:
			}
		}()
		for batch := range read {
			for _, i := range batch {
				if !yield(i.value, i.err) {
					return
				}
			}
		}
	}
}
