package metrics

import "slices"

// NewFailures returns the metric that counts the answers with a wrong fact, those for which
// [FactualRecallSpec] is 0, as wrong, and sorts them in two ways. Each way has a
// wrong answer in one column only, the first that fits, so that its columns sum to
// wrong. By how far the question came:
//
//   - failed: the request ended in an error;
//   - unknown-evidence: the dataset names no turns that the answer rests on, or
//     an imported file not those of its blocks;
//   - not-retrieved: none of these turns is a source of a block;
//   - partly-retrieved: some of them are;
//   - not-used: all of them are, and still the answer is wrong.
//
// And by what the paper's table 4 finds as the cause, as far as it can be decided
// without people:
//
//   - unparsed: the parser gave up on a sentence of the question or of the turns
//     that were retrieved ([Item].Degraded counts them as "parse");
//   - coreference-wrong: the resolver of dc@b3, which need not be the method's, puts a
//     mention of an entity in the question into a cluster with none of its
//     mentions in the history;
//   - other-cause: neither.
//
// Mistakes in discourse relations, the fourth cause of that table, cannot be
// decided without gold relations; they are among the others. All columns are
// counts and lower is better. They are undefined where fr is.
//
// It follows section 5.6 of the Semantic Anchoring paper, which does not say how
// failures were put into categories.
func NewFailures(r *Resolver) *Spec {
	columns := []Column{
		{Name: "wrong"},
		{Name: "failed"},
		{Name: "unknown-evidence"},
		{Name: "not-retrieved"},
		{Name: "partly-retrieved"},
		{Name: "not-used"},
		{Name: "unparsed"},
		{Name: "coreference-wrong"},
		{Name: "other-cause"},
	}
	for k := range columns {
		columns[k].Scale, columns[k].Lower, columns[k].Total = 1, true, true
	}
	return &Spec{
		Name:    "failures",
		Doc:     "wrong facts by how far the question came and by cause",
		Source:  "Semantic Anchoring, section 5.6 and table 4, as far as it can be decided",
		Of:      Answer,
		Apart:   true,
		Columns: columns,
		Score: func(i Item) []Value {
			values := make([]Value, len(columns))
			recalled := factualRecall(i)
			if !recalled.Defined {
				return values
			}
			for k := range values {
				values[k] = Def(0)
			}
			if recalled.X == 0 {
				for _, name := range []string{"wrong", i.reached(), r.cause(i)} {
					k := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
					values[k] = Def(1)
				}
			}
			return values
		},
	}
}

// reached says how far a question came that was answered wrongly.
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

// cause says what may have made an answer wrong.
func (r *Resolver) cause(i Item) string {
	switch {
	case i.Degraded["parse"] > 0:
		return "unparsed"
	case r.confuses(i):
		return "coreference-wrong"
	}
	return "other-cause"
}

// confuses reports whether the resolver does not connect an entity in the
// question with the history.
func (r *Resolver) confuses(i Item) bool {
	if len(i.Entities) == 0 {
		return false
	}
	said := utterances(i, false)
	found, err := r.resolve(said, names(i.Entities))
	if err != nil {
		return false
	}
	for _, e := range i.Entities {
		before := make(map[int]bool)
		var asked []place
		for _, m := range mentions(i, e, said) {
			if m.utterance == len(i.History) {
				asked = append(asked, m)
			} else {
				cluster, _ := align(m, said, found)
				before[cluster] = true
			}
		}
		if len(before) == 0 {
			continue // the question alone speaks of it
		}
		for _, m := range asked {
			if cluster, _ := align(m, said, found); cluster < 0 || !before[cluster] {
				return true
			}
		}
	}
	return false
}
