package main

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/asked"
	"recallbench/internal/near"
)

// knownCategories reports names that are no category of any dataset.
func knownCategories(pairs []cellPair, names []string) error {
	var known []string
	for _, p := range pairs {
		for _, c := range p.dataset.Categories {
			known = append(known, c.ID, c.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, n := range names {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, n) }) {
			return fmt.Errorf("--category: %s", near.Unknown("category", n, known))
		}
	}
	return nil
}

// categories returns what tells whether a request is of one of some categories, by
// id or name; nil for all.
func (p cellPair) categories(names []string) func(asked.Request) bool {
	if len(names) == 0 {
		return nil
	}
	return func(q asked.Request) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return strings.EqualFold(n, q.Gold.Category) || strings.EqualFold(n, p.category(q.Gold.Category))
		})
	}
}

// category returns the name of a category.
func (p cellPair) category(id string) string {
	for _, c := range p.dataset.Categories {
		if c.ID == id {
			return c.Name
		}
	}
	return id
}
