package dialogrel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A role is what a name is in its sentence, as far as the words next to it tell
// without doubt.
type role int

const (
	unclear    role = iota // leave the name
	subject                // "Ann said", "did Ann say"
	object                 // "told Ann.", "with Ann in"
	possessive             // "Ann's", with what she owns or does
	contracted             // "Ann's going"
)

// A reading is the role of a name, and whether it starts a sentence.
type reading struct {
	role   role
	starts bool
}

// readingOf looks at the words around a name.
func readingOf(text string, at span) reading {
	before, mark := wordBefore(text, at.start)
	starts := before == "" && mark != ',' && mark != inside
	rest := text[at.end:]
	if owned, ok := cutAny(rest, "'s ", "’s "); ok {
		if coordinated[before] || title(before) {
			return reading{}
		}
		next := firstWord(owned)
		switch lower := strings.ToLower(next); {
		case next == "" || lower != next:
			return reading{}
		case contracting[lower]:
			return reading{contracted, starts}
		}
		return reading{possessive, starts}
	}
	next, ends := firstWord(strings.TrimPrefix(rest, " ")), endsClause(rest)
	if !ends && (!strings.HasPrefix(rest, " ") || next == "" || next != strings.ToLower(next)) {
		return reading{}
	}
	switch {
	case mark == inside || title(before) || coordinated[next]:
		return reading{}
	case (starts || mark == ',' || clauses[before] || before == "but") && verbs[next], before == "and" && singular[next]:
		return reading{subject, starts}
	case inverted(text, at.start) && !ends:
		return reading{subject, false}
	case (prepositions[before] || transitive[before]) && (ends || after[next]):
		return reading{object, false}
	}
	return reading{}
}

// inside is the mark of a place that is within a word, or behind a mark that does
// not tell what follows.
const inside = '-'

// wordBefore returns the word before a place, in lower case if it starts a
// sentence. It is empty at the start of a text and behind a mark, which is then
// returned: one that ends a sentence, a comma, or inside.
func wordBefore(text string, at int) (word string, mark rune) {
	head := strings.TrimRight(text[:at], " ")
	if len(head) == at && at > 0 {
		return "", inside
	}
	start := wordStart(head)
	if word = head[start:]; word != "" {
		if strings.TrimRight(head[:start], " ") == "" || strings.ContainsAny(lastOf(head[:start]), ".!?…") {
			word = strings.ToLower(word)
		}
		return word, 0
	}
	r, _ := utf8.DecodeLastRuneInString(head)
	if head != "" && !strings.ContainsRune(".!?…,", r) || r == '.' && abbreviated(head) {
		return "", inside
	}
	return "", r
}

// wordStart returns where the word at the end of a text begins: its length for no
// word.
func wordStart(s string) int {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !inWord(r) && r != '\'' && r != '’' })
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size
}

// abbreviated tells whether a text ends in a title or an initial, whose period ends
// no sentence.
func abbreviated(head string) bool {
	head = strings.TrimSuffix(head, ".")
	word := head[wordStart(head):]
	return utf8.RuneCountInString(word) == 1 || titles[strings.ToLower(word)]
}

// lastOf returns the last character of a text but for spaces.
func lastOf(s string) string {
	s = strings.TrimRight(s, " ")
	_, size := utf8.DecodeLastRuneInString(s)
	return s[len(s)-size:]
}

func firstWord(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) && r != '\'' && r != '’' })
	if end < 0 {
		end = len(s)
	}
	return strings.ReplaceAll(s[:end], "’", "'")
}

// endsClause tells whether a text goes on with the end of a sentence, or with a
// comma and the subject of another clause.
func endsClause(rest string) bool {
	if more, ok := strings.CutPrefix(rest, ", "); ok {
		return resumes[strings.ToLower(firstWord(more))]
	}
	_, ends := cutAny(rest, ".", "!", "?", "…", "—", "–")
	return rest == "" || ends
}

// title tells whether a word before a name is a part of it, as Dr or Uncle.
func title(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && word != "I"
}

// inverted tells whether the words before a place are those of a question about
// a subject: "Did", "what does".
func inverted(text string, at int) bool {
	verb, _ := wordBefore(text, at)
	if !auxiliaries[verb] {
		return false
	}
	head := strings.TrimRight(text[:at], " ")
	word, mark := wordBefore(text, len(head)-len(verb))
	return word == "" && mark != ',' && mark != inside || asks[word]
}

func cutAny(s string, prefixes ...string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}

