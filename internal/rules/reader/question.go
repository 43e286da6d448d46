package reader

import (
	"slices"
	"strings"
	"time"

	"recallbench/internal/text/timex"
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
	askLikely    kind = "likely" // yes or no, by inference: "Would Ana enjoy ..."
	askChoice    kind = "choice" // "A or B"
	askThing     kind = "what"
	askDo        kind = "what done" // what somebody did: an activity
	askStatement kind = "statement" // no question at all
)

// A query is an analysed question.
type query struct {
	words   []word
	kind    kind
	persons []string     // speakers that the question names, lower case, the subject first
	dates   []timex.Expr // times that it names

	// The focus is the noun that the answer names an instance of: "books" in
	// "What books ...". The stem is 0 for none.
	focus    uint64
	focusLow string
	plural   bool            // the focus is: several things may be asked for
	asksName bool            // instances of the focus have names
	members  map[string]bool // everyday instances, where the focus is a known category
	grain    timex.Grain     // Month for "which month", Year for "what year", else Day

	verb    uint64 // stem of the main verb, 0 for none
	verbLow string // the verb, its base form as far as known
	planned bool   // asks about what is to come

	options [2][]word // of a choice

	terms          []term // what lines are matched with
	stems, letters uint64 // bits of the terms, for a quick test

	possessive, nominative, objective string // the pronouns for the person asked about
}

// parse analyses a question. Speakers are the lower-case names of the people
// whose lines are at hand; a date without a year is near the last of the
// lines, at now.
func parse(text string, speakers []string, now time.Time) *query {
	text = strings.ToValidUTF8(text[:min(len(text), maxLine)], " ")
	q := &query{words: split(text)}
	q.words = q.words[:min(len(q.words), maxSentence)]
	finish(q.words)
	for _, e := range timex.Find(text, now) {
		if e.Resolved() && !e.Relative {
			q.dates = append(q.dates, e)
		}
	}
	q.findPersons(speakers)
	q.findPronouns()
	q.classify()
	q.findTerms(speakers)
	return q
}

// findPersons lists the speakers that the question names: by whole names of
// several words, which may share words, else by any part of the name.
func (q *query) findPersons(speakers []string) {
	for _, s := range speakers {
		if name := strings.Fields(s); len(name) > 1 && (&sentence{words: q.words}).has(name) {
			q.persons = append(q.persons, s)
		}
	}
	if len(q.persons) > 0 {
		return
	}
	for _, w := range q.words {
		for _, s := range speakers {
			if w.upper && samePerson(w.low, s) && !slices.Contains(q.persons, s) {
				q.persons = append(q.persons, s)
			}
		}
	}
}

// samePerson reports whether a word names the speaker: with a part of the
// name, or with a short form of at least three letters that begins one.
func samePerson(low, speaker string) bool {
	for part := range strings.FieldsSeq(speaker) {
		if low == part || (len(low) >= 3 && len(part) > len(low) && strings.HasPrefix(part, low)) {
			return true
		}
	}
	return false
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

// low returns word i of the question in lower case, "" beyond its ends.
func (q *query) low(i int) string {
	if i < 0 || i >= len(q.words) {
		return ""
	}
	return q.words[i].low
}

// names reports whether a word names a person that the question is about.
func (q *query) names(w *word) bool {
	return w.upper && slices.ContainsFunc(q.persons, func(p string) bool { return samePerson(w.low, p) })
}
