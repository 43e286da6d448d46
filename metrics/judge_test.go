package metrics_test

import (
	"strings"
	"testing"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// TestJudge has what a judge can have said of requests of all kinds.
func TestJudge(t *testing.T) {
	plan := try.Get(tree.ParseXML("plan.xml", strings.NewReader(`<Plan id="p"><Stop id="a" name="Tower"/><Stop id="b" name="Market"/></Plan>`), tree.XMLOptions{}))(t)
	edited := try.Get(plan.Apply(tree.Edit{Op: tree.Delete, ID: "b"}))(t)
	accept := []expect.Retrieval{{Required: []string{"a"}}}
	facts := &expect.Expectation{Accept: accept, Answer: expect.Answer{Must: [][]string{{"nine"}}}}
	noFacts := &expect.Expectation{Accept: accept}
	onTree := func(i metrics.Item) metrics.Item {
		i.First, i.Before, i.Gold = plan, plan, "nine"
		if i.After == nil {
			i.After = plan
		}
		if i.Nodes == nil {
			i.Nodes = []string{"a"}
		}
		return i
	}
	yes, no := new(true), new(false)
	for _, tt := range []struct {
		name        string
		item        metrics.Item
		judgeable   bool
		judge, pass string // a dash is undefined
	}{
		{"right", metrics.Item{Gold: "g", Judged: yes}, true, "1", "-"},
		{"wrong", metrics.Item{Gold: "g", Judged: no}, true, "0", "-"},
		{"failed", metrics.Item{Gold: "g", Failed: true, Judged: no}, true, "0", "-"},
		{"not judged", metrics.Item{Gold: "g"}, true, "-", "-"},
		{"abstention", metrics.Item{Abstain: true}, false, "-", "-"},
		{"no gold", metrics.Item{}, false, "-", "-"},
		{"only prepares", onTree(metrics.Item{}), false, "-", "-"},
		{"facts right", onTree(metrics.Item{Expect: facts, Judged: yes}), true, "1", "1"},
		{"facts wrong, rules right", onTree(metrics.Item{Expect: facts, Judged: no, Prediction: "nine"}), true, "0", "0"},
		{"facts not judged", onTree(metrics.Item{Expect: facts, Prediction: "nine"}), true, "-", "-"},
		{"wrong node", onTree(metrics.Item{Expect: facts, Judged: yes, Nodes: []string{"b"}}), true, "1", "0"},
		{"wrong tree", onTree(metrics.Item{Expect: facts, Judged: yes, After: edited}), true, "1", "0"},
		{"no facts", onTree(metrics.Item{Expect: noFacts}), false, "-", "1"},
		{"no facts, wrong node", onTree(metrics.Item{Expect: noFacts, Nodes: []string{"b"}}), false, "-", "0"},
		{"no facts, failed", onTree(metrics.Item{Expect: noFacts, Failed: true}), false, "-", "0"},
		{"facts, failed", onTree(metrics.Item{Expect: facts, Failed: true, Judged: no}), true, "0", "0"},
	} {
		show := func(s *metrics.Spec) string {
			v := s.Score(tt.item)[0]
			switch {
			case !v.Defined:
				return "-"
			case v.X == 1:
				return "1"
			default:
				return "0"
			}
		}
		if judge, pass := show(metrics.JudgeSpec), show(metrics.PassJudgeSpec); judge != tt.judge || pass != tt.pass {
			t.Errorf("%s: judge %s, pass@judge %s; want %s and %s", tt.name, judge, pass, tt.judge, tt.pass)
		}
		if got := tt.item.Judgeable(); got != tt.judgeable {
			t.Errorf("%s: judgeable is %t", tt.name, got)
		}
	}
}
