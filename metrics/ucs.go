package metrics

// UCSSpec is User Continuity Satisfaction: how well people found that an answer
// goes on from the past conversation, 1 to 5, higher is better. The value of a
// request is the mean of the ratings of its answer, and the mean over requests is
// that of all that were rated, each once.
//
// People rate answers after a run, without knowing whose they are, and mostly a
// sample of them: see docs/judging.md. It is undefined where nobody rated the
// answer, whether or not the request failed, and in a run without ratings; no
// program rates. Ratings of an answer that the request no longer has do not
// count. No config has it by default.
var UCSSpec = &Spec{
	Name:    "ucs",
	Doc:     "people's ratings of how well the answer goes on from the past, 1 to 5",
	Source:  "Semantic Anchoring paper, section 4.3 and appendix B; bench judge people",
	Of:      Rated,
	Columns: []Column{{Name: "ucs", Scale: 1, Digits: 2}},
	Score: func(i Item) []Value {
		if i.Rating == nil {
			return make([]Value, 1)
		}
		return []Value{Def(*i.Rating)}
	},
}
