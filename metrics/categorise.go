package metrics

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/files/category"
)

// CheckCategories returns an error for categories of a dataset whose names mean
// different things to projects, where a metric goes by the numbers behind such
// names. A category of another name is the dataset's own, and has the rule of no
// number.
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
	return fmt.Errorf("%s goes by the numbers of categories, and these are names: %s", specs[i].Name, strings.Join(names, ", "))
}

// Categorise returns the id that a category stands for: a number for itself, and a
// name for what the vocabulary says; without a vocabulary a name stands for itself.
//
// A category that a vocabulary does not have is an error. So is one that a metric
// has no rule for while it goes by category, as it would score the question by a
// rule that nobody chose.
func Categorise(specs []*Spec, v *category.Vocabulary, name string) (string, error) {
	id, ok := v.ID(name)
	if !ok && v != nil {
		return "", fmt.Errorf("is none of %s, which has %s", v.Name, strings.Join(v.List(), ", "))
	}
	if !ok {
		id = name
	}
	for _, s := range specs {
		switch meanings, ambiguous := category.Meanings(name); {
		case len(s.Categories) == 0 || slices.Contains(s.Categories, id):
		case !ok && ambiguous:
			return "", fmt.Errorf("is a name, %s, and %s goes by numbers", meanings, s.Name)
		default:
			return "", fmt.Errorf("is none of those that %s has rules for, %s", s.Name, strings.Join(s.Categories, ", "))
		}
	}
	return id, nil
}
