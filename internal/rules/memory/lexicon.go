package memory

import "strings"

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Lists are in the order of the alphabet, but for closed classes.
var (
	auxiliaries = set(`am is are was were 'm 're do does did has have had 've can could will 'll would 'd shall
should may might must ca wo ai`)
	modals  = set("ca wo can could will 'll would 'd shall should may might must")
	adverbs = set(`actually almost already also always both definitely even ever finally hardly just mostly
never now often only previously probably rarely really recently simply sometimes soon still totally truly
usually`)
	subjects = set("i you he she it we they who that this there these those")

	firstPerson = set("i me my mine myself we us our ours ourselves im")

	// backward point to something that was said before.
	backward = set("it that this these those they he she his her its their them him such both which")

	// vague words say little of what a talk is about: verbs of saying and
	// thinking, general nouns, praise and moods.
	vague = set(`absolute afternoon agree agreed amaze amazed amazing appreciate appreciated awesome beautiful best better
big blessed brave bring brings brought check come comes coming ca cool couple crazy cute day days deserve difficult
easy end everyday evening excited excitement exciting experience experiences fantastic feel feeling feelings
feels felt find finding found fun funny future gave give gives giving glad good grateful great guess guys happen happened happens happy
hard hear heard hearing help helpful helping helps hope hopefully hoping huge idea imagine impressed impressive important
incredible inspire inspired inspiring interested interesting keep keeping keeps kept kinda knew know
knowing life literally little loads long look looked looking looks lovely luck lucky man mean means meant mind moment moments
morning need needed needs new nice night ok old pay perfect person place places pleasure plenty pretty proud
put ready real reason remind reminder reminds right sad said say saying says see seeing seem seems seen sense share shared sharing show
shows soon sorry sound sounds sounding special stay stuff super sure surely sweet take takes taking talk talking tell tells
thankful thing things think thinking thought thoughts time times today together told tomorrow tonight took totally tough tried
true truly try trying understand use used useful wait want wanted wanting wants way ways week weekend welcome whole wish
wishing wo wonder wonderful word words work worth wow year years yesterday`)

	// verdicts are what is said of how somebody feels about what was said.
	verdicts = set(`amazed excited glad grateful happy honored impressed jealous pleased proud relieved sad sorry
stoked sure surprised thankful thrilled`)

	// likings are verbs that make a lasting fact of what is liked.
	likings = set(`adore adored adores enjoy enjoyed enjoying enjoys favorite favourite hate hated hates like liked likes
love loved loves loving prefer preferred prefers`)

	// courtesies begin clauses that say nothing but courtesy.
	courtesies = set(`appreciate bravo bye cheers congrats congratulations enjoy farewell glad goodbye goodnight happy hope hoping
keep sorry take thank thanks welcome wish wishing yay`)

	// openers join a sentence to the one before and say nothing themselves.
	openers = set("and but so also plus then anyway anyways besides honestly basically actually well or yet btw")

	// farewells and greetings are the borders of talks.
	farewells = set("bye goodbye goodnight farewell later soon care tomorrow")
	greetings = set("hey hi hello morning evening afternoon greetings yo")

	// affirmations and denials answer a question that begins with an auxiliary.
	affirmations = set("absolutely certainly definitely exactly sure totally yeah yep yes yup")
	denials      = set("nah no nope never not")

	// hypotheses are words of what is not, or not yet.
	hypotheses = set("if maybe perhaps would could should might 'd")

	// placing are the words before an expression of time that tell its place.
	placing = set("about after around at before by during for from in into last of on over past since the this till to until")
)

// leads are phrases that begin a sentence and are left out, longer ones before
// those that begin them.
var leads = [][]string{
	strings.Fields("to be honest"), strings.Fields("by the way"),
	strings.Fields("speaking of which"), strings.Fields("in other words"), strings.Fields("of course"), strings.Fields("you know what"),
	strings.Fields("you know"), strings.Fields("i mean"), strings.Fields("guess what"), strings.Fields("in fact"),
	strings.Fields("as well"), strings.Fields("at least"), strings.Fields("i think"), strings.Fields("i guess"),
}

// wishes are phrases that begin a wish, a farewell or what only leads on.
var wishes = [][]string{
	strings.Fields("good luck"), strings.Fields("ca n't wait"), strings.Fields("i hope"), strings.Fields("i appreciate"),
	strings.Fields("let me"), strings.Fields("see you"), strings.Fields("talk to you"),
}

// turns are phrases with which a speaker turns to something else.
var turns = [][]string{
	strings.Fields("by the way"), strings.Fields("speaking of"), strings.Fields("guess what"), strings.Fields("on another note"),
	strings.Fields("what about you"), strings.Fields("how about you"), strings.Fields("what else"), strings.Fields("anything else"),
	strings.Fields("anything new"), strings.Fields("what 's new"), strings.Fields("what 's up"), strings.Fields("how 's"),
	strings.Fields("btw"), strings.Fields("anyway"), strings.Fields("oh and"), strings.Fields("did i"), strings.Fields("have i"),
	strings.Fields("changing the subject"), strings.Fields("before i forget"), strings.Fields("i wanted to tell"),
}

// starts reports whether the words from i on are the phrase.
func starts(words []Word, i int, phrase []string) bool {
	if i+len(phrase) > len(words) {
		return false
	}
	for k, p := range phrase {
		if words[i+k].Low != p {
			return false
		}
	}
	return true
}
