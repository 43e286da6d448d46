package expect

import (
	"strings"
	"testing"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

// plan is a small tree: two days with stops.
const plan = `<Plan id="p">
  <Day id="d1" index="1">
    <Stop id="a" name="Clock tower" time="9:00 AM" cost="$12"/>
    <Stop id="b" name="Fish market" time="12:30 PM" cost="free"/>
  </Day>
  <Day id="d2" index="2">
    <Stop id="c" name="Harbour café" time="9:00 AM" cost="$8"/>
  </Day>
</Plan>`

func parse(t *testing.T) *tree.Tree {
	t.Helper()
	return try.Get(tree.ParseXML("plan.xml", strings.NewReader(plan), tree.XMLOptions{}))(t)
}

func stop(id, name, time string) *tree.Node {
	return &tree.Node{Type: "Stop", ID: id, Fields: []tree.Field{
		{Name: "name", Values: []string{name}}, {Name: "time", Values: []string{time}},
	}}
}

func set(name, value string) []tree.Field { return []tree.Field{{Name: name, Values: []string{value}}} }

func TestCheckEdits(t *testing.T) {
	coffee := &State{Exists: []Node{{
		Type: "Stop", Parent: "d1", After: "a", Before: "b",
		Fields: map[string]Value{"name": {Has: []string{"coffee"}}, "time": {Equals: []string{"10:30", "10:30 AM"}}},
	}}}
	later := &State{Fields: map[string]map[string]Value{"b": {"time": {Equals: []string{"1 pm", "1:00 PM"}}}}}
	gone := &State{Absent: []string{"c"}}
	moved := &State{Exists: []Node{{ID: "b", Parent: "d2"}}}
	for _, c := range []struct {
		name  string
		want  *State
		edits []tree.Edit
		why   []string // empty: the output is right
	}{
		{"a read", nil, nil, nil},
		{"a read that deletes", nil, []tree.Edit{{Op: tree.Delete, ID: "c"}}, []string{"Harbour café) should not have been deleted"}},
		{"created", coffee, []tree.Edit{{Op: tree.Create, Parent: "d1", At: 1, Node: stop("x", "Coffee break", "10:30 AM")}}, nil},
		{"not created", coffee, nil, []string{"no Stop was created"}},
		{"created on the wrong day", coffee, []tree.Edit{{Op: tree.Create, Parent: "d2", At: -1, Node: stop("x", "Coffee break", "10:30 AM")}}, []string{"is not below d1", "should not have been created"}},
		{"created at the wrong place", coffee, []tree.Edit{{Op: tree.Create, Parent: "d1", At: -1, Node: stop("x", "Coffee break", "10:30 AM")}}, []string{"is not before b", "should not have been created"}},
		{"created twice", coffee, []tree.Edit{
			{Op: tree.Create, Parent: "d1", At: 1, Node: stop("x", "Coffee break", "10:30")},
			{Op: tree.Create, Parent: "d1", At: 1, Node: stop("y", "Coffee break", "10:30")},
		}, []string{"should not have been created"}},
		{"with another time", coffee, []tree.Edit{{Op: tree.Create, Parent: "d1", At: 1, Node: stop("x", "Coffee", "11")}}, []string{`has the time "11", want "10:30" or "10:30 AM"`, "should not have been created"}},
		{"updated", later, []tree.Edit{{Op: tree.Update, ID: "b", Set: set("time", "1:00 PM")}}, nil},
		{"another field too", later, []tree.Edit{{Op: tree.Update, ID: "b", Set: append(set("time", "1 PM"), set("cost", "$3")...)}}, []string{"the cost of b"}},
		{"another node too", later, []tree.Edit{{Op: tree.Update, ID: "b", Set: set("time", "1 PM")}, {Op: tree.Update, ID: "a", Set: set("time", "1 PM")}}, []string{"the time of a"}},
		{"deleted instead", later, []tree.Edit{{Op: tree.Delete, ID: "b"}}, []string{"is gone", "should not have been deleted"}},
		{"deleted", gone, []tree.Edit{{Op: tree.Delete, ID: "c"}}, nil},
		{"deleted with its day", gone, []tree.Edit{{Op: tree.Delete, ID: "d2"}}, []string{"Day 2) should not have been deleted"}},
		{"still there", gone, nil, []string{"Harbour café) still exists"}},
		{"moved", moved, []tree.Edit{{Op: tree.Move, ID: "b", Parent: "d2", At: 0}}, nil},
		{"moved another", moved, []tree.Edit{{Op: tree.Move, ID: "a", Parent: "d2", At: 0}}, []string{"b (Plan > Day 1 > Fish market) is not below d2", "should not have been moved"}},
		{"optional", &State{Absent: []string{"c"}, Optional: []string{"d1"}}, []tree.Edit{{Op: tree.Delete, ID: "c"}, {Op: tree.Update, ID: "a", Set: set("cost", "1")}}, nil},
		{"by name", &State{Absent: []string{"name:fish market"}}, nil, []string{"Fish market) still exists"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := parse(t)
			after := try.Get(before.Apply(c.edits...))(t)
			v := Check(&Expectation{Accept: []Retrieval{{Allowed: []string{"a"}}}, Tree: c.want}, Outcome{First: before, Before: before, After: after})
			compare(t, v.Output, v.Why, c.why)
		})
	}
}

func compare(t *testing.T, held bool, why, want []string) {
	t.Helper()
	if held != (len(want) == 0) {
		t.Errorf("holds: %v, because %q", held, why)
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(why, "\n"), w) {
			t.Errorf("why is %q, want it to say %q", why, w)
		}
	}
}

