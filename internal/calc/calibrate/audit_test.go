package calibrate

import (
	"math"
	"testing"

	"recallbench/internal/calc/stats"
)

// TestAuditRate has the mean and the deviation of the posterior as a sum over angles gives
// them: p = (1 - cos angle)/2 takes the ends of a density without leaps.
func TestAuditRate(t *testing.T) {
	density := func(p, a, b float64) float64 {
		g := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
		return math.Exp((a-1)*math.Log(p) + (b-1)*math.Log(1-p) + g(a+b) - g(a) - g(b))
	}
	for _, kind := range []struct {
		taken bool
		doubt float64
	}{{true, 0.9}, {false, 0.1}} {
		for _, said := range [][2]float64{{0, 0}, {1, 1}, {41, 41}, {40, 38}, {40, 20}, {40, 7.5}} {
			a := SpanAudit(kind.taken)
			a.Asked, a.Right = int(said[0]), said[1]
			var total, mean, square float64
			const steps = 20_000
			for i := range steps {
				angle := math.Pi * (float64(i) + 0.5) / steps
				p := (1 - math.Cos(angle)) / 2
				prior := 0.8*density(p, a.Weight*a.Expected, a.Weight*(1-a.Expected)) + 0.2*density(p, 5*kind.doubt, 5*(1-kind.doubt))
				w := prior * math.Sin(angle) * math.Exp(a.Right*math.Log(p)+(float64(a.Asked)-a.Right)*math.Log(1-p))
				total, mean, square = total+w, mean+w*p, square+w*p*p
			}
			mean /= total
			x, err := a.Rate()
			if want := math.Sqrt(square/total - mean*mean); math.Abs(x-mean) > 1e-4 || math.Abs(err-want) > 1e-4 || !(err > 0) {
				t.Errorf("%v of %v: rate %.5f with an error of %.5f, want %.5f with %.5f", said[1], said[0], x, err, mean, want)
			}
		}
	}
}

// TestAuditedInterval adds the error of an audit to that of the conversations.
func TestAuditedInterval(t *testing.T) {
	clusters := make([]stats.Cluster, 4)
	for c := range clusters {
		for q := range 10 {
			clusters[c].Add(indicator(q < 3+c))
		}
	}
	se, _ := stats.StandardError(clusters)
	const student = 3.182446305 // of 3 degrees of freedom
	for _, err := range []float64{0, 0.1} {
		i, ok := AuditedInterval(clusters, err)
		half := math.Hypot(student*se, normal*err)
		if !ok || math.Abs(i.Lo-(0.45-half)) > 1e-8 || math.Abs(i.Hi-(0.45+half)) > 1e-8 {
			t.Errorf("with an error of %g the interval is %v, want 0.45 and %g around it", err, i, half)
		}
	}
	if _, ok := AuditedInterval(clusters[:1], 0); ok {
		t.Error("one conversation has an interval")
	}
}
