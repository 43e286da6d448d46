package annotate

import (
	"strings"
	"sync"

	"recallbench/internal/door/annotate"
)

// A readName is a name as its tokens.
type readName struct {
	all              []string // in lower case, without an article before others
	clean            []string // those without marks
	keys, personKeys []string // what finds it, as the name of a thing and of a person
	named            bool     // some token is neither a mark, a number nor a word of a closed class
}

// maxMemo is how many names a memo keeps before it forgets them all.
const maxMemo = 1 << 15

// A memo keeps what names and values were read as, because a memory brings the
// same ones with every session and question. It is safe for concurrent use.
type memo struct {
	mu     sync.RWMutex
	names  map[string]readName
	values map[[2]string]string
}

// name reads a name.
func (m *memo) name(text string) readName {
	m.mu.RLock()
	n, ok := m.names[text]
	m.mu.RUnlock()
	if ok {
		return n
	}
	n = readAsName(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names == nil || len(m.names) >= maxMemo {
		m.names = make(map[string]readName)
	}
	m.names[strings.Clone(text)] = n
	return n
}

func readAsName(text string) readName {
	var n readName
	t := tokenizer{src: text[:min(len(text), maxNameBytes)]}
	t.run()
	for _, tok := range t.tokens {
		w := lower(tok.Text)
		n.all = append(n.all, w)
		n.named = n.named || letters(w) && closed[w] == ""
		if !mark(tok.Text) || w == "&" {
			n.clean = append(n.clean, strings.TrimSuffix(w, "."))
		}
	}
	n.all, n.clean = withoutArticle(n.all), withoutArticle(n.clean)
	if len(n.clean) > 0 {
		n.keys, n.personKeys = nameKeys(n.clean, false), nameKeys(n.clean, true)
	}
	return n
}

// maxNameBytes bounds how much of a name is read.
const maxNameBytes = 200

func withoutArticle(low []string) []string {
	if len(low) > 1 && low[0] == "the" {
		return low[1:]
	}
	return low
}

// value returns what a value of earlier sessions said, empty where it means
// something else now.
func (m *memo) value(typ, text string) string {
	key := [2]string{typ, text}
	m.mu.RLock()
	v, ok := m.values[key]
	m.mu.RUnlock()
	if ok {
		return v
	}
	if s := sentences(0, text[:min(len(text), maxNameBytes)]); len(s) > 0 {
		s := &s[0]
		for i := range s.Tokens {
			s.Tokens[i].POS = "CD"
		}
		if !s.deictic(0, len(s.Tokens)) {
			v = s.normal(annotate.Entity{Span: annotate.Span{End: len(s.Tokens)}, Type: typ})
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil || len(m.values) >= maxMemo {
		m.values = make(map[[2]string]string)
	}
	m.values[key] = v
	return v
}
