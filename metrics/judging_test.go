package metrics_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
	"recallbench/metrics/suite"
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

// TestJudgedBy scores nuggets, an abstention and an answer without a verdict.
func TestJudgedBy(t *testing.T) {
	values := func(item metrics.Item, name string) metrics.Value {
		spec := try.Get(suite.Find(name))(t)
		return spec.Score(item)[0]
	}
	half := metrics.Item{Judgements: map[string]metrics.Judged{"beam@m": {Score: new(0.5), Nuggets: []float64{1, 0.5, 0.5, 0}}}}
	for name, want := range map[string]metrics.Value{
		"judge:beam@m": metrics.Def(0.5), "nugget@beam-int:beam@m": metrics.Def(0.25), "abstention:beam@m": {}, "order@beam:beam@m": {}, "judge:other": {},
	} {
		if got := values(half, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	half.Ordered = true
	if got := values(half, "nugget@beam-int:beam@m"); got != metrics.Def(0.5) {
		t.Errorf("nuggets of events: %v, want their halves kept", got)
	}
	failed := metrics.Item{Failed: true, Rubric: []string{"one", "two"}, Judgements: map[string]metrics.Judged{"m": {Score: new(0.0)}}}
	if got := values(failed, "nugget@beam-int:m"); got != metrics.Def(0) || values(failed, "order@beam:m").Defined {
		t.Errorf("a failed request: nuggets %v, order %v without one", got, values(failed, "order@beam:m"))
	}
	if failed.Ordered = true; values(failed, "order@beam:m") != metrics.Def(0) {
		t.Error("a failed request about an order has no 0")
	}
	declined := metrics.Item{Abstain: true, Judgements: map[string]metrics.Judged{"m": {Score: new(1.0)}}}
	if got := values(declined, "abstention:m"); got != metrics.Def(1) || values(declined, "judge:m").Defined {
		t.Errorf("an abstention: %v, and in the score too: %v", got, values(declined, "judge:m"))
	}
	declined.Explanation = "no brother is mentioned"
	if values(declined, "judge:m") != metrics.Def(1) || values(declined, "abstention:m") != metrics.Def(1) {
		t.Error("an abstention that is explained is not in both columns")
	}
	ordered := metrics.Item{
		Ordered: true, Rubric: []string{"first", "second", "third"}, Prediction: "then that\n\nthird\nat first",
		Judgements: map[string]metrics.Judged{"m": {Score: new(1.0), Nuggets: []float64{1, 1, 1}, Order: []int{2, 0, 0, 1}}},
	}
	spec := try.Get(suite.Find("order@beam:m"))(t)
	tau, f1, _ := metrics.BEAMEventOrder(ordered.Rubric, []string{"second", "", "third", "first"})
	if got := spec.Score(ordered); got[0].X != tau || got[1].X != f1 || got[2].X != tau*f1 {
		t.Errorf("order is %v, want %g, %g and their product", got, tau, f1)
	}
	if got := values(ordered, "released@beam:m"); got != metrics.Def(tau) || values(half, "released@beam:beam@m").Defined {
		t.Errorf("BEAM's report takes %v of an order, want %g and nothing without one", got, tau)
	}
	half.Ordered = false
	if got := values(half, "released@beam:beam@m"); got != metrics.Def(0.25) {
		t.Errorf("BEAM's report takes %v of nuggets, want 0.25", got)
	}
	if _, err := suite.Find("verdict:m"); err == nil {
		t.Error("verdict:m is a metric")
	}
}

// The values were made with SciPy's kendalltau from the rank lists of BEAM's
// event_ordering_score at commit b2a3ee8.
func TestBEAMEventOrder(t *testing.T) {
	for _, c := range []struct {
		events, items  string // items after commas; one without text is an empty line
		f1, tau, final float64
	}{
		{"a,b,c", "a,b,c", 1, 1, 1},
		{"a,b,c", "a,c,b", 1, 0.666667, 0.666667},
		{"a,b,c", "c,b,a", 1, 0, 0},
		{"a,b,c", "a,b", 0.8, 1, 0.8},
		{"a,b,c", "h,a,b,c", 0.857143, 0.5, 0.428571},
		{"a,b,c", "a,b,c,h", 0.857143, 1, 0.857143},
		{"a,b,c", "a,,b,,c", 0.75, 0.833333, 0.625},
		{"a,b,c", "h,,a,b,c", 0.75, 0.341886, 0.256415},
		{"a,b,c", "x", 0, 0.146447, 0},
		{"a,b,c", "", 0, 0.146447, 0},
		{"a,b,c", "x,y", 0, 0.122036, 0},
		{"a,b,c", "a,b,c,a", 1, 0.333333, 0.333333},
		{"a,b,c,d,e", "x", 0, 0.211325, 0},
		{"a,b,c,d,e,f,g,h,i,j", "x", 0, 0.286799, 0},
		{"A,B,C,D", "A,B,D,C", 1, 0.8333333333, 0.8333333333},
		{"A,B,C,D", "A,B,D", 0.8571428571, 0.8333333333, 0.7142857143},
		{"A,B,C,D", "A,B,x,C,D", 0.8888888889, 0.8, 0.7111111111},
		{"A,B,C,D", "D,A", 0.6666666667, 0.4087129071, 0.2724752714},
		{"A,B,C,D", "x,y,z", 0, 0.1348516283, 0},
		{"A,B,C,D", "A,B,A,C", 0.8571428571, 0.8333333333, 0.7142857143},
	} {
		tau, f1, ok := metrics.BEAMEventOrder(strings.Split(c.events, ","), strings.Split(c.items, ","))
		for name, pair := range map[string][2]float64{"f1": {f1, c.f1}, "tau": {tau, c.tau}, "final": {tau * f1, c.final}} {
			if !ok || math.Abs(pair[0]-pair[1]) > 1e-6 {
				t.Errorf("%s of %q against %q is %v, want %v", name, c.items, c.events, pair[0], pair[1])
			}
		}
	}
	if tau, f1, ok := metrics.BEAMEventOrder([]string{"a"}, []string{"a"}); ok || f1 != 1 {
		t.Errorf("one event has the order %v, %v, %v", tau, f1, ok)
	}
}

// TestBEAMEventOrderReversed wants Tau of an order and of its reverse to sum to 1 where
// all events are told.
func TestBEAMEventOrderReversed(t *testing.T) {
	events := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.Permutation(events).Draw(t, "items")
		forward, f1, _ := metrics.BEAMEventOrder(events, items)
		slices.Reverse(items)
		backward, _, _ := metrics.BEAMEventOrder(events, items)
		if math.Abs(forward+backward-1) > 1e-12 || f1 != 1 {
			t.Fatalf("%v and %v, F1 %v", forward, backward, f1)
		}
	})
}

