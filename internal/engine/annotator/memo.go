package annotator

import (
	"strings"
	"sync"

	"recallbench/internal/text/english"
)

// A readName is a name as its tokens.
type readName struct {
	all   []string // in lower case, without an article before others
	clean []string // those without marks
	named bool     // some token is neither a mark, a number nor a word of a closed class
}

const (
	maxMemo      = 1 << 15 // names that a memo keeps before it forgets them all
	maxNameBytes = 200     // of a name that are read
)

// A memo keeps what names were read as, because a memory brings the same ones
// with every session and question. It is safe for concurrent use.
type memo struct {
	mu    sync.Mutex
	names map[string]readName
}

// name reads a name.
func (m *memo) name(text string) readName {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.names[text]
	if ok {
		return n
	}
	for _, tok := range english.Tokens(text[:min(len(text), maxNameBytes)], 0) {
		n.all = append(n.all, tok.Low)
		n.named = n.named || letters(tok.Low) && words().closed[tok.Low] == ""
	}
	n.all, n.clean = withoutArticle(n.all), cleaned(n.all)
	if m.names == nil || len(m.names) >= maxMemo {
		m.names = make(map[string]readName)
	}
	m.names[strings.Clone(text)] = n
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
