package pytext

import "testing"

const (
	plain  = "the resilience of the veterans and their inspiring stories"
	quoted = "\"the red house\" isn't open, she's closing it; ask dr. rivera (again)."
	twoOf  = "she moved to rome in may 2021. her sister stayed with mrs. olsen."
)

func BenchmarkWords(b *testing.B) {
	for _, c := range []struct{ name, s string }{{"plain", plain}, {"quoted", quoted}, {"sentences", twoOf}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.s)))
			var buf [64]string
			for b.Loop() {
				AppendWords(buf[:0], c.s)
			}
		})
	}
}

func BenchmarkStem(b *testing.B) {
	words := AppendFields(nil, plain+" happily responsibilities running studied generalizations nice cat")
	b.ReportAllocs()
	for b.Loop() {
		for _, w := range words {
			Stem(w)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(words)), "ns/word")
}

// BenchmarkLoadEnglish is the cost of the first text that needs Punkt.
func BenchmarkLoadEnglish(b *testing.B) {
	for b.Loop() {
		loadEnglish()
	}
}
