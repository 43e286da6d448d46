package tree

import (
	"cmp"
	"slices"

	"recallbench/internal/engine/treetask"
)

// known are words before what is spoken of as known, so that "the A and the B"
// are two things.
var known = set(`the my our his her your their 's both`)

// apart reports whether "and" at k begins a second thing of its own.
func (r *reading) apart(k int) bool {
	return r.words[k].low == "and" && k+1 < len(r.words) && known[r.words[k+1].low]
}

// second reports whether a condition that begins at start is a further thing
// beside the condition before it: "the tower and the ferry".
func (r *reading) second(start int, prev cond) bool {
	if start < 3 || !known[r.words[start-1].low] || prev.at == 0 || !known[r.words[prev.at-1].low] {
		return false
	}
	if joint := r.words[start-2].low; joint != "and" && joint != "," && joint != "&" {
		return false
	}
	for k := prev.at; k < start-2; k++ {
		if r.words[k].mark && r.words[k].low != "," && !r.hyphen(k) || r.used[k] != unused && !r.words[k].mark {
			return false
		}
	}
	return true
}

// severally reports whether several things are named side by side.
func (r *reading) severally() bool {
	return slices.ContainsFunc(r.conds, func(c cond) bool { return c.each })
}

// weighEach keeps what meets the conditions with each of the things that are
// named side by side.
func (j *judge) weighEach(pool []candidate, r *reading, op treetask.Operation) []candidate {
	var out []candidate
	for i, c := range r.conds {
		if !c.each {
			continue
		}
		one := *r
		one.conds = slices.Clone(r.conds)
		one.conds[i].each, one.conds[i].or = false, 0
		one.conds = slices.DeleteFunc(one.conds, func(c cond) bool { return c.each })
		for _, p := range j.weigh(slices.Clone(pool), &one, op) {
			if j.onPath(p.path, c) >= good && !slices.ContainsFunc(out, func(o candidate) bool { return o.node().ID == p.node().ID }) {
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	return out
}

// union returns the candidates of both lists, in document order.
func union(a, b []candidate) []candidate {
	out := slices.Clone(a)
	for _, c := range b {
		if !slices.ContainsFunc(out, func(o candidate) bool { return o.node().ID == c.node().ID }) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	return out
}
