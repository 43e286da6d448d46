package interchange

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/result/record"
)

// The ways to find the question of an answer.
const (
	ByEither   = "auto"     // by ids where the dataset has them, else by the text
	ByQuestion = "question" // by the text alone, whatever ids are beside it
)

// Fields lists the fields of an answer that are compared with its request.
func Fields() []string { return []string{"question", "gold", "category", "conversation"} }

// MatchOptions set how answers are matched.
type MatchOptions struct {
	By string // ByEither where it is empty
	// Accept names the fields that may contradict the request, of [Fields].
	Accept []string
	// Vocabulary says what names of categories stand for; nil for none.
	Vocabulary *category.Vocabulary
	// Categories are all of the dataset's, also those that are not asked.
	Categories []record.Category
}

// A Matching assigns the answers of a file to questions.
type Matching struct {
	// Answers are by question, nil if the file has none.
	Answers []*Answer
	// Missing is the number of questions without an answer.
	Missing int
	// Unmatched are the answers that match no question.
	Unmatched []Mismatch
	// Contradictions are the answers whose file says something else of their
	// question than the dataset, in what is not accepted.
	Contradictions []Mismatch
	// Contradicting and Accepted count the contradictions that are not accepted,
	// and those that are, by field.
	Contradicting, Accepted map[string]int
	// LeftOut counts the answers to questions of categories that are not asked, by
	// category.
	LeftOut map[string]int
	// ByOrder counts the answers that only the order of the file assigns, among
	// questions of a conversation with the same text.
	ByOrder int

	answers int // of the file
}

// A Mismatch is a fault of an answer in a file.
type Mismatch struct {
	Answer *Answer
	Reason string
}

// Error gives the place of the answer in its file, and the fault.
func (m Mismatch) Error(file string) string {
	return fmt.Sprintf("%s:%d: %s%s", file, m.Answer.Line, prefix(m.Answer.Where), m.Reason)
}

// Err names the first answers that contradict the dataset, else those that match no question
// unless they are skipped, and says which flag accepts them; nil if there are none.
func (m Matching) Err(file string, skip bool) error {
	all := m.Contradictions
	if len(all) == 0 && !skip {
		all = m.Unmatched
	}
	if len(all) == 0 {
		return nil
	}
	lines := lists.Map(all[:min(len(all), datafile.MaxFaults)], func(x Mismatch) string { return x.Error(file) })
	add := func(format string, args ...any) { lines = append(lines, file+": "+fmt.Sprintf(format, args...)) }
	if more := len(all) - len(lines); more > 0 {
		add("and %d more", more)
	}
	if len(m.Contradictions) == 0 {
		add("--skip-unmatched ignores these answers")
		return errors.New(strings.Join(lines, "\n"))
	}
	fields := slices.Sorted(maps.Keys(m.Contradicting))
	counts := lists.Map(fields, func(field string) string { return fmt.Sprintf("%s of %d", field, m.Contradicting[field]) })
	add("%d of %d answers contradict the questions that they were matched to: %s", len(all), m.answers, strings.Join(counts, ", "))
	if m.Contradicting["category"] > 0 {
		add("--categories %s|FILE defines the names of categories", strings.Join(category.Names(), "|"))
	}
	if m.Contradicting["question"] > 0 {
		add("--match question matches by the texts of the questions instead of ids")
	}
	add("--accept %s allows the difference; answers are scored against the dataset's gold answers in any case", strings.Join(fields, ","))
	return errors.New(strings.Join(lines, "\n"))
}

// Remarks say in sentences which answers were left out or differ from the dataset.
func (m Matching) Remarks() (all []string) {
	add := func(n int, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.LeftOut)) {
		add(1, "answers left out, because the dataset's options exclude category %s: %d", id, m.LeftOut[id])
	}
	add(len(m.Unmatched), "answers left out, because the dataset does not have their questions: %d", len(m.Unmatched))
	for _, field := range slices.Sorted(maps.Keys(m.Accepted)) {
		add(1, "answers whose %s differs from the dataset's, which counts: %d", field, m.Accepted[field])
	}
	add(m.ByOrder, "answers matched in the order of the file, because their conversation has the same question more than once: %d", m.ByOrder)
	return all
}

