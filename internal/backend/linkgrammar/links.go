package linkgrammar

import "strings"

// A side says which word of a link is the head.
type side bool

const (
	left  side = false
	right side = true
)

// A rule says what a link of a kind is as a universal dependency.
type rule struct {
	head  side
	label string
}

// rules are those of kinds of links that mean one thing wherever they stand. The
// kinds are described in the dictionary's documentation; the labels are those of
// Universal Dependencies 2. Kinds that depend on the words around them are in
// tree.go. What is in neither, such as links of punctuation, is no dependency.
var rules = map[string]rule{
	// Noun phrases.
	"A":  {right, "amod"},
	"AA": {right, "advmod"}, // "as big a dog"
	"AN": {right, "compound"},
	"G":  {right, "compound"}, // within a name
	"GN": {left, "appos"},     // "the hotel Gonville"
	"DD": {right, "det"},
	"DT": {right, "det"}, // "next week"
	"DG": {right, "det"}, // before a name
	"DP": {right, "nmod:poss"},
	"L":  {right, "amod"}, // a superlative, by its determiner
	"MX": {left, "appos"},

	// Numbers.
	"NA": {right, "nummod"},
	"ND": {right, "nummod"}, // "9 am"
	"NI": {right, "nummod"},
	"NM": {left, "nummod"}, // "room 5"
	"NN": {right, "nummod"},
	"NW": {right, "compound"},
	"NF": {left, "nmod"}, // "half of it"

	// Adverbs.
	"E":  {right, "advmod"}, // before a verb
	"EA": {right, "advmod"}, // before an adjective
	"EC": {right, "advmod"}, // before a comparative
	"EE": {right, "advmod"}, // before an adverb
	"EL": {left, "advmod"},  // "what else"
	"EN": {right, "advmod"}, // "about ten"
	"EZ": {right, "advmod"}, // "almost as"
	"H":  {right, "advmod"}, // "how many"
	"QI": {left, "ccomp"},   // "whether", "how" below a verb

	// Verbs.
	"N":  {left, "neg"}, // "not" behind an auxiliary
	"K":  {left, "compound:prt"},
	"OF": {left, "obl"}, // "think of it"
	"OT": {left, "obl"}, // "lasted five hours"
	"OX": {left, "obj"}, // a filler: "find it hard"
	"SF": {right, "expl"},
	"Q":  {right, "advmod"}, // "where did"
	"PF": {right, "advmod"}, // "here is"
	"TI": {left, "xcomp"},   // "as chairman"
	"TM": {left, "nummod"},  // "May 5"
	"TS": {left, "ccomp"},   // "suggest that"
	"TY": {left, "nummod"},  // "May 5, 2019"
	"TW": {right, "nmod"},   // "Monday, May 5"

	// Relative clauses.
	"RS": {right, "nsubj"},
}

// Words on which a label depends. Others that are as good have them in the
// dictionary under the same kind of link.
var (
	be      = set("be am is are was were been being 's 're 'm ain't isn't aren't wasn't weren't")
	have    = set("have has had having 've 'd 's haven't hasn't hadn't")
	do      = set("do does did don't doesn't didn't")
	modal   = set("will would can could shall should may might must 'll 'd cannot can't couldn't won't wouldn't shouldn't mustn't needn't ought")
	getting = set("get gets got getting gotten")
	// possessive are determiners that stand for somebody.
	possessive = set("my your his her its our their whose")
	wh         = set("what which who whom whose whatever whichever whoever when where why how")
	// number are determiners that count.
	number = set("one two three four five six seven eight nine ten eleven twelve hundred thousand million")
)

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// auxiliary reports whether a word can be an auxiliary.
func auxiliary(w string) bool { return be[w] || have[w] || do[w] || modal[w] }
