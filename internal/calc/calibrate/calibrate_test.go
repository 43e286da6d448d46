package calibrate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"recallbench/internal/calc/stats"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %.10f, want %.10f", what, got, want)
	}
}

// errorsFor are those of a judge that accepts some of the right answers and refuses
// some of the wrong ones.
func errorsFor(accepted, right, refused, wrong int) Errors {
	return Errors{
		&Rate{X: float64(accepted) / float64(right), N: right},
		&Rate{X: float64(refused) / float64(wrong), N: wrong},
	}
}

// TestRoganGladen has values of an independent program.
func TestRoganGladen(t *testing.T) {
	judge := errorsFor(114, 120, 62, 80)
	e, err := RoganGladen(0.82, 0.82*0.18/1540, judge)
	try.Do(t, err)
	near(t, "rate", e.X, 0.8206896552)
	// The reference prints ten digits.
	near(t, "error", e.Error, 0.0286860783)
	e, err = RoganGladen(1264.0/1540, 0.0118578126*0.0118578126, judge)
	try.Do(t, err)
	near(t, "rate of a row", e.X, 0.8217644425)
	near(t, "its error", e.Error, 0.0301295445)
	e, err = RoganGladen(0.99, 0, judge)
	if err != nil || !e.Clipped || e.X != 1 || e.Interval.Hi != 1 {
		t.Errorf("above the sensitivity: %+v, %v; want 1, clipped", e, err)
	}
	for want, judge := range map[string]Errors{
		"labels are alike":   {Sensitivity: &Rate{X: 1, N: 20}},
		"9 wrong; want 10":   errorsFor(20, 20, 9, 9),
		"0.100; want more":   errorsFor(11, 20, 11, 20),
		"9 answers are lab":  errorsFor(9, 9, 30, 30),
		"-0.500; want more ": errorsFor(5, 20, 5, 20),
	} {
		if _, err := RoganGladen(0.5, 0.01, judge); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", judge, err, want)
		}
	}
}

// six are six conversations, five labelled answers and 20 others each.
func six() []Conversation {
	var all []Conversation
	for i, counts := range [][4]int{{3, 0, 1, 1}, {4, 0, 0, 1}, {2, 0, 1, 2}, {3, 1, 0, 1}, {1, 0, 1, 3}, {4, 0, 0, 1}} {
		var c Conversation
		for kind, n := range counts { // both right, people only, judge only, both wrong
			for range n {
				c.Labelled = append(c.Labelled, Label{indicator(kind < 2), indicator(kind%2 == 0 && kind < 3), 1})
			}
		}
		accepted := []int{15, 16, 11, 14, 8, 17}[i]
		for k := range 20 {
			c.Judge = append(c.Judge, indicator(k < accepted))
		}
		all = append(all, c)
	}
	return all
}

// TestPredictionPowered has values of an independent program, printed to nine digits.
func TestPredictionPowered(t *testing.T) {
	p, ok := PredictionPowered(six())
	if !ok {
		t.Fatal("not known")
	}
	near(t, "λ", p.Lambda, 0.622905359)
	near(t, "rate", p.X, 0.605190878)
	near(t, "error", p.Error, 0.112020973)
	near(t, "low", p.Interval.Lo, 0.317231800)
	near(t, "high", p.Interval.Hi, 0.893149956)
	p, _ = HumanOnly(six())
	near(t, "people's rate", p.X, 0.6)
	near(t, "error", p.Error, 0.103279556)
	near(t, "low", p.Interval.Lo, 0.334511450)
	near(t, "high", p.Interval.Hi, 0.865488550)
	p, _ = powered(six(), 1)
	near(t, "rate with λ 1", p.X, 0.608333333)
	near(t, "error", p.Error, 0.117910041)
	if _, ok := PredictionPowered(six()[:1]); ok {
		t.Error("one conversation has an error")
	}
	if _, ok := PredictionPowered([]Conversation{{Judge: []float64{1}}, {Judge: []float64{0}}}); ok {
		t.Error("a rate without a label")
	}
}

