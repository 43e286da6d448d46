package limit

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkDo measures what Do itself costs, with a try that costs nothing.
func BenchmarkDo(b *testing.B) {
	try := func(context.Context) (int, error) { return 100, nil }
	for _, bounds := range []Settings{{}, {RPM: 1 << 40, TPM: 1 << 40}} {
		s := Defaults()
		s.RPM, s.TPM = bounds.RPM, bounds.TPM
		b.Run(fmt.Sprintf("alone, rpm %t", s.RPM > 0), func(b *testing.B) {
			a, err := NewRegistry().Account("a", s)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := a.Do(b.Context(), 1000, try); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, slots := range []int{256, 64} {
		b.Run(fmt.Sprintf("256 goroutines, %d slots", slots), func(b *testing.B) {
			s := Defaults()
			s.Max = slots
			a, err := NewRegistry().Account("a", s)
			if err != nil {
				b.Fatal(err)
			}
			b.SetParallelism(128) // on two processors
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := a.Do(b.Context(), 1000, try); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
