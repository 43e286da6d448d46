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
	faults := datafile.Faults{File: file}
	for _, x := range all {
		faults.Addf(x.Answer.Line, "%s%s", prefix(x.Answer.Where), x.Reason)
	}
	lines := []error{faults.Err()}
	add := func(is bool, format string, args ...any) {
		if is {
			lines = append(lines, fmt.Errorf("%s: "+format, append([]any{file}, args...)...))
		}
	}
	fields := slices.Sorted(maps.Keys(m.Contradicting))
	counts := lists.Map(fields, func(field string) string { return fmt.Sprintf("%s of %d", field, m.Contradicting[field]) })
	add(len(fields) == 0, "--skip-unmatched ignores these answers")
	add(len(fields) > 0, "%d of %d answers contradict the questions that they were matched to: %s", len(all), m.answers, strings.Join(counts, ", "))
	add(m.Contradicting["category"] > 0, "--categories %s|FILE defines the names of categories", strings.Join(category.Names(), "|"))
	add(m.Contradicting["question"] > 0, "--match question matches by the texts of the questions instead of ids")
	add(len(fields) > 0, "--accept %s allows the difference; answers are scored against the dataset's gold answers in any case", strings.Join(fields, ","))
	return errors.Join(lines...)
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
		MatchOptions: o, questionIndex: newQuestionIndex(questions), homes: make(map[string]string),
		samples: lists.Distinct(questions, func(q record.Gold) string { return q.Sample }),
	}
	m.findHomes(f)
	for _, sure := range []bool{true, false} { // so that no answer takes the question of another
		for i := range f.Answers {
			if a := &f.Answers[i]; m.sure(a) == sure {
				m.add(a)
			}
		}
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

// A questionIndex finds the places of the questions of a dataset.
type questionIndex struct {
	questions []record.Gold
	byID      map[[2]string]int // by sample and request, or "" and the release's name
	byText    map[string][]int  // by the texts as normal has them
}

func newQuestionIndex(questions []record.Gold) questionIndex {
	x := questionIndex{questions, make(map[[2]string]int), make(map[string][]int)}
	for i, q := range questions {
		x.byID[[2]string{q.Sample, q.Request}] = i
		if q.Name != "" {
			x.byID[[2]string{"", q.Name}] = i
		}
		text := normal(q.Question)
		x.byText[text] = append(x.byText[text], i)
	}
	return x
}

// asking returns the places of the questions of a text.
func (x questionIndex) asking(text string) []int { return x.byText[normal(text)] }

type matcher struct {
	Matching
	MatchOptions
	questionIndex
	samples []string
	homes   map[string]string // see findHomes
}

// label is what the file calls the conversation of an answer.
func (a *Answer) label() string { return cmp.Or(a.Gold.Sample, a.Conversation) }

// findHomes finds the sample that each label of a conversation stands for: the one of this id,
// unless ids do not count, else the one with most votes, else the one at the place, from 0,
// that the label ends in. A question that only one sample asks is a vote for it.
func (m *matcher) findHomes(f *File) {
	votes := make(map[[2]string]int) // by label and sample
	for i := range f.Answers {
		a := &f.Answers[i]
		m.homes[a.label()] = ""
		if all := m.asking(a.Gold.Question); len(all) > 0 && m.oneSample(all) {
			votes[[2]string{a.label(), m.questions[all[0]].Sample}]++
		}
	}
	delete(m.homes, "")
	for label := range m.homes {
		home, known := "", slices.Contains(m.samples, label)
		for _, sample := range m.samples { // the first of those with as many
			if votes[[2]string{label, sample}] > votes[[2]string{label, home}] {
				home = sample
			}
		}
		if known && (home == "" || m.By != ByQuestion) {
			home = label
		}
		place := label[strings.LastIndexFunc(label, func(c rune) bool { return c < '0' || c > '9' })+1:]
		if n, err := strconv.Atoi(place); home == "" && err == nil && n < len(m.samples) {
			home = m.samples[n]
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
	return ok || a.Gold.Answer != "" && slices.ContainsFunc(m.asking(a.Gold.Question), func(i int) bool { return sameGold(a.Gold.Answer, m.questions[i]) })
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
	name, question := "question "+quoted(a.Gold.Request), quoted(a.Gold.Question)
	if a.Gold.Sample != "" {
		name += " of " + quoted(a.Gold.Sample)
	}
	all := m.asking(a.Gold.Question)
	here := lists.Filter(all, func(i int) bool { return m.questions[i].Sample == m.homes[a.label()] })
	switch at, ok := m.identified(a); {
	case ok:
		here, question = []int{at}, name
	case a.Gold.Question == "" && m.By == ByQuestion:
		return 0, "the answer has no question, which --match question needs"
	case a.Gold.Question == "":
		return 0, "the dataset has no " + name
	case len(all) == 0:
		return 0, "the dataset does not have the question " + question
	case len(here) == 0 && !m.oneSample(all):
		return 0, question + " is asked in several conversations, and the file does not say in which"
	case len(here) == 0:
		here = all
	}
	free := lists.Filter(here, func(i int) bool { return m.Answers[i] == nil })
	if len(free) == 0 {
		return 0, fmt.Sprintf("%s has its answer at line %d already", question, m.Answers[here[0]].Line)
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
