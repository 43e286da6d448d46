package semanticanchoring

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/linguistic"
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
	m := linguistic.Matches{
		Entities:     map[int]float64{2: 1, 3: 0.5},
		Discourse:    map[int]float64{3: 1},
		Dependencies: map[int]float64{5: 1},
	}
	all := candidates(map[int]float64{0: 0.9, 1: 0.9, 2: 0.1}, m, func(entry int) float64 { return float64(entry) / 10 })
	o := Defaults()
	o.Weights = Weights{Similarity: 0.5, Entities: 0.3, Discourse: 0.2}
	for _, tt := range []struct {
		fusion       Fusion
		dependencies float64
		k            int
		want         string
	}{
		{Linear, 0, 10, "3=0.5000 1=0.4500 0=0.4500 2=0.3500 5=0.2500"},
		{Linear, 0.6, 2, "5=0.8500 3=0.5000"},
		{Rank, 0, 3, fmt.Sprintf("3=%.4f 2=%.4f 1=%.4f", 0.5/64+0.3/62+0.2/61, 0.5/65+0.3/61, 0.5/61)},
	} {
		o.Fusion, o.Weights.Dependencies = tt.fusion, tt.dependencies
		if got := order(o.best(all, tt.k)); got != tt.want {
			t.Errorf("%s with dependencies %v: %s, want %s", tt.fusion, tt.dependencies, got, tt.want)
		}
	}
}

func TestSerialise(t *testing.T) {
	e := linguistic.Entry{
		Turn: "S1:2",
		Line: llm.Line{Speaker: "Ben", Time: time.Date(2024, 3, 14, 9, 10, 0, 0, time.UTC), Text: "She would rather come on Friday."},
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
	bare := linguistic.Entry{Line: llm.Line{Text: "Hm."}}
	for _, tt := range []struct {
		lines int
		entry linguistic.Entry
		want  string
	}{
		{0, e, said},
		{1, e, entities + said},
		{2, e, entities + discourse + said},
		{3, e, entities + discourse + said + deps},
		{2, quiet, entities + said + deps},
		{3, bare, `[UTTERANCE] "Hm."`},
	} {
		s := Defaults().Serialise
		s.Lines = tt.lines
		if got := s.text(tt.entry); got != tt.want {
			t.Errorf("with %d lines:\n%s\nwant\n%s", tt.lines, got, tt.want)
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
	for w, want := range map[EntityWeight]float64{BySize: 4, Equal: 1, Inverse: 0.25} {
		if got := w.of(4); got != want {
			t.Errorf("%s weighs %v, want %v", w, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	o := Defaults()
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	o.Dense.M = 513
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "dense.m is 513, want 2 to 512") {
		t.Errorf("Validate() = %v, but no graph can be built", err)
	}
	o.N, o.K, o.Weights, o.Dense.M, o.Serialise.Lines = 0, 0, Weights{Similarity: math.NaN(), Entities: -1}, 1, 4
	err := o.Validate()
	for _, want := range []string{"n is 0", "k is 0", "weights.similarity is NaN", "weights.entities is -1", "dense.m is 1", "serialise.lines is 4, want 0 to 3"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q in it", err, want)
		}
	}
}
