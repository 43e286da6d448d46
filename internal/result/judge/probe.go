package judge

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/result/record"
)

// A Probe makes up answers that are known to be right or wrong, to see which of them a judge
// accepts.
type Probe struct {
	// Name begins with right- or wrong-, as its answers are.
	Name  string
	Doc   string // one line
	Texts []string
}

//go:embed probes.yaml
var probes []byte

// Probes lists the probes. Abstentions have an answer in right-declines alone.
var Probes = sync.OnceValue(func() []Probe { return list[Probe](probes) })

// Answers returns the answers of a probe to questions, nil where there is none.
func (p Probe) Answers(golds []record.Gold) []*string {
	answers := make([]*string, len(golds))
	for i, g := range golds {
		text, other, ok := p.Texts[i%len(p.Texts)], "", asks(g)
		switch {
		case p.Name == "right-declines":
			ok = g.Abstain
		case ok && strings.Contains(text, "OTHER"):
			other, ok = otherAnswer(golds, g)
		}
		if ok {
			answers[i] = new(strings.NewReplacer("QUESTION", g.Question, "GOLD", g.Answer, "OTHER", other).Replace(text))
		}
	}
	return answers
}

// asks reports whether a question has a gold answer that can be right or wrong.
func asks(g record.Gold) bool { return !g.Abstain && g.Answer != "" && g.Expect == nil }

// otherAnswer returns the gold answer to another question of the same conversation and
// category: of those in other words the nearest in length, the first of several.
func otherAnswer(golds []record.Gold, g record.Gold) (text string, ok bool) {
	apart := func(o record.Gold) int {
		if o.Sample != g.Sample || o.Category != g.Category || !asks(o) || strings.EqualFold(o.Answer, g.Answer) {
			return 1 << 30
		}
		return max(len(o.Answer)-len(g.Answer), len(g.Answer)-len(o.Answer))
	}
	best := slices.MinFunc(golds, func(x, y record.Gold) int { return cmp.Compare(apart(x), apart(y)) })
	return best.Answer, apart(best) < 1<<30
}
