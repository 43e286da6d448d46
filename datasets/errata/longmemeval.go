package errata

import "recallbench/datasets"

// longMemEvalIssues is what readers report of LongMemEval in issues of its repository:
// reported there, and audited by nobody. The questions are known by their names in the
// release, and their texts are not repeated.
var longMemEvalIssues = source{
	Spec: &datasets.Spec{
		Name:     "longmemeval-issues",
		Doc:      "7 questions of LongMemEval that issues of its repository object to; reported, not audited",
		Source:   longMemEvalRepository,
		License:  "Apache-2.0",
		Embedded: true,
	},
	parse: func(name string, _ []byte) (*Overlay, error) {
		r := reader{overlay: &Overlay{
			Name: name, Version: "2026-11", Dataset: "longmemeval", License: "Apache-2.0",
			Source: longMemEvalRepository, file: name, Entries: []Entry{
				{ID: "a3332713", Action: Exclude, Kind: "distractor", Why: "a filler session of the first release adds a gift", Ref: "#11"},
				{ID: "ad7109d1", Action: Exclude, Kind: "distractor", Why: "a filler session of the first release names another speed", Ref: "#12"},
				{ID: "dd2973ad", Action: Exclude, Kind: "temporal", Why: "the bedtime is of a later day than the appointment", Ref: "#21"},
				{ID: "9aaed6a3", Action: Exclude, Kind: "temporal", Why: "last Thursday is 25 May by the question's date, and the answer is of 18 May", Ref: "#50"},
				{ID: "gpt4_f420262d", Action: Exclude, Kind: "temporal", Why: "the labelled flight is on 20 February, not on 14 February", Ref: "#50"},
				{ID: "gpt4_88806d6e", Action: Exclude, Kind: "temporal", Why: "who was met first is disputed", Ref: "#40"},
				{
					ID: "370a8ff4", Gold: "15", Action: Correct, Answers: []string{"about 11.6 weeks (81 days)"},
					Kind: "temporal", Why: "19 January to 10 April are 81 days", Ref: "#40",
				},
			},
		}}
		for i := range r.overlay.Entries {
			r.overlay.Entries[i].line = i + 1
		}
		return r.finish()
	},
}

const longMemEvalRepository = "https://github.com/xiaowu0162/LongMemEval/issues"
