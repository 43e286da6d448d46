package tree

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"recallbench/internal/engine/tree"
)

// A fieldKind says how the values of a field are read.
type fieldKind string

const (
	kindName     fieldKind = "name"
	kindText     fieldKind = "text"
	kindTime     fieldKind = "time"
	kindDate     fieldKind = "date"
	kindMoney    fieldKind = "money"
	kindStatus   fieldKind = "status"
	kindPriority fieldKind = "priority"
	kindDuration fieldKind = "duration"
	kindNumber   fieldKind = "number"
	kindPerson   fieldKind = "person"
	kindPlace    fieldKind = "place"
	kindOrder    fieldKind = "order"
)

// A field is one of a type.
type field struct {
	name   string
	kind   fieldKind
	list   bool
	values []string // known ones
	stems  map[string]bool
}

// A kind is a type of the schema with the words for it.
type kind struct {
	name   string
	key    *field // by which people tell its nodes apart; nil for none
	fields []*field
	leaf   bool
	depth  int
	up     []*kind
	nouns  map[string]bool // stems that stand for it
	hints  map[string]bool // stems that hint at it
}

// A vocab holds the words of a schema.
type vocab struct {
	root  *kind
	kinds []*kind
	today time.Time
}

// vocabOf reads a schema. Values of nodes are added to those of the schema.
func vocabOf(s *tree.Schema, today time.Time, nodes []*item) *vocab {
	v := &vocab{today: today}
	for _, t := range s.Types {
		k := &kind{name: t.Name, leaf: len(t.Children) == 0, nouns: map[string]bool{}, hints: map[string]bool{}}
		for _, part := range nameParts(t.Name) {
			k.nouns[stem(part)] = true
		}
		for _, sense := range senses() {
			if anyIn(k.nouns, sense.names) {
				for n := range sense.nouns {
					k.hints[n] = true
				}
				for n := range sense.hints {
					k.hints[n] = true
				}
			}
		}
		for _, f := range t.Fields {
			k.fields = append(k.fields, &field{name: f.Name, list: f.List || f.Item != "", values: slices.Clone(f.Values)})
		}
		for _, f := range k.fields {
			if f.name == t.Key || k.key == nil && t.Key == "" && !f.list && f.name != "id" {
				k.key = f
			}
		}
		v.kinds = append(v.kinds, k)
	}
	for _, sense := range senses() {
		for _, k := range v.kinds {
			names := map[string]bool{}
			for _, part := range nameParts(k.name) {
				names[stem(part)] = true
			}
			if !anyIn(names, sense.names) {
				continue
			}
			for n := range sense.nouns {
				if !slices.ContainsFunc(v.kinds, func(o *kind) bool { return o != k && o.nouns[n] }) {
					k.nouns[n] = true
				}
			}
		}
	}
	for _, it := range nodes {
		if k := v.kind(it.node.Type); k != nil {
			for _, f := range k.fields {
				if value, ok := it.node.Field(f.name); ok && len(f.values) < 400 && !slices.Contains(f.values, value) {
					f.values = append(f.values, value)
				}
			}
		}
	}
	for i, t := range s.Types {
		k := v.kinds[i]
		for _, f := range k.fields {
			f.kind = kindOf(f, today)
			f.stems = map[string]bool{}
			for _, part := range nameParts(f.name) {
				f.stems[stem(part)] = true
			}
		}
		for _, c := range t.Children {
			if below := v.kind(c); below != nil {
				below.up = append(below.up, k)
				below.depth = max(below.depth, k.depth+1)
			}
		}
	}
	v.root = v.kind(s.Root)
	return v
}

func anyIn(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}

// nameParts splits a name such as "startTime" or "start_time" into words.
func nameParts(name string) []string {
	var b strings.Builder
	last := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return lows(strings.NewReplacer("_", " ", "-", " ").Replace(b.String()))
}

// kindOf tells the kind of a field by its name and else by its values.
func kindOf(f *field, today time.Time) fieldKind {
	named := fieldKind("")
	for _, part := range nameParts(f.name) {
		w := word{low: part, stem: stem(part)}
		for _, k := range []fieldKind{kindDuration, kindStatus, kindPriority, kindMoney, kindDate, kindTime, kindPerson, kindPlace, kindName, kindOrder, kindText} {
			if named == "" && w.in("kind."+string(k)) {
				named = k
			}
		}
	}
	if f.list {
		return kindText
	}
	if len(f.values) == 0 {
		return cmp.Or(named, kindText)
	}
	counts := make(map[fieldKind]int)
	for _, v := range f.values {
		_, date := dateOf(v, today)
		_, cash := money(v)
		_, _, long := length(v)
		_, n := firstNumber(v)
		short := len(v) < 40
		switch {
		case len(v) < 24 && v != "" && v[0] <= '9' && len(clocks(v)) > 0 && !date:
			counts[kindTime]++
		case short && date:
			counts[kindDate]++
		case short && cash && strings.ContainsAny(v, "$€£0123456789"):
			counts[kindMoney]++
		case long && len(v) < 16 && v[0] <= '9':
			counts[kindDuration]++
		case short && n && len(v) < 12 && named != kindPlace:
			counts[kindNumber]++
		}
	}
	for k, n := range counts {
		if 3*n > 2*len(f.values) {
			if k == kindNumber && (named == kindOrder || named == kindDuration || named == kindMoney) {
				return named
			}
			return k
		}
	}
	if named == "" || named == kindPlace && slices.ContainsFunc(f.values, func(v string) bool { return len(v) > 60 }) || (named == kindTime || named == kindDate || named == kindMoney || named == kindDuration) && counts[named] == 0 {
		return kindText
	}
	return named
}

func (v *vocab) kind(name string) *kind {
	for _, k := range v.kinds {
		if strings.EqualFold(k.name, name) {
			return k
		}
	}
	return nil
}

// field returns the first field of a kind of values.
func (k *kind) field(kinds ...fieldKind) *field {
	for _, want := range kinds {
		for _, f := range k.fields {
			if f.kind == want {
				return f
			}
		}
	}
	return nil
}

// second returns the second field of a kind of values, where there are two:
// the end of a time.
func (k *kind) second(want fieldKind) *field {
	n := 0
	for _, f := range k.fields {
		if f.kind == want {
			if n++; n == 2 {
				return f
			}
		}
	}
	return nil
}

// naming returns the field that names the nodes of a type.
func (k *kind) naming() *field {
	if f := k.field(kindName); f != nil {
		return f
	}
	if k.key != nil && k.key.kind != kindOrder {
		return k.key
	}
	return nil
}

// leaves returns the kinds that have nothing below.
func (v *vocab) leaves() []*kind {
	return slices.DeleteFunc(slices.Clone(v.kinds), func(k *kind) bool { return !k.leaf })
}

// state returns the value of a field that stands for a state such as done. The
// word is the list of words.txt without its beginning.
func (f *field) state(name string) (string, bool) {
	for _, p := range phrases("state." + name) {
		for _, v := range f.values {
			if strings.EqualFold(strings.Join(lows(v), " "), strings.Join(lows(p), " ")) {
				return v, true
			}
		}
	}
	return "", false
}

// stateNames are the names of the lists of stateNames.
var stateNames = []string{"unfinished", "done", "active", "blocked", "open", "cancelled", "high", "medium", "low"}
