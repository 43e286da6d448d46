package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/realdata"
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
	e, err := NewEntailer()
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
	unrelated, accepted := 0, 0
	for i := range got {
		if got[i] < 0.1 {
			unrelated++
			if want[i] > 0.5 {
				accepted++
			}
		}
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
	t.Logf("%d pairs are below 0.1 here, of which BART has %d above 0.5", unrelated, accepted)
	if rho < 0.45 || area < 0.68 {
		t.Errorf("Spearman %.3f and AUC %.3f, want at least 0.45 and 0.68", rho, area)
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
	e, err := NewEntailer()
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
		{"Task: Complete the form - status: pending", "completed", 0, 0.2},
		{"Task: Pay the water bill - status: done", "finished tasks", 0.7, 1},
		{"Task: Pay the water bill - status: done", "unfinished", 0, 0.1},
		{"Task: Pay the water bill - status: done", "bills", 0.7, 1},
		{"Option: Salmon with rice - protein: 38 g", "chicken", 0, 0.1},
		{"POI: Night market - description: food stalls beside the museum", "museum", 0.1, 0.5},
		{"POI: Science centre - description: exhibits to touch", "swimming or museums", 0.6, 1},
		{"POI: Rose garden", "parks and gardens", 0.8, 1},
		{"POI: Rose garden", "gardens and invoices", 0.05, 0.3},
		{"Restaurant: Casa - description: tapas and octopus by candlelit tables", "romantic dinner", 0.5, 1},
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

// TestLexicon holds the size that docs/offline.md gives, and what concepts are
// there to do.
func TestLexicon(t *testing.T) {
	l, err := everyday()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d words and phrases in %d concepts", len(l.links), len(l.concepts))
	if len(l.links) < 2000 || len(l.concepts) < 150 {
		t.Errorf("%d words and phrases in %d concepts, want 2,000 in 150", len(l.links), len(l.concepts))
	}
	for i, c := range l.concepts {
		for _, o := range c.opposites {
			if o == uint16(i) {
				t.Errorf("%s is its own opposite", c.name)
			}
		}
		if len(c.absent) > 0 && l.concepts[c.domain].name != "food" {
			t.Errorf("%s means an absence from %q", c.name, l.concepts[c.domain].name)
		}
	}
}

func TestLexiconFaults(t *testing.T) {
	_, err := readLexicon("words.txt", `
a: b
  < nothing
  ! neither
  !?, word
a:
  ...
`)
	const want = `words.txt:6: concept "a" is there twice
words.txt:3: no concept "nothing"
words.txt:4: no concept "neither"
words.txt:5: no concept "?"
words.txt:5: no concept "word"
words.txt:7: no word in "..."`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestUnframed(t *testing.T) {
	for hypothesis, want := range map[string]string{
		"This is related to outdoor activities.":   "outdoor activities",
		"this is about work":                       "work",
		"This example is about not meat.":          "not meat",
		"It describes a museum.":                   "museum",
		"The text is relevant to the condition: X": "X",
		"outdoor activities":                       "outdoor activities",
		"Museums are related to art.":              "Museums are related to art",
		"This is related to .":                     "",
		"":                                         "",
	} {
		if got := unframed(hypothesis); got != want {
			t.Errorf("%q leaves %q, want %q", hypothesis, got, want)
		}
	}
}

// texts makes n different node texts of everyday words.
func texts(n int) []string {
	words := strings.Fields("museum park trail lunch dentist invoice garden laundry concert harbour sushi bicycle library temple market report")
	out := make([]string, n)
	for i := range out {
		w := func(k int) string { return words[(i/k+i)%len(words)] }
		out[i] = fmt.Sprintf("POI %s %s %d; time: %d:30; description: A %s beside the %s, with a %s and no %s; cost: %d", w(1), w(3), i, i%12, w(5), w(7), w(11), w(13), i%90)
	}
	return out
}

// score returns how far each text meets a condition, in [0, 1].
func (e *Entailer) score(texts []string, condition string) []float64 {
	c := e.condition(condition)
	scores := make([]float64, len(texts))
	for i, text := range texts {
		scores[i] = c.score(e.lexicon, e.premise(text))
	}
	return scores
}

// TestEntailConcurrent has the same scores whoever asks, and in what order.
func TestEntailConcurrent(t *testing.T) {
	all := texts(400)
	const condition = "outdoor activities without museums"
	one, err := NewEntailer()
	if err != nil {
		t.Fatal(err)
	}
	want := one.score(all, condition)
	shared, err := NewEntailer()
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			part := slices.Clone(all)
			if i%2 == 1 {
				slices.Reverse(part)
			}
			got := shared.score(part, condition)
			if i%2 == 1 {
				slices.Reverse(got)
			}
			if !slices.Equal(want, got) {
				t.Error("scores depend on who asks")
			}
		})
	}
	group.Wait()
}

// TestEntailCache asks about more text than is kept.
func TestEntailCache(t *testing.T) {
	e, err := NewEntailer()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		e.score([]string{strings.Repeat("park ", 1000) + strconv.Itoa(i)}, fmt.Sprint("condition ", i))
	}
	size := 0
	for _, kept := range []map[string]*premise{e.premises.young, e.premises.old} {
		for text := range kept {
			size += len(text)
		}
	}
	if size == 0 || size > 2*memoBytes {
		t.Errorf("%d bytes of text are kept, want at most %d", size, 2*memoBytes)
	}
}

func TestEntailStops(t *testing.T) {
	e, err := NewEntailer()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Entail(ctx, []nli.Pair{{Premise: "a", Hypothesis: "b"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// FuzzEntail scores anything, within range.
func FuzzEntail(f *testing.F) {
	f.Add("POI: Park - a lawn", "This is related to outdoor activities.")
	f.Add("nut-free | no: meat;; \xff", "not, without or and but -free / and parks and gardens")
	f.Add("- free", "-free non--free or")
	e, err := NewEntailer()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, premise, hypothesis string) {
		got, err := e.Entail(t.Context(), []nli.Pair{{Premise: premise, Hypothesis: hypothesis}})
		if err != nil || !(got[0] >= 0 && got[0] <= 1) {
			t.Errorf("score %v, %v", got, err)
		}
	})
}

// BenchmarkEntail scores 10,000 pairs: of texts that were read before, and of
// new ones.
func BenchmarkEntail(b *testing.B) {
	var pairs []nli.Pair
	for _, text := range texts(10_000) {
		pairs = append(pairs, nli.Pair{Premise: text, Hypothesis: "This is related to outdoor activities."})
	}
	e, err := NewEntailer()
	if err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B, n int, before func()) {
		b.Helper()
		for b.Loop() {
			before()
			if _, err := e.Entail(b.Context(), pairs[:n]); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/pair")
	}
	b.Run("new", func(b *testing.B) {
		run(b, len(pairs), func() { e.premises = memo[string, *premise]{} })
	})
	b.Run("known", func(b *testing.B) { run(b, 5_000, func() {}) })
}
