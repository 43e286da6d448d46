package infer

import (
	"slices"
	"strings"
	"testing"

	"recallbench/internal/calc/stats"
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
		units := make(map[string]*Unit)
		for id, a := range all[c.system] {
			sample, _, _ := strings.Cut(id, "/")
			if units[sample] == nil {
				units[sample] = &Unit{ID: sample}
			}
			units[sample].Add(one(a.Votes[0]) - one(a.Votes[1]))
		}
		var row []Unit
		for _, u := range units {
			row = append(row, *u)
		}
		m, ok := Within(row, c.margin)
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
