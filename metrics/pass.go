package metrics

import "recallbench/internal/engine/expect"

// PassSpec says whether tasks about structured memories gave the expected
// results. All columns are 0 or 1, and higher is better:
//
//   - pass: both of the following;
//   - pass-retrieval: the nodes that the method retrieved are exactly those
//     expected;
//   - pass-output: the answer says what it must and nothing that it must not,
//     and the tree afterwards is the expected one, with everything else
//     unchanged.
//
// A question that failed passes nothing. The columns are undefined for tasks
// that are not judged, such as those that only prepare later ones, and for
// questions about conversations.
//
// It follows section 4 of the Semantic XPath paper: "retrieves the correct
// structured data and produces an output that satisfies the ground-truth
// constraints". The paper does not say who or what judged that; here package
// expect does, by rules.
var PassSpec = &Spec{
	Name:    "pass",
	Doc:     "the right nodes, and the expected answer and tree",
	Source:  "Semantic XPath, section 4; checked by rules",
	Of:      Answer,
	Columns: columns(Column{Scale: 100, Digits: 1, Binary: true}, "pass", "pass-retrieval", "pass-output"),
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

// verdict checks an item that has an expectation; a failed question passes
// nothing.
func verdict(i Item) expect.Verdict {
	if i.Failed {
		return expect.Verdict{Why: []string{"the question failed"}}
	}
	return expect.Check(i.Expect, expect.Outcome{
		Nodes: i.Nodes, Answer: i.Prediction, First: i.First, Before: i.Before, After: i.After,
	})
}
