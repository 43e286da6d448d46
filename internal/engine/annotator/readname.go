package annotator

import (
	"strings"

	"recallbench/internal/text/english"
)

// A readName is a name as its tokens.
type readName struct {
	all   []string // in lowercase, without an article before others
	clean []string // those without marks
	named bool     // some token is neither a mark, a number nor a word of a closed class
}

// maxNameBytes bounds how much of a name is read.
const maxNameBytes = 200

// read reads a name.
func read(text string) (n readName) {
	for _, tok := range english.Tokens(text[:min(len(text), maxNameBytes)], 0) {
		n.all = append(n.all, tok.Low)
		n.named = n.named || letters(tok.Low) && words().closed[tok.Low] == ""
	}
	n.all, n.clean = withoutArticle(n.all), cleaned(n.all)
	return n
}

// cleaned returns the tokens of a name without marks and an article before
// others.
func cleaned(low []string) (clean []string) {
	for _, w := range low {
		if !english.Mark(w) || w == "&" {
			clean = append(clean, strings.TrimSuffix(w, "."))
		}
	}
	return withoutArticle(clean)
}

func withoutArticle(low []string) []string {
	if len(low) > 1 && low[0] == "the" {
		return low[1:]
	}
	return low
}
