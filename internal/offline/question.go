package offline

import (
	"strings"
	"time"

	"recallbench/internal/timex"
)

// A kind is what a question asks for.
type kind string

// The kinds of questions.
const (
	askWhen      kind = "when"
	askHowLong   kind = "how long"
	askHowOften  kind = "how often"
	askHowMany   kind = "how many"
	askHow       kind = "how"
	askWho       kind = "who"
	askWhere     kind = "where"
	askWhy       kind = "why"
	askYesNo     kind = "yes or no"
	askLikely    kind = "likely"
	askChoice    kind = "choice"
	askThing     kind = "what"
	askDo        kind = "what done" // what somebody did: an activity
	askStatement kind = "statement"
)

// A query is an analysed question.
type query struct {
	text  string
	words []word
	kind  kind
	// focus is the stem of the noun that the answer names an instance of:
	// "books" in "What books ...", 0 for none.
	focus          uint64
	focusLow       string
	focusTime      timex.Grain     // for "which month", "what year"
	plural         bool            // several things may be asked for
	members        map[string]bool // instances of the noun asked for, where it is a known category
	terms          []term          // what lines are matched with
	stems, letters uint64          // of the terms, for a quick test
	persons        []string        // speakers that the question names, lower case, the subject first
	dates          []timex.Expr
	past           bool      // asks about what happened
	tense          string    // the first auxiliary, such as 'did'
	verb           uint64    // stem of the main verb, 0 for none
	verbLow        string    // its base form as far as known
	options        [2][]word // of a choice

	possessive, nominative, objective string // the pronouns for the person asked about
}

// A term is a stem to look for.
type term struct {
	stem   uint64
	low    string
	others []uint64 // stems of words of the same meaning
	base   float64  // weight beside its rarity
	weight float64  // with rarity, set for the evidence at hand
}

// generic nouns name what is asked for and are seldom said in the answer.
var generic = set(`kind type sort thing way name activity event item person place reason example
number amount time date day month year week people way field area aspect topic`)

// parse analyses a question. Speakers are the lower-case names of the people
// whose lines are at hand; a date without a year is near the last of the
// lines, at now.
func (a *analyser) parse(text string, speakers []string, now time.Time) (*query, error) {
	tagger, err := a.tagger()
	if err != nil {
		return nil, err
	}
	if len(text) > maxLine {
		text = text[:maxLine]
	}
	text = strings.ToValidUTF8(text, " ")
	q := &query{text: text, words: split(text)}
	if len(q.words) > maxSentence {
		q.words = q.words[:maxSentence]
	}
	finish(q.words, tagger)
	for _, e := range timex.Find(text, now) {
		if e.Resolved() && !e.Relative {
			q.dates = append(q.dates, e)
		}
	}
	q.findPersons(speakers)
	q.classify()
	q.findTerms(speakers)
	q.filter()
	q.findPronouns()
	return q, nil
}

// findPronouns sets the pronouns to speak of the person with: those that the
// question uses, else "they".
func (q *query) findPronouns() {
	q.possessive, q.nominative, q.objective = "their", "they", "them"
	for _, w := range q.words {
		switch w.low {
		case "she", "her", "herself":
			q.possessive, q.nominative, q.objective = "her", "she", "her"
			return
		case "he", "his", "him", "himself":
			q.possessive, q.nominative, q.objective = "his", "he", "him"
			return
		}
	}
}

func (q *query) low(i int) string {
	if i < 0 || i >= len(q.words) {
		return ""
	}
	return q.words[i].low
}

// findPersons lists the speakers that the question names. Short forms count
// when they begin a speaker's name.
func (q *query) findPersons(speakers []string) {
	for _, w := range q.words {
		for _, s := range speakers {
			if w.upper && samePerson(w.low, s) {
				seen := false
				for _, p := range q.persons {
					seen = seen || p == s
				}
				if !seen {
					q.persons = append(q.persons, s)
				}
			}
		}
	}
}

