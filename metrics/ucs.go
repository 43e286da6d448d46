package metrics

// UCSSpec is User Continuity Satisfaction: people's rating of how well an answer
// continues the conversation, 1 to 5, higher is better. The value of a question
// is the mean of the ratings of its answer, and the mean counts each rated
// question once.
//
// People rate answers after a run, without knowing which row they come from,
// and usually only a selection: see docs/judging.md. It is undefined if nobody
// rated the answer, whether or not the question failed, and in a run without
// ratings; no program rates. Ratings of an answer that has since changed do not
// count. No run file has it by default.
var UCSSpec = ofItem(Spec{
	Name:    "ucs",
	Doc:     "people's ratings of how well the answer continues the conversation, 1 to 5",
	Source:  "Semantic Anchoring paper, section 4.3 and appendix B; bench judge people",
	Of:      Rated,
	Columns: []Column{{Name: "ucs", Scale: 1, Digits: 2}},
}, func(i Item) Value {
	if i.Rating == nil {
		return Value{}
	}
	return Def(*i.Rating)
})
