package semanticanchoring

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/transcript"
)

func order(found []candidate) string {
	var parts []string
	for _, c := range found {
		parts = append(parts, fmt.Sprintf("%d=%.4f", c.entry, c.score))
	}
	return strings.Join(parts, " ")
}

// The scores are worked by hand from section 3.4; equal ones come with the later
// entry first.
func TestBest(t *testing.T) {
	m := map[int]linguistic.Match{2: {Entities: 1}, 3: {Entities: 0.5, Discourse: 1}, 5: {Dependencies: 1}}
	all := candidates(map[int]float64{0: 0.9, 1: 0.9, 2: 0.1}, m, func(entry int) float64 { return float64(entry) / 10 })
	w := Weights{Similarity: 0.5, Entities: 0.3, Discourse: 0.2}
	for _, tt := range []struct {
		dependencies float64
		k            int
		want         string
	}{
		{0, 10, "3=0.5000 1=0.4500 0=0.4500 2=0.3500 5=0.2500"},
		{0.6, 2, "5=0.8500 3=0.5000"},
	} {
		w.Dependencies = tt.dependencies
		if got := order(w.best(all, tt.k)); got != tt.want {
			t.Errorf("with dependencies %v: %s, want %s", tt.dependencies, got, tt.want)
		}
	}
}

func TestSerialise(t *testing.T) {
	e := linguistic.Entry{
		Turn: "S1:2",
		Line: transcript.Line{Speaker: "Ben", Time: time.Date(2024, 3, 14, 9, 10, 0, 0, time.UTC), Text: "She would rather come on Friday."},
		Features: linguistic.Features{
			Entities: []linguistic.Entity{
				{Name: "Friday", Type: "DATE", Names: []string{"friday"}},
				{ID: "E6", Name: strings.Repeat("x", 81)},
				{ID: "E1", Name: "Ben", Type: "PERSON"},
				{ID: "E5", Name: "Asha [Rao]", Type: "PERSON"},
			},
			Triples: []linguistic.Triple{{Head: "come", Label: "nsubj", Child: "she"}, {Head: "come", Label: "obl", Child: "friday"}},
			Senses:  []string{"Comparison.Contrast"},
		},
	}
	const (
		entities  = "[ENTITY: Asha (Rao) | CorefID=E5 | NER=PERSON] [ENTITY: Friday | NER=DATE]\n"
		discourse = "[DISCOURSE: Comparison.Contrast]\n"
		said      = `[UTTERANCE @ 14 March 2024 09:10] Ben: "She would rather come on Friday."`
		deps      = "\n[DEPS: (come-nsubj-she), (come-obl-friday)]"
	)
	quiet := e
	quiet.Senses = nil
	crowd := linguistic.Entry{Line: transcript.Line{Speaker: "Ben", Text: "Hm."}} // the first four names are shown that are not too long
	for _, name := range []string{"Asha Rao", "", strings.Repeat("x", maxName+1), "Heron Lodge", "Selby", "Thea", "Una"} {
		crowd.Entities = append(crowd.Entities, linguistic.Entity{Name: name})
	}
	for _, tt := range []struct {
		entry linguistic.Entry
		want  string
	}{
		{e, entities + discourse + said},
		{quiet, entities + said + deps},
		{linguistic.Entry{Line: transcript.Line{Text: "Hm."}}, `[UTTERANCE] "Hm."`},
		{crowd, "[ENTITY: Asha Rao] [ENTITY: Heron Lodge] [ENTITY: Selby] [ENTITY: Thea]\n[UTTERANCE] Ben: \"Hm.\""},
	} {
		if got := serialise(tt.entry); got != tt.want {
			t.Errorf("%s\nwant\n%s", got, tt.want)
		}
	}
}

// Each point of the grid has weights that sum to 1, and no two are alike.
func TestGrid(t *testing.T) {
	o := Defaults()
	for _, tt := range []struct {
		discourse bool
		want      int
	}{{true, 7 + 6 + 5 + 4 + 3 + 2}, {false, 6}} {
		o.Layers.Discourse = tt.discourse
		seen := make(map[Weights]bool)
		for _, p := range grid(o) {
			w := p.(Options).Weights
			if sum := w.Similarity + w.Entities + w.Discourse; math.Abs(sum-1) > 1e-12 || seen[w] {
				t.Errorf("weights %+v sum to %v, or stand there twice", w, sum)
			}
			seen[w] = true
		}
		if len(seen) != tt.want {
			t.Errorf("discourse %v: %d points, want %d", tt.discourse, len(seen), tt.want)
		}
	}
}

func TestEntityWeight(t *testing.T) {
	for w, want := range map[EntityWeight]float64{BySize: 4, Inverse: 0.25} {
		if got := w.of(4); got != want {
			t.Errorf("%s weighs %v, want %v", w, got, want)
		}
	}
}
