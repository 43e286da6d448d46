package main

import (
	"fmt"
	"strconv"
	"strings"

	"recallbench/internal/asked"
	"recallbench/internal/lists"
	"recallbench/internal/stats"
)

// A diffHead says how many requests of two cells there are of each kind.
type diffHead struct {
	Type      string   `json:"type"` // "cells"
	A         diffCell `json:"a"`
	B         diffCell `json:"b"`
	Column    string   `json:"column"`
	Threshold float64  `json:"threshold"` // in the unit of tables
	Compared  int      `json:"compared"`
	BothRight int      `json:"both_right"`
	BothWrong int      `json:"both_wrong"`
	Lost      int      `json:"lost"`
	Gained    int      `json:"gained"`
	Net       int      `json:"net"` // gained less lost
	// P is of McNemar's exact test, as if requests were independent of each other.
	P        float64    `json:"p_mcnemar"`
	Unscored int        `json:"unscored,omitzero"`
	OnlyA    int        `json:"only_a,omitzero"`
	OnlyB    int        `json:"only_b,omitzero"`
	Changed  []asked.ID `json:"changed,omitempty"`
}

func (d *diff) head(p cellPair) diffHead {
	return diffHead{
		Type: "cells", A: viewCell(d.a, p.a), B: viewCell(d.b, p.b), Column: d.column.Name, Threshold: d.least,
		Compared: p.Compared(), BothRight: p.Counts[asked.BothRight], BothWrong: p.Counts[asked.BothWrong],
		Lost: p.Counts[asked.Lost], Gained: p.Counts[asked.Gained], Net: p.Counts[asked.Gained] - p.Counts[asked.Lost],
		P: stats.McNemar(p.Counts[asked.Lost], p.Counts[asked.Gained]), Unscored: p.Unscored, OnlyA: p.OnlyA, OnlyB: p.OnlyB, Changed: p.Changed,
	}
}

// counts says the counts in one line.
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
		ids := lists.Map(h.Changed[:min(n, maxChanged)], func(id asked.ID) string { return id.Sample + " " + id.Request })
		if n > maxChanged {
			ids = append(ids, fmt.Sprintf("and %d more", n-maxChanged))
		}
		lines = append(lines, fmt.Sprintf("not compared, as the question or its gold answer differs: %d (%s)", n, strings.Join(ids, ", ")))
	}
	for _, of := range []struct {
		n   int
		why string
	}{{h.OnlyA, "asked in A alone"}, {h.OnlyB, "asked in B alone"}, {h.Unscored, "without a value of " + h.Column}} {
		if of.n > 0 {
			lines = append(lines, fmt.Sprintf("not compared, as %s: %d", of.why, of.n))
		}
	}
	return lines
}