func TestRestored(t *testing.T) {
	first := parse(t)
	before := try.Get(first.Apply(tree.Edit{Op: tree.Delete, ID: "c"}, tree.Edit{Op: tree.Update, ID: "a", Set: set("cost", "$1")}))(t)
	back := &Expectation{Accept: []Retrieval{{Required: []string{"p"}}}, Tree: &State{Restored: true}}
	o := Outcome{Nodes: []string{"p"}, First: first, Before: before, After: first}
	if v := Check(back, o); !v.Pass() {
		t.Errorf("the tree is as it was at first: %q", v.Why)
	}
	o.After = before
	if v := Check(back, o); v.Output {
		t.Error("the tree is as it was left, which is not as it was at first")
	}
}

func TestCheckRetrieval(t *testing.T) {
	tr := parse(t)
	grown := try.Get(tr.Apply(tree.Edit{Op: tree.Create, Parent: "d2", At: -1, Node: stop("x", "Night walk", "9 PM")}))(t)
	accept := []Retrieval{{Required: []string{"a", "b"}, Allowed: []string{"d1"}}, {Required: []string{"d1"}}}
	for _, c := range []struct {
		accept []Retrieval
		nodes  []string
		why    []string
	}{
		{accept, []string{"a", "b"}, nil},
		{accept, []string{"b", "d1", "a"}, nil},
		{accept, []string{"d1"}, nil},
		{accept, []string{"a"}, []string{"b (Plan > Day 1 > Fish market) was not retrieved"}},
		{accept, []string{"a", "b", "c"}, []string{"c (Plan > Day 2 > Harbour café) should not have been retrieved"}},
		{accept, nil, []string{"d1 (Plan > Day 1) was not retrieved"}},
		{accept, []string{"nowhere"}, []string{"nowhere should not have been retrieved"}},
		{[]Retrieval{{Required: []string{"name:night walk"}}}, []string{"x"}, nil},
		{[]Retrieval{{Required: []string{"name:night walk"}}}, []string{"c"}, []string{"name:night walk was not retrieved"}},
	} {
		v := Check(&Expectation{Accept: c.accept}, Outcome{Nodes: c.nodes, First: tr, Before: grown, After: grown})
		compare(t, v.Retrieval, v.Why, c.why)
	}
}