// TestPoweredWeighs labels as many refused answers as accepted ones, though there are
// more of these: 76 of 100 are right.
func TestPoweredWeighs(t *testing.T) {
	var c Conversation
	for i := range 10 {
		c.Labelled = append(c.Labelled, Label{indicator(i < 9), 1, 8}, Label{indicator(i < 2), 0, 2})
	}
	for i := range 80 {
		c.Judge = append(c.Judge, indicator(i < 70))
	}
	for _, lambda := range []float64{math.NaN(), 0, 1} {
		p, ok := powered([]Conversation{c, c}, lambda)
		if !ok || p.Lambda == 0 && lambda != 0 {
			t.Fatalf("λ %v, known %v", p.Lambda, ok)
		}
		near(t, "rate", p.X, 0.76)
	}
}

// TestErrorsWeigh counts an answer that was drawn with a small chance for several.
func TestErrorsWeigh(t *testing.T) {
	e := ErrorsOf([]Conversation{
		{Labelled: []Label{{1, 1, 3}, {1, 0, 1}}},
		{Labelled: []Label{{0, 0, 1}, {0, 1, 1}, {0, 0, 2}}},
	})
	near(t, "sensitivity", e.Sensitivity.X, 0.75)
	near(t, "specificity", e.Specificity.X, 0.75)
	if e := ErrorsOf([]Conversation{{Labelled: []Label{{1, 1, 1}}}}); e.Specificity != nil || e.Sensitivity.N != 1 {
		t.Errorf("%+v, want no specificity", e)
	}
}

// TestCoverage draws conversations that differ in how hard they are, labels some of
// their answers, and counts how often the intervals hold the true rate.
func TestCoverage(t *testing.T) {
	const se, sp, each, labels = 0.92, 0.8, 60, 12
	draws := longtest.N(400, 20_000)
	for _, g := range []int{10, 40} {
		random := rand.New(rand.NewPCG(1, uint64(g)))
		var corrected, powered, narrower int
		for range draws {
			conversations := make([]Conversation, g)
			for i := range conversations {
				rate := 0.5 + 0.4*random.Float64() // 0.7 in the mean
				for k := range each {
					y := indicator(random.Float64() < rate)
					accepts := se
					if y == 0 {
						accepts = 1 - sp
					}
					f := indicator(random.Float64() < accepts)
					if k < labels {
						conversations[i].Labelled = append(conversations[i].Labelled, Label{y, f, 1})
					} else {
						conversations[i].Judge = append(conversations[i].Judge, f)
					}
				}
			}
			e, err := Corrected(conversations, ErrorsOf(conversations))
			if err == nil && e.Interval.Contains(0.7) {
				corrected++
			}
			p, _ := PredictionPowered(conversations)
			human, _ := HumanOnly(conversations)
			if p.Interval.Contains(0.7) {
				powered++
			}
			if p.Error < human.Error {
				narrower++
			}
		}
		share := func(n int) float64 { return float64(n) / float64(draws) }
		t.Logf("%d conversations: corrected %.4f, prediction-powered %.4f, narrower %.4f", g, share(corrected), share(powered), share(narrower))
		slack := 3.5 * math.Sqrt(stats.Level*(1-stats.Level)/float64(draws))
		if share(powered) < stats.Level-0.01-slack || share(powered) > stats.Level+0.01+slack {
			t.Errorf("%d conversations: prediction-powered intervals hold the rate in %.4f of draws", g, share(powered))
		}
		if share(corrected) < 0.92-slack || share(corrected) > 0.985+slack {
			t.Errorf("%d conversations: corrected intervals hold the rate in %.4f of draws", g, share(corrected))
		}
		if share(narrower) < 0.7 {
			t.Errorf("%d conversations: the judge narrows the interval in %.4f of draws only", g, share(narrower))
		}
	}
}
