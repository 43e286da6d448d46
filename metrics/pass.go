package metrics

import "recallbench/internal/engine/expect"

// PassSpec says whether requests about structured memories led to what was
// expected of them. All columns are 0 or 1, and higher is better:
//
//   - pass: both of the others;
//   - pass-retrieval: the nodes that the method holds to be what the request is
//     about are all that they have to be, and no others;
//   - pass-output: the answer says what it has to and nothing that it must not,
//     and the tree afterwards is as it has to be, with all else unchanged.
//
// A failed request passes in nothing. The columns are undefined for requests
// that are not judged, such as those that only prepare a conversation's later
// ones, and for questions about conversations.
//
// It follows section 4 of the Semantic XPath paper: "retrieves the correct
// structured data and produces an output that satisfies the ground-truth
// constraints". Who or what judged that in the paper is not published; here
// package expect does, by rules.
var PassSpec = &Spec{
	Name:   "pass",
	Doc:    "the right nodes, and an answer and a tree as they should be",
	Source: "Semantic XPath, section 4; checked by rules",
	Of:     Answer,
	Columns: []Column{
		{Name: "pass", Scale: 100, Digits: 1, Binary: true},
		{Name: "pass-retrieval", Scale: 100, Digits: 1, Binary: true},
		{Name: "pass-output", Scale: 100, Digits: 1, Binary: true},
	},
	Score: func(i Item) []Value {
		values := make([]Value, 3)
		if i.Expect == nil {
			return values
		}
		v := verdict(i)
		for n, held := range []bool{v.Pass(), v.Retrieval, v.Output} {
			values[n] = holds(held)
		}
		return values
	},
	Why: func(i Item) []string {
		if i.Expect == nil {
			return nil
		}
		return verdict(i).Why
	},
}

// verdict checks an item that has an expectation; of a failed request nothing
// holds.
func verdict(i Item) expect.Verdict {
	if i.Failed {
		return expect.Verdict{Why: []string{"the request failed"}}
	}
	return expect.Check(i.Expect, expect.Outcome{
		Nodes: i.Nodes, Answer: i.Prediction, First: i.First, Before: i.Before, After: i.After,
	})
}
