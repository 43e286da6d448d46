package reader

// tieWords are the nouns and verbs by which the ends of a tie speak of it: those
// for the one who is asked for, and for the one who is named.
func tieWords(t relation) (them, us map[string]bool) {
	them, us = lists["them "+string(t)], lists["us "+string(t)]
	if us == nil {
		us = them
	}
	return them, us
}

// endearments are what people are called without a name.
var endearments = list("endearments")
