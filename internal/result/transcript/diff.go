package transcript

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"recallbench/internal/calc/lists"
)

// An Op says what became of a line or a message.
type Op string

// The ops.
const (
	Same    Op = "same"
	Left    Op = "left"    // only the first call has it
	Right   Op = "right"   // only the second call has it
	Changed Op = "changed" // both have a message of this place, with other texts
)

// A Diff says in what the prompts of two calls differ.
type Diff struct {
	Messages []MessageDiff `json:"messages"`
	Params   []ParamDiff   `json:"params"`
}

// A MessageDiff compares the messages of one place.
type MessageDiff struct {
	Op    Op     `json:"op"`
	Role  string `json:"role"`
	Lines []Line `json:"lines"`
}

// A Line is a line of one message or of both.
type Line struct {
	Op   Op     `json:"op"`
	Text string `json:"text,omitempty"`
}

// A ParamDiff is a parameter that differs; empty where a call does not have it.
type ParamDiff struct {
	Name  string `json:"name"`
	Left  string `json:"left"`
	Right string `json:"right"`
}

// A Pair is two calls for requests, of one role and place.
type Pair struct {
	Role  string `json:"role"`
	Left  string `json:"left,omitempty"` // id; empty where only the right request made the call
	Right string `json:"right,omitempty"`
	Diff  *Diff  `json:"diff,omitempty"` // nil where one is missing
}

// Pairs compares the prompts of two requests. The calls of a role are matched in their
// order. Calls of memories and judgements are left out.
func Pairs(a, b *Transcript, blocksA, blocksB []string) []Pair {
	pairs := []Pair{}
	waiting := make(map[string][]int) // pairs without a right call, by role
	for _, c := range a.Calls {
		if c.Phase == Query {
			waiting[c.Role] = append(waiting[c.Role], len(pairs))
			pairs = append(pairs, Pair{Role: c.Role, Left: c.ID})
		}
	}
	left := lists.Filter(a.Calls, func(c Call) bool { return c.Phase == Query })
	for _, c := range b.Calls {
		switch open := waiting[c.Role]; {
		case c.Phase != Query:
		case len(open) == 0:
			pairs = append(pairs, Pair{Role: c.Role, Right: c.ID})
		default:
			waiting[c.Role] = open[1:]
			pairs[open[0]].Right, pairs[open[0]].Diff = c.ID, compare(side{a, blocksA}, side{b, blocksB}, left[open[0]], c)
		}
	}
	return pairs
}

// A side is what the parts of a call's messages refer to.
type side struct {
	*Transcript
	blocks []string
}

// message returns the role and the lines of a message of a call; nothing beyond its last.
func (s side) message(c Call, i int) (role string, lines []Line) {
	if i >= len(c.Messages) {
		return "", nil
	}
	for line := range strings.Lines(s.Text(c.Messages[i], s.blocks)) {
		lines = append(lines, Line{Text: strings.TrimSuffix(line, "\n")})
	}
	return c.Messages[i].Role, lines
}

// compare compares two prompts message by message and line by line.
func compare(a, b side, x, y Call) *Diff {
	d := &Diff{Messages: []MessageDiff{}, Params: []ParamDiff{}}
	for i := range max(len(x.Messages), len(y.Messages)) {
		role, lines := a.message(x, i)
		other, others := b.message(y, i)
		m := MessageDiff{Op: Same, Role: cmp.Or(role, other), Lines: diffLines(lines, others)}
		switch {
		case i >= len(x.Messages):
			m.Op = Right
		case i >= len(y.Messages):
			m.Op = Left
		case role != other || slices.ContainsFunc(m.Lines, func(l Line) bool { return l.Op != Same }):
			m.Op = Changed
		}
		d.Messages = append(d.Messages, m)
	}
	all := make(map[string]string)
	maps.Copy(all, x.Params)
	maps.Copy(all, y.Params)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if left, right := x.Params[name], y.Params[name]; left != right {
			d.Params = append(d.Params, ParamDiff{name, left, right})
		}
	}
	return d
}

// maxPairs bounds the work of a diff. Texts with more pairs of lines are replaced as a whole.
const maxPairs = 16 << 20

// diffLines returns the lines of x and y, those that both have once. What is left stands
// before what is right.
func diffLines(x, y []Line) []Line {
	out := make([]Line, 0, max(len(x), len(y)))
	add := func(lines []Line, op Op) {
		for _, l := range lines {
			out = append(out, Line{op, l.Text})
		}
	}
	if len(x)*len(y) > maxPairs {
		add(x, Left)
		add(y, Right)
		return out
	}
	text := func(l Line) string { return l.Text }
	for _, c := range difflib.NewMatcherWithJunk(lists.Map(x, text), lists.Map(y, text), false, nil).GetOpCodes() {
		if c.Tag == 'e' {
			add(x[c.I1:c.I2], Same)
			continue
		}
		add(x[c.I1:c.I2], Left)
		add(y[c.J1:c.J2], Right)
	}
	return out
}
