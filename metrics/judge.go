package metrics

// JudgeSpec is whether a language model accepted the answer, after the run and
// with a prompt whose hash is in the run's header: 1 or 0, higher is better;
// the mean is the share of accepted answers.
//
// It is 0 for a question that failed. It is undefined if there is nothing to compare
// an answer with (an abstention, a task about a tree that asks for no fact), if the
// model's reply was unusable, and in a run that was not judged. It is only comparable
// with the same judge and the same prompt; no run file has it by default.
var JudgeSpec = ofItem(Spec{
	Name:    "judge",
	Doc:     "a language model accepted the answer",
	Source:  "bench judge",
	Of:      Judgement,
	Columns: []Column{{Name: "judge", Scale: 100, Digits: 1, Binary: true}},
}, func(i Item) Value {
	if i.Judged == nil {
		return Value{}
	}
	return holds(*i.Judged)
})

// PassJudgeSpec is [PassSpec]'s first column with a language model in place of
// the rules for the text of an answer: rules check the nodes and the tree and,
// if facts are expected, a judge decides whether the answer states them. 1 or
// 0, higher is better.
//
// It is 0 for a question that failed. It is undefined if the question is not about a
// tree or not judged, if the judge's reply on the facts was unusable, and in a run
// that was not judged.
var PassJudgeSpec = ofItem(Spec{
	Name:    "pass@judge",
	Doc:     "the right nodes and tree by rules, and an answer that a language model accepted",
	Source:  "Semantic XPath, section 4; nodes and tree by rules, facts by bench judge",
	Of:      Judgement,
	Columns: []Column{{Name: "pass@judge", Scale: 100, Digits: 1, Binary: true}},
}, func(i Item) Value {
	noFacts := !i.Judgeable() // are expected
	if i.Expect == nil || !noFacts && i.Judged == nil {
		return Value{}
	}
	v := verdict(i)
	return holds((noFacts || *i.Judged) && v.Retrieval && v.Tree)
})

// holds is 1 for what holds, else 0.
func holds(b bool) Value {
	if b {
		return Def(1)
	}
	return Def(0)
}
