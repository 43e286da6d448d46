package memory

import "recallbench/internal/text/english"

// Lists of words that the rules share.
var (
	auxiliaries  = english.Set("auxiliaries")
	modals       = english.Set("modals")
	adverbs      = english.Set("adverbs")
	subjects     = english.Set("subjects")
	firstPerson  = english.Set("first person")
	backward     = english.Set("words that point back")
	vague        = english.Set("vague words", "moods") // they say little of what a talk is about
	likings      = english.Set("likings")              // verbs that make a lasting fact of what is liked
	courtesies   = english.Set("courtesies")
	openers      = english.Set("openers") // they join a sentence to the one before
	affirmations = english.Set("affirmations")
	denials      = english.Set("denials")
	placing      = english.Set("prepositions of time")
	leads        = english.Phrases("leads")  // they begin a sentence and are left out
	wishes       = english.Phrases("wishes") // they begin a wish or a farewell
	turns        = english.Phrases("turns")  // with them a speaker turns to something else
)

// starts returns the length of the first of the phrases that words begin with; 0
// for none.
func starts(words []Word, phrases [][]string) int {
phrase:
	for _, p := range phrases {
		if len(p) > len(words) {
			continue
		}
		for k, w := range p {
			if words[k].Low != w {
				continue phrase
			}
		}
		return len(p)
	}
	return 0
}
