package interchange

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// Suggest proposes a layout for a file, or for the first file of results in a folder, as
// YAML with comments on what is unsure. It goes by the names and types of fields and by what
// repeats, and where there are questions of a data set, by the texts that both have.
func Suggest(ctx context.Context, file string, golds []record.Gold) ([]byte, error) {
	file, err := firstFile(file)
	if err != nil {
		return nil, err
	}
	f, err := datafile.Open(file, MaxResults)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	top, err := newReading(ctx, file, "", in).excerpt()
	if err != nil {
		return nil, err
	}
	spots := make(map[string]*spot)
	findSpots(top, nil, nil, spots)
	questions := newQuestionIndex(golds)
	var best *guess
	for _, key := range slices.Sorted(maps.Keys(spots)) {
		if g := newGuess(spots[key], questions); g.points > 0 && (best == nil || g.points > best.points) {
			best = g
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: nothing in it looks like a list of answers to questions", file)
	}
	base, _, _ := strings.Cut(filepath.Base(file), ".")
	return best.layout(base)
}

// firstFile returns the file itself, or of a folder the first that may be one of results.
func firstFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if e.Type().IsRegular() && slices.Contains([]string{".json", ".jsonl", ".ndjson", ".gz", ".csv", ".tsv"}, filepath.Ext(e.Name())) {
			return filepath.Join(path, e.Name()), nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("%s: the folder has no file of results", path))
}

// mostOfList is how many items of a list are looked at.
const mostOfList = 400

// excerpt reads the beginning of each list and object of a file; of lines and tables a
// list of the first.
func (r *reading) excerpt() (*jsontree.Value, error) {
	rows := &jsontree.Value{Kind: jsontree.Array}
	if r.table() {
		err := r.eachRow(func(c *jsontree.Cursor, _ int) {
			if len(rows.Items) < mostOfList {
				rows.Items = append(rows.Items, *c.Value)
			}
		})
		return rows, cmp.Or(err, r.faults.Err())
	}
	r.dec.UseNumber()
	left := maxValues
	for r.dec.More() && len(rows.Items) < mostOfList {
		v, err := r.some(&left)
		if err != nil {
			return nil, err
		}
		rows.Items = append(rows.Items, v)
	}
	if len(rows.Items) == 1 {
		return &rows.Items[0], nil
	}
	return rows, nil
}

// some reads a value, of long lists and objects the beginning.
func (r *reading) some(left *int) (v jsontree.Value, err error) {
	*left--
	r.lines.until = r.dec.InputOffset() + 2*MaxItem
	token, err := r.dec.Token()
	if err != nil {
		return v, r.broken("", err)
	}
	r.lines.pass(r.dec.InputOffset())
	switch t := token.(type) {
	case string:
		return jsontree.Value{Kind: jsontree.String, Text: t}, nil
	case json.Number:
		return jsontree.Value{Kind: jsontree.Number, Text: t.String()}, nil
	case bool:
		return jsontree.Value{Kind: jsontree.Bool, Text: strconv.FormatBool(t)}, nil
	case json.Delim:
		if v.Kind = jsontree.Array; t == '{' {
			v.Kind = jsontree.Object
			return v, r.fields("", func(name string) error {
				if len(v.Fields) >= mostOfList || *left <= 0 {
					return r.skip("")
				}
				of, err := r.some(left)
				v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: of})
				return err
			})
		}
		return v, r.each("", func(string) error {
			if len(v.Items) >= mostOfList || *left <= 0 {
				return r.skip("")
			}
			of, err := r.some(left)
			v.Items = append(v.Items, of)
			return err
		})
	}
	return jsontree.Value{Kind: jsontree.Null}, nil
}

// A spot is a path that leads to many values, which might be the items.
type spot struct {
	names    []string
	items    []*jsontree.Value
	captures [][]string
}

// findSpots collects the items of all lists, and of objects whose keys are ids.
func findSpots(v *jsontree.Value, names, captures []string, all map[string]*spot) {
	if len(names) > 6 {
		return
	}
	add := func(of *jsontree.Value, name string, captures []string) {
		names := append(slices.Clone(names), name)
		text := func(v jsontree.Value) bool { return v.Kind == jsontree.String }
		if of.Kind == jsontree.Object || of.Kind == jsontree.Array && slices.ContainsFunc(of.Items, text) {
			key := dotted(names)
			if all[key] == nil {
				all[key] = &spot{names: names}
			}
			s := all[key]
			s.items, s.captures = append(s.items, of), append(s.captures, captures)
		}
		findSpots(of, names, captures, all)
	}
	for i := range v.Items {
		add(&v.Items[i], "[*]", captures)
	}
	byID := keyedByID(v)
	for i := range v.Fields {
		f := &v.Fields[i]
		switch {
		case byID:
			add(&f.Value, "*", append(slices.Clone(captures), f.Name))
		case addressable(f.Name):
			findSpots(&f.Value, append(slices.Clone(names), f.Name), captures, all)
		}
	}
}

