package annotate

import (
	"strings"
	"sync"

	"recallbench/internal/door/annotate"
)

// A lexicon holds what the rules know of words. It is general English; no list
// knows a name from a dataset.
type lexicon struct {
	abbreviations map[string]bool
	verbs         map[string]string // irregular forms to their base
	nouns         map[string]string
	degrees       map[string]string
	bases         map[string]bool // bases that bare must not mistake

	endearments map[string]bool // what one calls somebody instead of a name
	common      map[string]bool // words of talk that are no names, though news do not have them
	imperatives map[string]bool // verbs that open an order
	ambiguous   map[string]bool // first names that are words too

	titles  map[string]annotate.Gender // "mr" and its like; empty for neither
	given   map[string]annotate.Gender // first names
	short   map[string]string          // short forms of first names, to the full one
	people  map[string]annotate.Gender // nouns for people
	kin     map[string]bool            // those for relatives and friends, of somebody
	places  map[string]string          // nouns for places, to what kind they are
	things  map[string]string          // other nouns worth remembering, to their kind
	firms   map[string]bool            // last words of names of organisations
	nations map[string]bool            // nationalities
	lands   map[string]bool            // countries and cities
	groups  map[string]bool            // nouns for people together, which "they" takes up

	vague   map[string]bool // nouns that stand for nothing one comes back to
	reports map[string]bool // verbs behind which "if" and "when" open an indirect question

	days    map[string]bool
	months  map[string]bool
	numbers map[string]int
	deictic map[string]bool // words of time that mean another day in another session
}

// words returns the lexicon. It is built when a text first needs it.
var words = sync.OnceValue(newLexicon)

func newLexicon() *lexicon {
	l := &lexicon{
		abbreviations: set(`mr mrs ms dr st prof jr sr vs etc rd ave mt sgt capt lt gen col rev hon approx dept est inc ltd co corp`),
		verbs:         formPairs(verbForms),
		nouns:         formPairs(nounForms),
		degrees:       formPairs(`better good best good worse bad worst bad more more most most less less least least further far farther far furthest far elder old eldest old`),
		bases:         set(verbBases),
		endearments:   set(`honey sweetie sweetheart darling dear babe buddy pal hon sir ma'am madam dude man mom mum mommy dad daddy mate bro sis doctor`),
		common:        set(commonWords),
		imperatives:   set(imperativeVerbs),
		ambiguous:     set(`will may mark grace hope rose art bill bob jack june april faith joy dawn frank grant pat ray rob sue drew gene guy max rich miles penny amber ruby daisy lily ivy olive violet summer autumn eve iris pearl angel chase hunter mason cook dean chance`),
		titles:        make(map[string]annotate.Gender),
		given:         make(map[string]annotate.Gender),
		short:         formPairs(shortNames),
		people:        make(map[string]annotate.Gender),
		kin:           set(kinNouns),
		places:        kinds(placeNouns),
		things:        kinds(thingNouns),
		firms:         set(`inc ltd llc corp corporation company co bank airlines airways university college school academy institute association society club union group agency department committee council church police team hospital foundation`),
		nations:       set(nationWords),
		lands:         phrases(landNames),
		groups:        set(`family team couple band group staff crowd class crew people guys kids parents police company government`),
		vague:         set(vagueNouns),
		reports:       set(`know wonder see check ask tell sure say remember forget decide figure find matter care mind`),
		days:          set(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays`),
		months:        set(`january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec`),
		numbers:       make(map[string]int),
		deictic:       set(`today tomorrow yesterday tonight now next last this ago later earlier`),
	}
	genders(l.titles, annotate.Masculine, `mr mister sir lord uncle grandpa`)
	genders(l.titles, annotate.Feminine, `mrs miss ms madam lady aunt auntie grandma`)
	genders(l.titles, "", `dr doctor prof professor captain officer judge senator president coach`)
	genders(l.given, annotate.Feminine, feminineNames)
	genders(l.given, annotate.Masculine, masculineNames)
	genders(l.given, "", eitherNames)
	genders(l.people, annotate.Masculine, masculineNouns)
	genders(l.people, annotate.Feminine, feminineNouns)
	genders(l.people, "", peopleNouns)
	for i, n := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty`) {
		l.numbers[n] = i
	}
	for i, n := range strings.Fields(`thirty forty fifty sixty seventy eighty ninety hundred`) {
		l.numbers[n] = 30 + 10*i
	}
	return l
}

// set reads words between white space.
func set(list string) map[string]bool {
	m := make(map[string]bool)
	for f := range strings.FieldsSeq(list) {
		m[f] = true
	}
	return m
}

// phrases reads phrases between commas or line breaks.
func phrases(list string) map[string]bool {
	m := make(map[string]bool)
	for f := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '\n' }) {
		if f = strings.TrimSpace(f); f != "" {
			m[f] = true
		}
	}
	return m
}

// formPairs reads "form base form base ...".
func formPairs(list string) map[string]string {
	m := make(map[string]string)
	f := strings.Fields(list)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// kinds reads lines of "kind: words".
func kinds(list string) map[string]string {
	m := make(map[string]string)
	for line := range strings.Lines(list) {
		kind, members, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		for f := range strings.FieldsSeq(members) {
			m[f] = strings.TrimSpace(kind)
		}
	}
	return m
}

func genders(m map[string]annotate.Gender, g annotate.Gender, list string) {
	for f := range strings.FieldsSeq(list) {
		m[f] = g
	}
}
