// Package category reads the names that results give to the categories of questions.
//
// LoCoMo's data has its categories by number, and projects give the same numbers
// different names: what LoCoMo's paper calls multi-hop, 1, mem0 calls single-hop.
// A name only has a meaning together with its [Vocabulary]: one of the known
// ones, or a file. A number is the dataset's own id in each of them.
package category

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// A Vocabulary maps names to categories.
type Vocabulary struct {
	Name string
	ids  map[string]string // by folded name
	// names are those of ids, as they are written.
	names []string
}

// LoCoMo has the names of LoCoMo's paper: they follow from the counts in its table
// 5 and from its scorer.
var LoCoMo = newVocabulary("locomo", "1:multi-hop", "2:temporal", "3:open-domain", "4:single-hop", "5:adversarial",
	"2:temporal reasoning", "3:open-domain knowledge")

// Mem0 has the names that mem0's evaluation prints, which leaves out category 5.
var Mem0 = newVocabulary("mem0", "1:single-hop", "2:temporal", "3:multi-hop", "4:open-domain", "5:adversarial",
	"2:temporal reasoning", "4:open-domain knowledge")

var known = []*Vocabulary{LoCoMo, Mem0}

// Names lists the names of the known vocabularies.
func Names() []string {
	return lists.Map(known, func(v *Vocabulary) string { return v.Name })
}

// newVocabulary returns a vocabulary of names behind their ids.
func newVocabulary(name string, pairs ...string) *Vocabulary {
	v := &Vocabulary{Name: name, ids: make(map[string]string)}
	for _, p := range pairs {
		id, name, _ := strings.Cut(p, ":")
		v.add(id, name)
	}
	return v
}

func (v *Vocabulary) add(id, name string) {
	v.ids[fold(name)] = id
	v.names = append(v.names, name)
}

// maxFile bounds a file in bytes.
const maxFile = 1 << 20

// Open returns a known vocabulary by its name, or reads the YAML file of that
// name, a mapping of names to ids such as "multi-hop: 1".
func Open(ctx context.Context, name string) (*Vocabulary, error) {
	for _, v := range known {
		if strings.EqualFold(v.Name, name) {
			return v, nil
		}
	}
	data, err := datafile.Read(ctx, name, maxFile)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s, or a file: %w", suggest.Unknown("map of categories", name, Names()), err)
	}
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if !doc.Root().IsMapping() {
		return nil, fmt.Errorf("%s: it is %s, want names with their ids, such as multi-hop: 1", name, doc.Root().Describe())
	}
	v := &Vocabulary{Name: name, ids: make(map[string]string)}
	doc.Root().Keys(func(key string, at, value strictyaml.Value) {
		id, ok := value.Text()
		if !ok {
			id = value.Short()
		}
		_, number := Number(key)
		switch other, twice := v.ids[fold(key)]; {
		case fold(key) == "":
			at.Faultf("is not a name")
		case number:
			at.Faultf("is a number, which stands for itself; want a name")
		case value.IsList(), value.IsMapping(), strings.TrimSpace(id) == "", !ok && id == "null":
			value.Faultf("is %s, want the id of a category", value.Describe())
		case twice && other != id:
			at.Faultf("maps to both %s and %s, ignoring case and punctuation", other, id)
		default:
			v.add(strings.TrimSpace(id), key)
		}
	})
	return v, doc.Err()
}

// ID returns the id of a category, and whether it has one: a number is its own
// id, also in a nil Vocabulary, and a name is looked up ignoring case and
// punctuation.
func (v *Vocabulary) ID(category string) (string, bool) {
	if id, ok := Number(category); ok {
		return id, true
	}
	if v == nil {
		return "", false
	}
	id, ok := v.ids[fold(category)]
	return id, ok
}

// List names the names, in order.
func (v *Vocabulary) List() []string { return slices.Clone(v.names) }

// String returns the names with their ids, or the name of a known vocabulary.
func (v *Vocabulary) String() string {
	if slices.Contains(known, v) {
		return v.Name
	}
	all := lists.Map(v.names, func(name string) string { return name + ": " + v.ids[fold(name)] })
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Number returns the plain form of a category that is a whole number, which some
// tools write as 2.0.
func Number(category string) (string, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(category), 64)
	if err != nil || x != float64(int(x)) {
		return "", false
	}
	return strconv.Itoa(int(x)), true
}

// Meanings says what a name means in each known vocabulary, and whether any of
// them has it.
func Meanings(name string) (string, bool) {
	var all []string
	for _, v := range known {
		if id, ok := v.ids[fold(name)]; ok {
			all = append(all, fmt.Sprintf("%s to %s", id, v.Name))
		}
	}
	return strings.Join(all, ", "), len(all) > 0
}

// fold leaves the letters and digits of a name, in lowercase.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
