package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

var (
	tradeForm = re(`\b(?:swap|switch|exchange|trade|reverse|flip)(?: round| around| over)?\s+(?:the (?:order|places|positions) of\s+)?(.{2,60}?)\s+(?:and|with)\s+(.{2,60}?)(?:[,.;!?]|\s+(?:on|in|at|of|under|round|around|over|please)\b|$)`)
	tradeBoth = re(`\b(?:swap|switch|exchange|trade|reverse|flip)\b[^.;!?]*\b(?:two|both|them|order|places)\b`)
)

// trade exchanges the places of two nodes, where an order says so and both are
// there.
func (o *order) trade(j *judge) (treetask.Action, bool) {
	main := o.mainSentence()
	var two []candidate
	if m := tradeForm.FindStringSubmatch(main); m != nil {
		for _, part := range m[1:3] {
			if c, ok := o.one(j, part); ok {
				two = append(two, c)
			}
		}
	}
	if len(two) != 2 && tradeBoth.MatchString(main) {
		two = j.pick(o.what, treetask.Move)
	}
	if len(two) != 2 || len(two[0].path) < 2 || len(two[1].path) < 2 || two[0].node().ID == two[1].node().ID {
		return treetask.Action{}, false
	}
	place := func(c candidate) (*tree.Node, int) {
		up := c.path[len(c.path)-2]
		return up, slices.IndexFunc(up.Children, func(n *tree.Node) bool { return n.ID == c.node().ID })
	}
	a, b := two[0], two[1]
	upA, atA := place(a)
	upB, atB := place(b)
	if atA > atB && upA.ID == upB.ID {
		a, b, upA, upB, atA, atB = b, a, upB, upA, atB, atA
	}
	edits := []treetask.ActionEdit{
		{Op: treetask.Move, Node: b.node().ID, Parent: upA.ID, Position: atA + 1},
		{Op: treetask.Move, Node: a.node().ID, Parent: upB.ID, Position: atB + 1},
	}
	if upA.ID == upB.ID && atB == atA+1 {
		edits = edits[:1] // neighbours: one step exchanges them
	}
	return treetask.Action{
		Operation: treetask.Move, Nodes: ids([]candidate{a, b}), Edits: edits,
		Answer: "Swapped " + nameOf(a.path) + " and " + nameOf(b.path) + ".",
	}, true
}

// one returns the node that words call by name, where they call one alone.
func (o *order) one(j *judge, words string) (candidate, bool) {
	free := *o
	free.settings, free.shift, free.value, free.op = nil, nil, "", treetask.Move
	var named []candidate
	for _, n := range o.byName(j, words) {
		if !n.in && free.inOtherScopes(j, n.candidate) {
			named = append(named, n.candidate)
		}
	}
	if len(named) == 0 {
		for _, c := range o.byWords(j, words) {
			if free.inOtherScopes(j, c) {
				named = append(named, c)
			}
		}
	}
	if len(named) == 0 {
		named = free.byShare(j, words, nil)
	}
	if len(named) != 1 {
		return candidate{}, false
	}
	return named[0], true
}

var listing = re(`\s*,\s*(?:and\s+)?(?:the\s+)?|\s+(?:and|as well as|plus)\s+(?:also\s+)?(?:the\s+)?`)

// several returns the nodes that the parts of "A, B and C" call, one each.
func (o *order) several(j *judge, text string) []candidate {
	head := text
	if at := scopeForm.FindStringIndex(head); at != nil && at[0] > 0 {
		head = head[:at[0]]
	}
	parts := listing.Split(strings.TrimRight(head, " .!?"), 6)
	if len(parts) < 2 {
		return nil
	}
	var out []candidate
	for _, p := range parts {
		c, ok := o.one(j, p)
		if !ok || slices.ContainsFunc(out, func(d candidate) bool { return d.node().ID == c.node().ID }) {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// scopeForm begins what says where several things are.
var scopeForm = re(`\s+(?:on|in|from|under|off|to|into|for|of)\s`)