// Match finds the question of each answer of a file; the questions are in the
// order of the dataset.
//
// An answer with the ids of a sample and a request is to that request. One with the
// name alone that the release gives a request is to that one. Any other is to the
// question of the same text, but for case, accents, white space and punctuation: in its
// conversation, if the question is asked there, else in the only one where it is. Where a
// conversation asks a question twice, the gold answer and the category decide if the file has
// them, then the order of the file. Its place alone makes no answer one to a question.
//
// All that the file says of a question is then compared with the one that was found.
func Match(questions []record.Gold, f *File, o MatchOptions) Matching {
	m := &matcher{
		Matching: Matching{
			Answers: make([]*Answer, len(questions)), LeftOut: make(map[string]int), Contradicting: make(map[string]int), Accepted: make(map[string]int), answers: len(f.Answers),
		},
		MatchOptions: o, questions: questions, byID: make(map[[2]string]int), byText: make(map[string][]int), homes: make(map[string]string),
	}
	for i, q := range questions {
		m.byID[[2]string{q.Sample, q.Request}] = i
		if q.Name != "" {
			m.byID[[2]string{"", q.Name}] = i
		}
		m.byText[normal(q.Question)] = append(m.byText[normal(q.Question)], i)
	}
	m.samples = lists.Distinct(questions, func(q record.Gold) string { return q.Sample })
	m.findHomes(f)
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
	for i, a := range m.Answers {
		if a == nil {
			m.Missing++
		} else {
			m.check(a, questions[i])
		}
	}
	for _, all := range [][]Mismatch{m.Unmatched, m.Contradictions} {
		slices.SortStableFunc(all, func(a, b Mismatch) int { return cmp.Compare(a.Answer.Line, b.Answer.Line) })
	}
	return m.Matching
}

type matcher struct {
	Matching
	MatchOptions
	questions []record.Gold
	samples   []string
	byID      map[[2]string]int // by sample and request, or "" and the release's name
	byText    map[string][]int
	homes     map[string]string // see findHomes
}

// label is what the file calls the conversation of an answer.
func (a *Answer) label() string { return cmp.Or(a.Gold.Sample, a.Conversation) }

