package metrics_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"recallbench/metrics"
)

// TestVectors holds values that were worked out for each dialect apart, most
// of them where the dialects differ.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		pred, gold                            string
		mem0, memoryOS, locomo, bleu1, rougeL float64
	}{
		{"7 May 2023", "7 May 2023", 1, 1, 1, 1, 1},
		{"May 7, 2023", "7 May 2023", 1, 1, 1, 0.75, 2. / 3},
		{"Paris Paris Paris", "Paris", 1, 1, 0.5, 1. / 3, 0.5},
		{"the beach", "beach", 2. / 3, 2. / 3, 1, 0.5, 2. / 3},
		{`"Becoming Nicole"`, "Becoming Nicole", 0, 1, 1, 0.5, 1},
		{"self-care", "self care", 0, 1, 0, 0, 1},
		{"May 7, 2023.", "7 May 2023", 1, 1, 1, 0.6, 2. / 3},
		{
			"pottery, camping, painting", "Pottery, camping, painting, swimming",
			6. / 7, 6. / 7, 6. / 7, math.Exp(1 - 7./5), 6. / 7,
		},
		{"She doesn't know", "She does not know", 4. / 7, 0.5, 4. / 7, 0.75, 0.5},
		{"the the the", "the cat", 2. / 3, 2. / 3, 0, 1. / 3, 0.4},
		{"Psychology, counseling certification", "Psychology", 0.5, 0.5, 0.5, 0.25, 0.5},
		{"John's dog (Max)", "Max; John's dog", 2. / 3, 1, 1, 2. / 3, 0.75},
	} {
		near(t, "F1Mem0", c.pred, c.gold, metrics.F1Mem0(c.pred, c.gold), c.mem0)
		near(t, "F1MemoryOS", c.pred, c.gold, metrics.F1MemoryOS(c.pred, c.gold), c.memoryOS)
		near(t, "F1LoCoMo", c.pred, c.gold, metrics.F1LoCoMo(c.pred, c.gold, "4"), c.locomo)
		near(t, "BLEU1", c.pred, c.gold, metrics.BLEU1(c.pred, c.gold), c.bleu1)
		near(t, "RougeL", c.pred, c.gold, metrics.RougeL(c.pred, c.gold), c.rougeL)
	}
}

func TestF1LoCoMoByCategory(t *testing.T) {
	for _, c := range []struct {
		category, pred, gold string
		want                 float64
	}{
		{"1", "reading and swimming", "swimming, reading", 2. / 3},
		{"1", "swimming, reading", "reading, swimming", 1},
		{"1", "swimming", "reading, swimming, pottery", 1. / 3},
		{"1", "swimming", "swimming,", 0.5}, // the empty part scores 0
		{"2", "reading, swimming", "swimming, reading", 1},
		{"3", "Likely yes", "Likely yes; she has said so twice", 1},
		{"4", "Likely yes", "Likely yes; she has said so twice", 2 * (2. / 2) * (2. / 7) / (2./2 + 2./7)},
		{"5", "That is not mentioned.", "Rome", 1},
		{"5", "NO INFORMATION AVAILABLE", "Rome", 1},
		{"5", "Rome", "Rome", 0},
		{"5", "", "", 0},
		{"", "Rome", "Rome", 1},
		{"no such", "Rome, Paris", "Paris", 2. / 3},
	} {
		near(t, "category "+c.category, c.pred, c.gold, metrics.F1LoCoMo(c.pred, c.gold, c.category), c.want)
	}
}

func TestExactMatch(t *testing.T) {
	for _, c := range []struct {
		pred, gold string
		want       float64
	}{
		{"The Red House.", "red house", 1},
		{"red house", "house red", 0},
		{"red-house", "redhouse", 1},
		{"red-house", "red house", 0},
		{"an", "", 1},
		{"and", "", 0},
		{"“a” house", "“” house", 0}, // the quotes stay as two words
		{"“a”", "“ ”", 1},
	} {
		near(t, "ExactMatch", c.pred, c.gold, metrics.ExactMatch(c.pred, c.gold), c.want)
	}
}

