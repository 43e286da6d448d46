package dialogrel

import "recallbench/datasets"

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

var questions = map[string]question{
	alternateNames:            {"person-name", []string{"What else is * called?", "By what other name does * go?", "What other name is used for *?"}},
	"per:positive_impression": {"person-person", []string{"Of whom does * have a good opinion?", "Who or what makes a good impression on *?", "Whom does * think well of?"}},
	"per:negative_impression": {"person-person", []string{"Of whom does * have a bad opinion?", "Who or what makes a bad impression on *?", "Whom does * think badly of?"}},
	"per:acquaintance":        {"person-person", []string{"Who is an acquaintance of *?", "With whom is * acquainted?", "Which person does * know, without being close?"}},
	"per:alumni":              {"person-person", []string{"Who went to the same school as *?", "With whom did * go to school?", "Who is a fellow student of *?"}},
	"per:boss":                {"person-person", []string{"Who is the boss of *?", "For whom does * work?", "To whom does * report at work?"}},
	"per:subordinate":         {"person-person", []string{"Who works under *?", "Whose boss is *?", "Who reports to * at work?"}},
	"per:client":              {"person-person", []string{"Who is a client of *, or has * as a client?", "With whom does * deal as client or provider?", "Who does business with *?"}},
	"per:dates":               {"person-person", []string{"With whom does * go on a date?", "Who is dating *?", "Who goes out with *?"}},
	"per:friends":             {"person-person", []string{"Who is a friend of *?", "With whom is * friends?", "Whom does * count among friends?"}},
	"per:girl/boyfriend":      {"person-person", []string{"Who is the girlfriend or boyfriend of *?", "With whom is * in a relationship?", "Who is together with * as a couple?"}},
	"per:neighbor":            {"person-person", []string{"Who is a neighbor of *?", "Next to whom does * live?", "Who lives next door to *?"}},
	"per:roommate":            {"person-person", []string{"Who is a roommate of *?", "With whom does * share a home?", "Who lives in the same apartment as *?"}},
	"per:children":            {"person-person", []string{"Who is a child of *?", "Whose parent is *?", "Who is the son or daughter of *?"}},
	"per:other_family":        {"person-person", []string{"Which other relative of * is mentioned?", "Who else belongs to the family of *?", "To whom is * related, other than as parent, child, sibling or spouse?"}},
	"per:parents":             {"person-person", []string{"Who is a parent of *?", "Whose child is *?", "Who is the mother or father of *?"}},
	"per:siblings":            {"person-person", []string{"Who is a sibling of *?", "Who is the brother or sister of *?", "Who has the same parents as *?"}},
	"per:spouse":              {"person-person", []string{"Who is the spouse of *?", "To whom is * married?", "Who is the husband or wife of *?"}},
	"per:place_of_residence":  {"person-place", []string{"Where does * live?", "What is the place of residence of *?", "In which place is * at home?"}},
	"per:place_of_birth":      {"person-place", []string{"Where was * born?", "What is the place of birth of *?", "In which place did the life of * begin?"}},
	"per:visited_place":       {"person-place", []string{"Which place has * visited?", "Where did * travel to?", "To which place did * go on a visit?"}},
	"per:origin":              {"person-place", []string{"What is the origin of *?", "Where does * come from?", "Of what descent or nationality is *?"}},
	"per:employee_or_member_of": {"person-organisation", []string{
		"Which organization employs * or has * as a member?", "To which organization does * belong?", "What company or group is * a part of?",
	}},
	"per:schools_attended": {"person-organisation", []string{"Which school did * attend?", "Where did * go to school?", "At which school was * a student?"}},
	"per:place_of_work":    {"person-organisation", []string{"Where does * work?", "What is the place of work of *?", "At what kind of place does * have a job?"}},
	"per:works":            {"person-attribute", []string{"Which work is by * or has * in it?", "What did * write, make or perform in?", "What is a work of *?"}},
	"per:age":              {"person-attribute", []string{"How old is *?", "What is the age of *?", "What age does * have?"}},
	"per:date_of_birth":    {"person-attribute", []string{"When was * born?", "On what day is the birthday of *?", "What is the date of birth of *?"}},
	"per:major":            {"person-attribute", []string{"What did * study as a major?", "What is the major of *?", "Which subject did * major in?"}},
	"per:title":            {"person-attribute", []string{"What is the title or occupation of *?", "What does * do for a living?", "As what does * work?"}},
	"per:pet":              {"person-attribute", []string{"What pet does * have?", "Which animal belongs to *?", "Who or what is the pet of *?"}},
	"gpe:residents_of_place": {"place-person", []string{
		"Who lives in *?", "Whose place of residence is *?", "Who is a resident of *?",
	}},
	"gpe:births_in_place":      {"place-person", []string{"Who was born in *?", "Whose place of birth is *?", "Which person comes into the world in *?"}},
	"gpe:visitors_of_place":    {"place-person", []string{"Who has visited *?", "Who traveled to *?", "Which person went on a visit to *?"}},
	"org:employees_or_members": {"organisation-person", []string{"Who works for * or is a member of it?", "Who is an employee or a member of *?", "Which person belongs to *?"}},
	"org:students":             {"organisation-person", []string{"Who is a student at *?", "Who attended *?", "Which person went to school at *?"}},
}
