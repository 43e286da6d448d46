package metrics

// JudgeSpec is whether a language model held the answer right, after the run
// and from a prompt whose hash the run's header has: 1 or 0, higher is better;
// the mean is the share of right answers.
//
// It is 0 for a failed request. It is undefined without anything to compare an answer
// with (an abstention, a request about a tree that asks for no fact). It is
// undefined, too, where the model's reply could not be used, and in a run that was
// not judged. It compares with nothing but the same judge with the same prompt; no
// config has it by default.
var JudgeSpec = &Spec{
	Name:    "judge",
	Doc:     "a language model held the answer right",
	Source:  "bench judge",
	Of:      Judgement,
	Columns: []Column{{Name: "judge", Scale: 100, Digits: 1, Binary: true}},
	Score: func(i Item) []Value {
		if i.Judged == nil {
			return make([]Value, 1)
		}
		return []Value{holds(*i.Judged)}
	},
}

// PassJudgeSpec is [PassSpec]'s first column with a language model in place of
// the rules for what an answer says: the nodes and the tree are checked by
// rules, and where the expectation has facts, a judge says whether the answer
// tells them. 1 or 0, higher is better.
//
// It is 0 for a failed request. It is undefined where the request is not about a tree
// or not judged, where the judge's reply on the facts could not be used, and in a run
// that was not judged.
var PassJudgeSpec = &Spec{
	Name:    "pass@judge",
	Doc:     "the right nodes and tree by rules, and an answer that a language model held right",
	Source:  "Semantic XPath, section 4; nodes and tree by rules, facts by bench judge",
	Of:      Judgement,
	Columns: []Column{{Name: "pass@judge", Scale: 100, Digits: 1, Binary: true}},
	Score: func(i Item) []Value {
		if i.Expect == nil {
			return make([]Value, 1)
		}
		said := !i.Judgeable() // nothing to say is said
		if !said {
			if i.Judged == nil {
				return make([]Value, 1)
			}
			said = *i.Judged
		}
		v := verdict(i)
		return []Value{holds(said && v.Retrieval && v.Tree)}
	},
}

// holds is 1 for what holds, else 0.
func holds(b bool) Value {
	if b {
		return Def(1)
	}
	return Def(0)
}
