package metrics

import "slices"

// failureColumns are those of [FailuresSpec] after wrong.
var failureColumns = []string{"failed", "unknown-evidence", "not-retrieved", "partly-retrieved", "not-used"}

// FailuresSpec counts wrong answers, those for which [FactualRecallSpec] is 0, and
// sorts them by how far the question got. Each wrong answer counts in the first
// column that fits, so the columns sum to wrong:
//
//   - failed: the question ended in an error;
//   - unknown-evidence: the dataset names no turns that support the answer,
//     or an imported file does not name the turns of its blocks;
//   - not-retrieved: none of these turns is a source of a block;
//   - partly-retrieved: some of them are;
//   - not-used: all of them are, and the answer is still wrong.
//
// All columns are counts, and lower is better. They are undefined where fr is. It
// follows section 5.6 of the Semantic Anchoring paper, which does not say how failures
// were categorized; the causes in its table 4 need a person to tell.
var FailuresSpec = &Spec{
	Name:    "failures",
	Doc:     "wrong answers by how far the question got",
	Source:  "Semantic Anchoring, section 5.6",
	Of:      Answer,
	Apart:   true,
	Columns: columns(Column{Scale: 1, Lower: true, Total: true}, append([]string{"wrong"}, failureColumns...)...),
	Score: func(i Item) []Value {
		values := make([]Value, 1+len(failureColumns))
		recalled := factualRecall(i)
		if !recalled.Defined {
			return values
		}
		for k := range values {
			values[k] = Def(0)
		}
		if recalled.X == 0 {
			values[0] = Def(1)
			values[1+slices.Index(failureColumns, i.reached())] = Def(1)
		}
		return values
	},
}

// reached says how far a question with a wrong answer got.
func (i Item) reached() string {
	recall, known := EvidenceRecall(i.GoldEvidence, i.Blocks)
	switch {
	case i.Failed:
		return "failed"
	case !known:
		return "unknown-evidence"
	case recall == 0:
		return "not-retrieved"
	case recall < 1:
		return "partly-retrieved"
	}
	return "not-used"
}
