package metrics_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"recallbench/metrics"
)

// BenchmarkAnswers scores 500 made-up pairs, "all" with four metrics.
func BenchmarkAnswers(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("The red kite, a wooden boat and two pears were left at Ann's on 7 May 2023; Bo said that he would not fetch them before Friday.")
	text := func(most int) string {
		at := r.IntN(len(words))
		return strings.Join(words[at:min(at+1+r.IntN(most), len(words))], " ")
	}
	items := make([]metrics.Item, 500)
	for i := range items {
		items[i] = metrics.Item{Category: strconv.Itoa(1 + i%5), Prediction: text(20), Gold: text(6)}
	}
	four := []*metrics.Spec{metrics.F1Mem0Spec, metrics.F1LoCoMoSpec, metrics.BLEU1Spec, metrics.RougeLSpec}
	for _, c := range []struct {
		name  string
		specs []*metrics.Spec
	}{
		{"all", four},
		{"f1@mem0", four[:1]},
		{"f1@locomo", four[1:2]},
		{"bleu1@nltk", four[2:3]},
		{"rouge-l@rouge_score", four[3:]},
		{"f1@memoryos", []*metrics.Spec{metrics.F1MemoryOSSpec}},
		{"exact-match", []*metrics.Spec{metrics.ExactMatchSpec}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, i := range items {
					for _, s := range c.specs {
						s.Score(i)
					}
				}
			}
			b.ReportMetric(float64(len(items)*b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}

// BenchmarkDefaults scores the answers of real systems to LoCoMo's questions by the
// default metrics that look at answers.
func BenchmarkDefaults(b *testing.B) {
	answers := judgedAnswers(b)
	specs := []*metrics.Spec{metrics.F1LoCoMoSpec, metrics.F1Mem0Spec, metrics.BLEU1Spec, metrics.RougeLSpec, metrics.ExactMatchSpec, metrics.SpanSpec, metrics.WordsSpec}
	start := processorTime(b)
	for b.Loop() {
		for _, a := range answers[:14_000] {
			item := metrics.Item{Category: strconv.Itoa(a.category), Question: a.question, Gold: a.gold, Prediction: a.text}
			for _, s := range specs {
				s.Score(item)
			}
		}
	}
	b.ReportMetric((processorTime(b)-start).Seconds()/float64(b.N), "cpu-s/op")
}

// BenchmarkEvidence scores an item with twenty blocks of 256 tokens.
func BenchmarkEvidence(b *testing.B) {
	item := metrics.Item{Gold: "a red kite, a wooden boat and two pears", GoldEvidence: []string{"t3", "t77"}}
	words := []string{"she", "said", "that", "Kite,", "the", "boat", "left", "pears.", "and", "so", "wooden", "on"}
	for k := range 20 {
		var block metrics.Block
		for i := range 200 {
			block.Text += words[(i*7+k*3)%(len(words)-k%5)] + " "
		}
		block.Tokens = 256
		block.Sources = []string{"t" + strconv.Itoa(2*k), "t" + strconv.Itoa(2*k+1)}
		item.Blocks = append(item.Blocks, block)
	}
	for _, s := range []*metrics.Spec{metrics.EvidenceRecallSpec, metrics.HitDensitySpec, metrics.CoverageSpec} {
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Score(item)
			}
		})
	}
}
