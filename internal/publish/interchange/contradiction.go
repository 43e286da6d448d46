package interchange

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/category"
	"recallbench/internal/result/record"
)

// The fields of an answer that are compared with its request.
const (
	idField           = "id"
	questionField     = "question"
	goldField         = "gold"
	categoryField     = "category"
	conversationField = "conversation"
	evidenceField     = "evidence"
)

// Fields lists the fields of an answer that are compared with its request.
func Fields() []string {
	return []string{idField, questionField, goldField, categoryField, conversationField, evidenceField}
}

// A Contradiction is an answer whose file says something else of its question than
// the dataset.
type Contradiction struct {
	Answer *Answer
	// Request is the one that the answer was matched to.
	Request record.Gold
	Texts   []string // what the file says and what the dataset, a field each
}

// Error says where the answer stands, and what is wrong.
func (c Contradiction) Error(file string) string {
	return fmt.Sprintf("%srequest %s of %s: %s", c.Answer.place(file), quoted(c.Request.Request), quoted(c.Request.Sample), strings.Join(c.Texts, "; "))
}

// An UnreadName is a name of a category that nothing says the meaning of.
type UnreadName struct {
	Name    string
	Line    int // of the first answer
	Answers int
}

// check holds what the file says of questions against those that were found.
func (m *matcher) check(f *File) {
	m.readNames(f)
	for i, a := range m.Answers {
		if a == nil {
			continue
		}
		c := Contradiction{Answer: a, Request: m.questions[i]}
		for _, field := range Fields() {
			file, dataset, ok := m.compare(field, a, i)
			switch {
			case ok:
			case slices.Contains(m.Accept, field):
				m.Accepted[field]++
			default:
				m.Contradicting[field]++
				c.Texts = append(c.Texts, fmt.Sprintf("%s is %s, the dataset's %s", field, file, dataset))
			}
		}
		if len(c.Texts) > 0 {
			m.Contradictions = append(m.Contradictions, c)
		}
	}
	slices.SortStableFunc(m.Contradictions, func(a, b Contradiction) int { return cmp.Compare(a.Answer.Line, b.Answer.Line) })
	m.findCauses()
}

// compare reports whether a field of an answer is as the dataset has it for a
// question, or not given, and shows both where it is not.
func (m *matcher) compare(field string, a *Answer, at int) (file, dataset string, ok bool) {
	q := m.questions[at]
	switch field {
	case idField:
		// Ids of another kind than the dataset's say nothing.
		_, has := m.byID[[2]string{a.Sample, a.Request}]
		given := a.Sample != "" && a.Request != "" && m.ownIDs && m.By != ByQuestion
		return quoted(a.Sample + "/" + a.Request), quoted(q.Sample + "/" + q.Request), !given || has
	case questionField:
		return quoted(a.Question), quoted(q.Question), a.Question == "" || m.asks(a, q)
	case goldField:
		return quoted(a.Gold), quoted(q.Answer), a.Gold == "" || q.Abstain || sameGold(a.Gold, q)
	case categoryField:
		id, known := m.categoryOf(a)
		file := a.Category
		if known && id != file {
			file += " (" + id + ")"
		}
		return file, q.Category, !known && m.unread(a) || a.Category == "" || id == q.Category
	case conversationField:
		home := m.homes[a.label()]
		return quoted(a.label()), quoted(q.Sample), home == "" || home == q.Sample
	default:
		return strings.Join(a.Evidence, " "), strings.Join(q.Evidence, " "), sameEvidence(a.Evidence, q.Evidence)
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

// sameEvidence reports whether two lists of turns may say the same: whether they
// have one in common, as ids in the releases of datasets are written in several
// ways, and loaders put right what they can.
func sameEvidence(file, dataset []string) bool {
	if len(file) == 0 || len(dataset) == 0 {
		return true
	}
	has := make(map[string]bool)
	for _, id := range dataset {
		has[plainID(id)] = true
	}
	for _, id := range file {
		for part := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == ';' || r == ',' || r == ' ' }) {
			if has[plainID(part)] {
				return true
			}
		}
	}
	return false
}

// zeros are those before a number.
var zeros = regexp.MustCompile(`(^|[^0-9])0+([0-9])`)

// plainID is the id of a turn without what releases of datasets write in several
// ways: D30:05 is D30:5.
func plainID(id string) string { return normal(zeros.ReplaceAllString(id, "$1$2")) }

// unread reports whether nothing says what the category beside an answer means.
func (m *matcher) unread(a *Answer) bool {
	return slices.ContainsFunc(m.Names, func(n UnreadName) bool { return n.Name == a.Category })
}

// readNames finds the categories of the file that nothing says the meaning of,
// unless categories are accepted as they are.
func (m *matcher) readNames(f *File) {
	if slices.Contains(m.Accept, categoryField) {
		return
	}
	for i := range f.Answers {
		a := &f.Answers[i]
		if _, ok := m.categoryOf(a); ok || a.Category == "" {
			continue
		}
		at := slices.IndexFunc(m.Names, func(n UnreadName) bool { return n.Name == a.Category })
		if at < 0 {
			at = len(m.Names)
			m.Names = append(m.Names, UnreadName{Name: a.Category, Line: a.Line})
		}
		m.Names[at].Answers++
	}
}

