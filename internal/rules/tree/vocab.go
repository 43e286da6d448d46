package tree

import (
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/engine/tree"
)

// A kind is a type of nodes with the words for it.
type kind struct {
	name    string
	key     string
	depth   int
	parents []string
	leaf    bool // nothing stands below
	words   map[string]bool
	nouns   map[string]bool
	hints   map[string]bool
	fields  []field
}

// A field is one of a kind, with the words for it.
type field struct {
	name   string
	kind   fieldKind
	words  []string // stems of the words of its name
	values []string // known ones
}

// A vocab holds the words of a schema.
type vocab struct {
	kinds []*kind // the root's first
	root  string
}

// newVocab reads the words of a schema, and the values that found nodes add.
func newVocab(s *tree.Schema, found []*tree.Node) *vocab {
	v := &vocab{}
	if s != nil {
		v.root = s.Root
		for _, t := range s.Types {
			k := v.add(t.Name)
			k.key = t.Key
			k.leaf = len(t.Children) == 0
			for _, f := range t.Fields {
				k.addField(f.Name, f.Item != "", f.Values)
			}
		}
		for _, t := range s.Types {
			for _, c := range t.Children {
				if k := v.kind(c); k != nil && c != t.Name && !slices.Contains(k.parents, t.Name) {
					k.parents = append(k.parents, t.Name)
				}
			}
		}
		v.measure(v.root, 0)
		v.widen()
	}
	for _, n := range found {
		k := v.kind(n.Type)
		if k == nil {
			k = v.add(n.Type)
			k.leaf, k.depth = true, 1
		}
		if len(n.Children) > 0 && s == nil {
			k.leaf = false
		}
		for _, f := range n.Fields {
			k.addField(f.Name, len(f.Values) > 1, nil)
		}
	}
	return v
}

// measure sets the depth of kinds below one; a type that may stand in itself
// is measured once.
func (v *vocab) measure(name string, depth int) {
	if depth > 64 {
		return
	}
	for _, k := range v.kinds {
		if slices.Contains(k.parents, name) && k.depth == 0 && k.name != v.root {
			k.depth = depth + 1
			v.measure(k.name, depth+1)
		}
	}
}

func (v *vocab) kind(name string) *kind {
	for _, k := range v.kinds {
		if strings.EqualFold(k.name, name) {
			return k
		}
	}
	return nil
}

func (v *vocab) add(name string) *kind {
	k := &kind{name: name, words: map[string]bool{}, nouns: map[string]bool{}, hints: map[string]bool{}}
	parts := split(name)
	for _, p := range parts {
		k.words[stem(p)] = true
	}
	if len(parts) > 0 {
		head := stem(parts[len(parts)-1])
		for _, s := range senseList {
			if s.of[head] {
				for n := range s.nouns {
					k.nouns[n] = true
				}
				for n := range s.hints {
					k.hints[n] = true
				}
			}
		}
		if len(parts) > 1 {
			k.words = map[string]bool{head: true}
		}
	}
	v.kinds = append(v.kinds, k)
	return k
}

func (k *kind) addField(name string, list bool, values []string) {
	for i := range k.fields {
		if strings.EqualFold(k.fields[i].name, name) {
			return
		}
	}
	k.fields = append(k.fields, newField(name, list, values))
}

func newField(name string, list bool, values []string) field {
	f := field{name: name, values: values, kind: kindText}
	for _, p := range split(name) {
		f.words = append(f.words, stem(p))
	}
	named := false
	for _, k := range kindWords {
		if slices.ContainsFunc(f.words, func(w string) bool { return k.words[w] }) {
			f.kind, named = k.kind, true
			break
		}
	}
	if f.kind == kindStatus && (strings.EqualFold(name, "finish") || strings.EqualFold(name, "finishes")) {
		f.kind = kindTime
	}
	if list {
		f.kind, named = kindList, true
	}
	if len(values) > 0 {
		looks := looksLike(values)
		if named && looks == "" && f.kind == kindDuration && !slices.ContainsFunc(values, func(v string) bool { return v == "" || strings.ContainsFunc(v, unicode.IsDigit) }) {
			f.kind = kindPerson // "cook: Anna" is no time to cook
			for _, v := range values {
				if r := []rune(v)[0]; !unicode.IsUpper(r) || len(strings.Fields(v)) > 3 {
					f.kind = kindText
				}
			}
		}
		if !named || looks == kindDuration && f.kind == kindTime || looks == kindDate && f.kind == kindTime || looks == kindTime && (f.kind == kindDuration || f.kind == kindDate) {
			if looks != "" {
				f.kind = looks
			}
		}
	}
	return f
}

