package dialogrel

import (
	_ "embed"
	"strings"

	"recallbench/datasets"
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

// A question is how to ask for the second argument of a relation, with * for the
// first.
type question struct {
	category string
	wordings []string
}

//go:embed questions.txt
var questionsText string

var questions = parseQuestions(questionsText)

// parseQuestions reads a line for each relation: its name, the category of the
// question and the wordings, with " | " between them. Lines that begin with # are
// comments.
func parseQuestions(text string) map[string]question {
	all := make(map[string]question)
	for line := range strings.Lines(text) {
		if fields := strings.Split(strings.TrimSuffix(line, "\n"), " | "); !strings.HasPrefix(line, "#") {
			all[fields[0]] = question{fields[1], fields[2:]}
		}
	}
	return all
}
