package calls

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkRecord records calls, 256 at a time.
func BenchmarkRecord(b *testing.B) {
	for _, mode := range []Mode{Record, Reuse} {
		b.Run(string(mode), func(b *testing.B) {
			s := openStore(b, b.TempDir())
			g := NewRecorder(s, mode).Generator(testModel, &model{})
			work := make(chan int)
			var wg sync.WaitGroup
			for range 256 {
				wg.Go(func() {
					for i := range work {
						if _, err := g.Generate(b.Context(), ask(fmt.Sprint("What is number ", i, "?"))); err != nil {
							b.Error(err)
						}
					}
				})
			}
			n := 0
			for b.Loop() {
				work <- n
				n++
			}
			close(work)
			wg.Wait()
		})
	}
}
