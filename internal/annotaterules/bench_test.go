package annotaterules

import (
	"path/filepath"
	"testing"

	"recallbench/internal/annotate"
)

// BenchmarkAnnotate annotates the dialogues of testdata with all layers, each
// session with what the ones before it told. It reports utterances a second.
func BenchmarkAnnotate(b *testing.B) {
	files, err := filepath.Glob(filepath.Join("testdata", "dev", "*.txt"))
	if err != nil || len(files) == 0 {
		b.Fatal(files, err)
	}
	var dialogues [][]goldSession
	n := 0
	for _, f := range files {
		d := readGold(b, f)
		for _, s := range d {
			n += len(s.request.Utterances)
		}
		dialogues = append(dialogues, d)
	}
	a := New()
	for b.Loop() {
		for _, d := range dialogues {
			var known []annotate.Known
			for _, s := range d {
				r := s.request
				r.Layers, r.Known = annotate.Layers(), known
				doc, err := a.Annotate(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				known = doc.Recall(r.Utterances, known)
			}
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "utterances/s")
}