// addressable reports whether a path can name a field.
func addressable(name string) bool {
	return name != "" && name[0] != '@' && name[0] != '$' && name != "*" && !strings.ContainsAny(name, "[]|^\n") && name == strings.TrimSpace(name) && strings.Trim(name, ".") == name
}

// dotted prints the names of a path.
func dotted(names []string) string {
	return strings.ReplaceAll(strings.Join(names, "."), ".[", "[")
}

// keyedByID reports whether the keys of an object are ids of values of one form: these
// have the same fields, or their keys end in numbers.
func keyedByID(v *jsontree.Value) bool {
	if len(v.Fields) == 0 {
		return false
	}
	numbered, alike := true, len(v.Fields) > 1
	first := formOf(&v.Fields[0].Value)
	for i := range v.Fields {
		f := &v.Fields[i]
		form := formOf(&f.Value)
		if len(form) == 0 && len(f.Value.Items) > 0 || f.Value.Kind != v.Fields[0].Value.Kind || f.Value.Kind != jsontree.Object && f.Value.Kind != jsontree.Array {
			return false
		}
		same := lists.Filter(form, func(name string) bool { return slices.Contains(first, name) })
		alike = alike && (len(form) == 0 || 4*len(same) >= 3*max(len(form), len(first)))
		numbered = numbered && f.Name != "" && unicode.IsDigit(rune(f.Name[len(f.Name)-1]))
	}
	return alike || numbered
}

// formOf names the fields of an object, or of the first item of a list.
func formOf(v *jsontree.Value) []string {
	if v.Kind == jsontree.Array && len(v.Items) > 0 {
		if v = &v.Items[0]; v.Kind == jsontree.Array {
			return []string{"a list"}
		}
	}
	return lists.Map(v.Fields, func(f jsontree.Field) string { return f.Name })
}

// A leaf is what a path leads to in all items of a spot.
type leaf struct {
	path   string
	values []*jsontree.Value // by item; nil where it has none
	kinds  map[jsontree.Kind]int
	n      int // items that have it
	words  []string
	list   bool // a list of texts or objects
}

// leavesOf returns the leaves of items by path.
func leavesOf(items []*jsontree.Value) (all []*leaf) {
	byPath := make(map[string]*leaf)
	var walk func(v *jsontree.Value, names []string, i int, list bool)
	note := func(v *jsontree.Value, names []string, i int, list bool) {
		path := dotted(names)
		l := byPath[path]
		if l == nil {
			l = &leaf{path: path, values: make([]*jsontree.Value, len(items)), kinds: make(map[jsontree.Kind]int), words: wordsOf(names)}
			byPath[path], all = l, append(all, l)
		}
		l.list = l.list || list
		l.kinds[v.Kind]++
		if l.values[i] == nil && v.Kind != jsontree.Null {
			l.values[i] = v
			l.n++
		}
	}
	walk = func(v *jsontree.Value, names []string, i int, list bool) {
		if len(names) > 5 || len(all) > 1000 {
			return
		}
		switch {
		case v.Kind == jsontree.Array && len(names) > 0:
			note(v, names, i, true)
			for j := range v.Items[:min(len(v.Items), 20)] {
				if v.Items[j].Kind == jsontree.Object {
					walk(&v.Items[j], append(slices.Clone(names), "[*]"), i, true)
				}
			}
		case v.Kind == jsontree.Array:
			for j := range v.Items {
				walk(&v.Items[j], []string{fmt.Sprintf("[%d]", j)}, i, list)
			}
		case v.Kind == jsontree.Object:
			votes := len(v.Fields) > 1 && !slices.ContainsFunc(v.Fields, func(f jsontree.Field) bool {
				return f.Name == "" || f.Value.Kind != v.Fields[0].Value.Kind || !unicode.IsDigit(rune(f.Name[len(f.Name)-1]))
			})
			for j := range v.Fields {
				name := v.Fields[j].Name
				if votes {
					name = "*"
				}
				if votes || addressable(name) {
					walk(&v.Fields[j].Value, append(slices.Clone(names), name), i, list)
				}
			}
		default:
			note(v, names, i, list)
		}
	}
	for i, v := range items {
		walk(v, nil, i, false)
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

// is reports whether most of what a leaf has is of a kind, and no list.
func (l *leaf) is(kinds ...jsontree.Kind) bool {
	n, all := 0, 0
	for k, of := range l.kinds {
		if k != jsontree.Null {
			all += of
		}
		if slices.Contains(kinds, k) {
			n += of
		}
	}
	return !l.list && n > 0 && 10*n >= 9*all
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