// samePerson reports whether a word names the speaker: the first or last name,
// or a short form of at least three letters.
func samePerson(low, speaker string) bool {
	for part := range strings.FieldsSeq(speaker) {
		if low == part || (len(low) >= 3 && len(part) > len(low) && strings.HasPrefix(part, low)) {
			return true
		}
	}
	return false
}

var auxiliaries = set("is are was were do does did has have had can could will would should may might must am")

// classify finds the kind of the question from its first question word.
func (q *query) classify() {
	at := -1
	for i, w := range q.words {
		switch w.low {
		case "what", "which", "who", "whom", "whose", "when", "where", "why", "how":
			at = i
		}
		if at >= 0 {
			break
		}
	}
	first := q.low(0)
	q.past = true
	for _, w := range q.words {
		if auxiliaries[w.low] {
			q.tense = w.low
			break
		}
	}
	for _, w := range q.words {
		switch w.low {
		case "will", "going", "plan", "plans", "planning", "planned", "upcoming":
			q.past = false
		}
	}
	for _, w := range q.words {
		if w.low == "likely" || w.low == "might" || w.low == "probably" || (w.low == "would" && at < 0) {
			if at < 0 || at > 3 {
				q.kind = askLikely
			}
		}
	}
	if (at < 0 || at > 0) && auxiliaries[first] {
		if q.kind == "" {
			q.kind = askYesNo
		}
		q.findChoice()
		return
	}
	if at < 0 {
		q.kind = askStatement
		return
	}
	next := q.low(at + 1)
	switch q.words[at].low {
	case "when":
		q.kind = askWhen
	case "where":
		q.kind = askWhere
	case "why":
		q.kind = askWhy
	case "who", "whom", "whose":
		q.kind = askWho
	case "how":
		switch next {
		case "long":
			q.kind = askHowLong
		case "often", "frequently":
			q.kind = askHowOften
		case "many", "much", "old":
			q.kind = askHowMany
			q.findFocus(at + 2)
		default:
			q.kind = askHow
		}
	default:
		q.kind = askThing
		q.findFocus(at + 1)
		switch q.focusLow {
		case "year":
			q.kind, q.focusTime = askWhen, timex.Year
		case "month":
			q.kind, q.focusTime = askWhen, timex.Month
		case "date", "day", "week", "weekend":
			q.kind = askWhen
		case "city", "country", "state", "place", "location", "town", "area", "region", "spot", "continent":
			q.kind = askWhere
		case "person", "friend":
			q.kind = askWho
		case "reason":
			q.kind = askWhy
		}
	}
	q.findVerb(at + 1)
	q.members = members[q.focus]
	switch {
	case q.members != nil:
	case q.kind == askWhere:
		q.members = places
	case q.verbLow == "feel":
		q.members = members[hash(stem("emotion"))]
	}
	if q.kind == askThing && q.focus == 0 && q.verb == hash(stem("do")) {
		q.kind = askDo
	}
}

// findFocus reads the noun after "what", "which" or "how many": the last noun
// before the verb, and the noun after "kind of" and its like.
func (q *query) findFocus(i int) {
	if auxiliaries[q.low(i)] || q.low(i) == "'s" {
		// "What is the name of ...", "What was Ana's favourite film": the head
		// of the phrase.
		if q.low(i) == "is" || q.low(i) == "was" || q.low(i) == "are" || q.low(i) == "were" || q.low(i) == "'s" {
			q.copular(i + 1)
		}
		return
	}
	for ; i < len(q.words); i++ {
		w := q.words[i]
		if auxiliaries[w.low] || w.punct {
			break
		}
		if isNoun(w.tag) || (q.focus == 0 && w.class == content && !strings.HasPrefix(w.tag, "V")) {
			q.focus, q.focusLow = w.stem, w.low
			q.plural = isPlural(w)
		}
		if strings.HasPrefix(w.tag, "V") && q.focus != 0 && !isNoun(w.tag) {
			break
		}
		if w.low == "of" || w.low == "the" || w.class == content || w.low == "or" || w.low == "and" {
			continue
		}
		if w.class == function && q.focus != 0 && w.low != "'s" {
			break
		}
	}
}

