package scored

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A Verdict says which of two answers to a request is right.
type Verdict string

// The verdicts on the answers of A and B.
const (
	Lost      Verdict = "lost"   // right in A, wrong, failed or abstained in B
	Gained    Verdict = "gained" // right in B alone
	BothRight Verdict = "both-right"
	BothWrong Verdict = "both-wrong"
)

// Verdicts lists the verdicts in the order of reports.
func Verdicts() []Verdict { return []Verdict{Lost, Gained, BothWrong, BothRight} }

// A Pair is a request that two cells were asked.
type Pair struct {
	Verdict Verdict
	A, B    Request
	// OutcomeA and OutcomeB say how far each came.
	OutcomeA, OutcomeB Outcome
}

// A Comparison compares the answers of two cells.
type Comparison struct {
	// Counts are how many requests there are of each verdict.
	Counts map[Verdict]int
	// Pairs are the requests that were to be kept, in the order of A.
	Pairs []Pair
	// Changed are requests of the same id that have another question or gold answer.
	Changed []record.Asked
	// Unclear counts those of which it is unclear whether one of the answers is right,
	// and OnlyA and OnlyB those that only one cell was asked.
	Unclear, OnlyA, OnlyB int
}

// Compared is the number of requests with a verdict.
func (c Comparison) Compared() int {
	return c.Counts[Lost] + c.Counts[Gained] + c.Counts[BothRight] + c.Counts[BothWrong]
}

// A Side is a cell of a run.
type Side struct {
	*Run
	Cell record.Cell
}

// asksTheSame reports whether two requests ask the same. Hashes are of all content;
// answers that were made elsewhere may have none.
func (r Request) asksTheSame(other Request) bool {
	if r.Record.Hash != "" && other.Record.Hash != "" {
		return r.Record.Hash == other.Record.Hash
	}
	return r.Gold.Question == other.Gold.Question && r.Gold.Answer == other.Gold.Answer
}

// A Filter says what is compared and kept.
type Filter struct {
	// Ask tells whether a request, in brief as in [Reader.Briefs], is compared; nil for all.
	Ask func(Request) bool
	// Keep tells whether the next pair of a verdict is kept; nil for all.
	Keep func(Verdict) bool
}

// Compare compares the answers of two cells to the same requests.
// Where a column is named, it alone says which are right. The evidence of pairs that are
// not kept is not read.
func Compare(a, b Side, column string, f Filter) (Comparison, error) {
	c := Comparison{Counts: make(map[Verdict]int)}
	left, err := a.Reader(a.Cell)
	if err != nil {
		return c, err
	}
	right, err := b.Reader(b.Cell)
	if err != nil {
		return c, err
	}
	others := make(map[record.Asked]int) // places of those of b
	for j, q := range right.Briefs {
		if f.Ask == nil || f.Ask(q) {
			others[q.Record.Asked()] = j
		}
	}
	for i, q := range left.Briefs {
		if f.Ask != nil && !f.Ask(q) {
			continue
		}
		j, ok := others[q.Record.Asked()]
		if !ok {
			c.OnlyA++
			continue
		}
		delete(others, q.Record.Asked())
		other := right.Briefs[j]
		p := Pair{OutcomeA: q.Outcome(column), OutcomeB: other.Outcome(column)}
		switch {
		case !q.asksTheSame(other):
			c.Changed = append(c.Changed, q.Record.Asked())
			continue
		case p.OutcomeA == Unclear || p.OutcomeB == Unclear:
			c.Unclear++
			continue
		}
		p.Verdict = verdict(p.OutcomeA == Right, p.OutcomeB == Right)
		c.Counts[p.Verdict]++
		if f.Keep != nil && !f.Keep(p.Verdict) {
			continue
		}
		if p.A, err = left.Request(i); err != nil {
			return c, err
		}
		if p.B, err = right.Request(j); err != nil {
			return c, err
		}
		c.Pairs = append(c.Pairs, p)
	}
	c.OnlyB = len(others)
	return c, nil
}

func verdict(a, b bool) Verdict {
	switch {
	case a && b:
		return BothRight
	case a:
		return Lost
	case b:
		return Gained
	}
	return BothWrong
}

// A Turn is a source that the gold answer rests on, with where two sides showed it.
type Turn struct {
	ID string `json:"turn"`
	// A and B are the ranks, from 1, of the first block of each side that has the
	// turn as a source; 0 for none.
	A int `json:"a,omitzero"`
	B int `json:"b,omitzero"`
	// Text is the turn itself where the dataset says it with the question, else the
	// shortest block that has it; empty where neither side shows it.
	Text string `json:"text,omitzero"`
}

// Turns returns the sources that the gold answer of a pair rests on, in the order of
// the dataset.
func (p Pair) Turns() []Turn {
	var turns []Turn
	for _, id := range p.A.Gold.Evidence {
		t := Turn{ID: id}
		for side, rank := range []*int{&t.A, &t.B} {
			for i, b := range []Request{p.A, p.B}[side].Evidence {
				if !slices.Contains(b.Sources, id) {
					continue
				}
				if *rank == 0 {
					*rank = i + 1
				}
				if t.Text == "" || len(b.Text) < len(t.Text) {
					t.Text = b.Text
				}
			}
		}
		if i := slices.IndexFunc(p.A.Gold.History, func(u record.Utterance) bool { return u.Turn == id }); i >= 0 {
			t.Text = p.A.Gold.History[i].Speaker + ": " + p.A.Gold.History[i].Text
		}
		turns = append(turns, t)
	}
	return turns
}

// Match pairs the cells of two sides that have the same dataset, method, model and
// seed; of these, one that has a single value on each side may differ. Notes name cells
// without a partner.
func Match(a, b []record.Cell) (pairs [][2]record.Cell, notes []string, err error) {
	var apart []func(record.Cell) string // distinguishes cells
	for _, of := range []func(record.Cell) string{
		func(c record.Cell) string { return c.Dataset },
		func(c record.Cell) string { return c.Method },
		func(c record.Cell) string { return c.Model },
		func(c record.Cell) string { return "seed " + strconv.FormatUint(c.Seed, 10) },
	} {
		if len(lists.Distinct(a, of)) > 1 || len(lists.Distinct(b, of)) > 1 {
			apart = append(apart, of)
		}
	}
	name := func(c record.Cell) string {
		return strings.Join(lists.Map(apart, func(of func(record.Cell) string) string { return of(c) }), ", ")
	}
	names := [2][]string{lists.Map(a, name), lists.Map(b, name)}
	for i, c := range a {
		if j := slices.Index(names[1], names[0][i]); j >= 0 {
			pairs = append(pairs, [2]record.Cell{c, b[j]})
		}
	}
	if len(pairs) == 0 {
		return nil, nil, fmt.Errorf("no row in common: A has %s; B has %s; name one of each, such as RUN:%s and RUN:%s",
			strings.Join(names[0], " and "), strings.Join(names[1], " and "), a[0].Method, b[0].Method)
	}
	for i, side := range []string{"A", "B"} {
		for _, n := range names[i] {
			if !slices.Contains(names[1-i], n) {
				notes = append(notes, n+" is in "+side+" only")
			}
		}
	}
	return pairs, notes, nil
}
