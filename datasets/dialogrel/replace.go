package dialogrel

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A replacement is a proper name that a turn had.
type replacement struct {
	name string
	with string // what the turn has in its place
	span        // of that
}

// A properName is a name that is an argument, with its kind.
type properName struct {
	name string
	kind kind
}

// properNames returns the arguments that are proper names of persons, places and
// organisations, the longest first.
func properNames(pairs []pair) []properName {
	var names []properName
	for _, p := range pairs {
		for _, n := range []properName{{p.X, p.XKind}, {p.Y, p.YKind}} {
			known := slices.ContainsFunc(names, func(o properName) bool { return o.name == n.name })
			if !known && n.kind != kindText && n.kind != kindValue && proper(n.name) {
				names = append(names, n)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b properName) int { return len(b.name) - len(a.name) })
	return names
}

// proper reports whether each word of a name begins with a capital.
func proper(name string) bool {
	for word := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(r) {
			return false
		}
	}
	return !isSpeaker(name)
}

// A named is a proper name in a turn.
type named struct {
	properName
	turn int
	span
}

// replaceNames replaces each proper name that an earlier session of the scene has
// with a pronoun or a descriptive phrase. The surrounding words must leave no
// doubt that the sentence stays correct, and the name must be the last one before
// it that the pronoun could refer to. It reads the turns as they were.
func (s *scene) replaceNames() {
	var all []named
	for i, t := range s.turns {
		from := len(all)
		for _, n := range s.names {
			if !strings.Contains(t.text, n.name) {
				continue
			}
			for _, at := range occurrences(t.text, n.name) {
				taken := slices.ContainsFunc(all[from:], func(o named) bool { return o.overlaps(at) })
				if !taken && t.text[at.start:at.end] == n.name {
					all = append(all, named{n, i, at})
				}
			}
		}
		slices.SortFunc(all[from:], func(a, b named) int { return a.start - b.start })
	}
	out := make([][]replacement, len(s.turns)) // with spans of the old text
	for i, n := range all {
		repeated := slices.ContainsFunc(all[:i], func(o named) bool {
			return o.name == n.name && s.turns[o.turn].session < s.turns[n.turn].session
		})
		if !repeated {
			continue
		}
		if phrase := s.phrase(n, last(all[:i], n)); phrase != "" {
			out[n.turn] = append(out[n.turn], replacement{n.name, phrase, n.span})
		}
	}
	for i := range s.turns {
		s.turns[i].put(out[i])
	}
}

// put replaces spans of a turn.
func (t *turn) put(old []replacement) {
	var b strings.Builder
	at := 0
	for _, r := range old {
		b.WriteString(t.text[at:r.start])
		at = r.end
		r.start = b.Len()
		b.WriteString(r.with)
		r.end = b.Len()
		t.replaced = append(t.replaced, r)
	}
	b.WriteString(t.text[at:])
	t.text = b.String()
	t.key = key(t.text)
}

// last reports whether a name is the last before it of its kind and, as far as
// known, of its gender.
func last(before []named, n named) bool {
	for _, o := range slices.Backward(before) {
		if o.kind != n.kind {
			continue
		}
		if g, h := genderOf(o.name), genderOf(n.name); o.name == n.name || g == h || g == unknown || h == unknown {
			return o.name == n.name
		}
	}
	return false
}

// phrase returns a replacement for a name, empty for none: a pronoun if the
// gender is known and nobody else could be meant, else what the speaker can
// call the person, else a phrase for what nothing else could be.
func (s *scene) phrase(n named, last bool) string {
	role, starts := readingOf(s.turns[n.turn].text, n.span)
	if role == unclear {
		return ""
	}
	phrase := s.kin(n)
	switch g := genderOf(n.name); {
	case last && n.kind == kindPerson && g != unknown:
		phrase = pronouns[g][role]
	case phrase != "":
	case !last:
		return ""
	case n.kind == kindPlace:
		phrase = "that place"
	case n.kind == kindOrganisation:
		phrase = "that organization"
	default:
		phrase = "that person"
	}
	if before, _ := wordBefore(s.turns[n.turn].text, n.start); before == "that" && strings.HasPrefix(phrase, "that") {
		return ""
	}
	if starts {
		phrase = strings.ToUpper(phrase[:1]) + phrase[1:]
	}
	return phrase
}

// A gender is that of a pronoun, as the lists of names and of kin are called.
type gender string

const (
	unknown   gender = ""
	feminine  gender = "feminine"
	masculine gender = "masculine"
)

