package metrics_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/engine/annotator"
	"recallbench/metrics"
)

// coherence is the metric that runs have.
var coherence = metrics.NewCoherence(annotator.New())

// about is an item about a hotel and when it was booked for.
func about(answer string) metrics.Item {
	const said, question = "The Acorn Lodge is full, but the Birch House has a room on Friday.", "On what day does it have a room?"
	at := func(text, part string) (int, int) {
		i := strings.Index(text, part)
		return i, i + len(part)
	}
	mention := func(turn, text, part string) metrics.Mention {
		start, end := at(text, part)
		return metrics.Mention{Turn: turn, Start: start, End: end}
	}
	return metrics.Item{
		Question: question, Prediction: answer, Gold: "Friday",
		History: []metrics.Turn{{ID: "1", Speaker: "Ann", Text: said}},
		Entities: []metrics.Entity{
			{ID: "h", Names: []string{"the Birch House"}, Mentions: []metrics.Mention{mention("1", said, "the Birch House"), mention("", question, "it")}},
			{ID: "d", Names: []string{"Friday"}, Mentions: []metrics.Mention{mention("1", said, "Friday")}},
		},
	}
}

// TestCoherenceByRules scores answers with the resolver that runs have.
func TestCoherenceByRules(t *testing.T) {
	score := func(answer string) float64 { return coherence.Score(about(answer))[0].X }
	both, day, other := score("The Birch House has a room on Friday."), score("On Friday."), score("On Monday.")
	if other != 0 || day <= 0.5 || both <= 0.5 || both > 1 || day > 1 {
		t.Errorf("the right answer has %v, in short %v, another %v", both, day, other)
	}
}

func FuzzCoherence(f *testing.F) {
	f.Add("The Birch House has a room on Friday.", "Who is she?", 0, 9)
	f.Add("Friday Friday\x00 it \xff", "", -1, 3)
	f.Add(strings.Repeat("it's he ", 2000), "“Acorn” İ", 2, 1)
	f.Fuzz(func(t *testing.T, answer, question string, start, end int) {
		item := about(answer)
		item.Question = question
		item.Entities[0].Mentions = append(item.Entities[0].Mentions, metrics.Mention{Turn: "1", Start: start, End: end}, metrics.Mention{Start: start, End: end})
		v := coherence.Score(item)[0]
		if !v.Defined || !(v.X >= 0 && v.X <= 1+1e-12) {
			t.Errorf("coherence is %v", v)
		}
	})
}

func TestBCubed(t *testing.T) {
	letters := func(clusters ...string) (out [][]rune) {
		for _, c := range clusters {
			out = append(out, []rune(c))
		}
		return out
	}
	for _, c := range []struct {
		name              string
		gold, predicted   [][]rune
		precision, recall float64
	}{
		// Bagga and Baldwin, 1998: two ways to join three chains of 5, 2 and 5.
		{"a small chain joined to a large one", letters("12345", "67", "89ABC"), letters("12345", "6789ABC"), 1. / 12 * (5*1 + 2*2./7 + 5*5./7), 1},
		{"two large chains joined", letters("12345", "67", "89ABC"), letters("1234589ABC", "67"), 1. / 12 * (10*5./10 + 2), 1},
		{"all right", letters("abc", "d"), letters("d", "cba"), 1, 1},
		{"all apart", letters("abc", "d"), letters("a", "b", "c", "d"), 1, (3*1./3 + 1) / 4},
		{"all together", letters("abc", "d"), letters("abcd"), (3*3./4 + 1./4) / 4, 1},
		{"a cut through both", letters("abcd", "ef"), letters("abe", "cdf"), (2*2./3 + 1./3) * 2 / 6, (4*2./4 + 2*1./2) / 6},
		{"a mention not predicted", letters("abc"), letters("ab"), 1, (2*2./3 + 1./3) / 3},
		{"a mention that is not gold", letters("ab"), letters("abz"), (2*2./3 + 1./3) / 3, 1},
		{"nothing predicted", letters("ab"), nil, 1, 0.5},
		{"a mention twice", letters("ab"), letters("ab", "b"), 1, 1},
		{"nothing at all", nil, nil, 1, 1},
	} {
		p, r, f := metrics.BCubed(c.gold, c.predicted)
		want := 2 * c.precision * c.recall / (c.precision + c.recall)
		if math.Abs(p-c.precision) > 1e-12 || math.Abs(r-c.recall) > 1e-12 || math.Abs(f-want) > 1e-12 {
			t.Errorf("%s: %v, %v, %v, want %v, %v, %v", c.name, p, r, f, c.precision, c.recall, want)
		}
	}
}

// TestBCubedProperties checks what holds of any two ways to cluster.
func TestBCubedProperties(t *testing.T) {
	partition := func(t *rapid.T, name string) [][]int {
		of := rapid.SliceOfN(rapid.IntRange(-1, 4), 0, 12).Draw(t, name)
		out := make([][]int, 5)
		for m, c := range of {
			if c >= 0 {
				out[c] = append(out[c], m)
			}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		gold, predicted := partition(t, "gold"), partition(t, "predicted")
		p, r, f := metrics.BCubed(gold, predicted)
		for _, x := range []float64{p, r, f} {
			if !(x > 0 && x <= 1+1e-12) {
				t.Fatalf("%v of %v and %v", x, gold, predicted)
			}
		}
		r2, p2, f2 := metrics.BCubed(predicted, gold)
		if math.Abs(p-p2)+math.Abs(r-r2)+math.Abs(f-f2) > 1e-9 {
			t.Fatalf("%v, %v the one way and %v, %v the other", p, r, p2, r2)
		}
		slices.Reverse(predicted)
		if p2, r2, _ := metrics.BCubed(gold, predicted); math.Abs(p-p2)+math.Abs(r-r2) > 1e-9 {
			t.Fatalf("the order of clusters matters: %v, %v and %v, %v", p, r, p2, r2)
		}
		if p, r, f := metrics.BCubed(gold, gold); p != 1 || r != 1 || f != 1 {
			t.Fatalf("%v against itself is %v, %v, %v", gold, p, r, f)
		}
	})
}
