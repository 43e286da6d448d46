package annotator

import (
	"fmt"
	"path/filepath"
	"testing"

	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/try"
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
				doc := try.Get(a.Annotate(b.Context(), r))(b)
				known = doc.Recall(r.Utterances, known)
			}
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "utterances/s")
}

// BenchmarkQuestion annotates a question where a thousand entities are known.
func BenchmarkQuestion(b *testing.B) {
	var known []annotate.Known
	for i := range 1000 {
		k := annotate.Known{ID: fmt.Sprint("E", i+1), Name: fmt.Sprintf("Name%d House", i), Type: "FAC", Mentions: 2}
		if i%3 == 0 {
			k = annotate.Known{ID: fmt.Sprint("E", i+1), Name: fmt.Sprintf("%d:%02d", i%24, i%60), Type: "TIME", Mentions: 1}
		}
		known = append(known, k)
	}
	a := New()
	r := annotate.Request{Layers: annotate.Layers(), Known: known, Utterances: []annotate.Utterance{{Speaker: "USER", Text: "What was the name of the hotel that I booked?"}}}
	for b.Loop() {
		try.Get(a.Annotate(b.Context(), r))(b)
	}
}