// findHomes finds the sample that each label of a conversation stands for: the one of
// this id, unless ids do not count. Else it is the one that asks most of the
// questions asked nowhere else, else the one at the place, from 0, that the label ends in.
func (m *matcher) findHomes(f *File) {
	votes := make(map[[2]string]int)
	for i := range f.Answers {
		a := &f.Answers[i]
		if all := m.byText[normal(a.Gold.Question)]; len(all) > 0 && m.oneSample(all) {
			votes[[2]string{a.label(), m.questions[all[0]].Sample}]++
		}
		m.homes[a.label()] = ""
	}
	delete(m.homes, "")
	for label := range m.homes {
		home := ""
		for _, sample := range m.samples { // the first of those with as many
			if votes[[2]string{label, sample}] > votes[[2]string{label, home}] {
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

// oneSample reports whether questions are all of one sample.
func (m *matcher) oneSample(all []int) bool {
	return !slices.ContainsFunc(all, func(i int) bool { return m.questions[i].Sample != m.questions[all[0]].Sample })
}

// identified returns the question that the ids or the name beside an answer say.
func (m *matcher) identified(a *Answer) (at int, ok bool) {
	at, ok = m.byID[[2]string{a.Gold.Sample, a.Gold.Request}]
	return at, ok && m.By != ByQuestion
}

// sure reports whether more than the text of the question says which one an answer
// is to.
func (m *matcher) sure(a *Answer) bool {
	_, ok := m.identified(a)
	return ok || a.Gold.Answer != "" && slices.ContainsFunc(m.byText[normal(a.Gold.Question)], func(i int) bool { return sameGold(a.Gold.Answer, m.questions[i]) })
}

// add matches an answer.
func (m *matcher) add(a *Answer) {
	at, reason := m.find(a)
	id, ok := m.categoryOf(a)
	switch {
	case reason == "":
		m.Answers[at] = a
	case ok && !slices.ContainsFunc(m.questions, func(q record.Gold) bool { return q.Category == id }):
		m.LeftOut[id]++
	default:
		m.Unmatched = append(m.Unmatched, Mismatch{a, reason})
	}
}

// find returns the question that an answer is to, or why there is none.
func (m *matcher) find(a *Answer) (at int, reason string) {
	name := "question " + quoted(a.Gold.Request)
	if a.Gold.Sample != "" {
		name += " of " + quoted(a.Gold.Sample)
	}
	at, ok := m.identified(a)
	switch {
	case ok && m.Answers[at] != nil:
		return 0, fmt.Sprintf("%s has its answer at line %d already", name, m.Answers[at].Line)
	case ok:
		return at, ""
	case a.Gold.Question == "" && m.By == ByQuestion:
		return 0, "the answer has no question, which --match question needs"
	case a.Gold.Question == "":
		return 0, "the dataset has no " + name
	}
	all := m.byText[normal(a.Gold.Question)]
	if len(all) == 0 {
		return 0, "the dataset does not have the question " + quoted(a.Gold.Question)
	}
	here := lists.Filter(all, func(i int) bool { return m.questions[i].Sample == m.homes[a.label()] })
	if len(here) == 0 && !m.oneSample(all) {
		return 0, quoted(a.Gold.Question) + " is asked in several conversations, and the file does not say in which"
	} else if len(here) == 0 {
		here = all
	}
	free := lists.Filter(here, func(i int) bool { return m.Answers[i] == nil })
	if len(free) == 0 {
		return 0, fmt.Sprintf("%s has its answer at line %d already", quoted(a.Gold.Question), m.Answers[here[0]].Line)
	}
	slices.SortStableFunc(free, func(i, j int) int { return m.likeness(a, j) - m.likeness(a, i) })
	if len(free) > 1 && m.likeness(a, free[0]) == m.likeness(a, free[1]) {
		m.ByOrder++
	}
	return free[0], ""
}

// likeness says how much of what the file tells of a question is as the dataset has
// it.
func (m *matcher) likeness(a *Answer, at int) (n int) {
	if sameGold(a.Gold.Answer, m.questions[at]) {
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
	if a.Gold.Category == "" {
		return "", false
	}
	if at, ok := m.byID[[2]string{"", a.Gold.Request}]; ok && a.Gold.Sample == "" {
		return m.questions[at].Category, true // files call abstentions a category of their own
	}
	id, ok = m.Vocabulary.ID(a.Gold.Category)
	ambiguous := slices.ContainsFunc(m.Categories, func(c record.Category) bool { return len(c.Aliases) > 0 })
	for _, c := range m.Categories {
		if c.ID == a.Gold.Category || !ok && !ambiguous && strings.EqualFold(c.Name, a.Gold.Category) {
			return c.ID, true
		}
	}
	if slices.ContainsFunc(m.questions, func(q record.Gold) bool { return q.Category == a.Gold.Category }) {
		return a.Gold.Category, true
	}
	return id, ok
}

// check compares what the file says about a question with the one that was found.
func (m *matcher) check(a *Answer, q record.Gold) {
	id, known := m.categoryOf(a)
	category := a.Gold.Category
	if known && id != category {
		category += " (" + id + ")"
	}
	home := m.homes[a.label()]
	var texts []string
	for _, f := range []struct {
		name          string
		other         bool
		file, dataset string
	}{
		{"question", a.Gold.Question != "" && normal(a.Gold.Question) != normal(q.Question), quoted(a.Gold.Question), quoted(q.Question)},
		{"gold", a.Gold.Answer != "" && !q.Abstain && !sameGold(a.Gold.Answer, q), quoted(a.Gold.Answer), quoted(q.Answer)},
		{"category", a.Gold.Category != "" && id != q.Category, category, q.Category},
		{"conversation", home != "" && home != q.Sample, quoted(a.label()), quoted(q.Sample)},
	} {
		switch {
		case !f.other:
		case slices.Contains(m.Accept, f.name):
			m.Accepted[f.name]++
		default:
			m.Contradicting[f.name]++
			texts = append(texts, fmt.Sprintf("%s is %s, the dataset's %s", f.name, f.file, f.dataset))
		}
	}
	if len(texts) > 0 {
		m.Contradictions = append(m.Contradictions, Mismatch{a, fmt.Sprintf("question %s of %s: %s", quoted(q.Request), quoted(q.Sample), strings.Join(texts, "; "))})
	}
}

// sameGold reports whether a gold answer of a file is one of the dataset's: any of
// those that are right, or the part before a semicolon, which is all that LoCoMo's
// scorer looks at of some.
func sameGold(gold string, q record.Gold) bool {
	text := normal(gold)
	first, _, _ := strings.Cut(q.Answer, ";")
	return text == normal(q.Answer) || text == normal(first) || slices.ContainsFunc(q.Variants, func(v string) bool { return text == normal(v) })
}

// normal is the letters and digits of a text in lower case, without accents, white space and
// punctuation, in which two writings of it may differ. Digits that something stood between
// stay apart: 1.5 is not 15. Of a text without either it is all but white space.
func normal(s string) string {
	var b strings.Builder
	apart, digit := false, false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsMark(r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if apart && digit && unicode.IsDigit(r) {
				b.WriteByte(' ')
			}
			b.WriteRune(unicode.ToLower(r))
			apart, digit = false, unicode.IsDigit(r)
		default:
			apart = true
		}
	}
	return cmp.Or(b.String(), strings.Join(strings.Fields(s), " "))
}

// quoted shows the beginning of a text.
func quoted(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return strconv.Quote(s)
}
