package interchange

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/record"
)

// A Matching says which answers of a file are to which questions.
type Matching struct {
	// Answers are by question, nil where the file has none.
	Answers []*Answer
	// Missing is the number of questions without an answer.
	Missing int
	// Unmatched are the answers to no question, each with the reason.
	Unmatched []Unmatched
	// LeftOut counts the answers to questions of categories that are not asked, by
	// category.
	LeftOut map[string]int
	// OtherGold counts the answers beside which the file has another gold answer
	// than the dataset.
	OtherGold int
}

// An Unmatched is an answer to no question.
type Unmatched struct {
	Answer *Answer
	Reason string
}

// place says where an answer stands in its file.
func (a *Answer) place(file string) string {
	place := fmt.Sprintf("%s:%d: ", file, a.Line)
	if a.Where != "" {
		place += a.Where + ": "
	}
	return place
}

// Error says where the answer stands, and what is wrong.
func (u Unmatched) Error(file string) string { return u.Answer.place(file) + u.Reason }

// Match finds the question of each answer of a file; the questions are in the
// order of the dataset.
//
// An answer with the ids of a sample and a request is to that request. Any other
// is to the question of the same text, but for case and white space: in its
// conversation, if the question is asked there, else in the only one where it is.
// Where a conversation asks a question twice, the gold answer and the category
// decide if the file has them, then the order of the file. Its place alone makes no
// answer one to a question.
func Match(questions []record.Gold, f *File) Matching {
	m := matcher{
		Matching:  Matching{Answers: make([]*Answer, len(questions)), LeftOut: make(map[string]int)},
		questions: questions, byID: make(map[[2]string]int), byText: make(map[string][]int), categories: make(map[string]bool),
	}
	for i, q := range questions {
		m.byID[[2]string{q.Sample, q.Request}] = i
		m.byText[normal(q.Question)] = append(m.byText[normal(q.Question)], i)
		m.categories[q.Category] = true
		if len(m.samples) == 0 || m.samples[len(m.samples)-1] != q.Sample {
			m.samples = append(m.samples, q.Sample)
		}
	}
	// What is sure comes first, so that no answer takes the question of another.
	var unsure []*Answer
	for i := range f.Answers {
		if a := &f.Answers[i]; m.sure(a) {
			m.add(a)
		} else {
			unsure = append(unsure, a)
		}
	}
	for _, a := range unsure {
		m.add(a)
	}
	slices.SortStableFunc(m.Unmatched, func(a, b Unmatched) int { return cmp.Compare(a.Answer.Line, b.Answer.Line) })
	for _, a := range m.Answers {
		if a == nil {
			m.Missing++
		}
	}
	return m.Matching
}

type matcher struct {
	Matching
	questions  []record.Gold
	samples    []string
	byID       map[[2]string]int
	byText     map[string][]int
	categories map[string]bool // that are asked
}

// normal is a text without what two writings of a question may differ in.
func normal(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// sure reports whether more than the text of the question says which one an answer
// is to.
func (m *matcher) sure(a *Answer) bool {
	if _, ok := m.byID[[2]string{a.Sample, a.Request}]; ok {
		return true
	}
	return a.Gold != "" && slices.ContainsFunc(m.byText[normal(a.Question)], func(i int) bool { return normal(m.questions[i].Answer) == normal(a.Gold) })
}

func (m *matcher) add(a *Answer) {
	at, reason := m.find(a)
	switch {
	case reason == "":
		m.Answers[at] = a
		if gold := m.questions[at]; a.Gold != "" && !gold.Abstain && normal(a.Gold) != normal(gold.Answer) {
			m.OtherGold++
		}
	case a.Category != "" && !m.categories[a.Category]:
		m.LeftOut[a.Category]++
	default:
		m.Unmatched = append(m.Unmatched, Unmatched{a, reason})
	}
}

// find returns the question that an answer is to, or why there is none.
func (m *matcher) find(a *Answer) (at int, reason string) {
	if a.Sample != "" && a.Request != "" {
		at, ok := m.byID[[2]string{a.Sample, a.Request}]
		switch {
		case ok && m.Answers[at] != nil:
			return 0, fmt.Sprintf("request %s of %s has its answer at line %d already", quoted(a.Request), quoted(a.Sample), m.Answers[at].Line)
		case ok:
			return at, ""
		case a.Question == "":
			return 0, fmt.Sprintf("the dataset asks no request %s of %s", quoted(a.Request), quoted(a.Sample))
		}
	}
	all := m.byText[normal(a.Question)]
	if len(all) == 0 {
		return 0, "the dataset does not ask " + quoted(a.Question)
	}
	here := m.inConversation(a, all)
	if len(here) == 0 {
		here = all
		if first := m.questions[all[0]].Sample; slices.ContainsFunc(all, func(i int) bool { return m.questions[i].Sample != first }) {
			return 0, quoted(a.Question) + " is asked in several conversations, and which of them is meant the file does not say"
		}
	}
	free := slices.DeleteFunc(slices.Clone(here), func(i int) bool { return m.Answers[i] != nil })
	if len(free) == 0 {
		return 0, fmt.Sprintf("%s has its answer at line %d already", quoted(a.Question), m.Answers[here[0]].Line)
	}
	best := free[0]
	for _, i := range free[1:] {
		if m.likeness(a, i) > m.likeness(a, best) {
			best = i
		}
	}
	return best, ""
}

// inConversation returns the questions that are of the answer's conversation, which
// the file gives by its id or by its place.
func (m *matcher) inConversation(a *Answer, all []int) []int {
	sample := a.Sample
	if sample == "" {
		sample = a.Conversation
	}
	if n, err := strconv.Atoi(sample); err == nil && !slices.Contains(m.samples, sample) && n >= 0 && n < len(m.samples) {
		sample = m.samples[n]
	}
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return m.questions[i].Sample != sample })
}

// likeness says how much of what the file tells of a question is as the dataset has
// it.
func (m *matcher) likeness(a *Answer, at int) int {
	n := 0
	if q := m.questions[at]; normal(a.Gold) == normal(q.Answer) {
		n += 2
	}
	if a.Category == m.questions[at].Category {
		n++
	}
	return n
}

// quoted shows the beginning of a text.
func quoted(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return strconv.Quote(s)
}
