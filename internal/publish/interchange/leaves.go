package interchange

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/files/jsontree"
)

// mostNames is how many names a suggested path has.
const mostNames = 6

// A spot is a path that leads to many values, which might be the items.
type spot struct {
	names []string
	items []*jsontree.Value
	stars [][]string // of each item the names that the stars of the path stand for
}

// findSpots collects the items of all lists, and of objects whose keys are ids. Names lead to
// the value, and stars are what theirs stand for.
func findSpots(v *jsontree.Value, names, stars []string, all map[string]*spot) {
	if len(names) == mostNames {
		return
	}
	into := func(of *jsontree.Value, name string, stars []string) {
		names := append(slices.Clone(names), name)
		isItem := len(of.Fields) > 0 || slices.ContainsFunc(of.Items, func(v jsontree.Value) bool { return v.Kind == jsontree.String })
		if key := dotted(names); isItem && (name == "*" || name == "[*]") {
			if all[key] == nil {
				all[key] = &spot{names: names}
			}
			all[key].items, all[key].stars = append(all[key].items, of), append(all[key].stars, stars)
		}
		findSpots(of, names, stars, all)
	}
	for i := range v.Items {
		into(&v.Items[i], "[*]", stars)
	}
	byID := keyedByID(v)
	for name, of := range fieldsOf(v) {
		if byID {
			into(of, "*", append(slices.Clone(stars), name))
		} else if addressable(name) {
			into(of, name, stars)
		}
	}
}

// addressable reports whether a path can name a field.
func addressable(name string) bool {
	return name != "" && name[0] != '@' && name[0] != '$' && name != "*" && !strings.ContainsAny(name, "[]|^\n") && strings.Trim(name, ". \t\r") == name
}

// dotted prints the names of a path.
func dotted(names []string) string { return strings.ReplaceAll(strings.Join(names, "."), ".[", "[") }

// keyedByID reports whether the keys of an object are ids: its values are objects or lists of
// them, with the same first field, or under keys that end in numbers.
func keyedByID(v *jsontree.Value) bool {
	first := make(map[string]bool)
	for _, of := range fieldsOf(v) {
		item := of
		if len(of.Items) > 0 {
			item = &of.Items[0]
		}
		if item.Kind != jsontree.Object && (of.Kind != jsontree.Array || len(of.Items) > 0) {
			return false
		}
		if len(item.Fields) > 0 {
			first[item.Fields[0].Name] = true
		}
	}
	return len(v.Fields) > 1 && len(first) < 2 || len(v.Fields) > 0 && numbered(v)
}

// numbered reports whether all names of an object end in a digit.
func numbered(v *jsontree.Value) bool {
	return !slices.ContainsFunc(v.Fields, func(f jsontree.Field) bool { return f.Name == "" || !unicode.IsDigit(rune(f.Name[len(f.Name)-1])) })
}

// A leaf is what a path leads to in all items of a spot.
type leaf struct {
	path   string
	words  []string          // of the path, those of the last name first
	values []*jsontree.Value // by item; nil where it has none
	texts  []string          // of the values; empty where there is none
	n      int               // items that have it
	list   bool
	// distinct are the different texts, and length is their mean length.
	distinct map[string]bool
	length   float64
}

// leavesOf returns the leaves of items in their order.
func leavesOf(items []*jsontree.Value) (all []*leaf) {
	byPath := make(map[string]*leaf)
	var walk func(i int, v *jsontree.Value, names ...string)
	walk = func(i int, v *jsontree.Value, names ...string) {
		names = slices.Clip(names)
		switch path := dotted(names); {
		case len(names) == mostNames || v.Kind == jsontree.Null:
		case v.Kind == jsontree.Array && path == "": // an item that is a list
			for j := range v.Items {
				walk(i, &v.Items[j], fmt.Sprintf("[%d]", j))
			}
		case v.Kind == jsontree.Object:
			votes := len(v.Fields) > 1 && numbered(v)
			for name, of := range fieldsOf(v) {
				if votes {
					walk(i, of, append(names, "*")...)
				} else if addressable(name) {
					walk(i, of, append(names, name)...)
				}
			}
		default:
			l := byPath[path]
			if l == nil {
				l = &leaf{path: path, words: wordsOf(names), values: make([]*jsontree.Value, len(items)), texts: make([]string, len(items)), distinct: make(map[string]bool)}
				byPath[path], all = l, append(all, l)
			}
			if l.values[i] == nil {
				l.add(i, v)
			}
		}
	}
	for i, v := range items {
		walk(i, v)
	}
	return all
}

// add notes the value of an item.
func (l *leaf) add(i int, v *jsontree.Value) {
	text, ok := firstText(v)
	if !ok {
		text = v.Text
	}
	l.values[i], l.texts[i], l.list, l.distinct[text] = v, text, l.list || v.Kind == jsontree.Array, true
	l.n++
	l.length += (float64(len(text)) - l.length) / float64(l.n)
}

// hump is where a word begins within a name.
var hump = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// wordsOf takes the names of a path apart, in lower case, those of the last name first.
func wordsOf(names []string) (words []string) {
	for _, name := range slices.Backward(names) {
		name = strings.ToLower(hump.ReplaceAllString(name, "$1 $2"))
		words = append(words, strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	return words
}

// named scores the words of a leaf by a list of words, best first: 3 for the first in
// either, less behind.
func (l *leaf) named(hints string) (best float64) {
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
	return l.share(func(i int) bool { return strings.Contains(l.texts[i], " ") }) > 0.5
}
