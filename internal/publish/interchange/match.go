package interchange

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/category"
	"recallbench/internal/result/record"
)

// The ways to find the question of an answer.
const (
	ByID       = "id"       // by the ids of the sample and the request alone
	ByQuestion = "question" // by the text alone, whatever ids are beside it
	ByEither   = "auto"     // by ids where the dataset has them, else by the text
)

// MatchOptions say how answers are matched.
type MatchOptions struct {
	By string // ByEither where it is empty
	// Accept names the fields that may contradict the request, of [Fields].
	Accept []string
	// Vocabulary says what names of categories stand for; nil for none.
	Vocabulary *category.Vocabulary
	// Categories are all of the dataset's, also those that are not asked.
	Categories []record.Category
}

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
	// Contradictions are the answers whose file says something else of their
	// question than the dataset, in what is not accepted.
	Contradictions []Contradiction
	// Contradicting and Accepted count the contradictions that are not accepted,
	// and those that are, by field.
	Contradicting, Accepted map[string]int
	// ByOrder counts the answers that only the order of the file assigns, among
	// questions of a conversation with the same text.
	ByOrder int
	// OtherIDs is set where no id of the file is one of the dataset.
	OtherIDs bool
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
// An answer with the ids of a sample and a request is to that request. One with the
// name alone that the release gives a request is to that one. Any other is to the
// question of the same text, but for case, accents, white space and punctuation, also
// where it ends a sentence of a longer text: in its conversation, if the question is
// asked there, else in the only one where it is. Where a conversation asks a question
// twice, the gold answer and the category decide if the file has them, then the order
// of the file. Its place alone makes no answer one to a question.
//
// All that the file says of a question is then compared with the one that was found.
func Match(questions []record.Gold, f *File, o MatchOptions) Matching {
	m := newMatcher(questions, f, o)
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
	m.check()
	return m.Matching
}

type matcher struct {
	Matching
	MatchOptions
	questions []record.Gold
	samples   []string
	byID      map[[2]string]int
	byName    map[string]int // by the release's names of requests
	byText    map[string][]int
	longest   int             // words of a question
	asked     map[string]bool // categories
	ownIDs    bool            // whether ids of the file are the dataset's
	texts     map[*Answer]string
	homes     map[string]string // see findHomes
}

func newMatcher(questions []record.Gold, f *File, o MatchOptions) *matcher {
	m := &matcher{
		Matching: Matching{
			Answers: make([]*Answer, len(questions)), LeftOut: make(map[string]int),
			Contradicting: make(map[string]int), Accepted: make(map[string]int),
		},
		MatchOptions: o, questions: questions, byID: make(map[[2]string]int), byName: make(map[string]int), byText: make(map[string][]int), asked: make(map[string]bool),
		texts: make(map[*Answer]string),
	}
	for i, q := range questions {
		m.byID[[2]string{q.Sample, q.Request}] = i
		if q.Name != "" {
			m.byName[q.Name] = i
		}
		text := normal(q.Question)
		m.byText[text] = append(m.byText[text], i)
		m.longest = max(m.longest, len(fold(q.Question).words))
		m.asked[q.Category] = true
		if len(m.samples) == 0 || m.samples[len(m.samples)-1] != q.Sample {
			m.samples = append(m.samples, q.Sample)
		}
	}
	given := false
	for i := range f.Answers {
		a := &f.Answers[i]
		m.texts[a] = m.questionOf(a)
		if a.Sample != "" && a.Request != "" {
			given = true
			_, ok := m.byID[[2]string{a.Sample, a.Request}]
			m.ownIDs = m.ownIDs || ok
		}
	}
	m.OtherIDs = given && !m.ownIDs
	m.findHomes(f)
	return m
}

// questionOf returns the folded text of an answer's question: that of a question of
// the dataset that stands in it, if it is none itself.
func (m *matcher) questionOf(a *Answer) string {
	text := normal(a.Question)
	if text == "" || m.byText[text] != nil {
		return text
	}
	return cmp.Or(fold(a.Question).within(m.longest, func(text string) bool { return m.byText[text] != nil }), text)
}

// asks reports whether the question beside an answer is one of the dataset's, or
// holds it; a question of the dataset holds no other.
func (m *matcher) asks(a *Answer, q record.Gold) bool {
	text := normal(q.Question)
	if m.texts[a] == text {
		return true
	}
	return m.byText[normal(a.Question)] == nil && fold(a.Question).within(m.longest, func(part string) bool { return part == text }) != ""
}

// label is what the file calls the conversation of an answer.
func (a *Answer) label() string { return cmp.Or(a.Sample, a.Conversation) }