// genderOf returns the gender implied by a title, or by a common English given
// name; unknown for any other.
func genderOf(name string) gender {
	first, _, _ := strings.Cut(name, " ")
	word := strings.TrimSuffix(strings.ToLower(first), ".")
	for _, g := range []gender{feminine, masculine} {
		if words[string(g)][word] {
			return g
		}
	}
	return unknown
}

// pronouns are those of a person in a role, with a phrase where none fits.
var pronouns = map[gender]map[role]string{
	feminine:  {subject: "she", contracted: "she", object: "her", possessive: "that woman"},
	masculine: {subject: "he", contracted: "he", object: "him", possessive: "that man"},
}

// kin returns what the speaker of a turn can call somebody by a relation that
// only this person has to the speaker, such as "my boss"; empty for nothing.
func (s *scene) kin(n named) string {
	t := &s.turns[n.turn]
	if len(t.speakers) != 1 {
		return ""
	}
	for _, f := range s.facts {
		nouns := tables["kin, "+string(genderOf(n.name))][f.relation]
		if nouns == nil {
			nouns = tables["kin"][f.relation]
		}
		if nouns == nil || f.x.names[0] != t.speakers[0] || !slices.Contains(f.y.names, n.name) {
			continue
		}
		another := slices.ContainsFunc(s.facts, func(o fact) bool {
			return o.relation == f.relation && o.x.names[0] == t.speakers[0] && !slices.Contains(o.y.names, n.name)
		})
		if !another {
			return "my " + nouns[0]
		}
	}
	return ""
}

// A role is the function of a name in its sentence, as far as the neighbouring
// words show it beyond doubt.
type role int

const (
	unclear    role = iota // leave the name
	subject                // "Ann said", "did Ann say"
	object                 // "told Ann.", "with Ann in"
	possessive             // "Ann's", with what she owns or does
	contracted             // "Ann's going"
)

// readingOf returns the role of a name by the words around it, and whether it starts a
// sentence.
func readingOf(text string, at span) (r role, starts bool) {
	before, mark := wordBefore(text, at.start)
	starts = before == "" && mark != ',' && mark != inside
	rest := text[at.end:]
	if owned, ok := cutAny(rest, "'s ", "’s "); ok {
		next := firstWord(owned)
		switch {
		case words["coordinated"][before], next == "", next != strings.ToLower(next):
			return unclear, false
		case words["contracting"][next]:
			return contracted, starts
		}
		return possessive, starts
	}
	next, ends := firstWord(strings.TrimPrefix(rest, " ")), endsClause(rest)
	switch {
	case !ends && (!strings.HasPrefix(rest, " ") || next == "" || next != strings.ToLower(next)):
	case mark == inside || words["coordinated"][next]:
	case (starts || mark == ',' || words["clauses"][before] || before == "but") && words["verbs"][next], before == "and" && words["singular"][next]:
		return subject, starts
	case words["auxiliaries"][before] && !ends: // of a question: "Did", "what does"
		return subject, false
	case (words["prepositions"][before] || words["transitive"][before]) && (ends || words["after"][next]):
		return object, false
	}
	return unclear, false
}

// inside marks a place within a word, or after a mark that does not show what
// follows.
const inside = '-'

// wordBefore returns the word before a place, in lowercase. It is empty at the start of a
// text and after a mark, which is then returned: one that ends a sentence, a comma, or
// inside.
func wordBefore(text string, at int) (word string, mark rune) {
	head := strings.TrimRight(text[:at], " ")
	if len(head) == at && at > 0 {
		return "", inside
	}
	if word = head[len(strings.TrimRightFunc(head, ofWord)):]; word != "" {
		return strings.ToLower(word), 0
	}
	r, _ := utf8.DecodeLastRuneInString(head)
	if head != "" && !strings.ContainsRune(".!?…,", r) {
		return "", inside
	}
	return "", r
}

func firstWord(s string) string {
	rest := strings.TrimLeftFunc(s, ofWord)
	return strings.ReplaceAll(s[:len(s)-len(rest)], "’", "'")
}

// ofWord reports whether a letter, a digit or an apostrophe belongs to a word.
func ofWord(r rune) bool { return inWord(r) || r == '\'' || r == '’' }

// endsClause reports whether a text continues with the end of a sentence, or
// with a comma and the subject of another clause.
func endsClause(rest string) bool {
	if more, ok := strings.CutPrefix(rest, ", "); ok {
		return words["resumes"][strings.ToLower(firstWord(more))]
	}
	_, ends := cutAny(rest, ".", "!", "?", "…", "—", "–")
	return rest == "" || ends
}

func cutAny(s string, prefixes ...string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}
