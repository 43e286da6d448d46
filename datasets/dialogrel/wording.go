package dialogrel

import (
	_ "embed"

	"recallbench/datasets"
	"recallbench/datasets/internal/wording"
)

const alternateNames = "per:alternate_names"

// Categories are the groups of relations, by what they connect.
func Categories() []datasets.Category {
	return []datasets.Category{
		{ID: "person-name", Name: "another name of a person"},
		{ID: "person-person", Name: "person and person"},
		{ID: "person-place", Name: "person and place"},
		{ID: "person-organisation", Name: "person and organisation"},
		{ID: "person-attribute", Name: "person and attribute"},
		{ID: "place-person", Name: "place and person"},
		{ID: "organisation-person", Name: "organisation and person"},
	}
}

//go:embed wording.txt
var wordingText string

// tables are those of wording.txt, which says what they are for.
var tables = wording.Parse(wordingText)

// A question is how to ask for the second argument of a relation, with * for the
// first.
type question struct {
	category string
	wordings []string
}

// questions are those of the relations.
var questions = func() map[string]question {
	all := make(map[string]question)
	for _, c := range Categories() {
		for relation, wordings := range tables[c.ID] {
			all[relation] = question{c.ID, wordings}
		}
	}
	return all
}()

// words are sets of words by the names of their lists.
var words = func() map[string]map[string]bool {
	all := make(map[string]map[string]bool)
	for name := range tables["words"] {
		all[name] = make(map[string]bool)
		for _, w := range tables.Words(name) {
			all[name][w] = true
		}
	}
	return all
}()
