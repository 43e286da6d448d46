package offline

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/nli"
	"recallbench/internal/realdata"
)

// A recordedScore is one of facebook/bart-large-mnli.
type recordedScore struct {
	Predicate  string  `json:"predicate"`
	Text       string  `json:"text"`
	Hypothesis string  `json:"hypothesis"`
	Score      float64 `json:"score"`
}

// TestEntailAgainstBART prints how the offline scores agree with recorded ones
// of the model that the paper's released code uses.
func TestEntailAgainstBART(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(realdata.Fixtures(t), "semantic-xpath", "scores_bart_large_mnli.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var pairs []nli.Pair
	var want []float64
	for line := range bytes.Lines(data) {
		var r recordedScore
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, nli.Pair{Premise: r.Text, Hypothesis: r.Hypothesis})
		want = append(want, r.Score)
	}
	e, err := newEntailer()
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Entail(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	rho := stat.Correlation(ranks(got), ranks(want), nil)
	area := auc(got, want, 0.5)
	both, ours, theirs := 0, 0, 0
	for i := range got {
		if got[i] > 0.5 {
			ours++
		}
		if want[i] > 0.5 {
			theirs++
			if got[i] > 0.5 {
				both++
			}
		}
	}
	t.Logf("%d pairs: Spearman %.3f, AUC of BART's score > 0.5 %.3f; above 0.5: %d here, %d of BART, %d of both",
		len(got), rho, area, ours, theirs, both)
	if rho < 0.38 || area < 0.64 {
		t.Errorf("Spearman %.3f and AUC %.3f, want at least 0.38 and 0.64", rho, area)
	}
}

// ranks returns the rank of each value, the mean rank for equal ones.
func ranks(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return xs[order[i]] < xs[order[j]] })
	out := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && xs[order[j]] == xs[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// auc is the chance that a pair above the threshold has a higher score than
// one below it.
func auc(score, truth []float64, threshold float64) float64 {
	r := ranks(score)
	sum, n := 0.0, 0.0
	for i, x := range truth {
		if x > threshold {
			sum += r[i]
			n++
		}
	}
	m := float64(len(truth)) - n
	if n == 0 || m == 0 {
		return math.NaN()
	}
	return (sum - n*(n-1)/2) / (n * m)
}

func TestEntailOrder(t *testing.T) {
	e, err := newEntailer()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		text, condition string
		low, high       float64
	}{
		{"POI: Harbour walk - time: 9:00 - 11:00 | description: A stroll along the waterfront.", "outdoor activities", 0.6, 0.95},
		{"POI: City museum - time: 9:00 | description: Paintings of the last century.", "outdoor activities", 0, 0.1},
		{"POI: City museum - time: 9:00 | description: Paintings of the last century.", "art", 0.6, 1},
		{"Option: Shrimp tacos - ingredients: shrimp, tortilla, cabbage", "seafood", 0.6, 0.95},
		{"Option: Shrimp tacos - ingredients: shrimp, tortilla, cabbage", "no seafood", 0, 0.3},
		{"Option: Lentil curry - ingredients: lentils, rice, coconut milk", "no seafood", 0.7, 1},
		{"Option: Lentil curry - ingredients: lentils, rice, coconut milk", "vegetarian meals", 0.5, 1},
		{"Option: Beef stew - ingredients: beef, carrots", "vegetarian meals", 0, 0.2},
		{"Option: Nut-free granola - ingredients: oats, honey", "without nuts", 0.85, 1},
		{"Option: Nut-free granola - ingredients: oats, honey", "nuts", 0, 0.1},
		{"Option: Vegan burger - ingredients: black beans, bun", "meat", 0, 0.4},
		{"Task: Call the plumber - status: pending | description: The kitchen tap drips.", "home repair", 0.6, 1},
		{"Task: Call the plumber - status: pending | description: The kitchen tap drips.", "phone calls", 0.6, 1},
		{"Task: Finish quarterly report - status: pending", "not work", 0, 0.35},
		{"Task: Buy tulip bulbs - status: pending", "not work", 0.65, 1},
		{"Restaurant: Trattoria Sole - description: pasta by the river", "italian restaurant", 0.6, 1},
		{"Restaurant: Sakura - description: ramen and gyoza", "italian restaurant", 0, 0.3},
		{"Day: 2", "", 0, 0},
	}
	for _, tt := range tests {
		for _, frame := range []string{"%", "This is related to %.", "This example is about %."} {
			h := string(bytes.ReplaceAll([]byte(frame), []byte("%"), []byte(tt.condition)))
			got, err := e.Entail(t.Context(), []nli.Pair{{Premise: tt.text, Hypothesis: h}})
			if err != nil {
				t.Fatal(err)
			}
			if got[0] < tt.low || got[0] > tt.high {
				t.Errorf("%q of %q: %.3f, want %g to %g", h, tt.text, got[0], tt.low, tt.high)
			}
		}
	}
}
