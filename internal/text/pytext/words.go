package pytext

import (
	"strings"
	"unicode/utf8"
)

// AppendWords appends to dst the tokens of s as NLTK's word_tokenize splits English text
// (versions 3.9.1 and 3.9.2): sentences first, then each by NLTKWordTokenizer,
// which makes tokens of punctuation, splits contractions (do n't) and writes
// double quotes as two backticks or two single quotes.
//
// It departs from NLTK in one case. A last ! or ? right behind a period is a sentence
// of its own to NLTK, so that the period ends a sentence and becomes a token. Before
// more text, and here also at the end, it stays in its word. Reference values made
// without Punkt, as those of this project's fixtures, have it so.
func AppendWords(dst []string, s string) []string {
	s = trimRight(s)
	var buf [8]string
	list := AppendSentences(buf[:0], s)
	if n := len(list) - 1; n > 0 && (list[n] == "!" || list[n] == "?") && strings.HasSuffix(s, "."+list[n]) {
		last := list[n-1]
		list = append(list[:n-1], s[len(s)-1-len(last):])
	}
	for _, sentence := range list {
		dst = appendSentenceWords(dst, sentence)
	}
	return dst
}

// appendSentenceWords appends the words of one sentence to dst.
//
// The reference is a cascade of regular expressions that put spaces around
// what is a token, and a split at white space. Here each pass, one expression
// or several that cannot see each other's work, is a function, and runs only
// if the sentence has a character that the pass looks for.
func appendSentenceWords(dst []string, s string) []string {
	found := triggers(s)
	if found == 0 {
		return AppendFields(dst, s)
	}
	e := edits.Get().(*edit)
	e.src = append(e.src[:0], s...)
	for _, p := range passes {
		if found&p.needs != 0 {
			e.run(p.rewrite)
		}
	}
	dst = AppendFields(dst, string(e.src))
	if cap(e.src) <= 1<<16 { // a long text shall not hold its memory for ever
		edits.Put(e)
	}
	return dst
}

// A trigger is a character, or a few in a row, that some pass looks for.
type trigger uint16

const (
	backtick trigger = 1 << iota
	doubleQuote
	apostrophe
	period
	comma      // or colon
	mark       // ? ! ; @ # $ % &
	bracket    // or *
	wide       // a character outside ASCII
	dashes     // two in a row
	contracted // mm, nn, tt, 'n or 'y, as in gimme, cannot, gotta, more'n, d'ye
	itWas      // 't, as in 'tis and 'twas, and not the end of a word
)

// triggerOf holds the trigger that each byte is.
var triggerOf = triggerTable()

func triggerTable() (t [256]trigger) {
	for kind, chars := range map[trigger]string{
		backtick: "`", doubleQuote: `"`, apostrophe: "'", period: ".",
		comma: ",:", mark: "?!;@#$%&", bracket: "()[]{}<>*",
	} {
		for _, c := range []byte(chars) {
			t[c] = kind
		}
	}
	for c := utf8.RuneSelf; c < len(t); c++ {
		t[c] = wide
	}
	return t
}

// triggers returns the triggers in s.
func triggers(s string) trigger {
	const caseBit = 'a' - 'A'
	var found trigger
	var before byte
	for i := range len(s) {
		c := s[i]
		kind := triggerOf[c]
		found |= kind
		switch {
		case kind == apostrophe && i+1 < len(s):
			switch s[i+1] | caseBit {
			case 'n', 'y':
				found |= contracted
			case 't':
				if i+2 < len(s) && s[i+2] != ' ' {
					found |= itWas
				}
			}
		case (c^before)&^caseBit == 0: // the same letter twice
			switch c | caseBit {
			case 'm', 'n', 't':
				found |= contracted
			case '-':
				found |= dashes
			}
		}
		before = c
	}
	return found
}

// A pass puts spaces into a sentence.
type pass struct {
	needs   trigger
	rewrite func(*edit)
}

// passes are the cascade, in the order of the reference. One of its
// expressions is left out: a second one for the final period that finds only
// what the first has already set apart.
var passes = []pass{
	{backtick | doubleQuote | wide, openQuotes},
	{doubleQuote | apostrophe, openDouble},
	{apostrophe, openSingle},
	{period, finalPeriod},
	{comma, commas},
	{period | mark, marks},
	{apostrophe, lastSingle},
	{bracket | dashes, brackets},
	{^trigger(0), margins},
	{doubleQuote | apostrophe | wide, closeQuotes},
	{apostrophe, plainSpaces},
	{apostrophe, clitics},
	{apostrophe, longClitics},
	{contracted, contractions},
	{itWas, tis},
}

// alphanumeric separates all but a to z and the digits.
var alphanumeric = Separator(func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })

// AppendRouge appends to dst the tokens of s as Google's rouge_score makes them with its
// stemmer on: runs of [a-z0-9] of the text in lower case, the stem of those
// longer than three characters. A letter outside ASCII separates.
func AppendRouge(dst []string, s string) []string {
	start := len(dst)
	dst = alphanumeric.Append(dst, Lower(s))
	for i, token := range dst[start:] {
		if len(token) > 3 {
			dst[start+i] = Stem(token)
		}
	}
	return dst
}

// StopWord reports whether a word in lower case is one of the 179 English stop
// words of NLTK's corpus as it was until 2024: the list that the phrase "stop
// words" most likely means in the papers. Its contractions stand whole and in
// the parts that an apostrophe leaves.
func StopWord(w string) bool { return stopWords[w] }

var stopWords = func() map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves
		he him his himself she she's her hers herself it it's its itself they them their theirs themselves
		what which who whom this that that'll these those
		am is are was were be been being have has had having do does did doing
		a an the and but if or because as until while
		of at by for with about against between into through during before after above below
		to from up down in out on off over under again further then once here there when where why how
		all any both each few more most other some such no nor not only own same so than too very
		s t can will just don don't should should've now d ll m o re ve y
		ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't
		isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't
		wasn wasn't weren weren't won won't wouldn wouldn't`) {
		m[w] = true
	}
	return m
}()