// findHomes finds the sample that each label of a conversation stands for: the one of
// this id, unless ids do not count. Else it is the one that asks most of the
// questions asked nowhere else, else the one at the place, from 0, that the label ends in.
func (m *matcher) findHomes(f *File) {
	m.homes = make(map[string]string)
	votes := make(map[string]map[string]int)
	for i := range f.Answers {
		a := &f.Answers[i]
		all := m.byText[m.texts[a]]
		if label := a.label(); label != "" && len(all) > 0 && !slices.ContainsFunc(all, func(i int) bool { return m.questions[i].Sample != m.questions[all[0]].Sample }) {
			if votes[label] == nil {
				votes[label] = make(map[string]int)
			}
			votes[label][m.questions[all[0]].Sample]++
		}
	}
	for i := range f.Answers {
		label := f.Answers[i].label()
		if _, done := m.homes[label]; done || label == "" {
			continue
		}
		home := ""
		for _, sample := range m.samples { // the first of those with as many
			if n := votes[label][sample]; n > 0 && (home == "" || n > votes[label][home]) {
				home = sample
			}
		}
		if n, err := strconv.Atoi(label[strings.LastIndexFunc(label, func(c rune) bool { return c < '0' || c > '9' })+1:]); home == "" && err == nil && n >= 0 && n < len(m.samples) {
			home = m.samples[n]
		}
		if slices.Contains(m.samples, label) && (home == "" || m.By != ByQuestion) {
			home = label
		}
		m.homes[label] = home
	}
}

// sure reports whether more than the text of the question says which one an answer
// is to.
func (m *matcher) sure(a *Answer) bool {
	if _, ok := m.identified(a); ok && m.By != ByQuestion {
		return true
	}
	return a.Gold != "" && slices.ContainsFunc(m.byText[m.texts[a]], func(i int) bool { return sameGold(a.Gold, m.questions[i]) })
}

// identified returns the question that the ids or the name beside an answer say.
func (m *matcher) identified(a *Answer) (at int, ok bool) {
	if a.Sample == "" {
		at, ok = m.byName[a.Request]
		return at, ok
	}
	at, ok = m.byID[[2]string{a.Sample, a.Request}]
	return at, ok
}

func (m *matcher) add(a *Answer) {
	at, reason := m.find(a)
	id, ok := m.categoryOf(a)
	switch {
	case reason == "":
		m.Answers[at] = a
	case ok && !m.asked[id]:
		m.LeftOut[id]++
	default:
		m.Unmatched = append(m.Unmatched, Unmatched{a, reason})
	}
}

// find returns the question that an answer is to, or why there is none.
func (m *matcher) find(a *Answer) (at int, reason string) {
	named := a.Sample == "" && len(m.byName) > 0
	if a.Request != "" && (a.Sample != "" || named) && m.By != ByQuestion {
		at, ok := m.identified(a)
		switch {
		case ok && m.Answers[at] != nil && named:
			return 0, fmt.Sprintf("request %s has its answer at line %d already", quoted(a.Request), m.Answers[at].Line)
		case ok && m.Answers[at] != nil:
			return 0, fmt.Sprintf("request %s of %s has its answer at line %d already", quoted(a.Request), quoted(a.Sample), m.Answers[at].Line)
		case ok:
			return at, ""
		case named && (a.Question == "" || m.By == ByID):
			return 0, "the dataset asks no request named " + quoted(a.Request)
		case a.Question == "" || m.By == ByID:
			return 0, fmt.Sprintf("the dataset asks no request %s of %s", quoted(a.Request), quoted(a.Sample))
		}
	}
	switch {
	case m.By == ByID:
		return 0, "the answer has no ids of a sample and a request, and --match id goes by nothing else"
	case a.Question == "":
		return 0, "the answer has no question, and --match question goes by nothing else"
	}
	all := m.byText[m.texts[a]]
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
	best, alike := free[0], 1
	for _, i := range free[1:] {
		switch n := m.likeness(a, i) - m.likeness(a, best); {
		case n > 0:
			best, alike = i, 1
		case n == 0:
			alike++
		}
	}
	if alike > 1 {
		m.ByOrder++
	}
	return best, ""
}

// inConversation returns the questions that are of the answer's conversation.
func (m *matcher) inConversation(a *Answer, all []int) []int {
	home := m.homes[a.label()]
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return m.questions[i].Sample != home })
}

// likeness says how much of what the file tells of a question is as the dataset has
// it.
func (m *matcher) likeness(a *Answer, at int) int {
	n := 0
	if sameGold(a.Gold, m.questions[at]) {
		n += 2
	}
	if id, ok := m.categoryOf(a); ok && id == m.questions[at].Category {
		n++
	}
	return n
}

// categoryOf returns the dataset's id of the category that the file has beside an
// answer, and whether there is one: an id of the dataset, a name that the
// vocabulary has, or where nobody calls the dataset's categories otherwise, its own
// name.
func (m *matcher) categoryOf(a *Answer) (id string, ok bool) {
	if a.Category == "" {
		return "", false
	}
	if at, ok := m.byName[a.Request]; ok && a.Sample == "" {
		return m.questions[at].Category, true // files call abstentions a category of their own
	}
	has := func(id string) bool {
		return m.asked[id] || slices.ContainsFunc(m.Categories, func(c record.Category) bool { return c.ID == id })
	}
	if has(a.Category) {
		return a.Category, true
	}
	if id, ok := m.Vocabulary.ID(a.Category); ok {
		return id, has(id)
	}
	if slices.ContainsFunc(m.Categories, func(c record.Category) bool { return len(c.Aliases) > 0 }) {
		return "", false
	}
	for _, c := range m.Categories {
		if strings.EqualFold(c.Name, a.Category) {
			return c.ID, true
		}
	}
	return "", false
}

// quoted shows the beginning of a text.
func quoted(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return strconv.Quote(s)
}
