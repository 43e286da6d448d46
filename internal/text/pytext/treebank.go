package pytext

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A substitution is a regular expression of the reference, and what stands for its
// matches. It is left out where a text has none of the characters that it needs, if it
// needs any.
type substitution struct {
	needs   string
	pattern *regexp.Regexp
	by      string
}

// What \s and a character outside of words are to Python, for which Go's shorthands know
// ASCII alone.
const (
	space  = `[\t-\r\x1c-\x20\x{85}\p{Z}]`
	noWord = `[^\pL\pN_]`
)

func sub(needs, pattern, by string) substitution {
	return substitution{needs, regexp.MustCompile(pattern), by}
}

// quotes makes two backticks of a double quote that opens a text or a word, and sets apart
// those of other shapes.
var quotes = []substitution{
	sub("«“‘„`", "[«“‘„]|`+", " $0 "),
	sub(`"`, `^"`, "``"),
	sub("`", "``", " `` "),
	sub(`"'`, `([ (\[{<])("|'{2})`, "$1 `` "),
}

// punctuation sets apart marks and brackets, the period that ends the text, commas and
// colons unless a digit follows, and a single quote that ends a word.
var punctuation = []substitution{
	sub(".", `([^.])(\.)([\])}>"'»”’ ]*)`+space+`*$`, "$1 $2 $3 "),
	sub(",:", `([:,])([^\p{Nd}])`, " $1 $2"),
	sub(",:", `([:,])(\n?)$`, " $1 $2"),
	sub(".?!;@#$%&", `\.{2,}|[?!;@#$%&]`, " $0 "),
	sub("'", `([^'])' `, "$1 ' "),
	sub("()[]{}<>*-", `[()\[\]{}<>*]|--`, " $0 "),
}

// closers sets apart closing quotes.
var closers = []substitution{
	sub("»”’", `[»”’]`, " $0 "),
	sub("'", `''`, " '' "),
	sub(`"`, `"`, " '' "),
}

// clitics splits clitics from the words before them.
var clitics = []substitution{
	sub("'", `([^' ])('[sS]|'[mM]|'[dD]|') `, "$1 $2 "),
	sub("'", `([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) `, "$1 $2 "),
}

// contractions splits words that are two. The substitutions take the characters beside
// them, which the reference only looks at: so the spaces of a text are doubled, and those
// with a mark between want a second turn. To Python i has two forms more.
var (
	contractions = []substitution{contracted, contracted, wanna, tis}

	contracted = sub("", `(?i)(`+noWord+`)(?:(can)(not)|(d)('ye)|(g[iıİ]m)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)('n))(`+noWord+`)`,
		"$1 $2$4$6$8$10$12$14 $3$5$7$9$11$13$15 $16")
	wanna = sub("", `(?i)(`+noWord+`)(wan)(na )`, "$1 $2 $3")
	tis   = sub("", `(?i) ('t)([iıİ]s|was)(`+noWord+`)`, " $1 $2 $3")

	maybeContracted = regexp.MustCompile(`(?i)not|'ye|mme|nna|tta|'n|'t`)
)

func substitute(s string, all []substitution) string {
	for _, sub := range all {
		if sub.needs == "" || strings.ContainsAny(s, sub.needs) {
			s = sub.pattern.ReplaceAllString(s, sub.by)
		}
	}
	return s
}

// openSingle sets a single quote apart from a word of one character, unless that is a
// clitic. It is a substitution too, with a look at what stands behind.
func openSingle(s string) string {
	var b strings.Builder
	for i := strings.IndexByte(s, '\''); i >= 0; i = strings.IndexByte(s, '\'') {
		b.WriteString(s[:i+1])
		s = s[i+1:]
		r, n := utf8.DecodeRuneInString(s)
		next, m := utf8.DecodeRuneInString(s[n:])
		if IsWord(r) && !strings.ContainsRune("mtsdnMTSDNſ", r) && (m == 0 || !IsWord(next)) {
			b.WriteByte(' ')
		}
	}
	return b.String() + s
}
