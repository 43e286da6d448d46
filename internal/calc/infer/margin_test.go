package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/calc/stats"
	"recallbench/internal/testkit/longtest"
)

// repeated are the values of answers by conversation and question, a vote each.
func repeated(all map[string]auditAnswer, value func(a auditAnswer, vote int) float64) [][]stats.Cluster {
	byConversation := make(map[string][]stats.Cluster)
	for id, a := range all {
		var q stats.Cluster
		for vote := range a.Votes {
			q.Add(value(a, vote))
		}
		sample, _, _ := strings.Cut(id, "/")
		byConversation[sample] = append(byConversation[sample], q)
	}
	var conversations [][]stats.Cluster
	for _, questions := range byConversation {
		conversations = append(conversations, questions)
	}
	return conversations
}

func one(vote bool) float64 {
	if vote {
		return 1
	}
	return 0
}

// Values by SciPy: the first vote of the same answers against the second.
func TestWithin(t *testing.T) {
	all := votes(t)
	for _, c := range []struct {
		system               string
		margin, same, lo, hi float64
	}{
		{"ap-v2", 0.02, 0.00610111823, -0.003434648, 0.013824259},
		{"ap-v2", 0.01, 0.166381542, -0.003434648, 0.013824259},
		{"fc-gpt-4.1-mini-cot", 0.005, 0.0270174877, -0.001759919, 0.004357322},
		{"fc-gpt-4.1-mini-cot", 0.01, 0.000310068864, -0.001759919, 0.004357322},
	} {
		row := rowOf(all[c.system], func(a auditAnswer) float64 { return one(a.Votes[0]) - one(a.Votes[1]) })
		m, ok := Within(row.Units, c.margin)
		if !ok {
			t.Fatal(c.system)
		}
		near(t, "p of equivalence", m.Same, c.same)
		near(t, "lower end", m.Interval.Lo, c.lo)
		near(t, "upper end", m.Interval.Hi, c.hi)
	}
	turned := slices.Clone(d10)
	for i := range turned {
		turned[i].Sum *= -1
	}
	m, _ := Within(d10, 0.01)
	n, _ := Within(turned, 0.01)
	if m.NotLess > 0.001 || n.NotLess < 0.99 || m.Same < 0.99 {
		t.Errorf("a difference of 7.7 points against a margin of 1 has %+v, turned round %+v", m, n)
	}
	for name, units := range map[string][]Unit{"one": d10[:1], "the same": sums([]float64{2, 2, 2}, []float64{1, 1, 1})} {
		if m, ok := Within(units, 1); ok {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// Values in plain Python, votes as repetitions.
func TestComponents(t *testing.T) {
	all := votes(t)
	base := all["fc-gpt-4o-mini-memos"]
	c, ok := NewComponents(repeated(all["fc-gpt-4.1-mini-memos"], func(a auditAnswer, vote int) float64 {
		return one(a.Votes[vote]) - one(base[a.ID].Votes[vote])
	}))
	if !ok {
		t.Fatal("no components")
	}
	near(t, "between", c.Between, 0.2568436801)
	near(t, "within", c.Within, 0.1758766620)
	near(t, "n₀", c.Size, 153.2565656566)
	near(t, "conversation", c.Conversation, 0.0005283103)
	near(t, "repetition", c.Repetition, 0.0067099567)
	near(t, "question", c.Question, 0.1736400098)
	for _, d := range []struct{ g, m, r, se, five, two float64 }{
		{10, 154, 3, 0.012924266, 0.929490332, 0.283005567},
		{10, 154, 1, 0.013036157, 0.925485051, 0.279040841},
		{20, 154, 1, 0.009217955, 0.999248728, 0.539638375},
		{5, 154, 3, 0.018277672, 0.545217767, 0.136667268},
		{100, 10, 1, 0.013624723, 0.952935527, 0.306652974},
	} {
		design := Design{d.g, d.m, d.r}
		near(t, "error", c.Error(design), d.se)
		near(t, "power for 5 points", c.PowerOf(design, 0.05), d.five)
		near(t, "power for 2 points", c.PowerOf(design, 0.02), d.two)
	}
	for questions, want := range map[float64][]int{154: {136, 36, 17, 8}, 20: {752, 190, 86, 32}} {
		for i, points := range []float64{0.01, 0.02, 0.03, 0.05} {
			if n := c.Needed(Design{Questions: questions, Repetitions: 1}, points, Power); n != want[i] {
				t.Errorf("%v questions, %v: %d conversations, want %d", questions, points, n, want[i])
			}
		}
	}
	for system, want := range map[string][3]float64{
		"fc-gpt-4.1-mini-memos": {0.000316453, 0.144713087, 0.003030303},
		"fc-gpt-4o-mini-cot":    {0.000638938, 0.157581396, 0.002597403},
		"ap-v2":                 {0.010495774, 0.215230741, 0.009090909},
	} {
		c, _ := NewComponents(repeated(all[system], func(a auditAnswer, vote int) float64 { return one(a.Votes[vote]) }))
		near(t, system+" conversation", c.Conversation, want[0])
		near(t, system+" question", c.Question, want[1])
		near(t, system+" repetition", c.Repetition, want[2])
	}
	if c, ok := NewComponents([][]stats.Cluster{ones([]float64{1, 2, 3})}); ok {
		t.Errorf("of one conversation: %+v", c)
	}
}

// Values in plain Python.
func TestEValues(t *testing.T) {
	for i, want := range []float64{1, 1.5590919177, 1.0623379309, 1.7166641090, 3.0039931682, 4.9000028132, 9.2847778190, 14.6346819317} {
		near(t, "E", EValues([]float64{.04, .07, -.01, .05, .06, .03, .08, .02}, 0.05)[i], want)
	}
	same := EValues(slices.Repeat([]float64{0.05}, 10), 0.05)
	for n, want := range map[int]float64{6: 16.4853898663, 7: 31.2143384513, 10: 221.6038956294} {
		near(t, "E of equal differences", same[n-1], want)
	}
	var means []float64
	for _, u := range d10 {
		means = append(means, u.Sum/u.Weight)
	}
	e := EValues(means, 0.05)
	near(t, "E after six of D10", e[5], 13.5612806547)
	near(t, "E after seven of D10", e[6], 25.5367935657)
	for _, x := range EValues([]float64{1e300, -1e300, 0}, 1e-9) {
		if math.IsNaN(x) || x < 0 {
			t.Errorf("E is %v", x)
		}
	}
}

// Symmetric differences reach 20 at any time in at most 5 % of runs.
func TestEValuesHoldTheirLevel(t *testing.T) {
	r, runs, crossed := rand.New(rand.NewPCG(1, 2)), longtest.N(400, 20000), 0
	for range runs {
		x := make([]float64, 30)
		for i := range x {
			x[i] = r.NormFloat64() / math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2)
		}
		if slices.Max(EValues(x, 1)) >= 20 {
			crossed++
		}
	}
	if share, spread := float64(crossed)/float64(runs), math.Sqrt(0.05*0.95/float64(runs)); share > 0.05+3*spread {
		t.Errorf("%v of runs without a difference reach 20", share)
	}
}

// Six real rows: a full-context system and one that is vague on purpose are not told
// apart under the recorded judge.
func TestRanksOfAudit(t *testing.T) {
	all := votes(t)
	names := []string{"fc-gpt-4.1-mini-cot", "fc-gpt-4.1-mini-memos", "fc-gpt-4o-mini-cot", "fc-gpt-4o-mini-memos", "ap-v2", "ap-v1"}
	differences := func(i, j int) []Unit { return auditRow(all, names[i], names[j], "").Units }
	want := []Rank{{1, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 6}}
	for i, r := range Ranks(len(names), differences, Options{}) {
		if r != want[i] {
			t.Errorf("%s: %+v, want %+v", names[i], r, want[i])
		}
	}
}

// Nine systems of which six are alike, in ten conversations: the joint adjustment finds
// the other three, where Holm's 36 tests cannot, and at the level finds nothing else.
func TestJointRanks(t *testing.T) {
	const systems, alike, conversations, trials = 9, 6, 10, 400
	random := rand.New(rand.NewPCG(3, 9))
	mistaken, found := 0, 0
	for range trials {
		var scores [systems][conversations]float64
		for c := range conversations {
			hard := random.NormFloat64()
			for s := range systems {
				scores[s][c] = hard + 0.5*random.NormFloat64() - 3*float64(max(0, s-alike+1))
			}
		}
		differences := func(i, j int) []Unit {
			units := make([]Unit, conversations)
			for c := range units {
				units[c] = Unit{ID: strconv.Itoa(c), Cluster: stats.Cluster{Sum: scores[i][c] - scores[j][c], Weight: 1, N: 1}}
			}
			return units
		}
		ranks := Ranks(systems, differences, Options{Joint: true})
		wrong := false
		for i, r := range ranks[:alike] {
			wrong = wrong || r.Lowest != 1 || r.Highest != alike && i < alike
		}
		if wrong {
			mistaken++
		}
		if ranks[alike].Lowest == alike+1 && ranks[systems-1].Lowest == systems {
			found++
		}
	}
	t.Logf("of %d trials %d find a difference that is none, %d find all that are there", trials, mistaken, found)
	if mistaken > trials*7/100 || found < trials*9/10 {
		t.Errorf("%d false, %d found, want at most %d and at least %d", mistaken, found, trials*7/100, trials*9/10)
	}
	holm := Ranks(systems, func(i, j int) []Unit {
		return slices.Repeat([]Unit{{ID: "x", Cluster: stats.Cluster{Sum: float64(j - i), Weight: 1, N: 1}}}, conversations)
	}, Options{})
	if holm[0].Highest != systems {
		t.Errorf("Holm's smallest p is %g, and it shows something", 36.0/512)
	}
}
