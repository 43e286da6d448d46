package reader

// A class is what a word does in a text, as far as closed lists tell.
type class uint8

// The classes.
const (
	content  class = iota // carries meaning
	function              // articles, pronouns, prepositions, auxiliaries
	filler                // greetings and chatter
)

// functionWords are the closed-class words of English and the commonest verbs
// and adverbs that say little by themselves.
var functionWords = list("functionWords")

// fillerWords carry the tone of a chat and no facts.
var fillerWords = list("fillerWords")

func classOf(low string) class {
	switch {
	case functionWords[low]:
		return function
	case fillerWords[low]:
		return filler
	}
	return content
}
