package linkgrammar

import (
	"cmp"
	"slices"
	"strings"
)

// A dependency is one between words of a linkage; head is -1 for the root.
type dependency struct {
	head, dependent int
	label           string
}

// A tree is made of a linkage.
//
// Link Grammar takes function words for heads: a subject is linked to an
// auxiliary, a preposition to a verb, a clause to its conjunction. Universal
// Dependencies take content words. So each function word first gets the content
// word that stands for it (content), and a link of a function word is then one of
// that word.
type tree struct {
	words   []word
	links   []link
	content []int // by word; itself for a content word
	passive []bool
	heads   []int // by word; unset for none
	deps    []dependency
}

const unset = -2

// dependencies returns the dependencies of a linkage, at most one for each word,
// in the order of the dependents. Words are numbered as in the linkage.
func dependencies(words []word, links []link) []dependency {
	t := &tree{words: words, links: links, content: make([]int, len(words)), passive: make([]bool, len(words)), heads: make([]int, len(words))}
	for i := range words {
		t.content[i], t.heads[i] = i, unset
	}
	for _, l := range links {
		t.findContent(l)
	}
	t.root()
	for _, l := range links {
		t.function(l)
	}
	for _, l := range links {
		t.relate(l)
	}
	slices.SortFunc(t.deps, func(a, b dependency) int { return cmp.Compare(a.dependent, b.dependent) })
	return t.deps
}

// of returns the content word of a word.
func (t *tree) of(w int) int {
	for range t.words { // a linkage may have cycles
		if t.content[w] == w {
			return w
		}
		w = t.content[w]
	}
	return w
}

// add notes a dependency, unless its dependent has a head already, or it would
// close a cycle. Walls are in none.
func (t *tree) add(head, dependent int, label string) {
	if dependent <= 0 || head == 0 || head == dependent || t.heads[dependent] != unset || t.words[dependent].end == 0 {
		return
	}
	for h := head; h > 0; h = t.heads[h] {
		if h == dependent {
			return
		}
	}
	if head > 0 && t.words[head].end == 0 {
		return
	}
	t.heads[dependent] = head
	t.deps = append(t.deps, dependency{head, dependent, label})
}

// copula reports whether a link goes from a form of be to its predicate.
func (t *tree) copula(l link) bool {
	return be[t.words[l.left].text] && !t.exists(l.left) && (l.kind == "O" || l.kind == "OD" || l.kind == "P" && !strings.HasPrefix(l.sub, "v") && !strings.HasPrefix(l.sub, "g"))
}

// exists reports whether a form of be says that something exists: "there is".
func (t *tree) exists(w int) bool {
	for _, l := range t.links {
		if l.kind == "SF" && l.right == w || l.kind == "SFI" && l.left == w {
			return true
		}
	}
	return false
}

// infinitive reports whether a word is "to" before a verb.
func (t *tree) infinitive(w int) bool { return t.words[w].text == "to" }

// findContent notes which word stands for a function word.
func (t *tree) findContent(l link) {
	w := t.words[l.left].text
	switch l.kind {
	case "I":
		if auxiliary(w) || t.infinitive(l.left) {
			t.content[l.left] = l.right
		}
	case "PP":
		t.content[l.left] = l.right
	case "P", "O", "OD":
		switch {
		case t.copula(l):
			t.content[l.left] = l.right
		case l.kind == "P" && strings.HasPrefix(l.sub, "v") && (be[w] || getting[w]):
			t.content[l.left], t.passive[l.right] = l.right, true
		case l.kind == "P" && strings.HasPrefix(l.sub, "g") && be[w]:
			t.content[l.left] = l.right
		}
	case "J", "JG", "IN", "ON", "MG":
		t.content[l.left] = l.right
	case "CV":
		if !strings.HasPrefix(t.words[l.left].class, "v") { // a conjunction
			t.content[l.left] = l.right
		}
	case "YS", "YP":
		t.content[l.right] = l.left // "the hotel's": the hotel stands for 's
	default:
		if j, ok := conjunction(l); ok && j == 'l' {
			t.content[l.right] = l.left
		}
	}
}

// conjunction reports whether a link joins a conjunction with what stands to the
// left (l) or the right (r) of it: SJl, VJr, AJl, MJr ...
func conjunction(l link) (rune, bool) {
	if len(l.kind) != 2 || l.kind[1] != 'J' || l.sub == "" {
		return 0, false
	}
	switch l.sub[0] {
	case 'l', 'r':
		return rune(l.sub[0]), true
	}
	return 0, false
}

// root finds the head of the sentence. Further ones, of utterances without a verb
// and of sentences that a comma joins, hang on the first.
func (t *tree) root() {
	first := unset
	head := func(w int) {
		if w = t.of(w); first == unset {
			first = w
			t.add(-1, w, "root")
		} else {
			t.add(first, w, "parataxis")
		}
	}
	// The wall is linked to the verb, and to what the clause begins with.
	verbs := make(map[int]bool)
	for _, l := range t.links {
		if l.kind == "WV" && l.left == 0 {
			verbs[l.right] = true
			head(l.right)
		}
	}
	for _, l := range t.links {
		if strings.HasPrefix(l.kind, "W") && l.kind != "WV" && (l.left == 0 && len(verbs) == 0 || l.left != 0) {
			head(t.clause(l.right))
		}
	}
	if first == unset {
		for _, l := range t.links {
			if l.left == 0 && (l.kind == "Q" || l.kind == "CP") {
				head(l.right)
				return
			}
		}
	}
}

// clause returns the verb of the clause that begins with a word: that whose subject
// it is, or the word itself.
func (t *tree) clause(w int) int {
	for _, l := range t.links {
		switch {
		case (l.kind == "S" || l.kind == "SX" || l.kind == "SF") && l.left == w,
			(l.kind == "CV" || l.kind == "C" && l.right != w) && l.left == w && !t.verb(w),
			l.kind == "B" && l.left == w && wh[t.words[w].text]:
			return l.right
		}
	}
	return w
}

func (t *tree) verb(w int) bool { return strings.HasPrefix(t.words[w].class, "v") }

// function notes the dependencies of function words on their content words.
func (t *tree) function(l link) {
	w := t.words[l.left].text
	content := t.of(l.right)
	switch l.kind {
	case "I":
		switch {
		case t.infinitive(l.left):
			t.add(content, l.left, "mark")
		case auxiliary(w):
			t.add(content, l.left, "aux")
		}
	case "PP":
		t.add(content, l.left, "aux")
	case "P", "O", "OD":
		switch {
		case t.copula(l):
			t.add(content, l.left, "cop")
		case t.content[l.left] == l.right && strings.HasPrefix(l.sub, "v"):
			t.add(content, l.left, "aux:pass")
		case t.content[l.left] == l.right:
			t.add(content, l.left, "aux")
		}
	case "J", "JG", "IN", "ON":
		t.add(content, l.left, "case")
	case "MG":
		t.add(content, l.left, "mark")
	case "CV":
		if t.content[l.left] == l.right {
			t.add(content, l.left, "mark")
		}
	case "YS", "YP":
		t.add(l.left, l.right, "case")
	default:
		if j, ok := conjunction(l); ok && j == 'r' {
			t.add(t.of(l.left), content, "conj")
			t.add(content, l.left, "cc")
		}
	}
}