// copular reads the noun phrase after "what is".
func (q *query) copular(i int) {
	for ; i < len(q.words); i++ {
		w := q.words[i]
		switch {
		case w.low == "'s":
			q.focus = 0
			continue
		case w.punct, w.low == "of", w.low == "for", w.low == "that", w.low == "to", w.low == "in", w.low == "about":
			if q.focus != 0 {
				return
			}
		case isNoun(w.tag):
			q.focus, q.focusLow = w.stem, w.low
			q.plural = isPlural(w)
		case strings.HasPrefix(w.tag, "V") && q.focus != 0:
			return
		}
	}
}

// findVerb finds the main verb: the first verb after the subject.
func (q *query) findVerb(i int) {
	aux := false
	for ; i < len(q.words); i++ {
		w := q.words[i]
		if auxiliaries[w.low] {
			aux = true
			if q.verb == 0 && (w.low == "do" || w.low == "have") && i > 0 && q.words[i-1].class != function {
				q.verb, q.verbLow = w.stem, w.low
			}
			continue
		}
		if strings.HasPrefix(w.tag, "V") && aux {
			q.verb, q.verbLow = w.stem, lemma(w.low)
			return
		}
	}
}

// findChoice reads "A or B" at the end of a yes-or-no question.
func (q *query) findChoice() {
	for i, w := range q.words {
		if w.low != "or" || i == 0 || i+1 >= len(q.words) {
			continue
		}
		from := i
		for from > 0 && from > i-5 && (q.words[from-1].class == content || q.words[from-1].low == "a" || q.words[from-1].low == "an" || q.words[from-1].low == "the") &&
			!strings.HasPrefix(q.words[from-1].tag, "V") && !q.words[from-1].punct {
			from--
		}
		to := i + 1
		for to < len(q.words) && !q.words[to].punct {
			to++
		}
		if from < i && to > i+1 {
			q.options = [2][]word{q.words[from:i], q.words[i+1 : to]}
			if q.low(i+1) != "not" {
				q.kind = askChoice
			}
		}
		return
	}
}

// findTerms collects the stems that lines are matched with.
func (q *query) findTerms(speakers []string) {
	inDate := func(w word) bool {
		for _, e := range q.dates {
			if w.start >= e.Start && w.end <= e.End {
				return true
			}
		}
		return false
	}
	seen := make(map[uint64]bool)
	for i, w := range q.words {
		if w.punct || inDate(w) || seen[w.stem] {
			continue
		}
		speaker := false
		for _, s := range speakers {
			speaker = speaker || (w.upper && samePerson(w.low, s))
		}
		if speaker {
			continue
		}
		t := term{stem: w.stem, low: w.low, base: 1, others: synonyms[w.stem]}
		switch {
		case w.class == function:
			if w.stem == q.verb && w.low != "do" && w.low != "did" && w.low != "have" {
				t.base = 0.3
				break
			}
			continue
		case w.class == filler:
			t.base = 0.3
		case w.stem == q.focus && (generic[singular(w.low)] || i <= 1):
			t.base = 0.5
			if generic[singular(w.low)] {
				t.base = 0.15
			}
		case generic[singular(w.low)]:
			t.base = 0.3
		case strings.HasPrefix(w.tag, "V"):
			t.base = 0.8
		case strings.HasPrefix(w.tag, "RB"):
			t.base = 0.5
		}
		seen[w.stem] = true
		q.terms = append(q.terms, t)
	}
}

func isNoun(tag string) bool { return strings.HasPrefix(tag, "NN") }

func isPlural(w word) bool {
	return w.tag == "NNS" || w.tag == "NNPS" || (strings.HasSuffix(w.low, "s") && !strings.HasSuffix(w.low, "ss") && isNoun(w.tag) && len(w.low) > 3)
}

// singular drops a plural ending, as far as spelling tells.
func singular(low string) string {
	switch {
	case strings.HasSuffix(low, "ies") && len(low) > 4:
		return low[:len(low)-3] + "y"
	case strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss"):
		return low[:len(low)-1]
	}
	return low
}