func TestCheckAnswer(t *testing.T) {
	tr := parse(t)
	want := Answer{Must: [][]string{{"9:15", "quarter past nine"}, {"café"}}, Not: []string{"museum", "4"}}
	for answer, why := range map[string][]string{
		"It leaves at 9:15 AM from the Cafe.":           nil,
		"At a QUARTER past nine; the café's door, 4:30": nil,
		"It leaves at 9:15.":                            {`the answer does not say "café"`},
		"9:15, café, museum":                            {`the answer says "museum"`},
		"9:15, cafés, 4":                                {`"café"`, `"4"`},
		"":                                              {`"9:15" or "quarter past nine"`, `"café"`},
	} {
		v := Check(&Expectation{Accept: []Retrieval{{Allowed: []string{"a"}}}, Answer: want}, Outcome{Answer: answer, First: tr, Before: tr, After: tr})
		compare(t, v.Output, v.Why, why)
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"$1,250.50 – “now”":      "1250.50 now",
		"7:30pm on 2026-05-11":   "7:30 pm on 2026-05-11",
		"Joe’s & Joe's":          "joe joe",
		"Ångström ½ naïve":       "angstrom 1 2 naive",
		"400kcal (12 g), 3/4":    "400 kcal 12 g 3/4",
		"\xff\u202e<b>x</b>\x00": "b x b",
	} {
		if got := strings.Join(words(in), " "); got != want {
			t.Errorf("words(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestByName names nodes in the place of their ids, everywhere in a state.
func TestByName(t *testing.T) {
	before := parse(t)
	costs := map[string]Value{"cost": {Equals: []string{"$9"}}}
	dearer := tree.Edit{Op: tree.Update, ID: "a", Set: set("cost", "$9")}
	for _, c := range []struct {
		name  string
		want  *State
		edits []tree.Edit
		why   []string
	}{
		{"fields", &State{Fields: map[string]map[string]Value{"name:clock tower": costs}}, []tree.Edit{dearer}, nil},
		{"fields of another", &State{Fields: map[string]map[string]Value{"name:fish market": costs}}, []tree.Edit{dearer}, []string{`has the cost "free"`, "the cost of a"}},
		{"fields of no node", &State{Fields: map[string]map[string]Value{"name:zoo": costs}}, nil, []string{"name:zoo is gone"}},
		{"another field", &State{Fields: map[string]map[string]Value{"name:clock tower": {"time": {}}}}, []tree.Edit{dearer}, []string{"the cost of a"}},
		{"exists", &State{Exists: []Node{{ID: "name:clock tower", Parent: "d1", Fields: costs}}}, []tree.Edit{dearer}, nil},
		{"exists elsewhere", &State{Exists: []Node{{ID: "name:clock tower", Parent: "name:2"}}}, []tree.Edit{{Op: tree.Move, ID: "a", Parent: "d2"}}, nil},
		{"does not exist", &State{Exists: []Node{{ID: "name:zoo"}}}, nil, []string{"name:zoo is missing"}},
		{"the root", &State{Exists: []Node{{ID: "p", Parent: "d1"}}}, nil, []string{"p (Plan) is not below d1"}},
		{"optional", &State{Optional: []string{"name:clock tower"}}, []tree.Edit{dearer}, nil},
		{"below an optional", &State{Optional: []string{"p"}}, []tree.Edit{dearer}, nil},
		{"optional of another", &State{Optional: []string{"name:fish market"}}, []tree.Edit{dearer}, []string{"the cost of a"}},
		{"in a list", &State{Absent: []string{"name:fish market", "name:café"}}, []tree.Edit{{Op: tree.Delete, ID: "b"}, {Op: tree.Delete, ID: "c"}}, nil},
		{"after its neighbour", &State{Exists: []Node{{ID: "a", After: "name:fish market"}}}, []tree.Edit{{Op: tree.Move, ID: "a", Parent: "d1", At: 1}}, nil},
		{"not after its neighbour", &State{Exists: []Node{{ID: "a", After: "name:fish market"}}}, nil, []string{"is not after name:fish market"}},
		{"not before its neighbour", &State{Exists: []Node{{ID: "b", Before: "a"}}}, nil, []string{"is not before a"}},
		{"text", &State{Optional: []string{"d2"}}, []tree.Edit{{Op: tree.Update, ID: "d1", Text: new("a long day")}}, []string{"the text of d1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := try.Get(before.Apply(c.edits...))(t)
			v := Check(&Expectation{Accept: []Retrieval{{Allowed: []string{"a"}}}, Tree: c.want}, Outcome{First: before, Before: before, After: after})
			compare(t, v.Tree, v.Why, c.why)
		})
	}
}

// TestReordered moves one of three siblings: the others keep their order.
func TestReordered(t *testing.T) {
	before, err := parse(t).Apply(tree.Edit{Op: tree.Create, Parent: "d1", At: -1, Node: stop("x", "Night walk", "9 PM")})
	try.Do(t, err)
	want := &State{Exists: []Node{{ID: "a", After: "b"}}}
	for order, why := range map[string][]string{
		"b a x": nil,
		"b x a": nil,
		"x b a": {"should not have been moved"},
		"a b x": {"a (Plan > Day 1 > Clock tower) is not after b"},
	} {
		after := before
		for i, id := range strings.Fields(order) {
			if after, err = after.Apply(tree.Edit{Op: tree.Move, ID: id, Parent: "d1", At: i}); err != nil {
				t.Fatal(err)
			}
		}
		v := Check(&Expectation{Accept: []Retrieval{{Allowed: []string{"a"}}}, Tree: want}, Outcome{First: before, Before: before, After: after})
		compare(t, v.Tree, v.Why, why)
	}
	loose := &State{Exists: []Node{{ID: "a", After: "b"}}, Optional: []string{"x"}}
	after, err := before.Apply(tree.Edit{Op: tree.Move, ID: "x", Parent: "d1", At: 0}, tree.Edit{Op: tree.Move, ID: "a", Parent: "d1", At: 2})
	try.Do(t, err)
	v := Check(&Expectation{Accept: []Retrieval{{Allowed: []string{"a"}}}, Tree: loose}, Outcome{First: before, Before: before, After: after})
	compare(t, v.Tree, v.Why, nil)
}

// TestPass holds a verdict to all of its parts.
func TestPass(t *testing.T) {
	tr := parse(t)
	e := &Expectation{Accept: []Retrieval{{Required: []string{"a"}}}, Answer: Answer{Must: [][]string{{"nine"}}}, Tree: &State{Absent: []string{"c"}}}
	gone := try.Get(tr.Apply(tree.Edit{Op: tree.Delete, ID: "c"}))(t)
	for _, c := range []struct {
		node, answer string
		after        *tree.Tree
		want         Verdict
	}{
		{"a", "At nine.", gone, Verdict{Retrieval: true, Output: true, Answer: true, Tree: true}},
		{"b", "At nine.", gone, Verdict{Output: true, Answer: true, Tree: true}},
		{"a", "At ten.", gone, Verdict{Retrieval: true, Tree: true}},
		{"a", "At nine.", tr, Verdict{Retrieval: true, Answer: true}},
	} {
		v := Check(e, Outcome{Nodes: []string{c.node}, Answer: c.answer, First: tr, Before: tr, After: c.after})
		if v.Pass() != (c.want.Retrieval && c.want.Output) {
			t.Errorf("%+v: Pass() = %v", c.want, v.Pass())
		}
		v.Why = nil
		try.Equal(t, "verdict", c.want, v)
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		value       Value
		says        string
		met, missed string
	}{
		{Value{}, "anything", "", ""},
		{Value{Equals: []string{"10 min", "10"}}, `"10 min" or "10"`, "10 MIN.", "10 min or so"},
		{Value{Has: []string{"café"}}, `something with "café"`, "The Cafe", "cafés"},
		{Value{Matches: `^\d+$`}, `a match of "^\\d+$"`, "12", "12 g"},
		{Value{Has: []string{"tea"}, Matches: `s$`}, `something with "tea" and a match of "s$"`, "tea cups", "tea"},
		{Value{Equals: []string{"red tea"}, Has: []string{"tea"}}, `"red tea" and something with "tea"`, "red tea", "green tea"},
		{Value{Matches: `(`}, `a match of "("`, "", "("},
	} {
		if got := c.value.String(); got != c.says {
			t.Errorf("String() = %q, want %q", got, c.says)
		}
		if c.met != "" && !c.value.met(c.met) {
			t.Errorf("%s is not met by %q", c.says, c.met)
		}
		if c.missed != "" && c.value.met(c.missed) {
			t.Errorf("%s is met by %q", c.says, c.missed)
		}
	}
}

// TestValidateState tells states that ask for something from one that does not.
func TestValidateState(t *testing.T) {
	for _, s := range []State{
		{Absent: []string{"a"}},
		{Restored: true},
		{Exists: []Node{{ID: "a"}}},
		{Exists: []Node{{Type: "Stop"}}},
		{Exists: []Node{{Fields: map[string]Value{"cost": {}}}}},
		{Fields: map[string]map[string]Value{"a": {"cost": {}}}},
		{Absent: []string{"a", "b"}, Exists: []Node{{ID: "c"}}, Fields: map[string]map[string]Value{"d": {}}},
	} {
		if err := (&Expectation{Accept: []Retrieval{{Allowed: []string{"a"}}}, Tree: &s}).Validate(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestValidateFaults(t *testing.T) {
	accept := []Retrieval{{Allowed: []string{"a"}}}
	for _, c := range []struct {
		e    Expectation
		want string
	}{
		{Expectation{Accept: []Retrieval{{}}}, "accept[0] names no node"},
		{Expectation{Accept: []Retrieval{{Required: []string{"name:"}}}}, `accept[0] has the name "name:"`},
		{Expectation{Accept: []Retrieval{{Allowed: []string{"name:?"}}}}, `accept[0] has the name "name:?"`},
		{Expectation{Accept: accept, Answer: Answer{Must: [][]string{{}}}}, "answer.must[0] has no variants"},
		{Expectation{Accept: accept, Answer: Answer{Must: [][]string{{"?"}}}}, `answer.must[0] has the variant "?"`},
		{Expectation{Accept: accept, Answer: Answer{Not: []string{""}}}, `answer.not[0] is ""`},
		{Expectation{Accept: accept, Tree: &State{Optional: []string{"a", "name:!"}}}, `tree.optional has the name "name:!"`},
		{Expectation{Accept: accept, Tree: &State{Optional: []string{"a"}}}, "tree requires no change"},
		{Expectation{Accept: accept, Tree: &State{Exists: []Node{{}}}}, "tree.exists[0] describes any node"},
		{Expectation{Accept: accept, Tree: &State{Exists: []Node{{ID: "a", Parent: "name:-"}}}}, `tree.exists[0] has the name "name:-"`},
		{Expectation{Accept: accept, Tree: &State{Exists: []Node{{Fields: map[string]Value{"cost": {Matches: "["}}}}}}, "tree.exists[0].fields.cost.matches"},
		{Expectation{Accept: accept, Tree: &State{Absent: []string{"name:."}}}, `tree.absent has the name "name:."`},
		{Expectation{Accept: accept, Tree: &State{Fields: map[string]map[string]Value{"name: ": {"cost": {}}}}}, `tree.fields has the name "name: "`},
		{Expectation{Accept: accept, Tree: &State{Fields: map[string]map[string]Value{"a": {"cost": {Matches: "("}}}}}, "tree.fields.a.cost.matches: error parsing regexp"},
	} {
		if err := c.e.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Validate() = %v, want it to say %q", err, c.want)
		}
	}
}