// looksLike tells the kind of a field by values it has; "" for none.
func looksLike(values []string) fieldKind {
	votes := map[fieldKind]int{}
	for _, v := range values {
		switch _, at, isLength := length(v); {
		case isoForm.MatchString(v):
			votes[kindDate]++
		case len(clocks(v)) > 0:
			votes[kindTime]++
		case moneyForm.MatchString(v):
			votes[kindMoney]++
		case isLength && at[0] == 0:
			votes[kindDuration]++
		case numberForm.MatchString(v) && len(strings.Fields(v)) <= 2:
			votes[kindNumber]++
		}
	}
	for _, k := range [...]fieldKind{kindDate, kindTime, kindMoney, kindDuration, kindNumber} {
		if 2*votes[k] > len(values) {
			return k
		}
	}
	return ""
}

// split takes a name apart at marks and at capitals: "dueDate" is "due" and
// "date".
func split(name string) []string {
	var parts []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			parts = append(parts, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			flush()
		}
		b.WriteRune(r)
	}
	flush()
	return parts
}

// leaves returns the kinds that nothing stands below, or the deepest.
func (v *vocab) leaves() []*kind {
	var out []*kind
	for _, k := range v.kinds {
		if k.leaf && k.name != v.root {
			out = append(out, k)
		}
	}
	if len(out) == 0 && len(v.kinds) > 0 {
		out = append(out, v.kinds[len(v.kinds)-1])
	}
	return out
}

// leavesBelow returns the leaves that may stand below a kind; all where none
// does.
func (v *vocab) leavesBelow(name string) []*kind {
	var out []*kind
	for _, k := range v.leaves() {
		if v.isBelow(k.name, name) {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return v.leaves()
	}
	return out
}

// isBelow reports whether nodes of one type may stand below those of another.
func (v *vocab) isBelow(name, above string) bool {
	seen := map[string]bool{}
	var up func(string) bool
	up = func(n string) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		k := v.kind(n)
		if k == nil {
			return false
		}
		for _, p := range k.parents {
			if p == above || up(p) {
				return true
			}
		}
		return false
	}
	return up(name)
}

// children returns the kinds that may stand right below one.
func (v *vocab) children(name string) []*kind {
	var out []*kind
	for _, k := range v.kinds {
		if slices.Contains(k.parents, name) {
			out = append(out, k)
		}
	}
	return out
}

// byKind returns the first field of a kind of field.
func (k *kind) byKind(want fieldKind) (field, bool) {
	for _, f := range k.fields {
		if f.kind == want {
			return f, true
		}
	}
	return field{}, false
}

// nameField is the field that people call the node by.
func (k *kind) nameField() string {
	for _, want := range [...]string{"name", "title", "label"} {
		for _, f := range k.fields {
			if strings.EqualFold(f.name, want) {
				return f.name
			}
		}
	}
	if k.key != "" {
		return k.key
	}
	return k.callField()
}

// mention returns how strongly a word stands for the kind: 3 for its own
// name, 2 for a word with the same sense, 1 for a hint, 0 for none.
func (k *kind) mention(stem string) int {
	switch {
	case k.words[stem]:
		return 3
	case k.nouns[stem]:
		return 2
	case k.hints[stem]:
		return 1
	}
	return 0
}

// field returns the field of a name.
func (k *kind) field(name string) (field, bool) {
	for _, f := range k.fields {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return field{}, false
}

// hasField reports whether a kind has a field of a name.
func (k *kind) hasField(name string) bool {
	return slices.ContainsFunc(k.fields, func(f field) bool { return strings.EqualFold(f.name, name) })
}
