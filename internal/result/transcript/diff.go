package transcript

import (
	"maps"
	"slices"
	"strings"

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

// A Side is one call of a comparison, with the transcript and the blocks that it
// refers to.
type Side struct {
	Transcript *Transcript
	Call       Call
	Blocks     []string
}

// Compare compares two prompts message by message and line by line.
func Compare(a, b Side) Diff {
	d := Diff{Messages: []MessageDiff{}, Params: []ParamDiff{}}
	for i := range max(len(a.Call.Messages), len(b.Call.Messages)) {
		var x, y []Line
		m := MessageDiff{Op: Same}
		if i < len(b.Call.Messages) {
			m.Role, y = b.Call.Messages[i].Role, b.lines(b.Call.Messages[i])
		} else {
			m.Op = Left
		}
		if i < len(a.Call.Messages) {
			role := a.Call.Messages[i].Role
			if m.Op == Same && role != m.Role {
				m.Op = Changed
			}
			m.Role, x = role, a.lines(a.Call.Messages[i])
		} else {
			m.Op = Right
		}
		m.Lines = diffLines(x, y)
		if m.Op == Same && slices.ContainsFunc(m.Lines, func(l Line) bool { return l.Op != Same }) {
			m.Op = Changed
		}
		d.Messages = append(d.Messages, m)
	}
	all := make(map[string]string)
	maps.Copy(all, a.Call.Params)
	maps.Copy(all, b.Call.Params)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if x, y := a.Call.Params[name], b.Call.Params[name]; x != y {
			d.Params = append(d.Params, ParamDiff{name, x, y})
		}
	}
	return d
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
			d := Compare(Side{a, left[open[0]], blocksA}, Side{b, c, blocksB})
			pairs[open[0]].Right, pairs[open[0]].Diff = c.ID, &d
		}
	}
	return pairs
}

// lines cuts a message into lines.
func (s Side) lines(m Message) (all []Line) {
	for line := range strings.Lines(s.Transcript.Text(m, s.Blocks)) {
		all = append(all, Line{Text: strings.TrimSuffix(line, "\n")})
	}
	return all
}

// maxCells bounds the table of a diff. Texts whose differing stretches need more
// are replaced as a whole.
const maxCells = 8 << 20

// diffLines returns the shortest edit of x into y: what is common is a longest common
// subsequence. What is left stands before what is right.
func diffLines(x, y []Line) []Line {
	out := make([]Line, 0, max(len(x), len(y)))
	add := func(lines []Line, op Op) {
		for _, l := range lines {
			l.Op = op
			out = append(out, l)
		}
	}
	begin := 0
	for begin < min(len(x), len(y)) && x[begin] == y[begin] {
		begin++
	}
	end := 0
	for end < min(len(x), len(y))-begin && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	add(x[:begin], Same)
	a, b := x[begin:len(x)-end], y[begin:len(y)-end]
	width := len(b) + 1
	i, j := 0, 0
	if (len(a)+1)*width <= maxCells {
		// common[i*width+j] is the length for a[i:] and b[j:].
		common := make([]int32, (len(a)+1)*width)
		for i, v := range slices.Backward(a) {
			for j, w := range slices.Backward(b) {
				if v == w {
					common[i*width+j] = common[(i+1)*width+j+1] + 1
				} else {
					common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
				}
			}
		}
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				add(a[i:i+1], Same)
				i, j = i+1, j+1
			case common[(i+1)*width+j] >= common[i*width+j+1]:
				add(a[i:i+1], Left)
				i++
			default:
				add(b[j:j+1], Right)
				j++
			}
		}
	}
	add(a[i:], Left)
	add(b[j:], Right)
	add(x[len(x)-end:], Same)
	return out
}
