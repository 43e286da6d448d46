package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// A diffCell is a cell of a diff as a JSON line has it.
type diffCell struct {
	Run     string `json:"run"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Model   string `json:"model"`
	Seed    uint64 `json:"seed"`
}

func viewCell(run string, c record.Cell) diffCell {
	return diffCell{Run: run, Dataset: c.Dataset, Method: c.Method, Model: c.Model, Seed: c.Seed}
}

type diffAnswer struct {
	Answer  string         `json:"answer"`
	Value   *float64       `json:"value"` // in the unit of tables
	Outcome scored.Outcome `json:"outcome"`
	Error   string         `json:"error,omitzero"`
	Blocks  int            `json:"blocks"` // of evidence
	// Sourceless is set where nobody knows which turns the blocks are of.
	Sourceless bool `json:"sourceless,omitzero"`
}

func viewAnswer(q scored.Request, outcome scored.Outcome, c metrics.Column) diffAnswer {
	v := diffAnswer{Answer: q.Record.Answer, Outcome: outcome, Blocks: len(q.Evidence), Sourceless: q.Cell.Lacks(metrics.Evidence)}
	if q.Score != nil && q.Score.Values[c.Name] != nil {
		v.Value = new(*q.Score.Values[c.Name] * c.Scale)
	}
	if q.Record.Error != nil {
		v.Error = q.Record.Error.Kind + ": " + q.Record.Error.Message
	}
	return v
}

// text is what a reader sees of the answer, or why there is none.
func (v diffAnswer) text() string {
	if v.Error != "" {
		return v.Error
	}
	return v.Answer
}

// value is the value in the unit of tables, to four digits.
func (v diffAnswer) value() string {
	if v.Value == nil {
		return "–"
	}
	return strconv.FormatFloat(*v.Value, 'g', 4, 64)
}

// A diffRequest is a request as a JSON line has it.
type diffRequest struct {
	Type     string         `json:"type"` // "request"
	Verdict  scored.Verdict `json:"verdict"`
	Dataset  string         `json:"dataset"`
	Methods  [2]string      `json:"methods"` // of A and B
	Models   [2]string      `json:"models"`
	Seeds    [2]uint64      `json:"seeds"`
	Sample   string         `json:"sample"`
	Request  string         `json:"request"`
	Name     string         `json:"name,omitempty"` // the release's
	Category string         `json:"category"`       // its name
	Question string         `json:"question"`
	Gold     string         `json:"gold"`
	Variants []string       `json:"variants,omitempty"`
	Abstain  bool           `json:"abstain,omitempty"`
	A        diffAnswer     `json:"a"`
	B        diffAnswer     `json:"b"`
	Turns    []scored.Turn  `json:"turns,omitempty"`
}

func (d *diff) request(p cellPair, q scored.Pair) diffRequest {
	g := q.A.Gold
	return diffRequest{
		Type: "request", Verdict: q.Verdict,
		Dataset: p.a.Dataset, Methods: [2]string{p.a.Method, p.b.Method}, Models: [2]string{p.a.Model, p.b.Model}, Seeds: [2]uint64{p.a.Seed, p.b.Seed},
		Sample: g.Sample, Request: g.Request, Name: g.Name, Category: p.dataset.CategoryName(g.Category), Question: g.Question, Gold: g.Answer, Variants: g.Variants, Abstain: g.Abstain,
		A: viewAnswer(q.A, q.OutcomeA, d.column), B: viewAnswer(q.B, q.OutcomeB, d.column), Turns: q.Turns(),
	}
}

// title names the request.
func (r diffRequest) title() string {
	title := r.Sample + " " + r.Request
	if r.Name != "" {
		title += " (" + r.Name + ")"
	}
	return title + ", " + r.Category
}

// gold is what a reader sees of the gold answer.
func (r diffRequest) gold() string {
	switch {
	case r.Abstain && r.Gold == "":
		return "to abstain"
	case len(r.Variants) > 0:
		return r.Gold + " | " + strings.Join(r.Variants, " | ")
	}
	return r.Gold
}

// right says what decides.
func (d *diff) right() string {
	if d.by != "" {
		return d.by
	}
	return "people, else judges, else f1@span; values are " + d.column.Name
}

// title says what a group of requests is.
func verdictTitle(v scored.Verdict) string {
	return map[scored.Verdict]string{
		scored.Lost: "Lost: right in A alone", scored.Gained: "Gained: right in B alone",
		scored.BothRight: "Right in both", scored.BothWrong: "Wrong in both",
	}[v]
}

// shownBy says which block of either side shows a gold turn.
func (r diffRequest) shownBy(t scored.Turn) string {
	of := func(side string, v diffAnswer, rank int) string {
		switch {
		case v.Sourceless:
			return "not known of " + side
		case rank == 0:
			return "no block of " + side
		}
		return fmt.Sprintf("block %d of %s", rank, side)
	}
	return of("A", r.A, t.A) + ", " + of("B", r.B, t.B)
}

// The longest texts that are not cut, in characters.
const (
	cutAnswer = 400
	cutTurn   = 200
)

// cutText returns the start of a text with a mark, where it is longer than n
// characters.
func cutText(s string, n int, full bool) string {
	if full || len(s) <= n {
		return s
	}
	end := 0
	for range n {
		if end == len(s) {
			return s
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if left := utf8.RuneCountInString(s[end:]); left > 0 {
		return fmt.Sprintf("%s … (%d more characters; --full shows all)", s[:end], left)
	}
	return s
}

// groups returns the requests of a pair of cells by verdict, in the order of
// reports.
func groups(p cellPair) map[scored.Verdict][]scored.Pair {
	of := make(map[scored.Verdict][]scored.Pair)
	for _, q := range p.Pairs {
		of[q.Verdict] = append(of[q.Verdict], q)
	}
	return of
}

// A diffHead says how many requests of two cells there are of each kind.
type diffHead struct {
	Type string   `json:"type"` // "cells"
	A    diffCell `json:"a"`
	B    diffCell `json:"b"`
	// By is the column that alone said which answers are right; empty where people, judges
	// and f1@span did. Column is the one whose values answers have.
	By        string `json:"by,omitempty"`
	Column    string `json:"column"`
	Compared  int    `json:"compared"`
	BothRight int    `json:"both_right"`
	BothWrong int    `json:"both_wrong"`
	Lost      int    `json:"lost"`
	Gained    int    `json:"gained"`
	Net       int    `json:"net"` // gained less lost
	// P is of McNemar's exact test, as if requests were independent of each other.
	P       float64     `json:"p_mcnemar"`
	Unclear int         `json:"unclear,omitzero"`
	OnlyA   int         `json:"only_a,omitzero"`
	OnlyB   int         `json:"only_b,omitzero"`
	Changed []scored.ID `json:"changed,omitempty"`
}

func (d *diff) head(p cellPair) diffHead {
	return diffHead{
		Type: "cells", A: viewCell(d.a, p.a), B: viewCell(d.b, p.b), By: d.by, Column: d.column.Name,
		Compared: p.Compared(), BothRight: p.Counts[scored.BothRight], BothWrong: p.Counts[scored.BothWrong],
		Lost: p.Counts[scored.Lost], Gained: p.Counts[scored.Gained], Net: p.Counts[scored.Gained] - p.Counts[scored.Lost],
		P: stats.McNemar(p.Counts[scored.Lost], p.Counts[scored.Gained]), Unclear: p.Unclear, OnlyA: p.OnlyA, OnlyB: p.OnlyB, Changed: p.Changed,
	}
}

func (h diffHead) counts() string {
	return fmt.Sprintf("%d compared: %d right in both, %d wrong in both, %d lost, %d gained, net %+d; exact McNemar p %s",
		h.Compared, h.BothRight, h.BothWrong, h.Lost, h.Gained, h.Net, h.p())
}

// p is the p-value to four decimals.
func (h diffHead) p() string {
	if h.P < 0.0001 {
		return "below 0.0001"
	}
	return strconv.FormatFloat(h.P, 'f', 4, 64)
}

// maxChanged is how many requests with other content are named.
const maxChanged = 5

// left says what was not compared, and why.
func (h diffHead) left() (lines []string) {
	if n := len(h.Changed); n > 0 {
		ids := lists.Map(h.Changed[:min(n, maxChanged)], func(id scored.ID) string { return id.Sample + " " + id.Request })
		if n > maxChanged {
			ids = append(ids, fmt.Sprintf("and %d more", n-maxChanged))
		}
		lines = append(lines, fmt.Sprintf("not compared, as the question or its gold answer differs: %d (%s)", n, strings.Join(ids, ", ")))
	}
	for _, of := range []struct {
		n   int
		why string
	}{{h.OnlyA, "asked in A alone"}, {h.OnlyB, "asked in B alone"}, {h.Unclear, "it is unclear whether an answer is right"}} {
		if of.n > 0 {
			lines = append(lines, fmt.Sprintf("not compared, as %s: %d", of.why, of.n))
		}
	}
	return lines
}