var (
	titles      = set("dr mr mrs ms st prof rev sr jr")
	coordinated = set("and or nor & but")
	clauses     = set("because if when that so what since then how why where while until after before though although says said think know hope guess bet believe")
	auxiliaries = set("did does is was has will would can could should")
	asks        = set("what when where why how who which")
	verbs       = set(`is was has had will would can could should might must may does did isn't wasn't hasn't hadn't won't wouldn't can't
		couldn't shouldn't doesn't didn't said says told tells went goes came comes got gets gave gives took takes made makes
		likes liked loves loved wants wanted thinks thought knows knew feels felt left leaves called calls asked asks moved
		lives lived works worked broke kissed married met needs needed looks looked seems seemed just never always still really
		also already`)
	prepositions = set("to with for about from at on by in without behind near against")
	transitive   = set(`told tell telling love loves loved like likes liked see saw seen met meet meeting call called calling know knows knew
		ask asked asking kiss kissed kissing miss missed marry married marrying help hate hates dating dated date invite invited
		hired fired found find visit visiting left leave believe bring brought give gave show let make made take took put keep kept
		need watch stop thank`)
	after = set(`in at on for with about from to because when if that tonight today tomorrow yesterday again now too anymore here there
		before after since until out up off down over so last this next away`)
	singular    = set("is was has isn't wasn't hasn't doesn't says tells goes comes gets gives takes makes likes loves wants thinks knows feels lives works needs looks seems")
	resumes     = set("but so because i he she you we they it don't then now")
	contracting = set(`a an the going gonna gotta got been not just so really very still always never here there in on at my your our
		their like right gone done coming getting about supposed too all already such back doing being
		having making talking trying looking working taking dating moving leaving marrying seeing waiting wearing calling`)
)

// A gender is that of a pronoun.
type gender byte

const (
	unknown   gender = 0
	feminine  gender = 'f'
	masculine gender = 'm'
)

// genderOf returns the gender that a name of a person tells by a title, or by a
// given name of those that are common in English; unknown for any other.
func genderOf(name string) gender {
	first, _, _ := strings.Cut(name, " ")
	switch word := strings.TrimSuffix(strings.ToLower(first), "."); {
	case feminineNames[word]:
		return feminine
	case masculineNames[word]:
		return masculine
	}
	return unknown
}

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// Names that are given to both, such as Alex, Chris and Sam, are in neither.
var feminineNames = set(`
	mrs ms miss aunt grandma queen lady
	alice amanda amy andrea angela anita ann anna anne annie barbara beth betty beverly bonnie brenda carla carol caroline
	catherine charlotte cheryl christina christine cindy claire colleen connie cynthia daisy dawn deborah debra denise diana
	diane donna doris dorothy elaine eleanor elizabeth ellen emily emma erica esther ethel eva evelyn fiona florence frances
	gail gina gloria grace hannah hazel heather heidi helen holly ida irene isabel jane janet janice jasmine jean jennifer
	jenny jessica jill joan joanna josephine joyce judith judy julia julie june karen kate katherine kathleen kathy katie
	kimberly kristen kristin laura lauren laurie linda lisa liz lois lori lorraine louise lucy lydia margaret maria marie
	marilyn marjorie martha mary megan melanie melissa michelle mildred mindy molly monica nancy naomi natalie nicole nina
	nora norma olivia pamela patricia paula pauline peggy penny phoebe phyllis rachel rebecca renee rhonda rita rose rosemary
	rosie roxanne ruby ruth sally samantha sandra sandy sara sarah sharon sheila shirley sophia sophie stacy stella stephanie
	sue susan susie suzanne sylvia tammy tanya teresa theresa tina tracy ursula valerie vanessa vera veronica victoria
	virginia vivian wanda wendy yvonne zoe
`)

var masculineNames = set(`
	mr uncle grandpa king lord sir
	aaron abraham adam alan albert alexander alfred allen andrew anthony arnold arthur barry ben benjamin bernard bill billy
	bob bobby bradley brandon brian bruce bryan carl carlos charles charlie chandler chuck clarence clark craig curtis dan
	daniel dave david dean dennis derek don donald doug douglas duncan dwight earl ed eddie edgar edward edwin eric ernest
	ernie ethan eugene felix floyd francis frank franklin fred frederick gary gavin gene george gerald gilbert glen glenn
	gordon greg gregory gunther gus harold harry harvey henry herbert herman howard hugh isaac ivan jack jacob jake james
	jason jeff jeffrey jeremy jerome jerry jesse jim jimmy joe joel joey john johnny jon jonathan joseph joshua juan justin
	keith ken kenneth kevin kyle larry lawrence leo leon leonard leroy lester lloyd louis luke marcus mario mark martin
	marvin matt matthew max melvin michael mike milton mitchell nathan neil nicholas nick norman oliver oscar otto patrick
	paul peter phil philip phillip ralph ray raymond richard rick rob robert rodney roger roland ron ronald ross roy russell
	scott sean sebastian seth sidney simon stanley stephen steve steven stuart ted theodore thomas tim timothy todd tom tommy
	tony travis vernon victor vincent vince walter warren wayne wesley will william willie zachary
`)
