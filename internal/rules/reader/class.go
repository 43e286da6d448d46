package reader

import "strings"

// A class is what a word does in a text, as far as closed lists tell.
type class uint8

// The classes.
const (
	content  class = iota // carries meaning
	function              // articles, pronouns, prepositions, auxiliaries
	filler                // greetings and chatter
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// functionWords are the closed-class words of English and the commonest verbs
// and adverbs that say little by themselves.
var functionWords = set(`
a an the this that these those some any no every each either neither both all another other such same own
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
we us our ours ourselves they them their theirs themselves one ones someone somebody something anyone anybody
anything everyone everybody everything nobody nothing
am is are was were be been being do does did done doing don have has had having can could will would shall
should may might must ought
's 're 've 'll 'd 'm n't
and or but nor so yet for if than then as because since while although though unless until when where who
whom whose which what why how whether
of in on at by to from with without about into onto over under between among through during before after
above below up down out off again against around across along toward towards upon within
not too very just also only even still ever never now here there quite rather really much many more most less
least few lot lots bit kind sort
get gets got getting gotten go goes going went gone make makes made making let lets
'cause cause gonna wanna gotta cannot via per etc vs
`)

// fillerWords carry the tone of a chat and no facts.
var fillerWords = set(`
hey hi hello yeah yep yes nope no wow oh ah haha lol okay ok sure thanks thank thanx bye well cool awesome
great nice amazing good glad absolutely definitely totally exactly btw anyway hmm um uh yay woah whoa aw aww
course right congrats congratulations gosh omg actually
`)

func classOf(low string) class {
	switch {
	case functionWords[low]:
		return function
	case fillerWords[low]:
		return filler
	}
	return content
}