// findCauses looks for one reason behind many contradictions.
func (m *matcher) findCauses() {
	if len(m.Names) > 0 || m.Contradicting[categoryField] > 0 {
		m.nameVocabulary()
	}
	shifts, moves, tried := make(map[int][]Contradiction), make(map[string]int), 0
	moved := 0
	for _, c := range m.Contradictions {
		at, ok := m.meant(c)
		if !ok {
			continue
		}
		tried++
		home := m.homes[c.Answer.label()]
		switch q := m.questions[at]; {
		case q.Sample != c.Request.Sample, home != "" && home != q.Sample:
			moves[fmt.Sprintf("what stands beside conversation %s is of %s", quoted(c.Answer.label()), quoted(q.Sample))]++
			moved++
		case c.Answer.Request == c.Request.Request:
			if by, ok := distance(c.Request.Request, q.Request); ok && by != 0 {
				shifts[by] = append(shifts[by], c)
			}
		}
	}
	// One reason for nearly all is a cause, and one contradiction has none.
	most := func(n int) bool { return n > 1 && 10*n >= 8*tried }
	if most(moved) {
		keys := slices.Sorted(maps.Keys(moves))
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(moves[b], moves[a]) })
		for _, key := range keys[:min(len(keys), mostMoves)] {
			m.Causes = append(m.Causes, fmt.Sprintf("%s, in %d answers", key, moves[key]))
		}
	}
	for _, by := range slices.Sorted(maps.Keys(shifts)) {
		if of := shifts[by]; most(len(of)) {
			m.Causes = append(m.Causes, m.shifted(of, by))
		}
	}
}

// mostMoves is how many pairs of conversations a cause names.
const mostMoves = 3

// shifted says that ids are off by a distance.
func (m *matcher) shifted(of []Contradiction, by int) string {
	at, _ := m.meant(of[0])
	direction, steps, counts := "low", by, "0, where the dataset counts from 1"
	if by < 0 {
		direction, steps, counts = "high", -by, "1, where the dataset counts from 0"
	}
	amount := strconv.Itoa(steps)
	if steps == 1 {
		amount = "one"
	}
	s := fmt.Sprintf("%d ids are too %s by %s: what stands beside %s is of request %s", len(of), direction, amount, quoted(of[0].Request.Request), quoted(m.questions[at].Request))
	agree := 0 // ids with something to compare, which agrees
	for i, a := range m.Answers {
		if a != nil && a.Request == m.questions[i].Request && (a.Question != "" || a.Gold != "") && !slices.ContainsFunc(m.Contradictions, func(c Contradiction) bool { return c.Answer == a }) {
			agree++
		}
	}
	switch {
	case 10*agree > len(of):
		s += fmt.Sprintf("; %d of the others are right, so a question may be missing or be there twice", agree)
	case steps == 1:
		s += "; they may count from " + counts
	}
	return s
}

// meant returns the question that what stands beside an answer is of, where that is
// the only one: by its text, else by its gold answer within the sample.
func (m *matcher) meant(c Contradiction) (int, bool) {
	a := c.Answer
	all := m.byText[m.texts[a]]
	if here := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return m.questions[i].Sample != c.Request.Sample }); len(here) > 0 {
		all = here
	}
	if a.Question == "" && a.Gold != "" {
		all = m.withGold(c.Request.Sample, a.Gold)
	}
	if len(all) != 1 {
		return 0, false
	}
	return all[0], true
}

// withGold returns the questions of a sample with a gold answer.
func (m *matcher) withGold(sample, gold string) []int {
	if m.byGold == nil {
		m.byGold = make(map[[2]string][]int)
		for i, q := range m.questions {
			key := [2]string{q.Sample, normal(q.Answer)}
			m.byGold[key] = append(m.byGold[key], i)
		}
	}
	return m.byGold[[2]string{sample, normal(gold)}]
}

// distance returns by how much the number at the end of an id is lower than that of
// another, which begins like it.
func distance(id, other string) (int, bool) {
	split := func(s string) (string, int, bool) {
		prefix := strings.TrimRight(s, "0123456789")
		n, err := strconv.Atoi(s[len(prefix):])
		return prefix, n, err == nil
	}
	prefix, n, ok := split(id)
	otherPrefix, k, otherOK := split(other)
	return k - n, ok && otherOK && prefix == otherPrefix
}

// nameVocabulary says with which vocabulary the names of categories agree with the
// dataset's ids.
func (m *matcher) nameVocabulary() {
	for _, v := range category.Known() {
		named, agree := 0, 0
		for i, a := range m.Answers {
			if a == nil || a.Category == "" {
				continue
			}
			if _, number := category.Number(a.Category); number {
				continue
			}
			named++
			if id, ok := v.ID(a.Category); ok && id == m.questions[i].Category {
				agree++
			}
		}
		if named > 0 && agree > 0 {
			m.Causes = append(m.Causes, fmt.Sprintf("with --categories %s %d of %d categories are those of the dataset", v.Name, agree, named))
		}
	}
}
