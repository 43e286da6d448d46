package interchange

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
)

// A spot is a path that leads to many values, which might be the items.
type spot struct {
	names []string
	items []*jsontree.Value
	stars [][]string // of each item the names that the stars of the path stand for
}

// mostNames is how many names a suggested path has.
const mostNames = 6

// findSpots collects the items of all lists, and of objects whose keys are ids. Names lead to
// the value, and stars are what theirs stand for.
func findSpots(v *jsontree.Value, names, stars []string, all map[string]*spot) {
	into := func(of *jsontree.Value, name string, stars []string, item bool) {
		names := append(slices.Clone(names), name)
		if len(names) > mostNames {
			return
		}
		if key := dotted(names); item && (len(of.Fields) > 0 || slices.ContainsFunc(of.Items, func(v jsontree.Value) bool { return v.Kind == jsontree.String })) {
			if all[key] == nil {
				all[key] = &spot{names: names}
			}
			all[key].items, all[key].stars = append(all[key].items, of), append(all[key].stars, stars)
		}
		findSpots(of, names, stars, all)
	}
	for i := range v.Items {
		into(&v.Items[i], "[*]", stars, true)
	}
	byID := keyedByID(v)
	for i := range v.Fields {
		if f := &v.Fields[i]; byID {
			into(&f.Value, "*", append(slices.Clone(stars), f.Name), true)
		} else if addressable(f.Name) {
			into(&f.Value, f.Name, stars, false)
		}
	}
}

// addressable reports whether a path can name a field.
func addressable(name string) bool {
	return name != "" && name[0] != '@' && name[0] != '$' && name != "*" && !strings.ContainsAny(name, "[]|^\n") && strings.Trim(name, ". \t\r") == name
}

// dotted prints the names of a path.
func dotted(names []string) string { return strings.ReplaceAll(strings.Join(names, "."), ".[", "[") }

// keyedByID reports whether the keys of an object are ids: its values are all lists or all
// objects, with the same first field, or under keys that end in numbers.
func keyedByID(v *jsontree.Value) bool {
	if len(v.Fields) == 0 {
		return false
	}
	begins := func(v *jsontree.Value) string {
		kind := v.Kind
		if len(v.Items) > 0 {
			v = &v.Items[0]
		}
		return string(kind) + " " + strings.Join(formOf(v)[:min(1, len(v.Fields))], "")
	}
	first, kind := begins(&v.Fields[0].Value), v.Fields[0].Value.Kind
	alike := len(v.Fields) > 1
	for i := range v.Fields {
		of := &v.Fields[i].Value
		if of.Kind != kind || kind != jsontree.Object && kind != jsontree.Array || len(of.Items) > 0 && of.Items[0].Kind != jsontree.Object {
			return false
		}
		alike = alike && (begins(of) == first || len(of.Items)+len(of.Fields) == 0)
	}
	return alike || numbered(v)
}

// numbered reports whether all names of an object end in a digit.
func numbered(v *jsontree.Value) bool {
	return !slices.ContainsFunc(v.Fields, func(f jsontree.Field) bool { return f.Name == "" || !unicode.IsDigit(rune(f.Name[len(f.Name)-1])) })
}

// formOf names the fields of an object.
func formOf(v *jsontree.Value) []string {
	return lists.Map(v.Fields, func(f jsontree.Field) string { return f.Name })
}

// A leaf is what a path leads to in all items of a spot.
type leaf struct {
	path   string
	values []*jsontree.Value // by item; nil where it has none
	n      int               // items that have it
	words  []string          // of the path, those of the last name first
	list   bool
}

// leavesOf returns the leaves of items in their order.
func leavesOf(items []*jsontree.Value) (all []*leaf) {
	byPath := make(map[string]*leaf)
	var walk func(v *jsontree.Value, names []string, i int)
	walk = func(v *jsontree.Value, names []string, i int) {
		into := func(v *jsontree.Value, name string) { walk(v, append(slices.Clone(names), name), i) }
		path := dotted(names)
		switch {
		case len(names) == mostNames || v.Kind == jsontree.Null:
		case v.Kind == jsontree.Array && len(names) == 0: // an item that is a list
			for j := range v.Items {
				into(&v.Items[j], fmt.Sprintf("[%d]", j))
			}
		case v.Kind == jsontree.Object:
			votes := len(v.Fields) > 1 && numbered(v)
			for j := range v.Fields {
				if f := &v.Fields[j]; votes {
					into(&f.Value, "*")
				} else if addressable(f.Name) {
					into(&f.Value, f.Name)
				}
			}
		default:
			l := byPath[path]
			if l == nil {
				l = &leaf{path: path, values: make([]*jsontree.Value, len(items)), words: wordsOf(names)}
				byPath[path], all = l, append(all, l)
			}
			if l.values[i] == nil {
				l.values[i] = v
				l.list = l.list || v.Kind == jsontree.Array
				l.n++
			}
		}
	}
	for i, v := range items {
		walk(v, nil, i)
	}
	return all
}

// wordsOf takes the names of a path apart, in lower case, those of the last name first.
func wordsOf(names []string) (words []string) {
	for _, name := range slices.Backward(names) {
		var b strings.Builder
		lower := false
		for _, r := range name {
			letter := unicode.IsLetter(r) || unicode.IsDigit(r)
			if unicode.IsUpper(r) && lower || !letter {
				b.WriteByte(' ')
			}
			if lower = unicode.IsLower(r); letter {
				b.WriteRune(unicode.ToLower(r))
			}
		}
		words = append(words, strings.Fields(b.String())...)
	}
	return words
}

// named scores the words of a leaf by a list of words, best first: 3 for the first in
// either, less behind.
func (l *leaf) named(hints string) float64 {
	best := 0.0
	for rank, hint := range strings.Fields(hints) {
		for depth, word := range l.words {
			if word == hint || strings.TrimRight(word, "0123456789") == hint || word == hint+"s" {
				best = max(best, 3/(1+0.1*float64(rank))/(1+0.25*float64(depth)))
			}
		}
	}
	return best
}

// is reports whether most values of a leaf are of some kinds, and no list.
func (l *leaf) is(kinds ...jsontree.Kind) bool {
	return !l.list && l.share(func(i int) bool { return slices.Contains(kinds, l.values[i].Kind) }) >= 0.9
}

// text returns the text of an item, empty where there is none.
func (l *leaf) text(i int) string {
	if l.values[i] == nil {
		return ""
	}
	if text, ok := firstText(l.values[i]); ok {
		return text
	}
	return l.values[i].Text
}

// share is the part of the items that have the leaf for which something holds.
func (l *leaf) share(is func(i int) bool) float64 {
	n := 0
	for i, v := range l.values {
		if v != nil && is(i) {
			n++
		}
	}
	return float64(n) / float64(max(l.n, 1))
}

// prose reports whether most texts have several words.
func (l *leaf) prose() bool {
	return l.share(func(i int) bool { return strings.Contains(l.text(i), " ") }) > 0.5
}

// distinct returns how often each text is there.
func (l *leaf) distinct() map[string]int {
	all := make(map[string]int)
	for i, v := range l.values {
		if v != nil {
			all[l.text(i)]++
		}
	}
	return all
}

// length is the mean length of the texts.
func (l *leaf) length() float64 {
	sum := 0
	for i := range l.values {
		sum += len(l.text(i))
	}
	return float64(sum) / float64(max(l.n, 1))
}
