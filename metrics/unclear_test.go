package metrics_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/stats"
	"recallbench/metrics"
)

// A takenAnswer is one with what f1@span takes it for: 1 for right, 0 for wrong, and -1
// where it is unclear.
type takenAnswer struct {
	kind  int
	right float64 // by the judge
}

// askedWhenUnclear estimates the rate of a judge that is asked about unclear answers and
// an audit of the others, as bench judge does.
func askedWhenUnclear(conversations [][]takenAnswer, share float64, r *rand.Rand) (x float64, i stats.Interval, asked float64) {
	clusters := make([]stats.Cluster, len(conversations))
	var calls, n, err float64
	var audits [2]calibrate.Audit // of answers taken as wrong and as right
	unasked := make([][2]int, len(conversations))
	for kind := range audits {
		audits[kind] = calibrate.SpanAudit(kind == 1)
	}
	for c, answers := range conversations {
		for _, a := range answers {
			n++
			if a.kind >= 0 && r.Float64() >= calibrate.AuditShare(a.kind == 1, share) {
				unasked[c][a.kind]++
				continue
			}
			calls++
			clusters[c].Add(a.right)
			if a.kind >= 0 {
				audits[a.kind].Asked++
				audits[a.kind].Right += a.right
			}
		}
	}
	for kind, audit := range audits {
		rate, of := audit.Rate()
		for c := range conversations {
			for range unasked[c][kind] {
				clusters[c].Add(rate)
				err += of
			}
		}
	}
	x, _ = stats.Mean(clusters)
	i, _ = calibrate.AuditedInterval(clusters, err/n)
	return x, i, calls / n
}

// TestWhenUnclear holds the rates of judges that are asked when it is unclear against
// those of the same judges asked about everything, over 1,000 audits of the recorded
// verdicts, and the intervals over 1,000 resamples by conversation. Rows of its table are in
// docs/judging.md.
func TestWhenUnclear(t *testing.T) {
	systems := make(map[string]map[string][]takenAnswer)
	add := func(system, conversation string, a takenAnswer) {
		if systems[system] == nil {
			systems[system] = make(map[string][]takenAnswer)
		}
		systems[system][conversation] = append(systems[system][conversation], a)
	}
	lots := rand.New(rand.NewPCG(1, 0))
	for _, a := range judgedAnswers(t) {
		f1, _ := metrics.SpanF1(a.question, a.text, a.gold)
		kinds := map[metrics.Verdict]int{metrics.Wrong: 0, metrics.Right: 1, metrics.Unclear: -1}
		said := takenAnswer{kind: kinds[metrics.Grounds{Span: &f1}.Verdict()]}
		if a.right {
			said.right = 1
		}
		if a.system != "a person, mem0" { // 44 answers
			add(a.system, a.conversation, said)
		}
		for _, wrong := range []float64{5, 10, 20} { // judges that contradict more often than any of these
			if a.system == "zep" {
				strict := said
				if lot := lots.Float64(); said.kind == 1 {
					strict.right = 1
					if 100*lot < wrong {
						strict.right = 0
					}
				}
				add(fmt.Sprintf("zep, with %g %% contradicted", wrong), a.conversation, strict)
			}
		}
	}
	const (
		draws   = 1000
		bounded = 0.05 // the least share whose rates are held to bounds
	)
	for _, share := range []float64{0.02, 0.05, 0.2} {
		for _, name := range slices.Sorted(maps.Keys(systems)) {
			var whole [][]takenAnswer
			for _, id := range slices.Sorted(maps.Keys(systems[name])) {
				whole = append(whole, systems[name][id])
			}
			r := rand.New(rand.NewPCG(1, uint64(1000*share)))
			truth, _, _ := askedWhenUnclear(whole, 1, r)
			var asked, bias, square, near, width, held float64
			for range draws {
				x, _, calls := askedWhenUnclear(whole, share, r)
				asked += 100 * calls / draws
				bias += 100 * (x - truth) / draws
				square += 1e4 * (x - truth) * (x - truth) / draws
				if math.Abs(x-truth) <= 0.005 {
					near += 100.0 / draws
				}
				sample := make([][]takenAnswer, len(whole))
				for c := range sample {
					sample[c] = whole[r.IntN(len(whole))]
				}
				_, i, _ := askedWhenUnclear(sample, share, r)
				if i.Lo <= truth && truth <= i.Hi {
					held += 100.0 / draws
				}
				width += 100 * (i.Hi - i.Lo) / draws
			}
			off := math.Sqrt(square)
			t.Logf("| %s | %g | %.1f | %.1f | %+.2f | %.2f | %.0f | %.1f | %.1f |", name, share, 100*truth, asked, bias, off, near, width, held)
			strange := strings.HasPrefix(name, "ap-") || strings.Contains(name, "contradicted")
			if share < bounded || strange {
				continue // wrong on purpose, and accepted by a judge that is wrong itself; or made up
			}
			if math.Abs(bias) > 0.6 || off > 0.7 || share == bounded && asked > 60 {
				t.Errorf("%s: an audit of %g is off by %.2f points, with a bias of %.2f, at %.1f %% of the calls", name, share, off, bias, asked)
			}
			if held < 91 || held > 99 { // two points around the worst of the docs
				t.Errorf("%s: with an audit of %g the intervals hold the rate in %.1f %%", name, share, held)
			}
		}
	}
}
