package metrics

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/files/category"
)

// CheckCategories returns an error if a metric goes by the number of a category
// and the dataset uses category names that mean different numbers in different
// projects. A category with any other name is the dataset's own and follows the
// rule for categories without a number.
func CheckCategories(specs []*Spec, categories []string) error {
	i := slices.IndexFunc(specs, func(s *Spec) bool { return len(s.Categories) > 0 })
	if i < 0 {
		return nil
	}
	var names []string
	for _, name := range categories {
		if meanings, ambiguous := category.Meanings(name); ambiguous {
			names = append(names, fmt.Sprintf("%q (%s)", name, meanings))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%s needs category numbers, but these are names: %s", specs[i].Name, strings.Join(names, ", "))
}

// Categorise returns the id of a category: a number stands for itself, and a name
// for the number in the vocabulary; without a vocabulary a name stands for itself.
//
// A category missing from the vocabulary is an error. So is one for which a
// metric that goes by category has no rule: it would score the question by a rule
// that nobody chose.
func Categorise(specs []*Spec, v *category.Vocabulary, name string) (string, error) {
	id, ok := v.ID(name)
	if !ok && v != nil {
		return "", fmt.Errorf("is not in %s, which has %s", v.Name, strings.Join(v.List(), ", "))
	}
	if !ok {
		id = name
	}
	for _, s := range specs {
		switch meanings, ambiguous := category.Meanings(name); {
		case len(s.Categories) == 0 || slices.Contains(s.Categories, id):
		case !ok && ambiguous:
			return "", fmt.Errorf("is a name, %s, but %s needs numbers", meanings, s.Name)
		default:
			return "", fmt.Errorf("has no rule in %s, which has rules for %s", s.Name, strings.Join(s.Categories, ", "))
		}
	}
	return id, nil
}