// answers are the metrics of a prediction and a gold, whether they stay the
// same when the two change places, and what they say of a text and itself
// when it has words.
var answers = []struct {
	name      string
	score     func(pred, gold string) float64
	symmetric bool
}{
	{"F1Mem0", metrics.F1Mem0, true},
	{"F1MemoryOS", metrics.F1MemoryOS, true},
	{"F1LoCoMo", func(p, g string) float64 { return metrics.F1LoCoMo(p, g, "4") }, true},
	{"F1LoCoMo of category 1", func(p, g string) float64 { return metrics.F1LoCoMo(p, g, "1") }, false},
	{"F1LoCoMo of category 3", func(p, g string) float64 { return metrics.F1LoCoMo(p, g, "3") }, false},
	{"BLEU1", metrics.BLEU1, false},
	{"RougeL", metrics.RougeL, true},
	{"ExactMatch", metrics.ExactMatch, true},
}

func FuzzAnswers(f *testing.F) {
	f.Add("", "")
	f.Add("May 7, 2023.", "7 May 2023")
	f.Add("\xff\x00a the", "“the” \u2028 a")
	f.Add(strings.Repeat("so it goes, ", 80), strings.Repeat("it goes so; ", 90))
	f.Add("...", ". . .")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, m := range answers {
			got := m.score(a, b)
			if !(0 <= got && got <= 1) {
				t.Errorf("%s(%q, %q) = %v, want it in [0, 1]", m.name, a, b, got)
			}
			if back := m.score(b, a); m.symmetric && back != got {
				t.Errorf("%s(%q, %q) = %v, but %v the other way round", m.name, a, b, got, back)
			}
			if self := m.score(a, a); self != 0 && math.Abs(self-1) > 1e-9 && !strings.Contains(m.name, "category") {
				t.Errorf("%s(%q, %q) = %v, want 1, or 0 for no words", m.name, a, a, self)
			}
			if self := m.score("x "+a, "x "+a); self == 0 {
				t.Errorf("%s of %q and itself is 0, although it has a word", m.name, "x "+a)
			}
		}
	})
}

// TestWithoutText tells what the metrics of answers say of a failed request
// and of one whose right answer is an abstention.
func TestWithoutText(t *testing.T) {
	failed := metrics.Item{Prediction: "Rome", Gold: "Rome", Failed: true}
	abstained := metrics.Item{Prediction: "It was not mentioned.", Abstain: true}
	for _, spec := range []*metrics.Spec{
		metrics.F1Mem0Spec, metrics.F1LoCoMoSpec, metrics.F1MemoryOSSpec,
		metrics.BLEU1Spec, metrics.RougeLSpec, metrics.ExactMatchSpec,
	} {
		if got := spec.Score(failed); !slices.Equal(got, []metrics.Value{metrics.Def(0)}) {
			t.Errorf("%s of a failed request = %v, want 0", spec.Name, got)
		}
		want := metrics.Value{}
		if spec == metrics.F1LoCoMoSpec {
			want = metrics.Def(1)
		}
		if got := spec.Score(abstained); !slices.Equal(got, []metrics.Value{want}) {
			t.Errorf("%s of an abstention = %v, want %v", spec.Name, got, want)
		}
	}
	abstained.Prediction = "Rome"
	if got := metrics.F1LoCoMoSpec.Score(abstained)[0]; got != metrics.Def(0) {
		t.Errorf("f1@locomo of an answer where none is known = %v, want 0", got)
	}
	abstained.Failed, abstained.Prediction = true, "not mentioned"
	if got := metrics.F1LoCoMoSpec.Score(abstained)[0]; got != metrics.Def(0) {
		t.Errorf("f1@locomo of a failed abstention = %v, want 0", got)
	}
}
