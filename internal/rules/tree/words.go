package tree

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

const (
	// maxText bounds how much of a request is read, in bytes. What lies behind
	// is left unread.
	maxText = 1 << 13
	// maxWord bounds the length of a word, in bytes; longer ones are cut.
	maxWord = 48
)

// A word is a run of letters and digits, or one mark.
type word struct {
	start, end int    // byte offsets
	low        string // lower case, with straight apostrophes
	stem       string
	upper      bool // begins with a capital
	mark       bool
}

// clip cuts a text to maxText bytes of valid UTF-8.
func clip(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	return strings.ToValidUTF8(s, " ")
}

// maxRequest bounds how much of a request is held against a schema, in bytes.
const maxRequest = 1500

// brief cuts a request to maxRequest bytes of valid UTF-8.
func brief(s string) string {
	s = clip(s)
	if len(s) > maxRequest {
		s = strings.ToValidUTF8(s[:maxRequest], " ")
	}
	return s
}

// scan splits a text into words and marks. Hyphens part words; an apostrophe
// parts the ending that follows, so that "day's" is "day" and "'s", except in
// "n't", which stays with its verb.
func scan(s string) []word {
	s = clip(s)
	var words []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case letter(r):
			end := wordEnd(s, i)
			words = appendWord(words, s, i, end)
			i = end
		case unicode.IsSpace(r) || unicode.IsControl(r):
			i += size
		default:
			low := s[i : i+size]
			switch low {
			case "–", "—", "−":
				low = "-"
			}
			words = append(words, word{start: i, end: i + size, low: low, stem: low, mark: true})
			i += size
		}
	}
	return words
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordEnd returns where the word at i ends. A point, comma or colon between
// digits belongs to it, and so does an apostrophe between letters.
func wordEnd(s string, i int) int {
	limit := min(len(s), i+maxWord)
	last := rune(0)
	for i < limit {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !letter(r) {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			quote := (r == '\'' || r == '’') && (unicode.IsLetter(last) || unicode.IsDigit(last)) && unicode.IsLetter(next)
			number := (r == '.' || r == ',' || r == ':') && unicode.IsDigit(last) && unicode.IsDigit(next)
			if !quote && !number {
				return i
			}
		}
		last = r
		i += size
	}
	return min(i, len(s))
}

func appendWord(words []word, s string, start, end int) []word {
	r, _ := utf8.DecodeRuneInString(s[start:])
	low := strings.ReplaceAll(strings.ToLower(s[start:end]), "’", "'")
	w := word{start: start, end: end, low: low, upper: unicode.IsUpper(r)}
	if at := strings.LastIndexByte(low, '\''); at > 0 && !strings.HasSuffix(low, "n't") {
		raw := strings.LastIndexAny(s[start:end], "'’")
		head, tail := w, w
		head.end, head.low = start+raw, low[:at]
		tail.start, tail.low, tail.upper = start+raw, low[at:], false
		head.stem, tail.stem = stem(head.low), tail.low
		return append(words, head, tail)
	}
	w.stem = stem(low)
	return append(words, w)
}

// irregular maps forms that no suffix rule reaches to a base form.
var irregular = pairs(`
ate eat eaten eat began begin begun begin bought buy brought bring broke break broken break built build
came come caught catch chose choose chosen choose cut cut drew draw drank drink did do done do drove drive driven drive
fell fall fallen fall felt feel found find flew fly forgot forget forgotten forget gave give given give
went go gone go got get gotten get grew grow grown grow had have has have held hold kept keep knew know known know
left leave lost lose made make meant mean met meet paid pay put put ran run said say sat sit saw see seen see
sent send set set shut shut slept sleep sold sell spoke speak spoken speak spent spend stood stand
swam swim taught teach thought think threw throw thrown throw told tell took take taken take tore tear torn tear
undid undo undone undo went go woke wake woken wake won win wore wear worn wear wrote write written write
children child kids kid men man women woman people person feet foot teeth tooth mice mouse knives knife
loaves loaf leaves leaf shelves shelf lives life wives wife
`)

// pairs reads "form base form base ...".
func pairs(words string) map[string]string {
	m := make(map[string]string)
	f := strings.Fields(words)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// stem returns what the forms of a lower-case word have in common.
func stem(low string) string {
	if base, ok := irregular[low]; ok {
		low = base
	}
	return pytext.Stem(low)
}

// set reads words separated by white space.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for f := range strings.FieldsSeq(words) {
		m[f] = true
	}
	return m
}

// stems reads words separated by white space, as a set of their stems.
func stems(words string) map[string]bool {
	m := make(map[string]bool)
	for f := range strings.FieldsSeq(words) {
		m[stem(f)] = true
	}
	return m
}

// closed are the words that say nothing by themselves.
var closed = set(`
a an the this that these those some any each every all both either neither no none
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs one ones
am is are was were be been being do does did doing done have has had having will would shall should can could may might must
's 're 've 'm 'll 'd n't not isn't aren't wasn't weren't don't doesn't didn't won't can't couldn't wouldn't shouldn't haven't hasn't hadn't
cannot ain't let lets
of in on at to from for with by as into onto over under about up down out off through during per via than then
and or but if so because since while though although when where what which who whom whose why how
there here now just also too very really quite rather please thanks thank hi hello hey ok okay well oh sorry
again still already yet ever only even more most less least much many few lot lots bit
want wants wanted need needs needed like likes get gets got go goes going gonna us
tell show list give say know find see look check remind think guess wonder wondering mean means meant
exactly actually currently right anyway anything something everything nothing anyone someone everyone noone nobody anybody somebody everybody
thing things stuff item items entry entries
else such same other another own kind sort
have've i'm i'd i'll
planned plan plans scheduled schedule supposed set meant booked lined happening happen happens
able going make sure
alongside beside besides wherever whatever whoever whichever whenever however instead together apart aside except including besides
today currently moment
one two three four five six seven eight nine ten both couple pair half dozen
`)

// content reports whether a word says something by itself.
func content(w word) bool { return !w.mark && !closed[w.low] }

// isStop reports whether a mark ends a sentence.
func isStop(w word) bool {
	return w.mark && (w.low == "." || w.low == "?" || w.low == "!" || w.low == ";" || w.low == "\n")
}

// sentences splits words at full stops, question and exclamation marks. Each
// keeps its mark.
func sentences(words []word) [][]word {
	var all [][]word
	start := 0
	for i, w := range words {
		if isStop(w) {
			all = append(all, words[start:i+1])
			start = i + 1
		}
	}
	if start < len(words) {
		all = append(all, words[start:])
	}
	return slices.DeleteFunc(all, func(s []word) bool {
		return !slices.ContainsFunc(s, func(w word) bool { return !w.mark })
	})
}

// has reports whether the words from i on are those of a phrase.
func has(words []word, i int, phrase ...string) bool {
	if i < 0 || i+len(phrase) > len(words) {
		return false
	}
	for k, p := range phrase {
		if words[i+k].low != p {
			return false
		}
	}
	return true
}

// lows returns the words of a text in lower case, without marks.
func lows(s string) []string {
	var out []string
	for _, w := range scan(s) {
		if !w.mark {
			out = append(out, w.low)
		}
	}
	return out
}

// join writes the text that words cover.
func join(s string, words []word) string {
	if len(words) == 0 {
		return ""
	}
	return s[words[0].start:words[len(words)-1].end]
}