func TestVerdict(t *testing.T) {
	none, part, all := new(0.0), new(0.5), new(1.0)
	for _, c := range []struct {
		grounds metrics.Grounds
		want    metrics.Verdict
	}{
		{metrics.Grounds{}, metrics.Unclear},
		{metrics.GroundsOf(map[string]*float64{"changes": nil, "leak": new(1.0)}), metrics.Wrong},
		{metrics.Grounds{Span: new(metrics.SpanRight)}, metrics.Right},
		{metrics.Grounds{Span: new(metrics.SpanRight - 0.01)}, metrics.Unclear},
		{metrics.Grounds{Span: new(metrics.SpanWrong + 0.01)}, metrics.Unclear},
		{metrics.Grounds{Span: new(metrics.SpanWrong)}, metrics.Wrong},
		{metrics.Grounds{Span: none, Declines: true}, metrics.Abstained},
		{metrics.Grounds{Declines: true, Abstain: true}, metrics.Right},
		{metrics.Grounds{Abstain: true}, metrics.Unclear},
		{metrics.Grounds{Judge: none, Span: all}, metrics.Wrong},
		{metrics.Grounds{Judge: part, Span: none}, metrics.Right},
		{metrics.Grounds{Judge: none, Declines: true}, metrics.Wrong},
		{metrics.Grounds{Label: all, Judge: none, Span: none}, metrics.Right},
		{metrics.Grounds{Label: none, Judge: all, Span: all}, metrics.Wrong},
		{metrics.Grounds{Label: part, Judge: all}, metrics.Unclear},
	} {
		if got := c.grounds.Verdict(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.grounds, got, c.want)
		}
	}
}

func TestDeclines(t *testing.T) {
	for answer, want := range map[string]bool{
		" ": true, "I don’t know.": true, "There is no information about it. She may be in Rome.": true,
		"Rome. I do not know when.": false, "No.": false,
	} {
		if got := metrics.Declines(answer); got != want {
			t.Errorf("Declines(%q) = %t", answer, got)
		}
	}
}

func TestChoice(t *testing.T) {
	options := []metrics.Option{{Key: "a", Text: "tea"}, {Key: "b", Text: "milk"}, {Key: "c", Text: "water"}, {Key: "d", Text: "juice"}}
	for _, c := range []struct {
		answer        string
		loose, strict float64
	}{
		{"(b)", 1, 1},
		{"B", 1, 1},
		{"b\n", 1, 1},
		{"The answer is (B) milk.", 1, 1},
		{"b) milk", 1, 0},
		{"a drink: b", 0, 0}, // the article is a key
		{"(a) or (b)", 0, 0},
		{"I had (a), then: <final_answer> (b)", 1, 0},
		{"<final_answer>(c) no: <final_answer>b</final_answer>", 1, 0},
		{"(b) <final_answer> milk", 1, 1}, // found in the whole answer
		{"(e)", 0, 0},
		{"milk", 0, 0},
		{"", 0, 0},
	} {
		item := metrics.Item{Prediction: c.answer, Options: options, Correct: "b"}
		got := append(metrics.ChoiceSpec.Score(item), metrics.ChoiceStrictSpec.Score(item)...)
		if diff := cmp.Diff([]metrics.Value{metrics.Def(c.loose), metrics.Def(c.strict)}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.answer, diff)
		}
	}
	for _, i := range []metrics.Item{{Prediction: "(b)"}, {Failed: true}} {
		if got := metrics.ChoiceSpec.Score(i); got[0].Defined {
			t.Errorf("%+v scores %v without options", i, got)
		}
	}
	failed := metrics.Item{Failed: true, Prediction: "(b)", Options: options, Correct: "b"}
	if got := metrics.ChoiceStrictSpec.Score(failed); got[0] != metrics.Def(0) {
		t.Errorf("a failed request scores %v", got)
	}
}
