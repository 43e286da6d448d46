package annotate

import (
	"strings"
	"sync"

	"recallbench/internal/door/annotate"
	"recallbench/internal/rules/english"
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

// A memo keeps what names and values were read as, because a memory brings the
// same ones with every session and question. It is safe for concurrent use.
type memo struct {
	mu     sync.Mutex
	names  map[string]readName
	values map[[2]string]string
}

// remember returns what was made of a key before, or makes it.
func remember[K comparable, V any](m *memo, kept *map[K]V, key K, read func() V) V {
	m.mu.Lock()
	v, ok := (*kept)[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = read()
	m.mu.Lock()
	defer m.mu.Unlock()
	if *kept == nil || len(*kept) >= maxMemo {
		*kept = make(map[K]V)
	}
	(*kept)[key] = v
	return v
}

// name reads a name.
func (m *memo) name(text string) readName {
	return remember(m, &m.names, strings.Clone(text), func() (n readName) {
		for _, tok := range english.Tokens(text[:min(len(text), maxNameBytes)], 0) {
			n.all = append(n.all, tok.Low)
			n.named = n.named || letters(tok.Low) && words().closed[tok.Low] == ""
		}
		n.all, n.clean = withoutArticle(n.all), cleaned(n.all)
		return n
	})
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

// value returns what a value of earlier sessions said, empty where it means
// something else now: a day that is named by its distance from then.
func (m *memo) value(typ, text string) string {
	return remember(m, &m.values, [2]string{typ, text}, func() string {
		for _, s := range sentences(0, text[:min(len(text), maxNameBytes)]) {
			for _, w := range s.low {
				if words().deictic[w] {
					return ""
				}
			}
			return s.normal(annotate.Entity{Span: annotate.Span{End: len(s.Tokens)}, Type: typ})
		}
		return ""
	})
}
