package linkgrammar

import (
	"strings"
	"unicode"
)

// relate notes the dependency between content words that a link stands for.
func (t *tree) relate(l link) {
	a, b := t.of(l.left), t.of(l.right)
	first := t.words[l.left].text
	switch l.kind {
	case "S", "SX": // the subject is on the left
		t.add(b, a, t.subject(b))
	case "SI", "SXI": // and here on the right: "is it"
		t.add(a, b, t.subject(a))
	case "SFI":
		t.add(a, b, "expl")
	case "O", "OD":
		if !t.copula(l) {
			t.add(a, b, t.object(l))
		}
	case "D":
		t.add(b, a, t.determiner(l))
	case "M":
		t.add(a, b, t.postmodifier(l))
	case "MV":
		t.add(a, b, t.modifier(l.right, "advcl"))
	case "EB": // behind a form of be
		if t.words[l.right].text == "not" {
			t.add(a, b, "neg")
		} else {
			t.add(a, b, "advmod")
		}
	case "CO": // before a clause
		t.add(t.of(t.clause(l.right)), a, t.opener(l.left))
	case "I":
		if t.content[l.left] == l.left {
			t.add(a, b, "xcomp") // "let it go"
		}
	case "IV":
		if t.noun(l.left) {
			t.add(a, b, "acl")
		} else {
			t.add(a, b, "xcomp")
		}
	case "TO":
		t.add(a, b, "xcomp")
	case "P":
		if t.content[l.left] == l.left { // "seems cheap", "stopped working"
			t.add(a, b, "xcomp")
		}
	case "C":
		if t.verb(l.left) {
			t.add(a, t.of(t.clause(l.right)), "ccomp")
		}
	case "CV":
		if t.verb(l.left) {
			t.add(a, b, "ccomp")
		}
	case "TH":
		if t.noun(l.left) {
			t.add(a, b, "acl")
		} else {
			t.add(a, b, "ccomp")
		}
	case "B": // what a relative clause or a question is about, and its verb
		if wh[first] {
			t.add(b, a, "obj")
		} else {
			t.add(a, b, "acl:relcl")
		}
	default:
		if strings.HasPrefix(l.kind, "_I") { // within an idiom
			t.add(a, b, "fixed")
		} else if r, ok := rules[l.kind]; ok {
			if r.head == right {
				a, b = b, a
			}
			t.add(a, b, r.label)
		}
	}
}

func (t *tree) noun(w int) bool { return strings.HasPrefix(t.words[w].class, "n") }

func (t *tree) subject(verb int) string {
	if t.passive[verb] {
		return "nsubj:pass"
	}
	return "nsubj"
}

// object is the label of an object: of two the nearer one is the indirect. What
// exists is a subject.
func (t *tree) object(l link) string {
	if t.exists(l.left) {
		return "nsubj"
	}
	for _, other := range t.links {
		if other.left == l.left && (other.kind == "O" || other.kind == "OD") && other.right > l.right {
			return "iobj"
		}
	}
	return "obj"
}

func (t *tree) determiner(l link) string {
	w := t.words[l.left]
	switch {
	case possessive[w.text], t.content[l.left] != l.left: // "my", "the hotel's"
		return "nmod:poss"
	case number[w.text], strings.IndexFunc(w.text, unicode.IsDigit) >= 0:
		return "nummod"
	default:
		return "det"
	}
}

// postmodifier is the label of what follows a noun.
func (t *tree) postmodifier(l link) string {
	switch {
	case t.content[l.right] != l.right: // a preposition
		return t.modifierOf(l.right, "nmod", "acl")
	case strings.HasPrefix(l.sub, "v"), strings.HasPrefix(l.sub, "g"):
		return "acl"
	case strings.HasPrefix(l.sub, "p"):
		return "advmod"
	default:
		return "amod"
	}
}

// modifier is the label of what follows a verb.
func (t *tree) modifier(w int, clause string) string {
	if t.content[w] == w {
		if t.noun(w) {
			return "obl"
		}
		return "advmod"
	}
	return t.modifierOf(w, "obl", clause)
}

// modifierOf is the label of what a function word brings: a noun or a clause.
func (t *tree) modifierOf(w int, noun, clause string) string {
	for _, l := range t.links {
		if l.left == w && (l.kind == "I" || l.kind == "CV" || l.kind == "MG") {
			return clause
		}
	}
	return noun
}

// opener is the label of what stands before a clause.
func (t *tree) opener(w int) string {
	switch {
	case t.content[w] != w:
		return t.modifierOf(w, "obl", "advcl")
	case strings.HasPrefix(t.words[w].class, "ij"), t.words[w].class == "":
		return "discourse"
	case t.noun(w):
		return "vocative"
	default:
		return "advmod"
	}
}
